import { counted } from "../text/counted.ts";
import type { Tallies } from "../journal/batch-record.ts";
import type { WaitingBatch } from "../journal/store.ts";
import { settleCommand } from "../results/words/next-steps.ts";
import { countsOf, rowsIn, UNSENT_STATES } from "../results/words/status.ts";
import type { Call } from "./command.ts";
import { stopBatch } from "./stop-batch.ts";

/** What was not sent stays unsent, for good; what was accepted cannot be called back. */
export function run(call: Call): Promise<number> {
  return stopBatch(call, ["cancelled", "cancel"], ({ id, by, already, tallies, waiting }) => {
    const first = already ? `Batch ${id} was cancelled already.` : `Cancelled batch ${id}.`;
    const text = [first, ...linesOf(tallies, id), ...waitedLines(waiting)].join("\n");
    const waited = waiting.map(({ batch, rows }) => ({ batch, rows }));
    return [text, { type: "cancelled", batch: id, by, already, rows: countsOf(tallies), waited }];
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

const WAITED_MAX = 5;

/** Rows of other batches waited, since one of this batch might be the same payment: now none stands in their way. */
function waitedLines(waiting: readonly WaitingBatch[]): string[] {
  const lines = waiting
    .slice(0, WAITED_MAX)
    .map(
      ({ batch, rows }) =>
        `${counted(rows)} of batch ${batch} waited for it: run its file again, where no watch has its folder.`,
    );
  const more = waiting.length - WAITED_MAX;
  return more > 0 ? [...lines, `${more} more batches waited for it.`] : lines;
}
