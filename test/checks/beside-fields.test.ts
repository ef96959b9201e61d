import { expect, test } from "vitest";
import { check, codesOf, csvOf, faultsIn, GOOD, GOOD_B } from "./checking.ts";

const NOW = Date.parse("2026-11-27T06:00:00Z");

/** A column and its value; whether the row is held. */
const LATER: readonly (readonly [column: string, value: string, isHeld: boolean])[] = [
  ["value_date", "2026-11-28", true],
  ["value_date", "2026-11-27", false],
  ["value_date", "2026-12", true],
  ["value_date", "2026-11", false],
  ["Value Date", "28/11/2026", true],
  ["Payment Date", "27-11-26", false],
  ["due_date", "1 Dec 2026", true],
  ["due_date", "Dec 1, 2026", true],
  ["execute_on", "2026-12-01T10:00:00Z", true],
  ["pay_after", "20261201", true],
  ["value_date", "12/25/2026", true],
  ["value_date", "", false],
  ["status", "Approved", false],
  ["Payment Status", "on-hold", true],
  ["status", "PAID UTR 1234", true],
  ["status", "Cancelled", true],
  ["status", "not paid", false],
  ["status", "Unpaid", false],
  ["status", "to be paid", false],
  ["status", "do not pay", true],
  ["status", "Not approved", true],
  ["hold", "Y", true],
  ["hold", "no", false],
  ["On Hold", "1", true],
  ["On Hold", "not on hold", false],
  ["Paid?", "UTR 1", true],
  ["is_paid", "FALSE", false],
  ["approved", "no", true],
  ["approved", "yes", false],
  ...["Tomorrow", "1 Dec", "12/01/2026", "Dec 2026", "after approval", "46400", "2027"].map(
    (value) => ["value_date", value, true] as const,
  ),
  ...["26/11/2026", "05/06/2026 10:30", "asap", "46000", "-"].map((value) => ["value_date", value, false] as const),
  ...["Processed", "Done", "Success", "draft", "pending approval", "DNP", "No", "Resigned", "Released"].map(
    (value) => ["status", value, true] as const,
  ),
  ...["Active", "Pending", "Yes", "yet to be paid", "Confirmed", "on roll"].map(
    (value) => ["status", value, false] as const,
  ),
  ["Marital Status", "Married", false],
  ["Pay?", "N", true],
  ["Pay?", "Y", false],
  ["Hold Salary", "Y", true],
  ["Hold Salary", "N", false],
  ["To be paid on", "2027-01-01", true],
  ["Paid on", "2026-10-31", true],
  ["approved", "by whom?", true],
  ["To be paid", "52250.00", false],
  ...["dry_run", "Dry Run?", "void", "deleted", "is_deleted", "simulate", "ignore"].flatMap((column) =>
    [true, false].map((value) => [column, String(value).toUpperCase(), value] as const),
  ),
  ...["scheduled_for", "execute_at", "pay_at", "scheduledAt"].flatMap((column) =>
    ["2027-03-01", "2027-03-01T10:00:00Z", "2026-11-27"].map((value) => [column, value, value > "2027"] as const),
  ),
  ...["paid_at", "cancelled_at", "deleted on"].map((column) => [column, "2026-11-01", true] as const),
  ...["enabled", "authorised", "is_authorized"].flatMap((column) =>
    ["N", "Y"].map((value) => [column, value, value === "N"] as const),
  ),
  ["joining_date", "2099-01-01", false],
  ["statement", "hold", false],
];

/** Names of which most mean something else: a plain word holds the row, and nothing is told before. */
const PLAIN: readonly (readonly [column: string, held: readonly string[], harmless: readonly string[]])[] = [
  ["test", ["TRUE", "y", "1"], ["", "false", "N", "0", "MRI", "85"]],
  ["testPayment", ["true"], ["first of the month"]],
  ["sent", ["Y"], ["No", "by post"]],
  ["pay", ["No", "N", "false", "0"], ["Yes", "", "52,250.00", "Basic"]],
  ["send", ["FALSE"], ["by e-mail"]],
  [
    "Remarks",
    ["Hold", "STOP", "Resigned", "Do not pay", "salary on hold"],
    ["Held in Pune", "Left hand", "bonus", "no hold"],
  ],
  ["type", ["REVERSAL", "Void", "payment reversal", "dry_run"], ["salary", "Bonus", "Reversal of LOP", "Refund"]],
  ["Txn Type", ["Reversed"], ["NEFT", "Credit"]],
  ["mode", ["Test"], ["IMPS", "Draft"]],
  ["action", ["delete", "Cancel"], ["", "pay"]],
  ["dr_cr", ["D", "DR", "debit"], ["C", "Cr", ""]],
  ["Dr/Cr Flag", ["Dr."], ["Credit"]],
  ["test_department", [], ["TRUE"]],
  ["voided_by", [], ["Y"]],
  ["prepaid", [], ["Y"]],
  ["pay_grade", [], ["N"]],
  ["blood type", [], ["void"]],
  ["deleted_items", [], ["5"]],
];

