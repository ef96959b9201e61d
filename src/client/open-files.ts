import { readFileSync } from "node:fs";
import { PaydropError } from "../errors.ts";

/** Open files beside connections: the journal, the file that is sent, its results, and what Node has open itself. */
const OTHERS = 40;

/**
 * How many connections may be open at once, at most `wanted`. Each counts as two files: a sandbox in this process holds
 * the other end. Throws PaydropError `config` where that is less than `concurrency`: a run that lacks files halfway
 * leaves rows unknown and results unwritten.
 */
export function connectionsPossible(wanted: number, concurrency: number): number {
  const filesMax = openFilesMax();
  const possible = Math.floor((filesMax - OTHERS) / 2);
  if (possible >= concurrency) return Math.min(wanted, possible);
  throw new PaydropError(
    "config",
    `this process may have ${filesMax} files open, too few for ${concurrency} requests at a time`,
    `let it have ${OTHERS + 2 * wanted} (ulimit -n, or LimitNOFILE= in its unit), or lower --concurrency; nothing was sent`,
  );
}

/** The limit of open files, which Node raises as far as it may. Only Linux tells it; elsewhere it is rarely low. */
function openFilesMax(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
