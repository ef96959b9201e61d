import { expect, test } from "vitest";
import type { RowRecord } from "../../src/journal/store.ts";
import { stopFor } from "../../src/messages/outcomes.ts";
import { lockstep } from "../../src/results/totals.ts";
import { assertControlTotals, byStatusOf, exitCodeOfBatch, TotalsCollector } from "../../src/results/totals.ts";
import { rowRecord } from "../support/records.ts";

function totalsOf(rows: readonly (Partial<RowRecord> & { readonly account?: string })[]) {
  const collector = new TotalsCollector();
  rows.forEach(({ account = "A", ...row }, at) => collector.add(rowRecord(at + 2, row), account));
  return collector.totals();
}

test("accounts that look the same when masked → a name each, in the order of the file", () => {
  const { accounts } = totalsOf(
    ["50100271828999", "ACC-OPS-01", "90100271828999", "50100271828999"].map((account) => ({ account })),
  );
  expect(accounts.map(({ account, total }) => [account, total.rows, total.amount])).toEqual([
    ["••8999", 2, "200.00"],
    ["ACC-OPS-01", 1, "100.00"],
    ["••8999 (2)", 1, "100.00"],
  ]);
});

test.each<[string, readonly Partial<RowRecord>[], Parameters<typeof exitCodeOfBatch>[1], number]>([
  ["all accepted", [{}, { state: "duplicate" }, { state: "settled_done" }, { state: "cancelled" }], {}, 0],
  ["a held row", [{}, { state: "held" }], {}, 6],
  ["a held row of a cancelled batch", [{ state: "held" }, { state: "ready" }], { isCancelled: true }, 0],
  ["a rejected row", [{ state: "held" }, { state: "rejected" }], {}, 3],
  ["an invalid row", [{ state: "held" }, { state: "invalid" }], {}, 3],
  ["a row refused for the key", [{ state: "rejected", code: "key_refused" }], {}, 7],
  ["a row that was not sent", [{ state: "rejected" }, { state: "held" }, { state: "not_sent" }], {}, 7],
  ["a run that was stopped", [{}], { stop: stopFor("signal") }, 7],
  [
    "an unknown row",
    [{ state: "unknown" }, { state: "not_sent" }, { state: "rejected" }],
    { stop: stopFor("signal") },
    4,
  ],
  ["a row on its way, while results are written again", [{ state: "ready", onItsWay: true }], {}, 4],
  ["an unknown row of a cancelled batch", [{ state: "unknown" }], { isCancelled: true }, 4],
  ["results that lie elsewhere", [{ state: "unknown" }], { isElsewhere: true }, 74],
])("%s → its exit code", (_, rows, ended, code) => {
  expect(exitCodeOfBatch(totalsOf(rows), ended)).toBe(code);
});

test("sums that differ from the file by a paisa, or a row → a failure, never results (I13)", () => {
  const totals = totalsOf([{}, { amount: "0.01" }]);
  expect(() => assertControlTotals(totals, { rows: 2, total: "100.0100" })).not.toThrow();
  expect(() => assertControlTotals(totals, { rows: 2, total: "100.02" })).toThrow(
    "the results hold 2 rows, 100.01; the file held 2 rows, 100.02",
  );
  expect(() => assertControlTotals(totals, { rows: 3, total: "100.01" })).toThrow("3 rows");
});

test("what the journal counts as ready → not sent, as results call it", () => {
  const ready = { rows: 2, amount: "5.50" };
  expect(byStatusOf({ ready, not_sent: { rows: 1, amount: "1.00" } })).toEqual({
    not_sent: { rows: 3, amount: "6.50" },
  });
});

test.each([
  ["a row that the journal lacks", [2, 3], [2]],
  ["a row that the file lacks", [2], [2, 3]],
  ["another row in its place", [2, 3], [2, 4]],
])("%s → a failure, never results (I3)", async (_, file, journal) => {
  async function* pages<T>(all: readonly T[]): AsyncGenerator<readonly T[], void> {
    for (const one of all) yield await Promise.resolve([one]);
  }
  const rows = file.map((number) => ({ number, columns: [], cells: [] }));
  const walk = lockstep(pages(rows), pages(journal.map((row) => rowRecord(row))));
  await expect(Array.fromAsync(walk)).rejects.toThrow(/^(?:row 3 of the file is|the file ends before row 3)/);
});
