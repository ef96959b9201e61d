import { expect, test } from "vitest";
import { isSynonym, NO_AMOUNT } from "../../../src/reader/mapping/synonyms.ts";

test.each([
  "Net Pay",
  "Net Pay (Rs.)",
  "NET PAY (INR)",
  "Net Salary in Rupees",
  "Amount (₹)",
  "Amount in paise",
  "AMT",
  "Loan Amt",
  "Sanctioned Amount",
  "Disbursed Amount (Rs)",
])("%s is an amount, whatever it counts", (column) => {
  expect(isSynonym(column, "amount")).toBe(true);
});

test.each(["Rate of Interest", "ROI", "Interest %", "Tax Rate", "TDS", "Processing Fee", "Bank Charges"])(
  "%s is no amount that is paid, whatever its values look like",
  (column) => {
    expect(NO_AMOUNT.test(column)).toBe(true);
  },
);

test.each(["Amount", "Net Pay", "Total", "Value", "Separate Sum", "Rupees"])("%s may be one", (column) => {
  expect(NO_AMOUNT.test(column)).toBe(false);
});

test.each([
  ["Cars", "amount"],
  ["Arrears", "amount"],
  ["Account No", "amount"],
  ["Account No (Rs.)", "bank_acc_num"],
])("%s is no %s", (column, field) => {
  expect(isSynonym(column, field)).toBe(false);
});
