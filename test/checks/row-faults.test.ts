import { expect, test } from "vitest";
import { check, csvOf, faultsIn, faultsOf, GOOD, GOOD_B, wordsOf } from "./checking.ts";

/** A value, and what is said of it; "" where it goes. */
type Case = readonly [value: string, code: string];

const PLACEHOLDERS = ["NULL", "n/a", "NA", "TBD", "-", "--", "Loading...", "e.g. 12345678", "<name>", "(blank)", "***"];
const DITTO = [
  '"',
  "''",
  "〃",
  "do",
  "-do-",
  "Same",
  "repeat",
  "as above",
  "same as above",
  "DITTO",
  "see above",
  "do.do",
];

const ACCOUNTS: readonly Case[] = [
  ...["50100271828001", "5010 0271 8280 01", "50100-271828-001", "00012345", "GB29 NWBK 6016 1331 9268 19"].map(
    (one) => [one, ""] as const,
  ),
  ...["123456", "AB12CD34EF", '="00012345"', "'00012345"].map((one) => [one, ""] as const),
  ...[...PLACEHOLDERS, "0000000000", "000 000"].map((one) => [one, "placeholder"] as const),
  ...DITTO.map((one) => [one, "ditto_mark"] as const),
  ...["HOLD", "On Hold", "Cash", "by cheque", "no account", "Asha Rao", "UPI", "will be given"].map(
    (one) => [one, "account_word"] as const,
  ),
  ...["EXMB0100200", "exmb0100200", "asha@bank", "asha@mail.example"].map((one) => [one, "other_value"] as const),
  ...["9001000001111O", "9O010000011111", "9001000001111l"].map((one) => [one, "letter_in_number"] as const),
  ...["90010000011111 90010000022222", "900100001/900100002", "900100001 or 900100002"].map(
    (one) => [one, "two_values"] as const,
  ),
  ...["90010000011111 HOLD", "AC 90010000011111"].map((one) => [one, "word_beside"] as const),
  ...["XXXX1234", "XXXXXXXX1234", "1234****5678"].map((one) => [one, "digits_hidden"] as const),
  ...["1.23457E+11", "5.01003E+13", "5,01E13"].map((one) => [one, "scientific_notation"] as const),
  ...["123456789012.0", "123456789012.00"].map((one) => [one, "number_not_text"] as const),
  ...["2026-11-02", "02-Jan-2026", "1/2/2026", "02-11-2026"].map((one) => [one, "made_a_date"] as const),
  ...["#N/A", "#####", "#REF!"].map((one) => [one, "spreadsheet_error"] as const),
  ...["TRUE", "false"].map((one) => [one, "true_or_false"] as const),
  ["=A1", "formula_as_text"],
  ["5,01,00,271", "number_not_text"],
  ["٥٠١٠٠٢٧١٨٢", "id_not_ascii"],
  ["501002718\u00a028001", "id_not_ascii"],
  ["5010027182\u200b8001", "hidden_character"],
  ["50100271828–001", "id_not_ascii"],
  ["1", "malformed"],
  ["12345", "malformed"],
  ["ABCDEFGH123", "malformed"],
  ["1".repeat(35), "malformed"],
  ["50100271828\n001", "hidden_character"],
  ["", "value_missing"],
];

test.for(ACCOUNTS)("bank account %j → %s", async ([value, code]) => {
  expect(await faultsOf({ bank_acc_num: value })).toEqual(code === "" ? [] : [`${code} bank_acc_num`]);
});

const NAMES: readonly Case[] = [
  ...[
    "Asha Rao",
    "HOLD",
    "Cash",
    "रवि नायर",
    "O'Neill, Ann-Marie",
    "Do Thi Ha",
    "Null Island",
    "3M India",
    "\u200dक्\u200dष",
  ].map((one) => [one, ""] as const),
  ...["Loading...", "n/a", "NULL", "."].map((one) => [one, "placeholder"] as const),
  ...['"', "as above", "do"].map((one) => [one, "ditto_mark"] as const),
  ...["asha@mail.example", "EXMB0100200", "50100271828001", "98110 00001"].map((one) => [one, "other_value"] as const),
  ["तदैव", "ditto_mark"],
  ["????? ???", "broken_character"],
  ["Ren\ufffd", "broken_character"],
  ["#N/A", "spreadsheet_error"],
  ["Asha\nRao", "hidden_character"],
  ["Asha\u202eRao", "hidden_character"],
];

