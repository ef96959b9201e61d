import { expect, test } from "vitest";
import { caseFile, check, codesOf, faultsIn, wordsOf } from "./checking.ts";

test.for(["01-upi-payees.csv", "02-upi-beside-account.csv", "03-hr-export-with-upi.csv"])(
  "%s: a UPI id beside words for payees → a question, never a collection",
  async (name) => {
    const { refused, rows } = await check(name, caseFile(name));
    expect(codesOf(refused)).toEqual(["pay_or_collect"]);
    expect(wordsOf(refused)).toContain("take money from UPI ids, not pay them");
    expect(rows).toEqual([]);
  },
);

test("01 said to be a collection, by flag or folder → it is one", async () => {
  for (const given of [{ flags: { operation: "collection" } }, { folder: "collections" }]) {
    const { refused, checked } = await check("01.csv", caseFile("01-upi-payees.csv"), given);
    expect(refused).toEqual([]);
    expect(checked?.operation).toBe("collection");
  }
});

test("04: words, an IFSC, a UPI id, a letter O as bank accounts → each with its own sentence", async () => {
  const outcome = await check("04.csv", caseFile("04-account-words.csv"));
  expect(outcome.rows.map(({ faults }) => faults[0]?.code)).toEqual([
    ...["account_word", "account_word", "account_word", "placeholder", "account_word"],
    ...["other_value", "other_value", "letter_in_number", "word_beside", "placeholder", "malformed"],
  ]);
  expect(outcome.rows.filter(({ instruction }) => instruction)).toEqual([]);
  // the digits of an account are in no sentence (I10)
  expect(wordsOf(outcome.rows.flatMap(({ faults }) => faults))).not.toMatch(/\d{6}/);
});

test("05: ditto marks → invalid, and told as ditto marks", async () => {
  expect(faultsIn(await check("05.csv", caseFile("05-ditto-marks.csv")))).toEqual([
    ...["3: ditto_mark debit_account_id", "3: ditto_mark ifsc_code", "3: ditto_mark payment_mode"],
    ...["4: ditto_mark debit_account_id", "4: ditto_mark bank_owner_name"],
    ...["5: ditto_mark bank_acc_num", "5: ditto_mark bank_owner_name"],
  ]);
});

test("06: a later day, on hold, paid beside a row → held, and the columns are pointed out", async () => {
  const { rows, checked } = await check("06.csv", caseFile("06-not-now.csv"));
  expect(rows.map(({ instruction, notNow }) => [instruction !== undefined, notNow?.column])).toEqual([
    [true, undefined],
    [true, "value_date"],
    [true, "status"],
    [true, "status"],
  ]);
  expect(wordsOf(checked?.remarks ?? [])).toContain("value_date, status say when or whether");
});

test("07: keys beside the rows of a JSON file → refused, the key named", async () => {
  const { refused } = await check("07.json", caseFile("07-dry-run.json"));
  expect(wordsOf(refused)).toContain("dry_run");
});

test("08: account and amount in each other's place → pointed out, and nothing goes", async () => {
  const { rows } = await check("08.csv", caseFile("08-swapped-columns.csv"));
  expect(rows.flatMap(({ notices }) => codesOf(notices))).toEqual(["amount_like_account", "amount_like_account"]);
  expect(rows.some(({ instruction }) => instruction)).toBe(false);
});

test("09: lines under the table → told as such, the payments go", async () => {
  const outcome = await check("09.csv", caseFile("09-lines-under-the-table.csv"));
  expect(faultsIn(outcome)).toEqual(["4: no_payment", "5: no_payment", "6: no_payment"]);
  expect(outcome.checked?.total.amount).toBe("2300.00");
});

test("11: a line break in notes → goes as written", async () => {
  const { rows } = await check("11.csv", caseFile("11-line-break-in-notes.csv"));
  expect(JSON.parse(rows[0]?.instruction?.payload ?? "")).toMatchObject({
    notes: 'first line\nsecond; with "quotes", a comma',
  });
});

test("13: one account three digits short of its bank's others → pointed out", async () => {
  const { checked } = await check("13.csv", caseFile("13-one-account-short.csv"));
  expect(checked?.pointedOut).toMatchObject([
    { code: "counts_up", row: 2, cell: "G2", facts: { last: 9 } },
    { code: "account_length", row: 6, cell: "D6", facts: { found: 11, usual: 14, value: "••9005" } },
  ]);
});
