import type { Stop } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import { rowsIn } from "./words/status.ts";
import type { Totals } from "./totals.ts";

/**
 * DESIGN §10: what a batch means for whoever ran it. `isCancelled`: a person cancelled it, and this run sent nothing of
 * it. Then the rows left unsent do not count: they wait for nobody, and never go by running it again.
 */
export function exitCodeOfTotals(
  { byStatus, goesAgain }: Totals,
  stop: Stop | undefined,
  isElsewhere: boolean,
  isCancelled: boolean,
): number {
  const isUnsent = stop !== undefined || byStatus.not_sent !== undefined || goesAgain > 0;
  return gravest([
    isElsewhere ? 74 : 0,
    byStatus.unknown ? 4 : 0,
    isUnsent && !isCancelled ? 7 : 0,
    rowsIn(byStatus, "rejected", "invalid") > (isCancelled ? goesAgain : 0) ? 3 : 0,
    byStatus.held && !isCancelled ? 6 : 0,
  ]);
}
