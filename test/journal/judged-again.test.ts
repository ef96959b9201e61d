import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { openByDay, said } from "./days.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "./stored.ts";

const ACT = { by: "asha", kind: "act", note: "" };
const NOV = { period: "2026-11" };
const OCT = { period: "2026-10" };

/** Its clock goes on by a second whenever it is asked. */
function open(): JournalStore {
  let nowMs = Date.parse("2026-11-20T10:00:00Z");
  const store = openSqliteJournal(temporaryDirectory(), createJudge, () => (nowMs += 1_000));
  onTestFinished(() => store.close());
  return store;
}

async function released(store: JournalStore, id: string, row: NewRow): Promise<void> {
  await addBatch(store, id, [row]);
  await store.release(id, "all", ACT);
}

test("of equal payments of one month each is known again by which one of that month it is", async () => {
  const store = open();
  const named = newRow(3, "a/100", { ...NOV, reference: "A-1" });
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", NOV), named, newRow(4, "a/100", NOV)]);
  await store.release("AAAA1111", "all", ACT);
  for (const row of [2, 3, 4]) await sendRow(store, "AAAA1111", row, "accepted");
  const months = [OCT, OCT, NOV, NOV, NOV];
  await addBatch(
    store,
    "BBBB2222",
    months.map((month, index) => newRow(index + 2, "a/100", month)),
  );
  expect(await said(store, "BBBB2222")).toEqual([
    "ready",
    "held repeat_in_file BBBB2222:2",
    "duplicate AAAA1111:2",
    "duplicate AAAA1111:4",
    expect.stringMatching(/^held possible_duplicate /),
  ]);
});

test.each(["accepted", "rejected"] as const)(
  "a row that was %s stays so, whatever went elsewhere since",
  async (state) => {
    const store = open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
    await sendRow(store, "AAAA1111", 2, state);
    await released(store, "BBBB2222", newRow(2, "a/100"));
    await sendRow(store, "BBBB2222", 2, "accepted");
    expect(await store.begin("AAAA1111", 2, rules)).toEqual({ state });
    expect((await allRows(store, "AAAA1111"))[0]?.state).toBe(state);
  },
);

test("a correction that pays somebody else waits before its attempt where that was allowed only to an earlier run", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "rejected");
  const correction = { of: { batch: "AAAA1111", row: 2 }, changes: [], payeeChanged: true };
  await store.createBatch(newBatch("BBBB2222"));
  await store.addRows("BBBB2222", [{ ...newRow(2, "b/100"), correction }]);
  await store.judgeRows("BBBB2222", { ...rules, payeeChange: "allow" });
  await store.openBatch("BBBB2222", { rows: 1, total: "0.00", remarks: [] });
  expect(await said(store, "BBBB2222")).toEqual(["ready"]);
  await addBatch(store, "CCCC3333", [newRow(2, "c/100")]);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect(await said(store, "BBBB2222")).toEqual(["held payee_changed"]);
});

test("of equal rows that waited for the same one only the first goes when that one did not", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await addBatch(store, "BBBB2222", [newRow(2, "a/100"), newRow(3, "a/100")]);
  const waits = "held other_row_open AAAA1111:2";
  expect(await store.judgeAgain("BBBB2222", rules), "nothing has changed yet").toEqual([]);
  expect(await said(store, "BBBB2222")).toEqual([waits, waits]);
  await sendRow(store, "AAAA1111", 2, "rejected");
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2, 3]);
  expect(await said(store, "BBBB2222")).toEqual(["ready", "held repeat_in_file BBBB2222:2"]);
});

test("a row whose file waits as a whole waits with it when the one that it waited for did not go", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await store.createBatch(newBatch("BBBB2222"));
  await store.addRows("BBBB2222", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await store.judgeRows("BBBB2222", rules);
  await store.openBatch("BBBB2222", { rows: 2, total: "0.00", remarks: [] }, true);
  await sendRow(store, "AAAA1111", 2, "rejected");
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2]);
  expect(await said(store, "BBBB2222")).toEqual(["held all_or_nothing", "held all_or_nothing"]);
});

test("all or nothing: rows of a file that all waited for other files still wait for its invalid row when those did not go", async () => {
  const store = open();
  const fault = { code: "amount_missing", message: "is empty", hint: "write it" };
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await store.createBatch(newBatch("BBBB2222"));
  await store.addRows("BBBB2222", [newRow(2, "a/100"), newRow(3, "b/100"), { number: 4, faults: [fault] }]);
  await store.judgeRows("BBBB2222", rules);
  await store.openBatch("BBBB2222", { rows: 3, total: "0.00", remarks: [] }, true);
  await sendRow(store, "AAAA1111", 2, "rejected");
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2]);
  const invalid = "invalid amount_missing";
  expect(await said(store, "BBBB2222")).toEqual(["held all_or_nothing", "held other_row_open AAAA1111:3", invalid]);
  // a person who lets a row go although the file has an invalid one has decided on the file
  expect(await store.release("BBBB2222", [2], ACT)).toEqual([2]);
  await sendRow(store, "AAAA1111", 3, "rejected");
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([3]);
  expect(await said(store, "BBBB2222")).toEqual(["ready all_or_nothing", "ready", invalid]);
});

test("all or nothing: rows that all waited for other files go where all of them may", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await store.createBatch(newBatch("BBBB2222"));
  await store.addRows("BBBB2222", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await store.judgeRows("BBBB2222", rules);
  await store.openBatch("BBBB2222", { rows: 2, total: "0.00", remarks: [] }, true);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "rejected");
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2, 3]);
  expect(await said(store, "BBBB2222")).toEqual(["ready", "ready"]);
});

