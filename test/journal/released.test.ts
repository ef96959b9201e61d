import { expect, test } from "vitest";
import type { JournalStore } from "../../src/journal/store.ts";
import { openByDay, said } from "./days.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "./stored.ts";

const ACT = { by: "asha", kind: "act", note: "" };

/** A row that went; it came back, and its copy was let go instead, which could not go. */
async function copyThatCouldNotGo(store: JournalStore): Promise<void> {
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100")]);
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_not_done", act: ACT }]);
  expect(await store.release("BBBB2222", "all", ACT)).toEqual([2]);
}

/** Corrections of one row that was refused, by row number and payee; each waits for a person. */
async function corrections(store: JournalStore, batch: string, payees: readonly string[]): Promise<void> {
  const correction = { of: { batch: "AAAA1111", row: 2 }, changes: [], payeeChanged: true };
  await store.createBatch(newBatch(batch));
  await store.addRows(
    batch,
    payees.map((payee, index) => ({ ...newRow(index + 2, payee), correction })),
  );
  await store.judgeRows(batch, rules);
  await store.openBatch(batch, { rows: payees.length, total: "0.00", remarks: [] });
}

test("a row that was let go, and could not go, does not go after the other one was settled as done", async () => {
  const { store, onDay } = openByDay();
  await copyThatCouldNotGo(store);
  onDay(1);
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_done", act: ACT }]);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate AAAA1111:2"]);
});

test.each(["not_sent", "rejected"] as const)("nor where its attempt ended as %s between the two", async (end) => {
  const { store, onDay } = openByDay();
  await copyThatCouldNotGo(store);
  await sendRow(store, "BBBB2222", 2, end, "key_refused");
  onDay(1);
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_done", act: ACT }]);
  onDay(2);
  expect(await store.makeReady("BBBB2222", "all", [end])).toBe(1);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate AAAA1111:2"]);
});

test("nor where the clock was ahead when it was let go; by a later word it goes", async () => {
  const { store, onDay } = openByDay();
  onDay(3);
  await copyThatCouldNotGo(store);
  onDay(1);
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_done", act: ACT }]);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect(await store.release("BBBB2222", [2], ACT)).toEqual([2]);
  expect(await store.begin("BBBB2222", 2, rules)).toHaveProperty("attempt");
});

test("a row that was let go, and settled as not done, is held for what was settled as done between the two", async () => {
  const { store } = openByDay();
  const settle = (batch: string, as: "settled_done" | "settled_not_done") =>
    store.settle([{ batch, row: 2, as, act: ACT }]);
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "unknown");
  await settle("AAAA1111", "settled_not_done");
  await addBatch(store, "CCCC3333", [newRow(2, "a/100")]);
  await sendRow(store, "CCCC3333", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100")]);
  await store.release("BBBB2222", "all", ACT);
  await sendRow(store, "BBBB2222", 2, "unknown");
  await settle("AAAA1111", "settled_done");
  await settle("BBBB2222", "settled_not_done");
  await store.makeReady("BBBB2222", "all", ["settled_not_done"]);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate AAAA1111:2"]);
});

test("what went since a row was let go is no older payment, however late the row goes", async () => {
  const { store, onDay } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")], onDay(0));
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100")], onDay(10));
  await store.release("BBBB2222", "all", ACT);
  await sendRow(store, "BBBB2222", 2, "rejected", "key_refused");
  await addBatch(store, "CCCC3333", [newRow(2, "a/100")], onDay(11));
  await store.release("CCCC3333", "all", ACT);
  await sendRow(store, "CCCC3333", 2, "accepted");
  onDay(60);
  await store.makeReady("BBBB2222", "all", ["rejected"]);
  expect(await store.begin("BBBB2222", 2, rules)).toEqual({ state: "held" });
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate CCCC3333:2"]);
});

test.each([
  ["in another file", "CCCC3333", 2],
  ["in the same file", "BBBB2222", 3],
] as const)("whoever releases a correction is told of another one that went since, %s", async (_where, batch, row) => {
  const { store, onDay } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "rejected");
  await corrections(store, "BBBB2222", batch === "BBBB2222" ? ["b/100", "c/100"] : ["b/100"]);
  if (batch !== "BBBB2222") await corrections(store, batch, ["c/100"]);
  expect((await said(store, "BBBB2222"))[0]).toBe("held payee_changed");
  onDay(1);
  expect(await store.release(batch, [row], ACT)).toEqual([row]);
  await sendRow(store, batch, row, "accepted");
  onDay(2);
  expect(await store.release("BBBB2222", [2], ACT, 0), "it went since that person looked").toEqual([]);
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2]);
  expect((await said(store, "BBBB2222"))[0]).toBe(`held corrected_twice ${batch}:${row}`);
});

test("whoever releases a correction is told where the row itself went after all", async () => {
  const { store, onDay } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "rejected", "key_refused");
  await corrections(store, "BBBB2222", ["b/100"]);
  onDay(1);
  await store.makeReady("AAAA1111", "all", ["rejected"]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  onDay(2);
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([2]);
  expect(await said(store, "BBBB2222")).toEqual(["held origin_accepted AAAA1111:2"]);
});

