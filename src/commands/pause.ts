import { counted } from "../results/next-steps.ts";
import type { Call } from "./command.ts";
import { stopBatch } from "./stop-batch.ts";

/** Nothing new of the batch is sent until `resume`; a process that is sending it stops after its rows in flight. */
export function run(call: Call): Promise<number> {
  return stopBatch(call, ["paused", "pause"], ({ id, by, already, tallies }) => {
    const { ready, not_sent: notSent, sending } = tallies;
    const wait = (ready?.rows ?? 0) + (notSent?.rows ?? 0);
    const text = [
      `${already ? `Batch ${id} was paused already.` : `Paused batch ${id}.`} ${counted(wait)} ${wait === 1 ? "waits" : "wait"}.`,
      ...(sending ? [`${counted(sending.rows)} in flight will be finished; nothing new is sent.`] : []),
      `Go on:  paydrop resume ${id}`,
    ].join("\n");
    return [text, { type: "paused", batch: id, by, already, waiting: wait, in_flight: sending?.rows ?? 0 }];
  });
}
