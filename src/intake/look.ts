import { createHash } from "node:crypto";
import { PaydropError } from "../errors.ts";
import { identityOf, isUnchanged, openRegular } from "./source-file.ts";
import type { FileIdentity } from "./source-file.ts";

/** One look at a whole file that may still be written. */
export interface Look {
  readonly identity: FileIdentity;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Nobody wrote to it while it was read. */
  readonly steady: boolean;
  /**
   * `unended`: empty, or a table without its last line end: it may have been cut, and no parser can see that of a last
   * amount. `zeros`: it holds NUL bytes, as a copy does whose size was set before its content came.
   */
  readonly end: "ended" | "unended" | "zeros";
}

const PIECE_BYTES = 256 * 1024;

/** `isTable`: a file of lines, of which the last must have its end. */
export async function lookAt(path: string, isTable: boolean): Promise<Look | "gone" | "unreadable"> {
  try {
    const file = await openRegular(path);
    try {
      const identity = identityOf(await file.stat({ bigint: true }));
      const hash = createHash("sha256");
      const bytesMax = Number(identity.sizeBytes);
      const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytesMax + 1));
      const seen = { isWide: false, hasZeros: false, last: 0 };
      // a file that grows and grows is not read for ever
      for (let position = 0; position <= bytesMax;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) break;
        const piece = buffer.subarray(0, bytesRead);
        hash.update(piece);
        observe(seen, piece, position);
        position += bytesRead;
      }
      const after = identityOf(await file.stat({ bigint: true }));
      const isEnded = bytesMax > 0 && (!isTable || seen.last === LF || seen.last === CR);
      return {
        identity,
        sha256: hash.digest("hex"),
        steady: isUnchanged(identity, after),
        end: seen.hasZeros ? "zeros" : isEnded ? "ended" : "unended",
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof PaydropError)) return "unreadable";
    return /no such file|exchanged just now/.test(error.message) ? "gone" : "unreadable";
  }
}

const LF = 0x0a;
const CR = 0x0d;

interface Seen {
  /** UTF-16 with its mark: every second byte of plain text is NUL, and two of them are a NUL character. */
  isWide: boolean;
  hasZeros: boolean;
  /** The last character, where it is a line end. */
  last: number;
}

function observe(seen: Seen, piece: Buffer, position: number): void {
  const [first, second] = piece;
  if (position === 0) seen.isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
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
