import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Source } from "./row.ts";

const CHUNK_BYTES = 32 * 1024;

/**
 * The text of a file, in pieces that never break a character, in the encoding that its byte order mark (UTF-8, UTF-16)
 * says; without one, in `encoding`. `row`: the row that comes next, asked for where a byte cannot be read; the text
 * before it is given first. Throws FileRefusedError.
 */
export async function* readText({ path, encoding: said, refuse }: Source, row: () => number): AsyncGenerator<string> {
  const mark = markOf(await beginningOf(path, 3));
  const encoding = mark?.encoding ?? said;
  const decode = decoderOf(encoding);
  for await (const bytes of bytesOf(path, mark?.bytes ?? 0)) {
    const decoded = decode(bytes);
    const text = typeof decoded === "string" ? decoded : readableStart(decoded, encoding);
    const nul = text.indexOf("\0");
    yield nul < 0 ? text : text.slice(0, nul);
    if (nul >= 0) throw refuse("nul_bytes", {}, { row: row() });
    if (typeof decoded === "string") continue;
    const name = encoding.startsWith("utf-16") ? "UTF-16" : encoding.replace("utf", "UTF");
    throw refuse("not_utf8", { encoding: name, sensible: sensibleEncodings(decoded).join(" or ") }, { row: row() });
  }
}

/** Mostly a private copy; what is asked for its columns lies where others may exchange it for a link or a pipe. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The bytes of a file, and nothing at its end. */
async function* bytesOf(path: string, start: number): AsyncGenerator<Buffer> {
  const file = await open(path, READ);
  yield* file.createReadStream({ start, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  yield Buffer.alloc(0);
}

export async function beginningOf(path: string, bytesMax: number): Promise<Buffer> {
  await using file = await open(path, READ);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
  return buffer.subarray(0, bytesRead);
}

/** The byte order mark that a file begins with: it says itself how it is written, whatever the settings say. */
export function markOf(beginning: Buffer): { readonly encoding: string; readonly bytes: number } | undefined {
  const hex = beginning.toString("hex", 0, 3);
  if (hex === "efbbbf") return { encoding: "utf-8", bytes: 3 };
  if (hex.startsWith("fffe")) return { encoding: "utf-16le", bytes: 2 };
  return hex.startsWith("feff") ? { encoding: "utf-16be", bytes: 2 } : undefined;
}

/** Gives the bytes back where one cannot be read. What is cut in two at the end is kept for the next call. */
function decoderOf(encoding: string): (bytes: Buffer) => string | Buffer {
  if (encoding !== "utf-8") {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    return (bytes) => {
      try {
        return decoder.decode(bytes, { stream: bytes.length > 0 });
      } catch {
        return bytes;
      }
    };
  }
  // twice as fast as a decoder that keeps a state
  let cut: Buffer = Buffer.alloc(0);
  return (bytes) => {
    const all = cut.length === 0 ? bytes : Buffer.concat([cut, bytes]);
    const whole = bytes.length === 0 ? all : wholeUtf8(all);
    cut = all.subarray(whole.length);
    return isUtf8(whole) ? whole.toString("utf8") : whole;
  };
}

/** Whole characters of UTF-8, without the last one where it is cut in two. */
export function wholeUtf8(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

function readableStart(bytes: Buffer, encoding: string): string {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  const at = text.indexOf("\ufffd");
  return at < 0 ? text : text.slice(0, at);
}

/** The encodings of old programs in which these bytes, which are not UTF-8, give sensible letters. */
export function sensibleEncodings(bytes: Buffer): readonly string[] {
  const old = ["windows-1252", "macintosh"];
  return old.filter((encoding) => !NOT_SENSIBLE.test(new TextDecoder(encoding).decode(bytes)));
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