test("a release counts no more once its row had to wait for another one", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100")]);
  await released(store, "CCCC3333", newRow(2, "a/100"));
  const begun = await store.begin("CCCC3333", 2, rules);
  await store.release("BBBB2222", "all", ACT);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect(await said(store, "BBBB2222")).toEqual(["held other_row_open CCCC3333:2"]);
  await store.end(begun.attempt ?? 0, { state: "rejected", reason: "refused", durationMs: 1 });
  await store.judgeAgain("BBBB2222", rules);
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate AAAA1111:2"]);
});

test("whoever releases a held row is told of the payment that went since, also while another one is open", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100")]);
  await released(store, "CCCC3333", newRow(2, "a/100"));
  await sendRow(store, "CCCC3333", 2, "accepted");
  await released(store, "DDDD4444", newRow(2, "a/100"));
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2]);
  expect((await allRows(store, "BBBB2222"))[0]).toMatchObject({
    state: "held",
    code: "possible_duplicate",
    other: { batch: "CCCC3333", row: 2, more: 1 },
  });
  expect(await store.judgeAgain("BBBB2222", rules), "it is told once").toEqual([]);
});

test("a row that waited for one that went since is held for it, however late somebody looks", async () => {
  const { store, onDay } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "b/100")], onDay(0));
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100"), newRow(3, "c/100")], onDay(15));
  // the same once more, while the first one has not gone yet; b went 15 days before
  await addBatch(store, "CCCC3333", [newRow(2, "a/100"), newRow(3, "b/100"), newRow(4, "c/100")], onDay(15));
  const held = ["held other_row_open BBBB2222:2", "held possible_duplicate AAAA1111:2"];
  expect(await said(store, "CCCC3333")).toEqual([...held, "held other_row_open BBBB2222:3"]);
  await sendRow(store, "BBBB2222", 2, "accepted");
  await sendRow(store, "BBBB2222", 3, "rejected");
  onDay(40);
  await store.judgeAgain("CCCC3333", rules);
  expect(await said(store, "CCCC3333")).toEqual(["held possible_duplicate BBBB2222:2", held[1], "ready"]);
});

test("a row that was settled as not done, or waited with its file, is held for what went since, however late it is let go", async () => {
  const { store, onDay } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")], onDay(0));
  await sendRow(store, "AAAA1111", 2, "unknown");
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_not_done", act: ACT }]);
  await store.createBatch(newBatch("BBBB2222", onDay(0)));
  await store.addRows("BBBB2222", [newRow(2, "b/100"), newRow(3, "a/100"), newRow(4, "a/100")]);
  await store.judgeRows("BBBB2222", rules);
  await store.openBatch("BBBB2222", { rows: 3, total: "0.00", remarks: [] }, true);
  // both went in another file
  await addBatch(store, "CCCC3333", [newRow(2, "a/100"), newRow(3, "b/100")], onDay(1));
  await store.release("CCCC3333", "all", ACT);
  for (const row of [2, 3]) await sendRow(store, "CCCC3333", row, "accepted");
  onDay(40);
  await store.makeReady("AAAA1111", "all", ["settled_not_done"]);
  expect(await store.begin("AAAA1111", 2, rules)).toEqual({ state: "held" });
  expect(await said(store, "AAAA1111")).toEqual(["held possible_duplicate CCCC3333:2"]);
  await store.release("BBBB2222", [2], ACT);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect((await said(store, "BBBB2222"))[0]).toBe("held possible_duplicate CCCC3333:3");
  // by a person's word it goes
  await store.release("BBBB2222", [2], ACT);
  expect(await store.begin("BBBB2222", 2, rules)).toHaveProperty("attempt");
});

test("of a payment that went since a row was held a person is told, however late that person looks", async () => {
  const { store, onDay } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")], onDay(0));
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100")], onDay(15));
  await addBatch(store, "CCCC3333", [newRow(2, "a/100")], onDay(16));
  await store.release("CCCC3333", "all", ACT);
  await sendRow(store, "CCCC3333", 2, "accepted");
  onDay(50);
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2]);
  expect((await allRows(store, "BBBB2222"))[0]).toMatchObject({
    code: "possible_duplicate",
    other: { batch: "CCCC3333" },
  });
});

test("another month's payment that went since lets no held row go", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", NOV), newRow(3, "a/100", NOV)]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  const asBefore = ["accepted accepted", "held repeat_in_file AAAA1111:2"];
  expect(await said(store, "AAAA1111")).toEqual(asBefore);
  await addBatch(store, "BBBB2222", [newRow(2, "a/100", OCT)]);
  await sendRow(store, "BBBB2222", 2, "accepted");
  expect(await store.judgeAgain("AAAA1111", rules)).toEqual([]);
  expect(await said(store, "AAAA1111")).toEqual(asBefore);
});

test("a row of one file is held for an equal one of its month in another writing, behind many of other months, and beside a reference", async () => {
  const store = open();
  const months = Array.from({ length: 12 }, (_, index) => ({ period: `2025-${String(index + 1).padStart(2, "0")}` }));
  const periods = [...months, NOV, { period: "2026-11-06" }, { period: "202611", reference: "A-1" }];
  await addBatch(
    store,
    "AAAA1111",
    periods.map((over, index) => newRow(index + 2, "a/100", over)),
  );
  const stands = await said(store, "AAAA1111");
  expect(stands.slice(0, 13).every((one) => one === "ready")).toBe(true);
  expect(stands.slice(13)).toEqual(["held repeat_in_file AAAA1111:14", expect.stringContaining("held repeat_in_file")]);
});
