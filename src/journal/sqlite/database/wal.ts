import { closeSync, openSync, readSync, statSync } from "node:fs";
import { DamageError } from "./damage.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const READ_BYTES = 1024 * 1024;
const AGAIN_AFTER_MS = 50;

/**
 * SQLite reads the WAL that a killed process left up to the first frame whose sums are wrong, and drops the rest
 * without a word: that is how it finds a commit that was never finished. But where finished commits stand behind such a
 * frame, bytes were changed, and what was sent since would be forgotten (I1). This must be found before SQLite opens
 * the file and tidies it away. Throws DamageError.
 */
export function assertWalWhole(walPath: string): void {
  const found = commitsForgotten(walPath);
  if (found === undefined) return;
  // another process may have begun the file anew while it was read
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_AFTER_MS);
  if (commitsForgotten(walPath) === found) throw new DamageError("commits stand behind a damaged place of its WAL");
}

/** Where the damage is, as a text to compare; undefined: there is none with commits behind it. */
function commitsForgotten(walPath: string): string | undefined {
  const size = statSync(walPath, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= HEADER_BYTES) return undefined;
  const file = openSync(walPath, "r");
  try {
    return new WalReader(file, size).damage();
  } finally {
    closeSync(file);
  }
}

/**
 * https://sqlite.org/walformat.html: a header of 32 bytes, then frames of 24 bytes and a page. Each frame has the sums
 * of everything before it.
 */
class WalReader {
  readonly #file: number;
  readonly #size: number;
  #sums: readonly [number, number] = [0, 0];

  constructor(file: number, size: number) {
    this.#file = file;
    this.#size = size;
  }

  damage(): string | undefined {
    const header = this.#read(0, HEADER_BYTES);
    const [magic, pageBytes] = [header.getUint32(0), header.getUint32(8)];
    const frameBytes = FRAME_HEADER_BYTES + pageBytes;
    const isLittle = magic === MAGIC;
    this.#add(header, 0, HEADER_BYTES - 8, isLittle);
    // a header stands in one sector: it is written whole, or not at all
    if ((magic | 1) !== (MAGIC | 1) || !this.#isSum(header, HEADER_BYTES - 8)) return "header";
    const salts = [header.getUint32(16), header.getUint32(20)];
    let bad: number | undefined;
    let commits = 0;
    for (let from = HEADER_BYTES; from + frameBytes <= this.#size;) {
      const frames = Math.max(
        1,
        Math.min(Math.floor(READ_BYTES / frameBytes), Math.floor((this.#size - from) / frameBytes)),
      );
      const bytes = this.#read(from, frames * frameBytes);
      for (let at = 0; at < bytes.byteLength; at += frameBytes) {
        const isOurs = bytes.getUint32(at + 8) === salts[0] && bytes.getUint32(at + 12) === salts[1];
        if (bad === undefined && !(isOurs && this.#checks(bytes, at, pageBytes, isLittle))) bad = from + at;
        if (bad !== undefined && isOurs && bytes.getUint32(at + 4) !== 0) commits += 1;
      }
      from += bytes.byteLength;
    }
    // one commit may be that on which the machine went down; a second is begun only when the first has reached the disk
    return commits >= 2 ? `${salts.join("/")} ${bad}` : undefined;
  }

  #checks(bytes: DataView, at: number, pageBytes: number, isLittle: boolean): boolean {
    this.#add(bytes, at, 8, isLittle);
    this.#add(bytes, at + FRAME_HEADER_BYTES, pageBytes, isLittle);
    return this.#isSum(bytes, at + 16);
  }

  #isSum(bytes: DataView, at: number): boolean {
    return bytes.getUint32(at) === this.#sums[0] && bytes.getUint32(at + 4) === this.#sums[1];
  }

  #add(bytes: DataView, from: number, length: number, isLittle: boolean): void {
    let [first, second] = this.#sums;
    for (let at = from; at < from + length; at += 8) {
      first = (first + bytes.getUint32(at, isLittle) + second) >>> 0;
      second = (second + bytes.getUint32(at + 4, isLittle) + first) >>> 0;
    }
    this.#sums = [first, second];
  }

  #read(from: number, length: number): DataView {
    const bytes = new Uint8Array(length);
    readSync(this.#file, bytes, 0, length, from);
    return new DataView(bytes.buffer);
  }
}
