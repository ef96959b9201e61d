import { statfs } from "node:fs/promises";
import { PaydropError } from "../../../errors.ts";

/** Measured: 260 bytes of journal for each row with its attempt and answer, and as much again for its results. */
const BYTES_PER_ROW = 600;
/** Rows are often shorter than what is written about them: a row of 45 bytes costs 260 in the journal. */
const TIMES_THE_FILE = 8;
const RESERVE_BYTES = 2 * 1024 * 1024;
const INODES_MIN = 16;

/** To be called before a batch is written down. Throws PaydropError `journal` without room for it and its results. */
export function assertRoomForFile(directory: string, sizeBytes: number): Promise<void> {
  return assertRoom(directory, sizeBytes * TIMES_THE_FILE + RESERVE_BYTES);
}

/** To be called before rows are sent. Throws PaydropError `journal` without room for their attempts and results. */
export function assertRoomForRows(directory: string, rows: number): Promise<void> {
  return assertRoom(directory, rows * BYTES_PER_ROW + RESERVE_BYTES);
}

async function assertRoom(directory: string, neededBytes: number): Promise<void> {
  const { bavail, bsize, files, ffree } = await statfs(directory);
  const freeBytes = bavail * bsize;
  // some file systems make inodes as they go and report none at all
  const outOfInodes = files > 0 && ffree < INODES_MIN;
  if (freeBytes >= neededBytes && !outOfInodes) return;
  throw new PaydropError(
    "journal",
    outOfInodes
      ? `the disk of the state directory ${directory} can hold no more files (${ffree} inodes left)`
      : `the disk of the state directory ${directory} is nearly full: ${megabytes(freeBytes)} MB free, this needs ${megabytes(neededBytes)} MB`,
    "make room, then run again; nothing was sent",
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
