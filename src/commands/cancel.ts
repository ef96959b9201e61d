import type { Tallies } from "../journal/batch-record.ts";
import { counted } from "../results/next-steps.ts";
import { UNSENT_STATES } from "../results/status.ts";
import type { Call } from "./command.ts";
import { stopBatch } from "./stop-batch.ts";

/** What was not sent stays unsent, for good; what was accepted cannot be called back. */
export function run(call: Call): Promise<number> {
  return stopBatch(call, ["cancelled", "cancel"], ({ id, by, already, tallies }) => {
    const first = already ? `Batch ${id} was cancelled already.` : `Cancelled batch ${id}.`;
    const text = [first, ...linesOf(tallies, id)].join("\n");
    return [text, { type: "cancelled", batch: id, by, already, rows: rowsOf(tallies) }];
  });
}

function linesOf(tallies: Tallies, id: string): string[] {
  const rows = rowsOf(tallies);
  const unsent = UNSENT_STATES.reduce((sum, state) => sum + (rows[state] ?? 0), 0);
  const accepted = rows["accepted"] ?? 0;
  const unknown = rows["unknown"] ?? 0;
  const inFlight = rows["sending"] ?? 0;
  return [
    `${counted(unsent)} ${unsent === 1 ? "was" : "were"} not sent and will not be.`,
    ...(inFlight > 0 ? [`${counted(inFlight)} in flight cannot be stopped any more.`] : []),
    ...(accepted > 0
      ? [`${counted(accepted)} ${accepted === 1 ? "was" : "were"} accepted and cannot be called back.`]
      : []),
    ...(unknown > 0
      ? [
          `${counted(unknown)} unknown still must be looked up:  paydrop settle ${id} --row N --as done|not-done --by NAME --note TEXT`,
        ]
      : []),
  ];
}

function rowsOf(tallies: Tallies): Record<string, number> {
  return Object.fromEntries(Object.entries(tallies).map(([state, { rows }]) => [state, rows]));
}
