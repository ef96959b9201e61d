import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { giveToOwner } from "../disk.ts";
import { PaydropError } from "../errors.ts";

const WRITTEN_CHARACTERS = 1 << 18;
/** Rows leave in about the order in which they lie there: one read is good for hundreds of them. */
const READ_BYTES = 1 << 16;
const LINE_FEED = 10;

/**
 * Makes the payload spool of a batch (DESIGN §2), one payload a line in row order (0600): what an earlier try of the same
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
    add(payload: string): { readonly place: number; readonly size: number } {
      const place = end;
      const size = Buffer.byteLength(payload);
      end += size + 1;
      waiting += `${payload}\n`;
      if (waiting.length >= WRITTEN_CHARACTERS) flush();
      return { place, size };
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
 * Payloads are read from it byte for byte as they were checked (I7). Throws PaydropError `spool_missing` here, and where no
 * whole line stands in the place `spool_damaged`: nothing of it may be sent.
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
    read(place: number, size: number): string {
      // the line ends before and behind it are read, too: they show that the place is right
      const from = Math.max(0, place - 1);
      const bytes = bytesAt(from, place - from + size + 1);
      const isWhole = (place === 0 || bytes[0] === LINE_FEED) && bytes.at(-1) === LINE_FEED;
      const payload = bytes.toString("utf8", place - from, bytes.length - 1);
      if (isWhole && bytes.length === place - from + size + 1 && /^\{[^\n]*\}$/.test(payload)) return payload;
      throw new PaydropError("spool_damaged", { path });
    },
    close: (): void => closeSync(file),
  };
}
