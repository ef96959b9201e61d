import { expect, test } from "vitest";
import { createChecker } from "../../src/checks/check-row.ts";
import { operationNamed } from "../../src/operations/catalogue.ts";
import type { Cell } from "../../src/reader/row.ts";
import { createRowMapper } from "../../src/reader/mapping/mapped-rows.ts";
import { mappingsOf } from "../support/mappings.ts";
import { DEFAULT_CHOICES, checkOne, codesOf, GOOD_OPTION_A, GOOD_ROWS, rowOf } from "../support/rows.ts";

const JSON_FILE = { format: "json", fileName: "a.json" } as const;

test.each([
  ["payout", GOOD_ROWS.payout],
  ["payout", GOOD_OPTION_A],
  ["transfer", GOOD_ROWS.transfer],
  ["loan", GOOD_ROWS.loan],
] as const)("an amount in another currency is not sent as it stands: %s", (name, cells) => {
  for (const column of ["currency", "Currency", "CURR", "ccy", "Currency Code", "Txn Currency", "payment_ccy"]) {
    for (const code of ["USD", " eur ", "$", "AED", "Nepalese rupee", "840"]) {
      expect(codesOf(checkOne(name, { ...cells, [column]: code }))).toEqual(["currency_other"]);
      expect(codesOf(checkOne(name, { ...cells, [column]: code }, JSON_FILE))).toEqual(["currency_other"]);
    }
    for (const code of ["INR", "inr", " INR ", "", " ", "Rs", "Rs.", "₹", "Rupees", "INR (Indian Rupee)", "-", "356"])
      expect(codesOf(checkOne(name, { ...cells, [column]: code }))).toEqual([]);
  }
  const nothing: Cell = { token: "null", source: "null" };
  expect(codesOf(checkOne(name, { ...cells, currency: nothing }, JSON_FILE))).toEqual([]);
});

test.each([
  ...["Curr.", "Currency:", "Currency*", "Payout Currency", "Amount Currency", "Currency Type", "CURRENCY_CD"],
  ...["Currency (INR/USD)", "Target Currency", "Amt Ccy", "Cur", "Crcy", "Amount Curr.", "payoutCurrency", "amtccy"],
])("of a column %s that may be one of the amount's currency, a currency counts", (column) => {
  const codes = (value: string): readonly string[] =>
    codesOf(checkOne("payout", { ...GOOD_ROWS.payout, [column]: value }));
  for (const value of ["USD", " EUR ", "$", "US$", "AED"]) expect(codes(value)).toEqual(["currency_other"]);
  for (const value of ["INR", "Rs.", "₹", "", "-", "Domestic", "n/a", "YES", "1"]) expect(codes(value)).toEqual([]);
});

test.each([
  "Current balance",
  "Currently employed",
  "Curriculum",
  "Cur Bal",
  "Account",
  "Occupancy",
  "AccYear",
  "Curator",
])("a column %s is none of currencies", (column) => {
  for (const value of ["USD", "$"])
    expect(codesOf(checkOne("payout", { ...GOOD_ROWS.payout, [column]: value }))).toEqual([]);
});

test("a collection is sent in its own currency, and with none of another column", () => {
  expect(codesOf(checkOne("collection", { ...GOOD_ROWS.collection, currency: "USD" }))).toEqual([]);
  const { amount, vpa } = GOOD_ROWS.collection;
  expect(codesOf(checkOne("collection", { amount, vpa, ccy: "USD" }))).toEqual(["currency_other"]);
});

test("the place is named, and what to do for a column that says something else", () => {
  const [fault] = checkOne("transfer", { ...GOOD_ROWS.transfer, Curr: "USD" }).faults ?? [];
  expect(fault).toMatchObject({ column: "Curr", cell: "D2" });
  expect(fault?.message).toBe('"USD" is not INR, and this column does not go with a transfer: only the amount would');
  expect(fault?.hint).toContain('own_columns = ["Curr"]');
  const setting = { choices: { ownColumns: ["curr"] } };
  expect(codesOf(checkOne("transfer", { ...GOOD_ROWS.transfer, Curr: "USD" }, setting))).toEqual([]);
});

test.each([
  ["", [["currency_other"], []]],
  ['must_be = { Currency = ["USD"] }', [[], ["value_not_taken"]]],
])(
  "a column of the file that its mapping leaves out is one of the amount too, unless it is listed there: %s",
  (line, codes) => {
    const [mapping] = mappingsOf(`[mapping.m]
    operation = "collection"
    amount_unit = "rupees"
    header = ["Payer", "Sum", "Currency"]
    columns = { Payer = "vpa", Sum = "amount" }
    ${line}`);
    if (!mapping) throw new Error("no mapping");
    const options = { fileName: "a.csv", format: "csv", sandbox: false, choices: DEFAULT_CHOICES } as const;
    const checker = createChecker({ ...options, operation: operationNamed("collection") });
    const rows = ["USD", "INR"].map((Currency) => rowOf({ Payer: "ravi@bank", Sum: "5", Currency }));
    expect(checker.check(rows.map(createRowMapper(mapping, []))).map(codesOf)).toEqual(codes);
  },
);
