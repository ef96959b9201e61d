import { isUtf8 } from "node:buffer";
import type { ZlibOptions } from "node:zlib";
import { systemCodeOf } from "../errors.ts";

/**
 * The text of a body, unpacked where it is compressed, and then at most `bytesMax` of it. We send no `Accept-Encoding`,
 * so a service may compress its answers as it likes (RFC 9110 §12.5.3), and nobody could read what it says of a
 * failure, or that a proxy answered with its sign-in page. A body that cannot be unpacked stays as it came.
 */
export function bodyText(bytes: Buffer, contentEncoding: string, bytesMax: number): string {
  if (contentEncoding === "") return textOf(bytes);
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  return textOf(codings.length === 0 ? bytes : (unpacked(bytes, codings) ?? bytes).subarray(0, bytesMax));
}

/** Without a byte order mark of UTF-16 it is UTF-8, as JSON must be (RFC 8259 §8.1). */
function textOf(bytes: Buffer): string {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  if (mark === 0xfeff || mark === 0xfffe)
    return new TextDecoder(mark === 0xfeff ? "utf-16be" : "utf-16le").decode(bytes);
  return bytes.toString("utf8");
}

/**
 * The body without its codings. The last of the list was put on last (RFC 9110 §8.4), so it is taken off first.
 * undefined: a coding is not known, or the bytes are not in it.
 */
function unpacked(bytes: Buffer, codings: readonly string[]): Buffer | undefined {
  if (codings.length > CODINGS_MAX) return undefined;
  let left: Buffer | undefined = bytes;
  for (const coding of codings.toReversed()) left &&= beginningOf(left, coding);
  return left;
}

/** More codings than anybody puts on; each costs time. */
const CODINGS_MAX = 4;
/**
 * The most that is unpacked of a body: a small one may hold gigabytes. It is more than is kept of a body, since zstd
 * gives 128 KiB at once or nothing.
 */
const UNPACKED_BYTES_MAX = 1024 * 1024;

/** undefined: the bytes are not in the coding that is said. */
type Unpack = (bytes: Buffer) => Buffer | "too_large" | undefined;

/** All of `bytes` unpacked; where that is too large, the longest beginning of them that is not. */
function beginningOf(bytes: Buffer, coding: string): Buffer | undefined {
  const unpack = unpackerOf(coding, bytes);
  const whole = unpack?.(bytes);
  if (!unpack || whole !== "too_large") return whole as Buffer | undefined;
  let found: Buffer | undefined;
  for (let [fits, tooLong] = [0, bytes.length]; tooLong - fits > 1;) {
    const middle = Math.floor((fits + tooLong) / 2);
    const beginning = unpack(bytes.subarray(0, middle));
    if (beginning === "too_large") tooLong = middle;
    else [fits, found] = [middle, beginning];
  }
  return found;
}

function unpackerOf(coding: string, bytes: Buffer): Unpack | undefined {
  // loaded only when a compressed answer comes: hardly any service sends one
  const zlib = process.getBuiltinModule("node:zlib");
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return bounded(zlib.gunzipSync, Z_SYNC_FLUSH);
    case "deflate":
      if (isZlib(bytes)) return bounded(zlib.inflateSync, Z_SYNC_FLUSH);
      // many leave out the header that they should write (RFC 9110 §8.4.1.2); any text would unpack to something
      return isText(bytes) ? undefined : bounded(zlib.inflateRawSync, Z_SYNC_FLUSH);
    case "br":
      return bounded(zlib.brotliDecompressSync, BROTLI_OPERATION_FLUSH);
    case "zstd":
      return bounded(zlib.zstdDecompressSync, ZSTD_e_flush);
    default:
      return undefined;
  }
}

/** `flush`: how to end, so that a beginning, or a body that was cut, counts as no fault. */
function bounded(
  unpack: (bytes: Buffer, options: Pick<ZlibOptions, "finishFlush" | "maxOutputLength">) => Buffer,
  flush: number,
): Unpack {
  return (bytes) => {
    try {
      return unpack(bytes, { finishFlush: flush, maxOutputLength: UNPACKED_BYTES_MAX });
    } catch (error) {
      return systemCodeOf(error) === "ERR_BUFFER_TOO_LARGE" ? "too_large" : undefined;
    }
  };
}

/** RFC 1950 §2.2: method 8, and the two bytes are a multiple of 31. */
function isZlib(bytes: Buffer): boolean {
  const head = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  return ((head >> 8) & 0x0f) === 8 && head % 31 === 0;
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !/[\0-\x08\x0e-\x1f]/.test(bytes.toString("latin1"));
}