test("a correction that equals another row of the file that it corrects is no duplicate of it: a person decides", async () => {
  const { store } = openByDay();
  const row = (number: number) => newRow(number, "a/100", { period: "2026-11" });
  await store.createBatch(newBatch("AAAA1111", { period: "2026-11" }));
  await store.addRows("AAAA1111", [row(2), row(3)]);
  await store.judgeRows("AAAA1111", { ...rules, allowRepeats: true });
  await store.openBatch("AAAA1111", { rows: 2, total: "0.00", remarks: [] });
  await sendRow(store, "AAAA1111", 2, "accepted");
  await sendRow(store, "AAAA1111", 3, "rejected");
  await store.createBatch(newBatch("BBBB2222"));
  const correction = { of: { batch: "AAAA1111", row: 3 }, changes: [], payeeChanged: false };
  await store.addRows("BBBB2222", [{ ...newRow(2, "a/100"), correction }]);
  await store.judgeRows("BBBB2222", rules);
  await store.openBatch("BBBB2222", { rows: 1, total: "0.00", remarks: [] });
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate AAAA1111:2"]);
});

test("what was settled as not done, and is a duplicate since, can be settled as done all the same", async () => {
  const { store } = openByDay();
  const november = { period: "2026-11" };
  await addBatch(store, "CCCC3333", [newRow(2, "b/100", november)]);
  await sendRow(store, "CCCC3333", 2, "accepted");
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", november), newRow(3, "b/100", november)]);
  await sendRow(store, "AAAA1111", 2, "unknown");
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_not_done", act: ACT }]);
  await addBatch(store, "BBBB2222", [newRow(2, "a/100", november)]);
  await sendRow(store, "BBBB2222", 2, "accepted");
  await store.makeReady("AAAA1111", "all", ["settled_not_done"]);
  expect(await store.begin("AAAA1111", 2, rules)).toEqual({ state: "duplicate" });
  // the bank shows it after all
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_done", act: ACT }]);
  const never = store.settle([{ batch: "AAAA1111", row: 3, as: "settled_done", act: ACT }]);
  await expect(never).rejects.toThrow("row 3 is duplicate");
  expect((await said(store, "AAAA1111"))[1]).toBe("duplicate CCCC3333:2");
  expect((await allRows(store, "AAAA1111"))[0]).toMatchObject({ state: "settled_done", settledBy: "asha" });
});

/** What somebody who lets row 2 of that batch go is told first. */
async function toldFirst(store: JournalStore): Promise<number[]> {
  const changed = await store.judgeAgain("BBBB2222", rules);
  return [...changed, ...(await store.judgeNamed("BBBB2222", [2], rules))];
}

test.each([
  ["held", {}],
  ["a duplicate", { reference: "R1" }],
])(
  "whoever lets a row go that is %s is told first that the other one came back and went once more",
  async (_, more) => {
    const { store, onDay } = openByDay();
    await addBatch(store, "AAAA1111", [newRow(2, "a/100", more)]);
    await sendRow(store, "AAAA1111", 2, "accepted");
    onDay(1);
    await addBatch(store, "BBBB2222", [newRow(2, "a/100", more)]);
    expect(await toldFirst(store)).toEqual([]);
    await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_not_done", act: ACT }]);
    expect(await toldFirst(store)).toEqual([]);
    onDay(2);
    await store.makeReady("AAAA1111", "all", ["settled_not_done"]);
    await sendRow(store, "AAAA1111", 2, "accepted");
    expect(await toldFirst(store)).toEqual([2]);
    expect(await toldFirst(store)).toEqual([]);
  },
);

test("whoever lets a duplicate go is told first of another row that went since", async () => {
  const { store } = openByDay();
  const more = { reference: "R1" };
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", more)]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100", more)]);
  await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_not_done", act: ACT }]);
  await addBatch(store, "CCCC3333", [newRow(2, "a/100", more)]);
  await sendRow(store, "CCCC3333", 2, "accepted");
  expect(await toldFirst(store)).toEqual([2]);
  expect(await said(store, "BBBB2222")).toEqual(["duplicate CCCC3333:2"]);
});

test("what one reason hid is told before the row goes: that it stands twice in its file", async () => {
  const { store } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100"), newRow(3, "a/100")]);
  expect(await said(store, "BBBB2222")).toEqual(Array(2).fill("held possible_duplicate AAAA1111:2"));
  expect(await store.judgeNamed("BBBB2222", [2, 3], rules)).toEqual([3]);
  expect((await said(store, "BBBB2222"))[1]).toBe("held repeat_in_file BBBB2222:2");
  expect(await store.judgeNamed("BBBB2222", [2, 3], rules)).toEqual([]);
  expect(await store.judgeNamed("BBBB2222", [3], { ...rules, allowRepeats: true })).toEqual([]);
});

test("what one reason hid is told before the row goes: that the same amount went without a reference", async () => {
  const { store } = openByDay();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", { reference: "R1" })]);
  await addBatch(store, "CCCC3333", [newRow(2, "a/150")]);
  for (const batch of ["AAAA1111", "CCCC3333"]) await sendRow(store, batch, 2, "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/150", { reference: "R1" })]);
  expect(await said(store, "BBBB2222")).toEqual(["held reference_conflict AAAA1111:2"]);
  expect(await store.judgeNamed("BBBB2222", [2], rules)).toEqual([2]);
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate CCCC3333:2"]);
  expect(await store.judgeNamed("BBBB2222", [2], rules)).toEqual([]);
});
