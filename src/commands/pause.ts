import { loadConfig } from "../config/load.ts";
import { openProcessor } from "../processor.ts";
import { counted } from "../results/next-steps.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { rewriteResults } from "./rewrite.ts";
import { tell } from "./tell.ts";
import { personOrLogin, textSaid } from "./who.ts";

/** Nothing new of the batch is sent until `resume`; a process that is sending it stops after its rows in flight. */
export async function run(call: Call): Promise<number> {
  const config = loadConfig({ flags: call.flags, env: call.env, secrets: "ignore" });
  const { by, remark } = personOrLogin(config);
  const processor = await openProcessor({ config }, "read");
  let touched: readonly string[];
  try {
    const { journal } = processor;
    const batch = await knownBatch(journal, call.operands[0]);
    const { id } = batch;
    const isPaused = batch.phase === "paused";
    if (!isPaused) {
      const note = [textSaid(call.flags["reason"]), remark].filter(Boolean).join("; ");
      await journal.setPhase(id, "paused", { by, kind: "pause", note });
    }
    const { ready, not_sent: notSent, sending } = await journal.tallies(id);
    const wait = (ready?.rows ?? 0) + (notSent?.rows ?? 0);
    const text = [
      `${isPaused ? `Batch ${id} was paused already.` : `Paused batch ${id}.`} ${counted(wait)} ${wait === 1 ? "waits" : "wait"}.`,
      ...(sending ? [`${counted(sending.rows)} in flight will be finished; nothing new is sent.`] : []),
      `Go on:  paydrop resume ${id}`,
    ].join("\n");
    tell(call, config, text, {
      type: "paused",
      batch: id,
      by,
      already: isPaused,
      waiting: wait,
      in_flight: sending?.rows ?? 0,
    });
    touched = isPaused ? [] : [id];
  } finally {
    await processor.close();
  }
  return rewriteResults(call, config, touched);
}
