import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { giveToOwner } from "../disk.ts";
import { PaydropError } from "../errors.ts";

const WRITTEN_CHARACTERS = 1 << 18;
/** Rows leave in about the order in which they lie there: one read is good for hundreds of them. */
const READ_BYTES = 1 << 16;

/** Where a payload lies in the spool, in bytes, and its checksum: what was changed there since is not sent (I7). */
export interface Lying {
  readonly place: number;
  readonly size: number;
  readonly crc: number;
}

/**
 * Makes the payload spool of a batch (README §2), one payload a line in row order (0600): what an earlier try of the same
 * batch left there is overwritten. `add` gives where a payload will lie, in bytes; all is durable when `close` returns.
 */
export function createSpool(path: string) {
  const file = openSync(path, "w", 0o600);
  giveToOwner(path);
  let waiting = "";
  let end = 0;
  const flush = (): void => {
    const bytes = Buffer.from(waiting);
    // a full disk can take a part only
    for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from);
    waiting = "";
  };
  return {
    add(payload: string): Lying {
      const place = end;
      const size = Buffer.byteLength(payload);
      end += size + 1;
      waiting += `${payload}\n`;
      if (waiting.length >= WRITTEN_CHARACTERS) flush();
      return { place, size, crc: crc32(payload) };
    },
    close(): void {
      try {
        flush();
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      const folder = openSync(dirname(path), "r");
      fsyncSync(folder);
      closeSync(folder);
    },
  };
}

/**
 * Payloads are read from it byte for byte as they were checked (I7). Throws PaydropError `spool_missing` here, and where another text lies in the place
 * `spool_damaged`: nothing of it may be sent.
 */
export function openSpool(path: string) {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    throw new PaydropError("spool_missing", { path }, { cause: error });
  }
  let window = Buffer.alloc(0);
  let windowAt = 0;
  const bytesAt = (from: number, size: number): Buffer => {
    if (from < windowAt || from + size > windowAt + window.length) {
      const bytes = Buffer.allocUnsafe(Math.max(size, READ_BYTES));
      window = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
      windowAt = from;
    }
    return window.subarray(from - windowAt, from - windowAt + size);
  };
  return {
    read({ place, size, crc }: Lying): string {
      const bytes = bytesAt(place, size);
      if (bytes.length === size && crc32(bytes) === crc) return bytes.toString("utf8");
      throw new PaydropError("spool_damaged", { path });
    },
    close: (): void => closeSync(file),
  };
}