test.for(NAMES)("name %j → %s", async ([value, code]) => {
  expect(await faultsOf({ name: value })).toEqual(code === "" ? [] : [`${code} name`]);
});

const OTHERS: readonly (readonly [field: string, value: string, code: string])[] = [
  ["ifsc_code", "SBIN00123", "malformed"],
  ["ifsc_code", "SBINO001234", "malformed"],
  ["ifsc_code", "sbin0001234", ""],
  ["ifsc_code", "50100271828", "other_value"],
  ["ifsc_code", "n/a", "placeholder"],
  ["debit_account_id", "do", "ditto_mark"],
  ["debit_account_id", "CASH-01", ""],
  ["debit_account_id", "1.0E+12", "scientific_notation"],
  ["mobile", "9.81E+09", "scientific_notation"],
  ["mobile", "+91 98111 00001", ""],
  ["mobile", "N/A", "placeholder"],
  ["payment_mode", "50", "other_value"],
  ["payment_mode", "NEFT", ""],
  ["payment_mode", "TRUE", "true_or_false"],
  ["narration", "=cmd|'/c calc'!A1", ""],
  ["narration", "do", "ditto_mark"],
  ["narration", "two\nlines", ""],
  ["email", "NULL", "placeholder"],
];

test.for(OTHERS)("%s %j → %s", async ([field, value, code]) => {
  expect(await faultsOf({ [field]: value })).toEqual(code === "" ? [] : [`${code} ${field}`]);
});

const NO_NUMBERS = [
  ...["+5", "1e3", "0x10", "1,000", "1,00,000.00", "1.234,56", "100,50", "1_000", "1 000", "0100", ".5", "5."],
  ...["₹100", "Rs. 1,250/-", "$100", "100 USD", "٣", "１００", "HOLD"],
];
const AMOUNTS: readonly Case[] = [
  ...["100", "100.0", "0.01", "999999999999999", "9999999999999.99"].map((one) => [one, ""] as const),
  ...NO_NUMBERS.map((one) => [one, "not_a_number"] as const),
  ["", "value_missing"],
  ["0", "amount_not_positive"],
  ["0.00", "amount_not_positive"],
  ["1000000000000000", "amount_too_many_digits"],
  ["100.005", "amount_too_many_decimals"],
  ["1.5E+12", "scientific_notation"],
  ...["-5", "(100)", "100-", "100.00 Cr", "\u2212100", "₹(1,00,000.00)"].map((one) => [one, "takes_back"] as const),
  ["-0", "amount_not_positive"],
  ["1.250", "point_thousands"],
  ["NaN", "placeholder"],
  ["-", "placeholder"],
  ["-do-", "ditto_mark"],
  ["#####", "spreadsheet_error"],
  ["02-Jan", "made_a_date"],
  ["=100", "formula_as_text"],
];

test.for([
  ["1,00,000.00", "100000.00"],
  ["₹ 1,250", "1250"],
  ["Rs. 500/-", "500"],
  ["$100", undefined],
  ["1,00", undefined],
  ["50,10,02,71,828,001", undefined],
] as const)("amount %j → the number that was surely meant is told: %s", async ([amount, plain]) => {
  const { rows } = await check("p.csv", csvOf({ ...GOOD_B, amount }));
  expect(rows[0]?.faults).toMatchObject([{ code: "not_a_number", facts: { plain } }]);
});

test.for(AMOUNTS)("amount %j → %s", async ([value, code]) => {
  expect(await faultsOf({ amount: value })).toEqual(code === "" ? [] : [`${code} amount`]);
});

test.for([
  ["indian", "1,00,000.50", "100000.50"],
  ["indian", "100,000.50", undefined],
  ["western", "100,000.50", "100000.50"],
  ["western", "1,00,000.50", undefined],
  ["european", "100.000,50", "100000.50"],
  ["european", "100000,50", "100000.50"],
  ["european", "100000.50", undefined],
  ["plain", "100,000.50", undefined],
] as const)("amount_format %s reads %s as %s", async ([format, written, sent]) => {
  const { rows } = await check("p.csv", csvOf({ ...GOOD_B, amount: written }), { flags: { amount_format: format } });
  expect(rows[0]?.instruction && rows[0].amount).toBe(sent);
});

