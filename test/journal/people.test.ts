import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { DAY_MS } from "../../src/day.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "./stored.ts";

const ACT = { by: "ravi", kind: "release", note: "meant" };

function open(now: () => number = Date.now): JournalStore {
  const store = openSqliteJournal(temporaryDirectory(), createJudge, now);
  onTestFinished(() => store.close());
  return store;
}

async function states(store: JournalStore, batch: string): Promise<string[]> {
  return (await allRows(store, batch)).map((row) => row.state);
}

test("a row that is held for an unknown one is not released, whatever it is held for", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await sendRow(store, "AAAA1111", 2, "unknown");
  // row 2 waits for the very payment; row 3 is its payee with another amount, in a file that repeats the first
  await addBatch(store, "BBBB2222", [newRow(2, "a/1"), newRow(3, "a/2")]);
  expect((await allRows(store, "BBBB2222")).map((row) => row.code)).toEqual(["other_row_open", "near_duplicate"]);
  expect(await store.release("BBBB2222", "all", ACT)).toEqual([]);
  expect(await store.release("BBBB2222", [2, 3], ACT)).toEqual([]);
  await store.settle([
    { batch: "AAAA1111", row: 2, as: "settled_not_done", act: { by: "asha", kind: "settle", note: "none" } },
  ]);
  expect(await store.release("BBBB2222", "all", ACT)).toEqual([2, 3]);
  expect(await store.history("BBBB2222")).toMatchObject([{ by: "ravi", row: 2 }, { row: 3 }]);
});

test.each<[string, (store: JournalStore) => Promise<unknown>, number[]]>([
  ["is ready", () => Promise.resolve(), []],
  ["is on its way", (store) => store.begin("AAAA1111", 2, rules), []],
  ["is ready in a paused batch", (store) => store.setPhase("AAAA1111", "paused", ACT), []],
  ["goes no more", (store) => store.setPhase("AAAA1111", "cancelled", ACT), [7]],
  ["was accepted", (store) => sendRow(store, "AAAA1111", 2, "accepted"), [7]],
])("a row that waits for one that %s: whether a person may let it go", async (_what, happen, released) => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await addBatch(store, "BBBB2222", [newRow(7, "a/1"), newRow(8, "b/1"), newRow(9, "b/1")]);
  await happen(store);
  expect(await store.release("BBBB2222", [7], ACT)).toEqual(released);
  expect(await states(store, "BBBB2222")).toEqual([released.length > 0 ? "ready" : "held", "ready", "held"]);
});

test("a person's word speaks of whatever was accepted before it", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "x/1"), newRow(3, "a/1")]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
  await addBatch(store, "BBBB2222", [newRow(7, "a/1")]);
  expect(await store.release("BBBB2222", "all", ACT)).toEqual([7]);
  // what happens to another batch has every row judged again before it goes
  await addBatch(store, "CCCC3333", [newRow(2, "z/1")]);
  expect(await store.begin("BBBB2222", 7, rules)).toMatchObject({ ordinal: 1 });
});

test("a person's word does not speak of what was accepted after that person looked", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  const lookedAtMs = Date.now();
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(7, "a/1"), newRow(8, "a/1")]);
  expect(await store.release("BBBB2222", "all", ACT, lookedAtMs)).toEqual([]);
  expect(await states(store, "BBBB2222")).toEqual(["held", "held"]);
  expect(await store.release("BBBB2222", "all", ACT, Date.now() + 1)).toEqual([7, 8]);
});

test("a person's word lets go what waits for a payment of a run whose clock was ahead", async () => {
  let aheadMs = 60 * DAY_MS;
  const store = open(() => Date.now() + aheadMs);
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  aheadMs = 0;
  await addBatch(store, "BBBB2222", [newRow(7, "a/1")]);
  expect(await states(store, "BBBB2222")).toEqual(["held"]);
  expect(await store.release("BBBB2222", "all", ACT, Date.now())).toEqual([7]);
  await addBatch(store, "CCCC3333", [newRow(2, "z/1")]);
  expect(await store.begin("BBBB2222", 7, rules)).toMatchObject({ ordinal: 1 });
});

test("all or nothing: where one row cannot go by itself the others wait, whatever other files hold", async () => {
  const store = open();
  const fault = { code: "amount_missing", message: "is empty", hint: "write it" };
  const take = async (id: string, rows: NewRow[]): Promise<string[]> => {
    await store.createBatch(newBatch(id));
    await store.addRows(id, rows);
    await store.judgeRows(id, rules);
    await store.openBatch(id, { rows: rows.length, total: "0.00", remarks: [] }, true);
    return (await allRows(store, id)).map(({ state, code }) => `${state} ${code ?? ""}`.trim());
  };
  expect(await take("AAAA1111", [newRow(2, "a/1"), newRow(3, "b/1"), newRow(4, "b/1")])).toEqual([
    "held all_or_nothing",
    "held all_or_nothing",
    "held repeat_in_file",
  ]);
  expect(await take("BBBB2222", [newRow(2, "c/1"), { number: 3, faults: [fault] }])).toEqual([
    "held all_or_nothing",
    "invalid amount_missing",
  ]);
  expect(await take("CCCC3333", [newRow(2, "d/1"), newRow(3, "e/1")])).toEqual(["ready", "ready"]);
});