test.for(PLAIN)("a column %s → holds at %j, not at %j", async ([column, held, harmless]) => {
  const values = [...held, ...harmless];
  const { rows, checked } = await check(
    "p.csv",
    csvOf(...values.map((value, at) => ({ ...GOOD_B, narration: `E${at}`, [column]: value }))),
  );
  expect(rows.filter(({ notNow }) => notNow?.code === "not_now").length).toBe(held.length);
  expect(rows.slice(0, held.length).every(({ notNow }) => notNow)).toBe(true);
  expect(checked?.remarks).toEqual([]);
});

test("keys of JSON that say no → held, as their texts", async () => {
  const says = [{ dry_run: true }, { test: true }, { void: true }, { enabled: false }, { pay: false }, { dryRun: 1 }];
  const fine = [{ dry_run: false }, { test: false }, { void: null }, { enabled: true }, { pay: true }, { dryRun: 0 }];
  const { rows } = await check(
    "p.json",
    JSON.stringify([...says, ...fine].map((one) => ({ ...GOOD.transfer, ...one }))),
  );
  expect(rows.map(({ notNow }) => notNow !== undefined)).toEqual([...says.map(() => true), ...fine.map(() => false)]);
});

test.for(LATER)("%s: %j → held: %s", async ([column, value, isHeld]) => {
  const given = { now: NOW, flags: { time_zone: "Asia/Kolkata" } };
  const { rows, checked } = await check("p.csv", csvOf({ ...GOOD_B, [column]: value }), given);
  expect(rows[0]?.instruction).toBeDefined();
  expect(rows[0]?.notNow?.code).toBe(isHeld ? "not_now" : undefined);
  const isTold = codesOf(checked?.remarks ?? []).includes("says_when");
  expect(isTold).toBe(!["joining_date", "statement"].includes(column));
});

test("a column of the user's own → says nothing of when", async () => {
  const { rows, checked } = await check("p.csv", csvOf({ ...GOOD_B, status: "hold" }), {
    flags: { own_columns: ["Status"] },
  });
  expect(rows[0]?.notNow).toBeUndefined();
  expect(checked?.remarks).toEqual([]);
});

test("today → the day in the zone of the settings", async () => {
  const text = csvOf({ ...GOOD_B, value_date: "2026-11-28" });
  const now = Date.parse("2026-11-27T20:00:00Z");
  const inIndia = await check("p.csv", text, { now, flags: { time_zone: "Asia/Kolkata" } });
  const inLondon = await check("p.csv", text, { now, flags: { time_zone: "Europe/London" } });
  expect([inIndia.rows[0]?.notNow, inLondon.rows[0]?.notNow?.code]).toEqual([undefined, "not_now"]);
});

test.for([
  ["currency", "USD", true],
  ["Currency", "inr", false],
  ["CURRENCY_CD", "", false],
  ["Payout Currency", "$", true],
  ["Amt Ccy", "Rs.", false],
  ["curr", "356", false],
  ["Currency", "see contract", false],
  ["current balance", "USD", false],
] as const)("column %s says %j beside a payout → invalid: %s", async ([column, value, isInvalid]) => {
  const outcome = await check("p.csv", csvOf({ ...GOOD_B, [column]: value }));
  expect(faultsIn(outcome)).toEqual(isInvalid ? [`2: currency_other ${column}`] : []);
});

test.for([
  ["amount_unit", "paise", "unit_other"],
  ["amountUnit", "Minor units", "unit_other"],
  ["unit", "paise", "unit_other"],
  ["unit", "Rs. in lakhs", "unit_other"],
  ["denomination", "minor", "unit_other"],
  ["currency_unit", "cents", "unit_other"],
  ["currency", "paise", "unit_other"],
  ["amount_unit", "USD cash", "currency_other"],
  ["amount_unit", "rupees", undefined],
  ["amount_unit", "INR", undefined],
  ["unit", "HRD", undefined],
  ["unit", "Minor Irrigation", undefined],
  ["units", "12", undefined],
  ["business_unit", "paise", undefined],
  ["amount_paise", "125050", "paise_differ"],
  ["Amount (in paise)", "true", "paise_differ"],
  ["amount_minor", "1250", "paise_differ"],
  ["in_paise", "Y", "paise_differ"],
  ["is_paise", "N", undefined],
  ["amount_paise", "1,25,000", undefined],
  ["amount_paise", "", undefined],
  ["fee_paise", "500", undefined],
] as const)("beside an amount of 1250.00 column %s says %j → %s", async ([column, value, code]) => {
  const outcome = await check("p.csv", csvOf({ ...GOOD_B, amount: "1250.00", [column]: value }));
  expect(faultsIn(outcome)).toEqual(code === undefined ? [] : [`2: ${code} ${column}`]);
});