test("no sentence and no fact of a fault holds an account, address or mobile in full", async () => {
  const secrets = ["90010000011111", "9811100001", "asha.rao@mail.example", "asharao@bank"];
  for (const secret of secrets) {
    for (const field of Object.keys(GOOD_B)) {
      const { rows } = await check("payroll.csv", csvOf({ ...GOOD_B, [field]: `${secret} ${secret}` }));
      const faults = rows.flatMap((row) => [...row.faults, ...row.notices]);
      if (["debit_account_id", "amount", "ifsc_code", "bank_acc_num"].includes(field)) {
        expect(JSON.stringify(faults) + wordsOf(faults), field).not.toContain(secret);
      }
    }
  }
});

const TOKENS: readonly (readonly [field: string, json: string, code: string])[] = [
  ["bank_acc_num", "50100271828001", "number_not_text"],
  ["name", "true", "true_or_false"],
  ["amount", "1e3", "not_a_number"],
  ["amount", "[1]", "json_nested"],
  ["amount", "52250.10", ""],
  ["mobile", "null", ""],
  ["name", "null", "value_missing"],
];

test.for(TOKENS)("JSON %s: %s → %s", async ([field, json, code]) => {
  const members = Object.entries(GOOD_B).map(
    ([name, value]) => `"${name}": ${name === field ? json : JSON.stringify(value)}`,
  );
  const outcome = await check("payroll.json", `[{${members.join(", ")}}]`);
  expect(faultsIn(outcome)).toEqual(code === "" ? [] : [`1: ${code} ${field}`]);
  if (field === "amount" && code === "") expect(outcome.rows[0]?.instruction?.payload).toContain('"amount":52250.10,');
});

test("fields of both options, or of neither → the row is invalid", async () => {
  const both = { ...GOOD.payoutA, ...GOOD_B };
  const neither = {
    ...both,
    bene_id: "",
    bene_bank_id: "",
    ...Object.fromEntries(Object.keys(GOOD_B).map((name) => [name, ""])),
  };
  const outcome = await check(
    "payouts.csv",
    csvOf(both, { ...neither, debit_account_id: "A-1", amount: "5", payment_mode: "NEFT" }),
  );
  expect(faultsIn(outcome)).toEqual(["2: option_both", "3: option_neither"]);
});

test("a mixed file → each row by its own operation; a row that says none, or another than stated, is invalid", async () => {
  const rows = [
    { operation: "transfer", ...GOOD.transfer },
    { operation: "Loans", ...GOOD.loan },
    { operation: "", ...GOOD.transfer },
    { operation: "gift", ...GOOD.transfer },
  ];
  const mixed = await check("mixed.csv", csvOf(...rows));
  expect(mixed.checked?.operation).toBe("mixed");
  expect(faultsIn(mixed)).toEqual(["4: operation_unclear operation", "5: operation_unclear operation"]);
  const stated = await check("mixed.csv", csvOf(...rows), { flags: { operation: "transfer" } });
  expect(faultsIn(stated)).toEqual(["3: operation_unclear operation", "5: operation_unclear operation"]);
});

test("the header once more → told as that; with other columns below it the file is refused", async () => {
  const good = "from_account,to_account,amount\nA-1,B-1,5\n";
  expect(faultsIn(await check("t.csv", `${good}from_account,to_account,amount\n`))).toEqual(["3: no_payment"]);
  const { refused } = await check("t.csv", `${good}to_account,from_account,amount\nB-2,A-1,7\n`);
  expect(refused).toMatchObject([{ code: "columns_change", row: 3 }]);
});

test("a word for a total where an account belongs → a total, whatever the row is", async () => {
  const outcome = await check("t.csv", "from_account,to_account,amount\nA-1,B-1,5\nTotal,,5\n");
  expect(faultsIn(outcome)).toEqual(["3: no_payment"]);
  expect(outcome.checked?.total.amount).toBe("5.00");
});
