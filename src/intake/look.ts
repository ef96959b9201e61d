import { createHash } from "node:crypto";
import { binaryOfBytes, workbookOfBytes, type FileFormat } from "../format.ts";
import { FileGoneError } from "./missing.ts";
import { eachPiece, identityOf, openRegular, type FileIdentity } from "./source-file.ts";

/** One look at a whole file that may still be written. */
export interface Look {
  readonly identity: FileIdentity;
  /** Lower-case hex. */
  readonly sha256: string;
  /**
   * `unended`: the file may have been cut, and no parser can see that its last amount was: it is empty, or a CSV file
   * without its last line end, or a workbook without its directory, which is written last. `zeros`: the file holds NUL
   * bytes, as a copy does whose size was set before its content came. A workbook or a packed file under another name
   * holds them for ever, and is no copy to wait for: it counts as `unended`.
   */
  readonly end: "ended" | "unended" | "zeros";
}

/** Looks at a whole file. How it should end depends on `format`: the last line of a CSV file must have its end. */
export async function lookAt(path: string, format: FileFormat): Promise<Look | "gone" | "unreadable"> {
  try {
    const file = await openRegular(path);
    try {
      const identity = identityOf(await file.stat({ bigint: true }));
      const hash = createHash("sha256");
      const seen = { isWide: false, isBinary: false, hasZeros: false, last: 0, tail: Buffer.alloc(0) };
      await eachPiece(file, identity, (piece, position) => {
        hash.update(piece);
        observe(seen, piece, position);
      });
      return {
        identity,
        sha256: hash.digest("hex"),
        end: identity.sizeBytes === "0" ? "unended" : endOf(seen, format),
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    return error instanceof FileGoneError ? "gone" : "unreadable";
  }
}

const LF = 0x0a;
const CR = 0x0d;

/** The mark of a zip file's directory, which ends the file except for a short comment. */
const ZIP_END = Buffer.from("PK\u0005\u0006", "latin1");
const ZIP_END_BYTES_MAX = 1024;

function endOf(seen: Seen, format: FileFormat): Look["end"] {
  if (format === "xlsx") {
    if (seen.tail.includes(ZIP_END)) return "ended";
    return seen.tail.every((byte) => byte === 0) ? "zeros" : "unended";
  }
  if (seen.hasZeros) return seen.isBinary ? "unended" : "zeros";
  return format !== "csv" || seen.last === LF || seen.last === CR ? "ended" : "unended";
}

interface Seen {
  /** It is UTF-16 with its mark: every second byte of plain text is NUL, and only a pair of them is a NUL character. */
  isWide: boolean;
  isBinary: boolean;
  hasZeros: boolean;
  /** The last byte; in UTF-16 the last one or the one before it, so that a line end is found in either byte order. */
  last: number;
  /** The last bytes, at most `ZIP_END_BYTES_MAX`. */
  tail: Buffer;
}

function observe(seen: Seen, piece: Buffer, position: number): void {
  const [first, second] = piece;
  seen.tail = Buffer.concat([seen.tail, piece.subarray(-ZIP_END_BYTES_MAX)]).subarray(-ZIP_END_BYTES_MAX);
  if (position === 0) {
    seen.isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    seen.isBinary = workbookOfBytes(piece) !== undefined || binaryOfBytes(piece) !== undefined;
  }
  if (!seen.isWide) {
    seen.hasZeros ||= piece.includes(0);
    seen.last = piece.at(-1) ?? 0;
    return;
  }
  for (let at = position % 2; at + 1 < piece.length && !seen.hasZeros; at += 2) {
    seen.hasZeros = piece[at] === 0 && piece[at + 1] === 0;
  }
  seen.last = (piece.at(-1) ?? 0) || (piece.at(-2) ?? 0);
}