test("a cancelled batch releases nothing and never opens again", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/1")]);
  const act = { by: "asha", kind: "cancel", note: "" };
  await store.setPhase("AAAA1111", "cancelled", act);
  await expect(store.release("AAAA1111", "all", ACT)).rejects.toThrow(/cancelled/);
  await expect(store.setPhase("AAAA1111", "open", act)).rejects.toThrow(/cannot become open/);
  await expect(store.setPhase("AAAA1111", "paused", act)).rejects.toThrow(/cannot become paused/);
  expect(await states(store, "AAAA1111")).toEqual(["ready", "held"]);
  // what was refused left no act behind
  expect(await store.history("AAAA1111")).toHaveLength(1);
});

test("a row is settled only in the state that the person saw", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  const act = { by: "asha", kind: "settle", note: "" };
  await expect(
    store.settle([{ batch: "AAAA1111", row: 2, as: "settled_not_done", act, from: "unknown" }]),
  ).rejects.toThrow(/is accepted/);
  expect(await states(store, "AAAA1111")).toEqual(["accepted"]);
});

test("rows are settled together or not at all: where one is in another state, the others stay and nothing is noted", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
  await sendRow(store, "AAAA1111", 2, "unknown");
  await sendRow(store, "AAAA1111", 3, "accepted");
  const act = { by: "asha", kind: "settle", note: "" };
  const settled = [2, 3].map((row) => ({ batch: "AAAA1111", row, as: "settled_done" as const, act }));
  await expect(store.settle(settled)).rejects.toThrow(/row 3 is accepted/);
  expect(await states(store, "AAAA1111")).toEqual(["unknown", "accepted"]);
  expect(await store.history("AAAA1111")).toEqual([]);
  await store.settle(settled.slice(0, 1));
  expect(await states(store, "AAAA1111")).toEqual(["settled_done", "accepted"]);
});

test("the rows that wait for a row are found by what makes a payment the same", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
  await sendRow(store, "AAAA1111", 2, "unknown");
  await sendRow(store, "AAAA1111", 3, "unknown");
  await addBatch(store, "BBBB2222", [newRow(7, "a/1")]);
  await addBatch(store, "CCCC3333", [newRow(7, "b/1")]);
  expect(await store.waitingFor("AAAA1111", 2)).toMatchObject([{ batch: "BBBB2222", row: 7 }]);
  expect(await store.waitingFor("AAAA1111", 3)).toEqual([]);
  await store.settle([
    { batch: "AAAA1111", row: 2, as: "settled_done", act: { by: "asha", kind: "settle", note: "" } },
  ]);
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([7]);
  expect(await states(store, "BBBB2222")).toEqual(["held"]);
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([]);
  expect(await store.waitingFor("AAAA1111", 2)).toEqual([]);
});

test("held rows need nobody while each of them waits for one that goes, or has gone, by itself", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
  await addBatch(store, "BBBB2222", [newRow(7, "a/1"), newRow(8, "a/2")]);
  // its last row waits for one that itself is held
  await addBatch(store, "CCCC3333", [newRow(7, "a/1"), newRow(8, "b/1"), newRow(9, "b/1")]);
  const wait = (): Promise<boolean[]> => Promise.all(["BBBB2222", "CCCC3333"].map((id) => store.waitsForOthers(id)));
  const both = (isOver: boolean): object[] => [
    { batch: "BBBB2222", rows: 2, isOver },
    { batch: "CCCC3333", rows: 1, isOver },
  ];
  const asked = { batches: ["AAAA1111", "BBBB2222", "CCCC3333"] };
  expect(await wait()).toEqual([true, false]);
  expect(await store.waitingBatches(asked)).toEqual(both(false));
  await sendRow(store, "AAAA1111", 2, "accepted");
  expect(await wait()).toEqual([true, false]);
  expect(await store.waitingBatches(asked)).toEqual(both(true));
  expect(await store.waitingBatches({ folders: ["/nowhere"] })).toEqual([]);
  await sendRow(store, "AAAA1111", 3, "unknown");
  expect(await wait()).toEqual([false, false]);
  for (const { batch } of await store.waitingBatches({ folders: [(await store.batch("AAAA1111"))?.folder ?? ""] }))
    await store.judgeAgain(batch, rules);
  // only a person can end what it waits for, and may do so at any time
  expect(await store.waitingBatches(asked)).toEqual([{ batch: "BBBB2222", rows: 1, isOver: false }]);
});

