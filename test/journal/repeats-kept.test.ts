import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import type { SettledAs } from "../../src/journal/state.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, newRow, rules, sendRow } from "./stored.ts";

const ACT = { by: "asha", kind: "act", note: "" };
const NOVEMBER = { period: "2026-11" };
let store: JournalStore;

/** The other amount of b, whose 100 went in the file A that this one repeats. */
const CORRECTED = { state: "held", code: "near_duplicate", other: { batch: "AAAA1111", row: 3 } };

// of November, since a file without a month may be the same one, whatever another says
beforeEach(async () => {
  store = openSqliteJournal(temporaryDirectory(), createJudge);
  onTestFinished(() => store.close());
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", NOVEMBER), newRow(3, "b/100", NOVEMBER)]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
});

const takeCorrected = (): Promise<void> => addBatch(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200")]);

/** A file with one row, which had this end. */
async function sent(batch: string, core: string, state: "accepted" | "unknown", period?: string): Promise<void> {
  await addBatch(store, batch, [newRow(2, core, period === undefined ? {} : { period })]);
  await sendRow(store, batch, 2, state);
}

const settle = (batch: string, as: SettledAs): Promise<void> => store.settle([{ batch, row: 2, as, act: ACT }]);

test("a row that waits for an unknown one is the same payment as the one that went before it, all the same", async () => {
  await sent("CCCC3333", "a/100", "unknown", "festival");
  await takeCorrected();
  expect(await allRows(store, "BBBB2222")).toMatchObject([{ code: "other_row_open" }, CORRECTED]);
});

test.each([
  ["when its own wait is over", "accepted"],
  ["when two waits are over", "unknown"],
] as const)("which files a file repeats is still known %s", async (_when, state) => {
  await sent("CCCC3333", "a/100", state, "festival");
  await sent("DDDD4444", "b/200", "unknown");
  await takeCorrected();
  expect(await store.row("BBBB2222", 8)).toMatchObject({ code: "other_row_open", other: { batch: "DDDD4444" } });
  if (state === "unknown") await settle("CCCC3333", "settled_done");
  await settle("DDDD4444", "settled_not_done");
  await store.judgeAgain("BBBB2222", rules);
  expect(await store.row("BBBB2222", 8)).toMatchObject(CORRECTED);
});

test("and when a person lets the row go whose wait is over", async () => {
  await sent("CCCC3333", "a/100", "accepted", "festival");
  await sent("DDDD4444", "b/200", "unknown");
  await takeCorrected();
  await settle("DDDD4444", "settled_not_done");
  await store.release("BBBB2222", [8], ACT);
  expect(await store.row("BBBB2222", 8)).toMatchObject(CORRECTED);
  // whoever was told of it and says so once more means both
  await store.release("BBBB2222", [8], ACT);
  expect(await store.row("BBBB2222", 8)).toMatchObject({ state: "ready" });
});

test("and which of them came while its rows waited", async () => {
  await sent("CCCC3333", "a/100", "unknown", "festival");
  await sent("DDDD4444", "b/200", "unknown");
  await takeCorrected();
  await settle("CCCC3333", "settled_not_done");
  const december = { period: "2026-12" };
  await addBatch(store, "EEEE5555", [newRow(2, "a/100", december), newRow(3, "b/250", december)]);
  await addBatch(store, "FFFF6666", [newRow(2, "a/100", { period: "2027-01" })]);
  for (const batch of ["EEEE5555", "FFFF6666"]) {
    await store.release(batch, "all", ACT);
    for (const { number } of await allRows(store, batch)) await sendRow(store, batch, number, "accepted");
  }
  await store.settle([{ batch: "AAAA1111", row: 3, as: "settled_not_done", act: ACT }]);
  await settle("DDDD4444", "settled_not_done");
  await store.judgeAgain("BBBB2222", rules);
  expect(await store.row("BBBB2222", 8)).toMatchObject({
    code: "near_duplicate",
    other: { batch: "EEEE5555", row: 3 },
  });
});
