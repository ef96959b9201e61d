import { expect, test } from "vitest";
import { check, codesOf, csvOf, GOOD, GOOD_B, wordsOf, type Given } from "./checking.ts";

const OPTIONS = Object.entries({ ...GOOD, payout: GOOD_B });

test.for(OPTIONS)("a complete set of columns: %s → that operation", async ([name, row]) => {
  const { checked, refused } = await check("rows.csv", csvOf(row));
  expect(refused).toEqual([]);
  expect(checked?.operation).toBe({ payout: "payout, option B", payoutA: "payout, option A" }[name] ?? name);
});

const { vpa, amount } = GOOD.collection;

test.for([
  ["payee words beside a UPI id", { vpa, amount, "Employee Name": "A" }, "pay_or_collect"],
  ["a column that no customer has", { vpa, amount, "Salary Month": "Nov" }, "pay_or_collect"],
  ["customers who are paid back", { vpa, amount, Customer: "A", "Refund for": "B" }, "pay_or_collect"],
  ["an account beside a UPI id", { "UPI ID": vpa, "Net Pay": amount, "A/c No": "501002718280" }, "pay_or_collect"],
  ["a UPI id and a transfer", { ...GOOD.transfer, vpa }, "operation_ambiguous"],
  ["nothing known", { account: "1", sum: "5" }, "operation_unknown"],
  ["a column is missing", { from_account: "A-1", amount: "5" }, "column_missing"],
  ["a column is misspelt", { ...GOOD.transfer, refrence: "1" }, "column_misspelt"],
] as const)("%s → asked", async ([, row, code]) => {
  const { refused, rows } = await check("rows.csv", csvOf(row));
  expect(codesOf(refused)).toEqual([code]);
  expect(rows).toEqual([]);
});

test.for([
  ["the flag", { flags: { operation: "payout" } }, "pay_or_collect"],
  ["the folder", { folder: "Payouts" }, "pay_or_collect"],
  ["the folder of transfers", { folder: "transfers" }, "pay_or_collect"],
] as const satisfies readonly (readonly [string, Given, string])[])(
  "a collection's columns, and %s says otherwise → asked",
  async ([, given, code]) => {
    const { refused } = await check("rows.csv", csvOf(GOOD.collection), given);
    expect(codesOf(refused)).toEqual([code]);
  },
);

test("columns of loans in the folder of transfers → asked, with the way out", async () => {
  const { refused } = await check("rows.csv", csvOf(GOOD.loan), { folder: "transfers" });
  expect(codesOf(refused)).toEqual(["operation_mismatch"]);
  expect(wordsOf(refused)).toContain("--operation loan");
});

test("said by flag → before wrapper and folder; by wrapper → before the folder", async () => {
  const json = JSON.stringify({ operation: "loan", rows: [GOOD.loan] });
  expect((await check("r.json", json, { folder: "transfers" })).checked?.operation).toBe("loan");
  expect(codesOf((await check("r.json", json, { flags: { operation: "transfer" } })).refused)).toEqual([
    "operation_mismatch",
  ]);
  const unknown = await check("r.json", JSON.stringify({ operation: "gift", rows: [GOOD.loan] }));
  expect(codesOf(unknown.refused)).toEqual(["operation_unknown"]);
});

test("own_columns → neither misspelt nor somebody else's", async () => {
  const own = csvOf({ ...GOOD.collection, refrence: "x", name: "A" });
  const { refused, checked } = await check("rows.csv", own, { flags: { own_columns: ["refrence", "name"] } });
  expect(refused).toEqual([]);
  expect(checked?.operation).toBe("collection");
});

test("a field that a rule makes optional → its column may be missing; a required one is missed", async () => {
  const row = Object.fromEntries(Object.entries(GOOD_B).filter(([name]) => name !== "payment_mode"));
  const optional = await check("p.csv", csvOf(row), {
    toml: "[rules.payouts.payment_mode]\nrequired = false\n",
    folder: "payouts",
  });
  expect(optional.refused).toEqual([]);
  const required = await check("p.csv", csvOf({ ...GOOD_B }), { toml: "[rules.payouts.purpose]\nrequired = true\n" });
  expect(wordsOf(required.refused)).toContain("missing for a payout: purpose");
});

test("our own results file under another name → refused", async () => {
  const { refused } = await check("new.csv", csvOf({ result_row: "2", result_status: "held", ...GOOD.transfer }));
  expect(codesOf(refused)).toEqual(["own_results_file"]);
});

const MAPPING = `
[mapping.hr]
operation = "payout"
option = "B"
amount_unit = "paise"
header = ["Emp", "Acc", "IFSC", "Net", "Cur"]
[mapping.hr.columns]
Emp = ["name", "bank_owner_name"]
Acc = "bank_acc_num"
IFSC = "ifsc_code"
Net = "amount"
[mapping.hr.constants]
payment_mode = "NEFT"
[mapping.hr.must_be]
Cur = ["INR"]
[[mapping.hr.lookup]]
file = "accounts.csv"
by = "Emp"
key = "who"
fields = { debit_account_id = "account" }
`;

test("a mapped file → read by it, faults in the file's own words, kept for its results", async () => {
  const beside = { "accounts.csv": "who,account\nA,ACC-7\n" };
  const text =
    "Emp,Acc,IFSC,Net,Cur\nA,50100271828001,HDFC0001234,150000,INR\nA,HOLD,HDFC0001234,1.5,USD\nZ,50100271828001,HDFC0001234,7,INR\n";
  const { rows, checked, refused } = await check("hr.csv", text, { toml: MAPPING, beside });
  expect(refused).toEqual([]);
  expect(rows[0]?.instruction?.payload).toContain('"debit_account_id":"ACC-7"');
  expect(rows[0]?.instruction?.payload).toContain('"amount":1500.00,');
  expect(rows[1]?.faults.map(({ code, column, cell }) => [code, column, cell])).toEqual([
    ["account_word", "Acc (bank_acc_num)", "B3"],
    ["paise_with_point", "Net (amount)", "D3"],
    ["value_not_taken", "Cur", undefined],
  ]);
  expect(rows.map(({ payee }) => payee !== undefined)).toEqual([true, false, true]);
  expect(rows[2]?.faults).toMatchObject([{ code: "lookup_missing", facts: { table: "accounts.csv" } }]);
  expect(checked?.total.amount).toBe("1500.07");
});
