import { counted } from "../text/counted.ts";
import { resumeBatchCommand } from "../results/words/next-steps.ts";
import { rowsIn } from "../results/words/status.ts";
import type { Call } from "./command.ts";
import { stopBatch } from "./stop-batch.ts";

/** Nothing new of the batch is sent until `resume`; a process that is sending it stops after its rows in flight. */
export function run(call: Call): Promise<number> {
  return stopBatch(call, ["paused", "pause"], ({ id, by, already, tallies }) => {
    const { sending } = tallies;
    const wait = rowsIn(tallies, "ready", "not_sent");
    const text = [
      `${already ? `Batch ${id} was paused already.` : `Paused batch ${id}.`} ${counted(wait)} ${wait === 1 ? "waits" : "wait"}.`,
      ...(sending ? [`${counted(sending.rows)} in flight will be finished; nothing new is sent.`] : []),
      `Go on:  ${resumeBatchCommand(id)}`,
    ].join("\n");
    return [text, { type: "paused", batch: id, by, already, waiting: wait, in_flight: sending?.rows ?? 0 }];
  });
}
