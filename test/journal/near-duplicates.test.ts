import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import { openSqliteJournal } from "../../src/journal/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "./store-contract.ts";

const DAY_MS = 86_400_000;
const ACT = { by: "asha", kind: "act", note: "" };

function open(now: () => number = Date.now): JournalStore {
  const store = openSqliteJournal(temporaryDirectory(), createJudge, now);
  onTestFinished(() => store.close());
  return store;
}

/** A batch that is opened as a run does it: rows refused for the key go again by themselves. */
async function take(store: JournalStore, id: string, rows: NewRow[]): Promise<string[]> {
  await store.createBatch(newBatch(id));
  await store.addRows(id, rows);
  await store.judgeRows(id, rules);
  await store.openBatch(id, { rows: rows.length, total: "0.00", remarks: [] }, false, ["key_refused"]);
  return (await allRows(store, id)).map(({ state, code, other }) =>
    [state, code, other && `${other.batch}:${other.row}`].join(" ").trim(),
  );
}

async function end(store: JournalStore, row: number, state: "accepted" | "rejected", reason: string): Promise<void> {
  const { attempt = 0 } = await store.begin("AAAA1111", row, rules);
  await store.end(attempt, { state, reason, durationMs: 1 });
}

async function settle(store: JournalStore, as: "settled_done" | "settled_not_done"): Promise<void> {
  await sendRow(store, "AAAA1111", 3, "unknown");
  await store.settle([{ batch: "AAAA1111", row: 3, as, act: ACT }]);
}

const HELD = "held near_duplicate AAAA1111:3";

test.each<[string, (store: JournalStore) => Promise<unknown>, string]>([
  ["was accepted", (store) => sendRow(store, "AAAA1111", 3, "accepted"), HELD],
  ["is unknown", (store) => sendRow(store, "AAAA1111", 3, "unknown"), HELD],
  ["is on its way", (store) => store.begin("AAAA1111", 3, rules), HELD],
  ["was settled as done", (store) => settle(store, "settled_done"), HELD],
  ["was settled as not done", (store) => settle(store, "settled_not_done"), "ready"],
  ["still goes", () => Promise.resolve(), HELD],
  ["was not sent", (store) => sendRow(store, "AAAA1111", 3, "not_sent"), HELD],
  ["was refused for the key", (store) => end(store, 3, "rejected", "key_refused"), HELD],
  ["was refused for itself", (store) => end(store, 3, "rejected", "refused"), "ready"],
  ["goes no more", (store) => store.setPhase("AAAA1111", "cancelled", ACT), "ready"],
])("in a file that repeats another one, a payee's other amount that %s there", async (_what, happen, said) => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await happen(store);
  // a file between them with the same row numbers has nothing to do with it
  await addBatch(store, "CCCC3333", [newRow(7, "x/1"), newRow(8, "x/2")]);
  const rows = await take(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200")]);
  expect(rows).toEqual(["held possible_duplicate AAAA1111:2", said]);
  expect((await allRows(store, "CCCC3333")).map(({ state }) => state)).toEqual(["ready", "ready"]);
});

const ANEW: readonly (readonly [string, { rows: NewRow[]; days?: number; cancels?: boolean }, string])[] = [
  ["with what was refused", { rows: [newRow(7, "a/100"), newRow(8, "b/200")] }, HELD],
  ["with what a cancelled batch did not send", { rows: [newRow(7, "c/100"), newRow(8, "b/200")], cancels: true }, HELD],
  ["with what still goes there", { rows: [newRow(7, "c/100"), newRow(8, "b/200")] }, HELD],
  ["with none of its rows", { rows: [newRow(7, "d/100"), newRow(8, "b/200")] }, "ready"],
  ["long after", { rows: [newRow(7, "a/100"), newRow(8, "b/200")], days: 21 }, "ready"],
  ["in another period", { rows: [newRow(7, "a/100", { period: "2030-01" }), newRow(8, "b/200")] }, "ready"],
  ["by another reference", { rows: [newRow(7, "a/100", { reference: "NEW" }), newRow(8, "b/200")] }, HELD],
  ["where that payee's refused row goes anew too", { rows: [newRow(7, "a/100"), newRow(8, "b/300")] }, "ready"],
];

test.each(ANEW)("a payee's other amount beside one that was accepted, %s", async (_what, then, said) => {
  let nowMs = Date.now();
  const store = open(() => nowMs);
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100"), newRow(4, "b/300"), newRow(5, "c/100")]);
  await end(store, 2, "rejected", "refused");
  await sendRow(store, "AAAA1111", 3, "accepted");
  await end(store, 4, "rejected", "refused");
  if (then.cancels) await store.setPhase("AAAA1111", "cancelled", ACT);
  nowMs += (then.days ?? 0) * DAY_MS;
  expect((await take(store, "BBBB2222", then.rows))[1]).toBe(said);
});
