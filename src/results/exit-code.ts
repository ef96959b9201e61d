import type { Stop } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import type { Totals } from "./totals.ts";

/** DESIGN §10: what a batch means for whoever ran it. */
export function exitCodeOfTotals(
  { byStatus, goesAgain }: Totals,
  stop: Stop | undefined,
  isElsewhere: boolean,
): number {
  return gravest([
    isElsewhere ? 74 : 0,
    byStatus.unknown ? 4 : 0,
    stop || byStatus.not_sent || goesAgain > 0 ? 7 : 0,
    byStatus.rejected || byStatus.invalid ? 3 : 0,
    byStatus.held ? 6 : 0,
  ]);
}
