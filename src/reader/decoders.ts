import { isUtf8 } from "node:buffer";

export type Encoding = "utf-8" | "windows-1252";

/** Makes text of bytes that come in chunks. */
export interface Decoder {
  readonly name: string;
  /** How many of these bytes are whole characters: the rest waits for the next chunk. */
  wholeBytes(bytes: Buffer): number;
  /** undefined when a byte cannot be read. */
  decode(bytes: Buffer): string | undefined;
  /** The text before the first byte that cannot be read, or before its line, so that the row can be counted. */
  goodPart(bytes: Buffer): string;
}

/** The decoder by the byte order mark that the bytes begin with; without one, that of `encoding`. */
export function decoderFor(bytes: Buffer, encoding: Encoding): { decoder: Decoder; markBytes: number } {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { decoder: UTF_8, markBytes: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { decoder: UTF_16_LE, markBytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { decoder: UTF_16_BE, markBytes: 2 };
  return { decoder: encoding === "utf-8" ? UTF_8 : WINDOWS_1252, markBytes: 0 };
}

/** Whether a file begins with a byte order mark, and so says itself how it is written. */
export function hasMark(beginning: Buffer): boolean {
  return decoderFor(beginning, "utf-8").markBytes > 0;
}

export const UTF_8: Decoder = {
  name: "UTF-8",
  wholeBytes(bytes) {
    for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
      const byte = bytes[bytes.length - back] ?? 0;
      if (byte < 0x80) break;
      if (byte < 0xc0) continue;
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
    return bytes.length;
  },
  decode: (bytes) => (isUtf8(bytes) ? bytes.toString("utf8") : undefined),
  goodPart(bytes) {
    let goodBytes = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (bytes[at] !== 0x0a && bytes[at] !== 0x0d) continue;
      if (!isUtf8(bytes.subarray(goodBytes, at))) break;
      goodBytes = at;
    }
    return bytes.toString("utf8", 0, goodBytes + (goodBytes > 0 ? 1 : 0));
  },
};

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * `wholeBytes` of UTF-16: the first half of a surrogate pair waits for its second half. `highFromEnd`: where the high
 * byte of the last two bytes stands, counted from the end.
 */
function wholePairs(bytes: Buffer, highFromEnd: 1 | 2): number {
  const even = bytes.length - (bytes.length % 2);
  const highByte = bytes[even - highFromEnd] ?? 0;
  return highByte >= 0xd8 && highByte <= 0xdb ? even - 2 : even;
}

const UTF_16_LE: Decoder = {
  name: "UTF-16",
  wholeBytes: (bytes) => wholePairs(bytes, 1),
  decode(bytes) {
    const text = bytes.length % 2 === 0 ? bytes.toString("utf16le") : undefined;
    return text?.isWellFormed() ? text : undefined;
  },
  goodPart(bytes) {
    const text = bytes.toString("utf16le");
    const at = text.search(LONE_SURROGATE);
    return at < 0 ? text : text.slice(0, at);
  },
};

const UTF_16_BE: Decoder = {
  name: "UTF-16",
  wholeBytes: (bytes) => wholePairs(bytes, 2),
  decode: (bytes) => (bytes.length % 2 === 0 ? UTF_16_LE.decode(Buffer.from(bytes).swap16()) : undefined),
  goodPart: (bytes) => UTF_16_LE.goodPart(Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16()),
};

const WINDOWS_1252: Decoder = {
  name: "windows-1252",
  wholeBytes: (bytes) => bytes.length,
  decode: (bytes) => new TextDecoder("windows-1252").decode(bytes),
  goodPart: (bytes) => bytes.toString("latin1"),
};
