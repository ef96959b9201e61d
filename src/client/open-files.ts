import { readFileSync } from "node:fs";
import { PaydropError } from "../errors.ts";

/** The journal, the file that is sent, its results, and what Node has open for itself. */
const OTHERS = 40;

/**
 * How many connections may be open at once, at most `wanted`, beside a sandbox in this process, which holds the other
 * end of each. Throws PaydropError `config` where not even one for each request of `concurrency` would be left: what
 * fails for want of files in the middle of a run leaves rows unknown and results unwritten.
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

/** Node itself raises it to what the system allows. Told by Linux; elsewhere it is not known, and rarely low. */
function openFilesMax(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