test("a row that waits for one that only a person can end is still asked about, until that one's batch is cancelled", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await addBatch(store, "BBBB2222", [newRow(7, "a/1")]);
  await store.setPhase("AAAA1111", "paused", { by: "asha", kind: "pause", note: "" });
  const asked = { batches: ["BBBB2222"] };
  const waits = [{ batch: "BBBB2222", rows: 1, isOver: false }];
  expect(await store.waitingBatches(asked)).toEqual(waits);
  await store.setPhase("BBBB2222", "paused", { by: "asha", kind: "pause", note: "" });
  await store.setPhase("AAAA1111", "cancelled", { by: "asha", kind: "cancel", note: "" });
  expect(await store.waitingBatches(asked), "a paused batch goes when it is resumed").toEqual(waits);
  await store.setPhase("BBBB2222", "open", { by: "asha", kind: "resume", note: "" });
  expect(await store.waitingBatches(asked)).toEqual([{ batch: "BBBB2222", rows: 1, isOver: true }]);
});

test("a row that waits for one of a paused batch needs a person; of a cancelled one it does not", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await addBatch(store, "BBBB2222", [newRow(7, "a/1")]);
  const act = { by: "asha", kind: "pause", note: "" };
  await store.setPhase("AAAA1111", "paused", act);
  expect(await store.waitsForOthers("BBBB2222")).toBe(false);
  await store.setPhase("AAAA1111", "cancelled", act);
  expect(await store.waitsForOthers("BBBB2222")).toBe(true);
});

test("only open batches with ready rows that were left after an act are handed over", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await addBatch(store, "BBBB2222", [newRow(2, "b/1")]);
  const act = { by: "asha", kind: "handover", note: "" };
  await store.note("AAAA1111", act);
  const { lastAct, batches } = await store.handedOver(0);
  expect(batches).toEqual(["AAAA1111"]);
  expect(await store.handedOver(lastAct)).toEqual({ lastAct, batches: [] });
  await store.note("BBBB2222", act);
  await store.note("AAAA1111", act);
  await sendRow(store, "BBBB2222", 2, "accepted");
  expect((await store.handedOver(lastAct)).batches).toEqual(["AAAA1111"]);
  await store.setPhase("AAAA1111", "paused", { ...act, kind: "pause" });
  expect((await store.handedOver(lastAct)).batches).toEqual([]);
  await store.setPhase("AAAA1111", "open", { ...act, kind: "resume" });
  expect((await store.handedOver(0)).batches).toEqual(["AAAA1111"]);
  // a run that was stopped meanwhile goes on by a person's word only
  await store.note("AAAA1111", { ...act, kind: "stop" });
  expect((await store.handedOver(0)).batches).toEqual([]);
  await store.note("AAAA1111", act);
  expect((await store.handedOver(0)).batches).toEqual(["AAAA1111"]);
});

test("of an archived batch no row and no phase is changed by anybody", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/1", { reference: "R-1" })]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(7, "a/1", { reference: "R-1" })]);
  expect(await states(store, "BBBB2222")).toEqual(["duplicate"]);
  const act = { by: "asha", kind: "archive", note: "" };
  for (const batch of ["AAAA1111", "BBBB2222"]) {
    await store.oweResults(batch, false);
    expect(await store.moveOut(batch, "a.archive", 0, act)).toBe(true);
  }
  const settled = { batch: "AAAA1111", row: 2, as: "settled_not_done", from: "accepted", act } as const;
  await expect(store.settle([settled])).rejects.toThrow("is archived");
  await expect(store.release("BBBB2222", [7], ACT)).rejects.toThrow("is archived");
  await expect(store.setPhase("BBBB2222", "cancelled", ACT)).rejects.toThrow("is archived");
  expect([await states(store, "AAAA1111"), await states(store, "BBBB2222")]).toEqual([["accepted"], ["duplicate"]]);
  expect(await store.history("BBBB2222")).toMatchObject([{ kind: "archive" }]);
});

test("the first reason for which an inbox is held stands until somebody lifts it, for that inbox alone", async () => {
  const store = open();
  const hold = { code: "unknown_in_a_row", at: 1, message: "look them up" };
  await store.holdInbox("/inbox", hold);
  const stop = { code: "stop_file", at: 2, message: "STOP" };
  await store.holdInbox("/inbox", stop);
  await store.holdInbox("/other", stop);
  const other = { folder: "/other", ...stop };
  expect(await store.inboxHolds()).toEqual([{ folder: "/inbox", ...hold }, other]);
  expect(await store.liftInboxHold("/inbox", "asha")).toEqual(hold);
  expect(await store.liftInboxHold("/inbox", "asha")).toBeUndefined();
  expect(await store.inboxHolds()).toEqual([other]);
});
