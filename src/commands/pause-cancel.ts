import { assertAsSeen, type Seen } from "../acts/as-seen.ts";
import { knownBatch, rowsNamed } from "../acts/open.ts";
import { PaydropError } from "../errors.ts";
import { judgeWaiting } from "../journal/judge.ts";
import { STATUSES } from "../messages/statuses.ts";
import { statusOf } from "../results/totals.ts";
import { cancel as cancelRows, filtersOf } from "../submission/again.ts";
import { rowsSaid, say, summarize, type Call } from "./command.ts";
import { actSaid, withWork, writtenAfter } from "./open-work.ts";
import { personNamed } from "./prove.ts";

const EXAMPLE = "paydrop cancel BATCH --held --by NAME";

/** Nothing new of the batch goes until `resume`; a process that is sending it stops after its rows on their way. */
export function pause(call: Call): Promise<number> {
  return withWork(call, "either", async (work, config) => {
    const { store } = work;
    const { id, phase, tallies, onItsWay } = await knownBatch(store, call.operands[0]);
    if (phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: id });
    if (phase !== "paused") await store.setBatch(id, { phase: "paused" }, actSaid(call, work, "pause", id));
    const rows = (tallies.ready?.rows ?? 0) - onItsWay + (tallies.not_sent?.rows ?? 0);
    say(call, config, "paused", { batch: id, rows });
    if (onItsWay > 0) say(call, config, "on_their_way", { batch: id, rows: onItsWay });
    return summarize(call, config, await writtenAfter(call, work, id), { batch: id });
  });
}

/** Rows that did not go never go: some, the held ones, or the whole batch. What was accepted cannot be called back. */
export function cancel(call: Call): Promise<number> {
  return withWork(call, "either", async (work, config) => {
    personNamed(call, work, EXAMPLE);
    const rows = rowsSaid(call);
    const isHeld = call.flags["held"] === true;
    if (rows && isHeld) throw new PaydropError("rows_or_all", { all: "--held", example: EXAMPLE });
    const { store, now } = work;
    const batch = await knownBatch(store, call.operands[0]);
    const { id, environment } = batch;
    const isWhole = !rows && !isHeld;
    const waiting = await store.judging(async () => {
      // of rows that were named all are cancelled, or none
      const states = filtersOf("cancel").flatMap((one) => one.states ?? []);
      const named = rows ? await rowsNamed(store, id, rows) : [];
      assertAsSeen(call.flags["seen"] as Seen, named);
      const other = named.find(({ state }) => ![...states, "cancelled"].includes(state));
      if (other) throw new PaydropError("cancel_state", { row: other.row, state: STATUSES[statusOf(other)].word });
      // first: a process that sends the batch must let nothing more of it go
      if (isWhole) await store.setBatch(id, { phase: "cancelled" });
      const chosen = { ...(rows ? { rows } : {}), ...(isHeld ? { states: ["held" as const] } : {}) };
      const act = actSaid(call, work, "cancel", id);
      const cancelled = await cancelRows(store, id, { act, ...chosen });
      if (isWhole && cancelled.length === 0) await store.setBatch(id, {}, act);
      say(call, config, isWhole ? "cancelled_whole" : "cancelled", { batch: id, rows: cancelled.length });
      return judgeWaiting(store, [id], environment, config, now());
    });
    const [{ tallies, onItsWay } = batch] = await store.batches({ id });
    const { accepted, unknown } = tallies;
    if (isWhole && accepted) say(call, config, "cannot_recall", { batch: id, rows: accepted.rows });
    if (unknown) say(call, config, "still_unknown", { batch: id, rows: unknown.rows });
    if (onItsWay > 0) say(call, config, "on_their_way", { batch: id, rows: onItsWay });
    for (const [other, count] of waiting) say(call, config, "freed", { batch: other, rows: count });
    return summarize(call, config, await writtenAfter(call, work, id), { batch: id });
  });
}
