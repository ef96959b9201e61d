import { isUtf8 } from "node:buffer";
import { workbookOfBytes } from "../format.ts";
import { openCopy } from "../private-copy.ts";
import type { ReaderFaultCode, RefusalDetail } from "./refusals.ts";

export type Encoding = "utf-8" | "windows-1252";

/** A piece of a file's text. Never breaks a character; may break a line. */
interface TextChunk {
  readonly text: string;
  readonly isLast: boolean;
  /** The file had bytes, if only a byte order mark. */
  readonly hasBytes: boolean;
  /** What stands right after `text` cannot be read, and no chunk follows. Only the consumer can name the row. */
  readonly broken?: Breakage;
}

interface Breakage {
  readonly code: ReaderFaultCode;
  readonly detail: RefusalDetail;
}

const CHUNK_BYTES = 64 * 1024;
/** At most this many bytes of a character cut in two wait for the next chunk. */
const CARRIED_BYTES_MAX = 4;
/** Enough to see that every second byte is NUL. */
const LOOKED_AT_BYTES = 64;

/** The text of a file: UTF-8 with or without a byte order mark, UTF-16 with one, `encoding` for all others. */
export async function* readText(path: string, encoding: Encoding): AsyncGenerator<TextChunk> {
  const file = await openCopy(path);
  try {
    const bytesMax = Math.min(CHUNK_BYTES, file.sizeBytes);
    const buffer = Buffer.allocUnsafe(CARRIED_BYTES_MAX + bytesMax);
    let carried = 0;
    let decoder: Decoder | undefined;
    for (;;) {
      const bytesRead = await file.read(buffer, carried, bytesMax);
      let bytes = buffer.subarray(0, carried + bytesRead);
      const isLast = bytesRead === 0;
      const hasBytes: boolean = bytes.length > 0 || decoder !== undefined;
      if (decoder === undefined) {
        if (!isLast && bytes.length < CARRIED_BYTES_MAX) {
          carried = bytes.length;
          continue;
        }
        const start = decoderFor(bytes, encoding);
        decoder = start.decoder;
        bytes = bytes.subarray(start.markBytes);
      }
      const whole = isLast ? bytes.length : decoder.wholeBytes(bytes);
      const chunk = decode(decoder, bytes.subarray(0, whole));
      yield { ...chunk, isLast: isLast || chunk.broken !== undefined, hasBytes };
      if (isLast || chunk.broken) return;
      carried = bytes.copy(buffer, 0, whole);
    }
  } finally {
    await file.close();
  }
}

interface Decoder {
  readonly name: string;
  /** How many of these bytes are whole characters: the rest waits for the next chunk. */
  wholeBytes(bytes: Buffer): number;
  /** undefined when a byte cannot be read. */
  decode(bytes: Buffer): string | undefined;
  /** The text before the first byte that cannot be read, or before its line, so that the row can be counted. */
  goodPart(bytes: Buffer): string;
}

function decoderFor(bytes: Buffer, encoding: Encoding): { decoder: Decoder; markBytes: number } {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { decoder: UTF_8, markBytes: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { decoder: UTF_16_LE, markBytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { decoder: UTF_16_BE, markBytes: 2 };
  return { decoder: encoding === "utf-8" ? UTF_8 : WINDOWS_1252, markBytes: 0 };
}

/** Whether a file that begins so says itself how it is written. */
export function hasMark(beginning: Buffer): boolean {
  return decoderFor(beginning, "utf-8").markBytes > 0;
}

const UTF_8: Decoder = {
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

const UTF_16_LE: Decoder = {
  name: "UTF-16",
  wholeBytes(bytes) {
    const even = bytes.length - (bytes.length % 2);
    const highByte = bytes[even - 1] ?? 0;
    return highByte >= 0xd8 && highByte <= 0xdb ? even - 2 : even;
  },
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
  wholeBytes(bytes) {
    const even = bytes.length - (bytes.length % 2);
    const highByte = bytes[even - 2] ?? 0;
    return highByte >= 0xd8 && highByte <= 0xdb ? even - 2 : even;
  },
  decode: (bytes) => (bytes.length % 2 === 0 ? UTF_16_LE.decode(Buffer.from(bytes).swap16()) : undefined),
  goodPart: (bytes) => UTF_16_LE.goodPart(Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16()),
};

const WINDOWS_1252: Decoder = {
  name: "windows-1252",
  wholeBytes: (bytes) => bytes.length,
  decode: (bytes) => new TextDecoder("windows-1252").decode(bytes),
  goodPart: (bytes) => bytes.toString("latin1"),
};

function decode(decoder: Decoder, bytes: Buffer): { text: string; broken?: Breakage } {
  const decoded = decoder.decode(bytes);
  const text = decoded ?? decoder.goodPart(bytes);
  const nul = text.indexOf("\0");
  if (nul >= 0) return { text: text.slice(0, nul), broken: nulBytes(bytes) };
  if (decoded !== undefined) return { text };
  const isNulAhead = decoder === UTF_8 && bytes.subarray(0, LOOKED_AT_BYTES).includes(0);
  return { text, broken: isNulAhead ? nulBytes(bytes) : notReadable(decoder) };
}

function notReadable(decoder: Decoder): Breakage {
  return { code: "not_utf8", detail: { found: `${decoder.name} text` } };
}

const WORKBOOKS = {
  zip: {
    found: " (it begins like an Excel workbook)",
    hint: "If it is a workbook, give it a name that ends in .xlsx.",
  },
  old: {
    found: " (it begins like an Excel 97 workbook, or like one with a password)",
    hint: 'Open it in Excel, remove its password, and save it as "Excel Workbook (.xlsx)" or "CSV UTF-8".',
  },
} as const;

/** A pre-sized copy is full of NUL bytes; UTF-16 without a byte order mark has them at every second place. */
function nulBytes(bytes: Buffer): Breakage {
  const beginning = bytes.subarray(0, LOOKED_AT_BYTES);
  const workbook = workbookOfBytes(beginning);
  if (workbook) return { code: "nul_bytes", detail: WORKBOOKS[workbook] };
  const odd = beginning.filter((byte, index) => index % 2 === 1 && byte === 0).length;
  const even = beginning.filter((byte, index) => index % 2 === 0 && byte === 0).length;
  const looksLikeUtf16 = (odd > 8 && odd > 4 * even) || (even > 8 && even > 4 * odd);
  const found = looksLikeUtf16
    ? " (it looks like UTF-16 text without a byte order mark)"
    : " (it was probably not copied completely)";
  return { code: "nul_bytes", detail: { found } };
}
