import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import type { Config } from "../config/schema.ts";
import type { Secrets } from "../config/secret.ts";
import { PaydropError } from "../errors.ts";

export type Padding = Config["padding"];

/** What §5.2 encrypts with. §5.2 shows neither padding nor the case of hex: PKCS#7 and lower case unless chosen. */
export interface EnvelopeOptions {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** 16 bytes. */
  readonly iv: Uint8Array;
  readonly padding?: Padding;
  readonly hexCase?: Config["hex_case"];
}

/** The plaintext payload in, the request body `{"body":"<hex>"}` out (§2.4). Throws where padding "none" cannot be. */
export function createEnvelope(options: EnvelopeOptions): (payload: string) => string {
  const encrypt = createEncryption(options);
  // hex needs no escaping
  return (payload) => `{"body":"${encrypt(payload)}"}`;
}

/** The way back, for the sandbox: undefined for what is no whole ciphertext of this key, IV and padding. */
export function createOpener({ key, iv, padding = "pkcs7" }: EnvelopeOptions): (hex: string) => string | undefined {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (hex) => {
    if (!/^(?:[0-9a-fA-F]{32})+$/.test(hex)) return undefined;
    try {
      const decipher = createDecipheriv("aes-256-cbc", key, iv).setAutoPadding(false);
      const payload = unpadded(Buffer.concat([decipher.update(hex, "hex"), decipher.final()]), padding);
      return payload && text.decode(payload);
    } catch {
      return undefined;
    }
  };
}

const BLOCK_BYTES = 16;
const ISO7816_MARK = 0x80;

/**
 * A payload (compact JSON, or its bytes) as the HEX string of its AES-256-CBC ciphertext (§5.2, steps 2 and 3).
 *
 * One cipher for all payloads: to make one for each costs more than to encrypt with it. CBC xors the first block with
 * the block that it encrypted last, where a new cipher would take the IV. So the first block is xored with both before:
 * the last block cancels out, and the IV is in.
 */
export function createEncryption({ key, iv, padding = "pkcs7", hexCase = "lower" }: EnvelopeOptions) {
  const cipher = createCipheriv("aes-256-cbc", createSecretKey(key), iv).setAutoPadding(false);
  let lastBlock = iv;
  return (payload: string | Uint8Array): string => {
    const plain = padded(payload, padding);
    if (plain.length === 0) return "";
    for (let at = 0; at < BLOCK_BYTES; at += 1) plain[at] = byteOf(plain, at) ^ byteOf(iv, at) ^ byteOf(lastBlock, at);
    const encrypted = cipher.update(plain);
    lastBlock = encrypted.subarray(-BLOCK_BYTES);
    const hex = encrypted.toString("hex");
    return hexCase === "upper" ? hex.toUpperCase() : hex;
  };
}

function byteOf(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** A copy of the payload, padded to whole blocks. Throws PaydropError "config" where padding `none` cannot be. */
function padded(payload: string | Uint8Array, padding: Padding): Buffer {
  const length = typeof payload === "string" ? Buffer.byteLength(payload, "utf8") : payload.length;
  const over = length % BLOCK_BYTES;
  const missing = BLOCK_BYTES - over;
  if (over > 0 && padding === "none") throw new PaydropError("padding_none", { bytes: length });
  const isWhole = over === 0 && (padding === "none" || padding === "zero");
  const bytes = Buffer.allocUnsafe(isWhole ? length : length + missing);
  if (typeof payload === "string") bytes.write(payload, "utf8");
  else bytes.set(payload);
  if (isWhole) return bytes;
  // pkcs7 writes the number of padding bytes into each of them, ansix923 into the last; iso7816 marks the first
  bytes.fill(padding === "pkcs7" ? missing : 0, length);
  if (padding === "iso7816") bytes[length] = ISO7816_MARK;
  if (padding === "ansix923") bytes[bytes.length - 1] = missing;
  return bytes;
}

/** The one beginning that pads to these very bytes; undefined when the padding is not there. */
function unpadded(plain: Buffer, padding: Padding): Buffer | undefined {
  for (let cut = padding === "none" ? 0 : BLOCK_BYTES; cut >= 0; cut -= 1) {
    const payload = plain.subarray(0, plain.length - cut);
    if (padded(payload, padding).equals(plain)) return payload;
  }
  return undefined;
}

/** What a payload is encrypted with; undefined without keys. Throws PaydropError "config" for keys that are none. */
export function encryptionOf(config: Config, { aesKey, aesIv }: Secrets): EnvelopeOptions | undefined {
  if (!aesKey || !aesIv) return undefined;
  const key = readAesKey(aesKey.reveal(), config.key_encoding);
  const iv = readAesIv(aesIv.reveal(), config.key_encoding);
  return { key, iv, padding: config.padding, hexCase: config.hex_case };
}

export type KeyEncoding = Config["key_encoding"];

/**
 * The AES key as 32 bytes. §5.2 shows no encoding: `auto` takes the one encoding that gives exactly that length.
 * Throws PaydropError "config", which names the key and never the value.
 */
export function readAesKey(text: string, encoding: KeyEncoding = "auto"): Uint8Array {
  return readBytes("the AES key", text, encoding, 32);
}

/** The initialization vector as 16 bytes; read, and refused, as `readAesKey` does. */
export function readAesIv(text: string, encoding: KeyEncoding = "auto"): Uint8Array {
  return readBytes("the AES IV", text, encoding, 16);
}

function readBytes(name: string, text: string, encoding: KeyEncoding, bytes: number): Uint8Array {
  // the same bytes differ in length by their encoding (a key: 64, 43 or 44, and 32 characters): at most one fits
  for (const one of encoding === "auto" ? ENCODINGS : [encoding]) {
    const found = Buffer.from(text, one);
    if (found.length === bytes && isWritten(text, found, one)) return found;
  }
  const lengths = { bytes, hex: bytes * 2, base64: Math.ceil(bytes / 3) * 4 };
  throw new PaydropError("key_wrong", { name, characters: text.length, encoding, ...lengths });
}

const ENCODINGS = ["hex", "base64", "utf8"] as const;

/** Node's own decoders stop silently at the first bad character, so the bytes are written once more and compared. */
function isWritten(text: string, bytes: Buffer, encoding: (typeof ENCODINGS)[number]): boolean {
  if (encoding === "hex") return bytes.toString("hex") === text.toLowerCase();
  if (encoding === "utf8") return true;
  // keys are issued with and without `=` at the end, which says no more than the length, and with `-_` for `+/`
  const written = [bytes.toString("base64"), bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  return written.includes(text) || written.includes(text.replace(/=+$/, ""));
}
