import { isUtf8 } from "node:buffer";
import type { ZlibOptions } from "node:zlib";
import { systemCodeOf } from "../errors.ts";

/**
 * The text of a body, at most `bytesMax` of it. Without `Accept-Encoding` a service may compress its answers as it likes
 * (RFC 9110 §12.5.3), and what it says of a failure, or the sign-in page of a proxy, would be read by nobody. What cannot
 * be read so stays as it came.
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

/** The last coding of the list was put on last (RFC 9110 §8.4). undefined: one is not known, or not what it is called. */
function unpacked(bytes: Buffer, codings: readonly string[]): Buffer | undefined {
  if (codings.length > CODINGS_MAX) return undefined;
  let left: Buffer | undefined = bytes;
  for (const coding of codings.toReversed()) left &&= beginningOf(left, coding);
  return left;
}

/** Nobody puts on more, and each costs time. */
const CODINGS_MAX = 4;
/** At a time: a small body may unpack to gigabytes. More than is kept, since zstd gives 128 KiB at once or nothing. */
const UNPACKED_BYTES_MAX = 1024 * 1024;

/** undefined: it is not what it is called. */
type Unpack = (bytes: Buffer) => Buffer | "too_large" | undefined;

/** All of it, or of what is too large the longest beginning that is not. */
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
  // loaded where one is met: hardly any service does
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

/** `flush`: to take a beginning, or a body that was cut, for no fault. */
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
