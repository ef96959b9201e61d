import { actOf } from "../batch.ts";
import { loadSettings } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { say, summarize, textSaid, writeAfter } from "./acting.ts";
import type { Call } from "./command.ts";
import { knownBatch, openEither, openWork } from "./open-work.ts";

/** Nothing new of the batch goes until `resume`; a process that is sending it stops after its rows on their way. */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  const [work] = await openEither((mode) => openWork(config, undefined, mode));
  try {
    const { store } = work;
    const { id, phase, tallies, onItsWay } = await knownBatch(store, call.operands[0]);
    if (phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: id });
    const note = textSaid(call, "reason");
    const act = { ...actOf(work, "pause", note === undefined ? {} : { note }), batch: id };
    if (phase !== "paused") await store.setBatch(id, { phase: "paused" }, act);
    const rows = (tallies.ready?.rows ?? 0) - onItsWay + (tallies.not_sent?.rows ?? 0);
    say(call, config, "paused", { batch: id, rows });
    if (onItsWay > 0) say(call, config, "on_their_way", { batch: id, rows: onItsWay });
    return summarize(call, config, await writeAfter(work, { id }), { batch: id });
  } finally {
    await work.close();
  }
}
