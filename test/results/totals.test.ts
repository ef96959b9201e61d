import { expect, test } from "vitest";
import { TotalsCollector } from "../../src/results/totals.ts";
import { rowRecord } from "../support/records.ts";

/** One accepted row of 100.00 from each of these accounts. */
function sumsFrom(...accounts: readonly string[]): (readonly [account: string, rows: number, total: string])[] {
  const collector = new TotalsCollector();
  for (const [index, account] of accounts.entries()) collector.add(rowRecord(index + 2, { amount: "100.00" }), account);
  return collector.totals().accounts.map(({ account, total }) => [account, total.rows, total.amount]);
}

test("an account in groups and the same without them have one sum", () => {
  expect(sumsFrom("5010 0271 8289 99", "50100271828999", "50 100 271 828 999")).toEqual([["••8999", 3, "300.00"]]);
});

test("two accounts that end in the same digits have a name each, in the order of the file", () => {
  expect(sumsFrom("50100271828999", "ACC-OPS-01", "90100271828999", "50100271828999", "70100271828999")).toEqual([
    ["••8999", 2, "200.00"],
    ["ACC-OPS-01", 1, "100.00"],
    ["••8999 (2)", 1, "100.00"],
    ["••8999 (3)", 1, "100.00"],
  ]);
});
