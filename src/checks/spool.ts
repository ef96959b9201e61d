import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { giveToOwner } from "../disk.ts";
import { PaydropError } from "../errors.ts";

const WRITTEN_BYTES = 1 << 18;
/** Of a character of a text in memory. */
const UTF8_BYTES_MAX = 3;
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
  let waiting = Buffer.allocUnsafe(WRITTEN_BYTES);
  let filled = 0;
  let end = 0;
  const flush = (): void => {
    // a full disk can take a part only
    for (let from = 0; from < filled;) from += writeSync(file, waiting, from, filled - from);
    filled = 0;
  };
  return {
    add(payload: string): Lying {
      const most = payload.length * UTF8_BYTES_MAX + 1;
      if (filled + most > waiting.length) flush();
      if (most > waiting.length) waiting = Buffer.allocUnsafe(most);
      const size = waiting.write(payload, filled);
      const crc = crc32(waiting.subarray(filled, filled + size));
      filled += size + waiting.write("\n", filled + size);
      const place = end;
      end += size + 1;
      return { place, size, crc };
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
