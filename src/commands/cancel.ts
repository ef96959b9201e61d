import { counted } from "../counted.ts";
import type { Tallies } from "../journal/batch-record.ts";
import { settleCommand } from "../results/next-steps.ts";
import { countsOf, rowsIn, UNSENT_STATES } from "../results/status.ts";
import type { Call } from "./command.ts";
import { stopBatch } from "./stop-batch.ts";

/** What was not sent stays unsent, for good; what was accepted cannot be called back. */
export function run(call: Call): Promise<number> {
  return stopBatch(call, ["cancelled", "cancel"], ({ id, by, already, tallies }) => {
    const first = already ? `Batch ${id} was cancelled already.` : `Cancelled batch ${id}.`;
    const text = [first, ...linesOf(tallies, id)].join("\n");
    return [text, { type: "cancelled", batch: id, by, already, rows: countsOf(tallies) }];
  });
}

function linesOf(tallies: Tallies, id: string): string[] {
  const unsent = rowsIn(tallies, ...UNSENT_STATES);
  const accepted = rowsIn(tallies, "accepted");
  const unknown = rowsIn(tallies, "unknown");
  const inFlight = rowsIn(tallies, "sending");
  return [
    ...(unsent > 0 ? [`${counted(unsent)} ${unsent === 1 ? "was" : "were"} not sent and will not be.`] : []),
    ...(inFlight > 0 ? [`${counted(inFlight)} in flight cannot be stopped any more.`] : []),
    ...(accepted > 0
      ? [`${counted(accepted)} ${accepted === 1 ? "was" : "were"} accepted and cannot be called back.`]
      : []),
    ...(unknown > 0 ? [`${counted(unknown)} unknown still must be looked up:  ${settleCommand(id)}`] : []),
  ];
}
