import { workbookOfBytes } from "../format.ts";
import { openCopy } from "../disk/private-copy.ts";
import { decoderFor, UTF_8, type Decoder, type Encoding } from "./decoders.ts";
import type { ReaderFaultCode, RefusalDetail } from "./refusals.ts";

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

/** The text of a file in the encoding that its byte order mark (UTF-8, UTF-16) says; without one, in `encoding`. */
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