test("a mapping that reads paise → a unit of paise is right, and rupees are not", async () => {
  const toml = `[mapping.m]\noperation = "transfer"\namount_unit = "paise"\nheader = ["f", "t", "a", "unit"]
    [mapping.m.columns]\nf = "from_account"\nt = "to_account"\na = "amount"`;
  const outcome = await check("t.csv", "f,t,a,unit\nA-1,B-1,1250,paise\nA-1,B-2,1250,rupees\n", { toml });
  expect([outcome.refused, faultsIn(outcome)]).toEqual([[], ["3: unit_other unit"]]);
});

test("a collection's own currency → is sent, whatever it is", async () => {
  const { rows } = await check("c.csv", csvOf({ ...GOOD.collection, currency: "USD" }));
  expect(rows[0]?.instruction?.payload).toContain('"currency":"USD"');
});

/** What is pointed out in rows of option B. */
const POINTED: readonly (readonly [what: string, rows: readonly Record<string, string>[], found: readonly string[]])[] =
  [
    ["an account that is the mobile number", [{ bank_acc_num: "919800000001" }], ["2 account_is_mobile"]],
    ["an account that is the debit account", [{ debit_account_id: "50100271828001" }], ["2 account_is_debit"]],
    [
      "a large amount beside a short account",
      [{ bank_acc_num: "125001", amount: "9001000000" }],
      ["2 amount_like_account"],
    ],
    ["an account equal to the amount", [{ bank_acc_num: "90010001", amount: "90010001.00" }], ["2 account_is_amount"]],
    [
      "account and mobile in each other's place",
      [{ bank_acc_num: "9811100000", mobile: "9001000001111" }],
      ["2 account_like_mobile"],
    ],
    ["letters that were read wrongly", [{ name: "RenÃ©e" }], ["2 letters_garbled"]],
    ["a payee twice", [{}, { amount: "5.00" }, { bank_acc_num: "50100271828009" }], ["3 payee_twice"]],
    [
      "one IFSC under two bank names",
      [
        { bank: "HDFC", bank_acc_num: "50100271828001" },
        { bank: "Axis", bank_acc_num: "50100271828002" },
        { bank: "hdfc", bank_acc_num: "50100271828003" },
      ],
      ["3 ifsc_of_banks"],
    ],
    [
      "an amount far above the others",
      ["100", "110", "90", "105", "1000"].map((amount, at) => ({ amount, bank_acc_num: `5010027182800${at}` })),
      ["6 amount_unusual"],
    ],
    ["nothing", [{}, { bank_acc_num: "50100271828009", ifsc_code: "SBIN0001234" }], []],
  ];

test.for(POINTED)("%s → pointed out, and goes", async ([, cells, found]) => {
  const { rows, checked } = await check("p.csv", csvOf(...cells.map((one) => ({ ...GOOD_B, ...one }))));
  expect(rows.every(({ instruction }) => instruction)).toBe(true);
  expect(checked?.pointedOut.map(({ row, code }) => `${row} ${code}`)).toEqual(found);
});

test("a transfer to itself → pointed out", async () => {
  const { checked } = await check("t.csv", csvOf({ ...GOOD.transfer, from_account: "5010 0314 159002" }));
  expect(codesOf(checked?.pointedOut ?? [])).toEqual(["account_is_debit"]);
});

/** Narrations of a file, and what is pointed out of them. */
const NARRATIONS: readonly (readonly [what: string, narrations: readonly string[], isSame: number | undefined])[] = [
  ["the same in all", ["Salary", "Salary"], 1],
  ["the same but for capitals and signs", ["Salary Nov", "SALARY-NOV"], 0],
  ["they differ behind what every bank keeps", ["Salary November E1", "Salary November E2"], 0],
  ["they differ at once", ["E1 Salary November", "E2 Salary November"], undefined],
  ["one of three differs", ["Salary", "Salary", "Bonus"], undefined],
  ["none has one", ["", ""], undefined],
  ["one row", ["Salary"], undefined],
];

test.for(NARRATIONS)("narrations: %s → pointed out once, or not; all go", async ([, narrations, isSame]) => {
  const cells = narrations.map((narration, at) => ({ ...GOOD_B, narration, bank_acc_num: `5010027182800${at}` }));
  const { rows, checked } = await check("n.csv", csvOf(...cells));
  expect(rows.every(({ instruction }) => instruction)).toBe(true);
  const facts = { column: "narration", rows: narrations.length, kept: 12, isSame };
  expect(checked?.remarks).toEqual(isSame === undefined ? [] : [{ code: "narrations_alike", facts }]);
});

test("more payees than can be compared → told as that", async () => {
  const payees = (count: number): string => Array.from({ length: count }, (_, at) => `A-1,B-${at},1.50\n`).join("");
  const of = async (lines: string) => (await check("t.csv", `from_account,to_account,amount\n${lines}`)).checked;
  expect((await of(payees(20_000)))?.remarks).toEqual([]);
  const more = await of(`${payees(20_001)}A-1,B-20000,2\nA-1,B-7,2\n`);
  expect(more?.remarks).toEqual([{ code: "compared_in_part", facts: { most: 20_000 } }]);
  expect(more?.pointedOut.map(({ row, code }) => `${row} ${code}`)).toEqual(["20004 payee_twice"]);
});
