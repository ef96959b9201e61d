import { actOf } from "../batch.ts";
import { loadSettings } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { judgeWaiting } from "../journal/judge.ts";
import { cancel } from "../submission/again.ts";
import { personNamed, rowsSaid, say, summarize, textSaid, writeAfter } from "./acting.ts";
import type { Call } from "./command.ts";
import { knownBatch, openEither, openWork } from "./open-work.ts";

const EXAMPLE = "paydrop cancel BATCH --held --by NAME";

/** Rows that did not go never go: some, the held ones, or the whole batch. What was accepted cannot be called back. */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  personNamed(config, EXAMPLE);
  const rows = rowsSaid(call);
  const isHeld = call.flags["held"] === true;
  if (rows && isHeld) throw new PaydropError("rows_or_all", { all: "--held", example: EXAMPLE });
  const [work] = await openEither((mode) => openWork(config, undefined, mode));
  try {
    const { store, now } = work;
    const batch = await knownBatch(store, call.operands[0]);
    const { id, environment } = batch;
    const isWhole = !rows && !isHeld;
    const note = textSaid(call, "reason");
    const act = { ...actOf(work, "cancel", note === undefined ? {} : { note }), batch: id };
    const waiting = await store.judging(async () => {
      // first: a process that sends the batch must let nothing more of it go
      if (isWhole) await store.setBatch(id, { phase: "cancelled" });
      const chosen = { act, ...(rows ? { rows } : {}), ...(isHeld ? { states: ["held" as const] } : {}) };
      const cancelled = await cancel(store, id, chosen);
      say(call, config, isWhole ? "cancelled_whole" : "cancelled", { batch: id, rows: cancelled.length });
      return judgeWaiting(store, [id], environment, config, now());
    });
    const [after = batch] = await store.batches({ id });
    const { accepted, unknown } = after.tallies;
    if (isWhole && accepted) say(call, config, "cannot_recall", { batch: id, rows: accepted.rows });
    if (unknown) say(call, config, "still_unknown", { batch: id, rows: unknown.rows });
    if (after.onItsWay > 0) say(call, config, "on_their_way", { batch: id, rows: after.onItsWay });
    for (const [other, count] of waiting) say(call, config, "freed", { batch: other, rows: count });
    return summarize(call, config, await writeAfter(work, batch), { batch: id });
  } finally {
    await work.close();
  }
}
