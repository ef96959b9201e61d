import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, newRow, sendRow } from "./stored.ts";

const ACT = { by: "asha", kind: "act", note: "" };

/** What `retry` finds of rows 3 and 4, which the bank gave back, where a later file sent row 4 and row 3 with less. */
async function retried(
  then: { readonly sent?: readonly number[]; readonly period?: string; readonly was?: string } = {},
): Promise<unknown> {
  const store = openSqliteJournal(temporaryDirectory(), createJudge);
  onTestFinished(() => store.close());
  const of = (period?: string) => (period === undefined ? {} : { period });
  const rows = [newRow(2, "a/100"), newRow(3, "b/100", of(then.was)), newRow(4, "c/100", of(then.was))];
  await addBatch(store, "AAAA1111", rows);
  for (const row of [2, 3, 4]) await sendRow(store, "AAAA1111", row, "accepted");
  const notDone = (row: number) => ({ batch: "AAAA1111", row, as: "settled_not_done", act: ACT }) as const;
  await store.settle([notDone(3), notDone(4)]);
  await addBatch(store, "BBBB2222", [newRow(2, "b/95", of(then.period)), newRow(3, "c/100", of(then.period))]);
  for (const row of then.sent ?? [2, 3]) await sendRow(store, "BBBB2222", row, "accepted");
  await store.makeReady("AAAA1111", "all", ["settled_not_done"], ACT);
  const { state, code, other } = (await store.row("AAAA1111", 3)) ?? {};
  return state === "held" ? `${code ?? ""} ${other?.batch ?? ""}:${String(other?.row)}` : state;
}

test("retry holds a row that a later file resent with another amount, beside one that it sent as it was", async () => {
  expect(await retried()).toBe("near_duplicate BBBB2222:2");
});

test("not where that file sent none of what goes again, or states another month", async () => {
  expect(await retried({ sent: [] })).toBe("ready");
  expect(await retried({ was: "2026-11", period: "2026-12" })).toBe("ready");
  expect(await retried({ was: "2026-11", period: "2026-11" })).toBe("near_duplicate BBBB2222:2");
});
