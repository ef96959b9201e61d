import { loadConfig } from "../config/load.ts";
import type { Tallies } from "../journal/batch-record.ts";
import { openProcessor } from "../processor.ts";
import { counted } from "../results/next-steps.ts";
import { UNSENT_STATES } from "../results/status.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { rewriteResults } from "./rewrite.ts";
import { tell } from "./tell.ts";
import { personOrLogin, textSaid } from "./who.ts";

/** What was not sent stays unsent, for good; what was accepted cannot be called back. */
export async function run(call: Call): Promise<number> {
  const config = loadConfig({ flags: call.flags, env: call.env, secrets: "ignore" });
  const { by, remark } = personOrLogin(config);
  const processor = await openProcessor({ config }, "read");
  let touched: readonly string[];
  try {
    const { journal } = processor;
    const batch = await knownBatch(journal, call.operands[0]);
    const { id } = batch;
    const isCancelled = batch.phase === "cancelled";
    if (!isCancelled) {
      const note = [textSaid(call.flags["reason"]), remark].filter(Boolean).join("; ");
      await journal.setPhase(id, "cancelled", { by, kind: "cancel", note });
    }
    const tallies = await journal.tallies(id);
    const text = [
      isCancelled ? `Batch ${id} was cancelled already.` : `Cancelled batch ${id}.`,
      ...linesOf(tallies, id),
    ];
    tell(call, config, text.join("\n"), {
      type: "cancelled",
      batch: id,
      by,
      already: isCancelled,
      rows: rowsOf(tallies),
    });
    touched = isCancelled ? [] : [id];
  } finally {
    await processor.close();
  }
  return rewriteResults(call, config, touched);
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
