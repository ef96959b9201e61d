import { randomFillSync } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { messageOf, PaydropError } from "../../../errors.ts";

/** Enough for the outcomes of 80 rows in flight: about three pages of the journal each. */
const BALLAST_BYTES = 1024 * 1024;

/** Space kept in the state directory, to be freed when the disk is full so that outcomes in flight can still be saved. */
export interface Ballast {
  /** Gives false when there is none (any more). */
  free(): boolean;
}

/** Writes the ballast when it is not there. Throws PaydropError `journal` when there is no room for it. */
export function keepBallast(stateDir: string): Ballast {
  const path = join(stateDir, "ballast");
  try {
    if (sizeOf(path) !== BALLAST_BYTES) write(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw new PaydropError(
      "journal",
      `the disk of the state directory ${stateDir} is full or cannot be written (${messageOf(error)})`,
      "make room or mend the disk, then run again; nothing was sent",
      { cause: error },
    );
  }
  return {
    free: () => {
      if (sizeOf(path) === 0) return false;
      rmSync(path, { force: true });
      return true;
    },
  };
}

/** Writes noise: a file system that compresses would keep no space for zeros. */
function write(path: string): void {
  const file = openSync(path, "w", 0o600);
  try {
    writeSync(file, randomFillSync(Buffer.allocUnsafe(BALLAST_BYTES)));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (sizeOf(path) !== BALLAST_BYTES) throw new Error("no space left");
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
