import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Facts } from "../messages/sentence.ts";

/** A piece of a file's text. Never breaks a character; may break a line. */
export interface TextChunk {
  readonly text: string;
  readonly isLast: boolean;
  /** What stands right after `text` cannot be read, and no chunk follows. Only the consumer can name the row. */
  readonly broken?: { readonly code: "not_utf8" | "nul_bytes"; readonly facts: Facts };
}

const CHUNK_BYTES = 32 * 1024;
/** At most so many bytes of a character cut in two wait for the next chunk. */
const CARRIED_BYTES_MAX = 4;

/** The text of a file in the encoding that its byte order mark (UTF-8, UTF-16) says; without one, in `encoding`. */
export async function* readText(path: string, encoding: string): AsyncGenerator<TextChunk> {
  const mark = markOf(await beginningOf(path, 3));
  const decoder = decoderOf(mark?.encoding ?? encoding);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.allocUnsafe(CARRIED_BYTES_MAX + CHUNK_BYTES);
    let [position, carried] = [mark?.bytes ?? 0, 0];
    for (;;) {
      const { bytesRead } = await file.read(buffer, carried, CHUNK_BYTES, position);
      const bytes = buffer.subarray(0, carried + bytesRead);
      const isLast = bytesRead === 0;
      position += bytesRead;
      const whole = isLast || decoder.encoding !== "utf-8" ? bytes.length : wholeUtf8(bytes);
      const chunk = decode(decoder, bytes.subarray(0, whole), isLast);
      yield { ...chunk, isLast: isLast || chunk.broken !== undefined };
      if (isLast || chunk.broken) return;
      carried = bytes.copy(buffer, 0, whole);
    }
  } finally {
    await file.close();
  }
}

/** The first bytes of a file. */
export async function beginningOf(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The byte order mark that a file begins with: it says itself how it is written, whatever the settings say. */
export function markOf(beginning: Buffer): { readonly encoding: string; readonly bytes: number } | undefined {
  const hex = beginning.toString("hex", 0, 3);
  if (hex === "efbbbf") return { encoding: "utf-8", bytes: 3 };
  if (hex.startsWith("fffe")) return { encoding: "utf-16le", bytes: 2 };
  return hex.startsWith("feff") ? { encoding: "utf-16be", bytes: 2 } : undefined;
}

interface Decoder {
  readonly encoding: string;
  /** undefined where a byte cannot be read. What is cut in two at the end of the bytes may be kept for the next call. */
  readonly decode: (bytes: Buffer, isLast: boolean) => string | undefined;
}

function decoderOf(encoding: string): Decoder {
  // many times faster than a decoder that keeps a state
  if (encoding === "utf-8") {
    return { encoding, decode: (bytes) => (isUtf8(bytes) ? bytes.toString("utf8") : undefined) };
  }
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const decode = (bytes: Buffer, isLast: boolean): string | undefined => {
    try {
      return decoder.decode(bytes, { stream: !isLast });
    } catch {
      return undefined;
    }
  };
  return { encoding, decode };
}

/** How many of these bytes are whole characters of UTF-8, where the last one may be cut in two. */
export function wholeUtf8(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function decode(decoder: Decoder, bytes: Buffer, isLast: boolean): Pick<TextChunk, "text" | "broken"> {
  const decoded = decoder.decode(bytes, isLast);
  const text = decoded ?? readableStart(bytes, decoder.encoding);
  const nul = text.indexOf("\0");
  if (nul >= 0) return { text: text.slice(0, nul), broken: { code: "nul_bytes", facts: {} } };
  if (decoded !== undefined) return { text };
  const encoding = decoder.encoding.startsWith("utf-16") ? "UTF-16" : decoder.encoding.replace("utf", "UTF");
  return { text, broken: { code: "not_utf8", facts: { encoding, sensible: sensibleEncodings(bytes).join(" or ") } } };
}

/** The text before the first byte that cannot be read. */
function readableStart(bytes: Buffer, encoding: string): string {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  const at = text.indexOf("\ufffd");
  return at < 0 ? text : text.slice(0, at);
}

/** Encodings that can be configured for files of old programs. */
const OLD_ENCODINGS = ["windows-1252", "macintosh"] as const;

/** The encodings in which these bytes, which are not UTF-8, give sensible letters. */
export function sensibleEncodings(bytes: Buffer): readonly string[] {
  return OLD_ENCODINGS.filter((encoding) => !NOT_SENSIBLE.test(new TextDecoder(encoding).decode(bytes)));
}

/**
 * Signs that letters are not those which somebody wrote: one that no name has, a sign in the middle of a word, a capital
 * with an accent behind a small letter, a small one with an accent between capitals.
 */
const NOT_SENSIBLE = new RegExp(
  [
    "[\\u0080-\\u009fƒªºµıﬁﬂΩπ∂∑∏∫√∞≈≠≤≥◊ˆ˜¯˘˙˚¸˝˛ˇ§¶†‡¬¦¤¨´]",
    "(?<=\\p{Ll})(?=[^\\x00-\\x7f])\\p{Lu}",
    "(?=[^\\x00-\\x7f])\\p{Ll}(?=\\p{Lu})",
    "(?<=\\p{L})[^\\x00-\\x7f\\p{L}\\p{M}’‑\\u00a0](?=\\p{L})",
  ].join("|"),
  "u",
);
