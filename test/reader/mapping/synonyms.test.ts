import { expect, test } from "vitest";
import { isSynonym } from "../../../src/reader/mapping/synonyms.ts";

test.each([
  "Net Pay",
  "Net Pay (Rs.)",
  "NET PAY (INR)",
  "Net Salary in Rupees",
  "Amount (₹)",
  "Amount in paise",
  "AMT",
])("%s is an amount, whatever it counts", (column) => {
  expect(isSynonym(column, "amount")).toBe(true);
});

test.each([
  ["Cars", "amount"],
  ["Arrears", "amount"],
  ["Account No", "amount"],
  ["Account No (Rs.)", "bank_acc_num"],
])("%s is no %s", (column, field) => {
  expect(isSynonym(column, field)).toBe(false);
});
