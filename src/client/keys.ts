import type { Choices } from "../config/config.ts";
import { PaydropError } from "../errors.ts";

export type KeyEncoding = Choices["keyEncoding"];

/**
 * The AES key as 32 bytes. §5.2 shows no encoding: `auto` takes the one encoding that gives exactly that length.
 * Throws PaydropError "config", which names the variable (or option) and never the value.
 */
export function readAesKey(text: string, encoding: KeyEncoding = "auto", name = "PAYDROP_AES_KEY"): Uint8Array {
  return readBytes(name, text, encoding, 32);
}

/** The initialization vector as 16 bytes; read, and refused, as `readAesKey` does. */
export function readAesIv(text: string, encoding: KeyEncoding = "auto", name = "PAYDROP_AES_IV"): Uint8Array {
  return readBytes(name, text, encoding, 16);
}

function readBytes(name: string, text: string, encoding: KeyEncoding, bytes: number): Uint8Array {
  const readers = encoding === "auto" ? Object.values(READERS) : [READERS[encoding]];
  // The same bytes differ in length by their encoding (a key: 64, 43 or 44, and 32 characters): at most one fits.
  for (const read of readers) {
    const found = read(text);
    if (found?.length === bytes) return found;
  }
  throw wrongKey(name, text, encoding, bytes);
}

/** Strict alphabets: Node's own decoders stop silently at the first bad character. */
const READERS: Readonly<Record<Exclude<KeyEncoding, "auto">, (text: string) => Uint8Array | undefined>> = {
  hex: (text) => (/^(?:[0-9a-fA-F]{2})+$/.test(text) ? Buffer.from(text, "hex") : undefined),
  base64: (text) => {
    const bytes = Buffer.from(text, "base64");
    // keys are issued with and without `=` at the end, which says no more than the length, and with `-_` for `+/`
    const whole = bytes.toString("base64");
    const written = [whole, whole.replace(/=+$/, "")];
    return written.includes(text) || written.map(asInUrls).includes(text) ? bytes : undefined;
  },
  utf8: (text) => Buffer.from(text, "utf8"),
};

function asInUrls(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

function wrongKey(name: string, text: string, encoding: KeyEncoding, bytes: number): PaydropError {
  const right = {
    hex: `${bytes * 2} characters 0-9 a-f`,
    base64: `${Math.ceil((bytes * 4) / 3)} or ${Math.ceil(bytes / 3) * 4} characters of base64`,
    utf8: `${bytes} bytes of plain text`,
  };
  const wanted = encoding === "auto" ? `${right.hex}, ${right.base64} or ${right.utf8}` : right[encoding];
  const inner = text.trim() === text ? "" : "; it begins or ends with a space or a line break";
  return new PaydropError(
    "config",
    `${name} has ${text.length} characters and is not ${bytes} bytes in ${
      encoding === "auto" ? "any known encoding" : encoding
    }${inner}; right would be ${wanted}`,
    `Copy the ${bytes === 32 ? "AES Key" : "AES IV"} again from the service's dashboard under Settings, API Security`,
  );
}
