import { printable } from "../../text/printable.ts";
import type { Finding } from "../sentences.ts";

/** The bytes 128 to 255 by their letter in windows-1252. Made when first asked for: most files never ask. */
let bytesKnown: ReadonlyMap<string, number> | undefined;
/** What a letter's first byte in UTF-8 looks like, with no ASCII behind it: most texts have no such place. */
const SUSPECT = /[\u00c2-\u00f4][^\u0000-\u007f]/;
const FOREIGN = /[^\u0000-\u007f]+/g;
const SHOWN_CHARACTERS_MAX = 20;

/**
 * Finds UTF-8 that was opened as windows-1252 and saved so: `RenÃ© Ã‰tienne`, `à¤°à¤µà¤¿`. No text that is meant is
 * UTF-8 by chance in all of its letters; and if one is, it is sent all the same: this is only pointed out.
 */
export function inspectGarbled(text: string): Finding | undefined {
  if (!SUSPECT.test(text)) return undefined;
  let first: string | undefined;
  for (const [letters] of text.matchAll(FOREIGN)) {
    const meant = asUtf8(letters);
    if (meant === undefined) return undefined;
    first ??= `"${printable(letters, SHOWN_CHARACTERS_MAX)}" where "${printable(meant, SHOWN_CHARACTERS_MAX)}" was`;
  }
  return first === undefined ? undefined : { code: "letters_garbled", found: first };
}

function asUtf8(letters: string): string | undefined {
  const byteOf = (bytesKnown ??= bytesOfLetters());
  const bytes = Array.from(letters, (letter) => byteOf.get(letter));
  if (!bytes.every((byte) => byte !== undefined)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

function bytesOfLetters(): ReadonlyMap<string, number> {
  const letters = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at));
  return new Map(Array.from(letters, (letter, at) => [letter, 128 + at]));
}
