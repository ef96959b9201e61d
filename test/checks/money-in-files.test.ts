import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkOne } from "../../src/acts/check.ts";
import { isMoneyBack } from "../../src/amount.ts";
import { summaryText } from "../../src/screen/summary-text.ts";
import { REPORT } from "../support/records.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { partsOf, textRow, zipOf, type BookShape } from "../support/workbooks.ts";
import { caseFile, check, codesOf, csvOf, faultsIn, GOOD, GOOD_B, settingsOf, wordsOf } from "./checking.ts";

/** `2 ready, 3 invalid takes_back, 4 held money_back`, all rows judged. */
async function judged(text: string): Promise<string> {
  const folder = temporaryDirectory();
  const path = join(folder, "p.csv");
  writeFileSync(path, text);
  const { invalid, held, byStatus } = await checkOne(path, settingsOf(folder));
  const told = [...invalid, ...held].map(
    ({ row, code, facts }) => `${row} ${facts?.["otherRow"] ? "money_back" : code}`,
  );
  return [...told, `${byStatus.not_sent?.rows ?? 0} ready`].join(", ");
}

const PAID = { debit_account_id: "ACC-OPS-01", bene_id: "VEND-0007", bene_bank_id: "1", payment_mode: "NEFT" };
const PAYEE = { ...PAID, amount: "10000.00" };
const OTHER = { ...PAYEE, bene_id: "VEND-0008" };

test("19, 20: money back → the payee's other rows wait, the others go, and nobody is told to write it without its sign", async () => {
  expect(await judged(caseFile("19-credit-note.csv"))).toBe("3 takes_back, 2 money_back, 1 ready");
  expect(await judged(caseFile("20-recovery.csv"))).toBe("3 takes_back, 2 money_back, 1 ready");
  const { rows } = await check("19.csv", caseFile("19-credit-note.csv"));
  expect(wordsOf(rows.flatMap(({ faults }) => faults))).not.toMatch(/[Ww]rite 2500|[Dd]elete the row/);
});

test.for(["(2500.00)", "2,500.00 Cr", "Cr. 2500", "\u22122500", "2500-", "₹(2,500)", "-2500.00"])(
  "money back written as %s, above and under what it is taken off → held",
  async (amount) => {
    expect(await judged(csvOf(PAYEE, { ...PAID, amount }, PAYEE, OTHER))).toMatch(
      /^3 takes_back, 2 money_back, 4 money_back/,
    );
    expect(await judged(csvOf({ ...PAID, amount }, PAYEE, OTHER))).toBe("2 takes_back, 3 money_back, 1 ready");
  },
);

test("money back from nobody that can be told → every row waits", async () => {
  const nobody = { ...PAID, bene_id: "", amount: "-2500.00" };
  expect(await judged(csvOf(PAYEE, nobody, OTHER))).toBe(
    "3 takes_back, 3 value_missing, 2 money_back, 4 money_back, 0 ready",
  );
  const line = {
    ...PAYEE,
    debit_account_id: "Approved recovery of an advance",
    bene_id: "",
    bene_bank_id: "",
    payment_mode: "",
    amount: "-2500.00",
  };
  expect(await judged(csvOf(PAYEE, line))).toMatch(/takes_back.* 2 money_back, 0 ready$/);
  const unnamed = { ...GOOD_B, bank_acc_num: "", ifsc_code: "", bank_owner_name: "", name: "", amount: "-10" };
  expect(await judged(csvOf(GOOD_B, unnamed))).toMatch(/takes_back.* 2 money_back, 0 ready$/);
});

test("a row of a credit note, by its type → no payment, and the payee's others wait", async () => {
  const text = csvOf(
    { ...PAYEE, type: "Invoice" },
    { ...PAYEE, amount: "2500", type: "Credit Note" },
    { ...OTHER, type: "" },
  );
  expect(await judged(text)).toBe("3 takes_back, 2 money_back, 1 ready");
});

test("what is no money back", () => {
  const others = ["2500", "2500/-", "-", "-0.00", "(abc)", "₹ 500", "Rs. 1,250/-", "2026-11-27", "- 1 -", "cr", "98-1"];
  expect(others.filter(isMoneyBack)).toEqual([]);
});

test("amounts that cannot be read → the sum is not said to equal the file", () => {
  const plain = { color: false, width: Number.POSITIVE_INFINITY };
  const unread = { ...REPORT, remarks: [{ code: "without_amount", facts: { rows: 1 } }] };
  expect(summaryText(unread, plain)).not.toContain("equals the file");
  expect(summaryText({ ...REPORT, remarks: [] }, plain)).toContain("equals the file");
});

test.for<[column: string, value: string, isAsked: boolean]>([
  ...[
    "net_payable",
    "Net Pay",
    "approved_amount",
    "amount_paid",
    "gross",
    "Gross Salary (Rs.)",
    "amt",
    "tds",
    "payable",
  ].map((column): [string, string, boolean] => [column, "1,000.00", true]),
  ["net_pay", "52,250", false],
  ["net_pay", "0", true],
  ["net_pay", "-52,250.00", true],
  ["tds", "0.00", false],
  ["net_pay", "", false],
  ["days_paid", "30", false],
  ["pay_after", "20261201", false],
  ["amount_in_words", "One thousand only", false],
  ["account number", "50100271828002", true],
  ["account number", "5010 0271 828001", false],
  ["debit account", "ACC-OTHER", true],
  ["IFSC", "SBIN0001234", true],
  ["IFSC", "hdfc0001234", false],
  ["remarks", "another text", false],
])("21: a column %s of %s beside amount 52250 → asked: %s", async ([column, value, isAsked]) => {
  const text = csvOf({ ...GOOD_B, [column]: value });
  expect(codesOf((await check("p.csv", text)).refused)).toEqual(isAsked ? ["two_columns"] : []);
  const own = await check("p.csv", text, { flags: { own_columns: [column] } });
  expect(own.refused).toEqual([]);
});

test("21: gross beside net → a question, both named, no account in clear; in JSON, too", async () => {
  const { refused } = await check("21.csv", caseFile("21-gross-beside-net.csv"));
  expect(wordsOf(refused)).toContain(
    'row 2, column net_payable (F2): "90000.00" stands here, and "100000.00" in amount',
  );
  const json = JSON.stringify([{ ...GOOD.transfer, net_payable: "5" }]);
  expect(codesOf((await check("p.json", json)).refused)).toEqual(["two_columns"]);
  const accounts = await check("p.csv", csvOf({ ...GOOD_B, "account number": "50100271828002" }));
  expect(wordsOf(accounts.refused)).not.toMatch(/\d{6}/);
});

test("22, 23: accounts and people that are no more → held, the first row goes", async () => {
  for (const name of ["22-account-status.csv", "23-employee-status.csv"]) {
    const { rows } = await check(name, caseFile(name));
    expect(rows.map(({ notNow }) => notNow?.code)).toEqual([undefined, ...Array.from({ length: 5 }, () => "not_now")]);
  }
});

test.for<[column: string, value: string, isHeld: boolean]>([
  ["Status of Account", "A/c frozen", true],
  ["vendor_status", "In-Active", true],
  ["bene state", "Account_Closed", true],
  ["employment status", "ex-employee", true],
  ["emp_state", "Retired", true],
  ["account_status", "not closed", false],
  ["employee_status", "Confirmed", false],
  ["state", "Kerala", false],
  ["is_closed", "Y", true],
  ["deceased", "no", false],
])("a column %s of %s → held: %s", async ([column, value, isHeld]) => {
  const { rows } = await check("p.csv", csvOf({ ...GOOD_B, [column]: value }));
  expect(rows[0]?.notNow?.code).toBe(isHeld ? "not_now" : undefined);
});

test(String.raw`25: \N, NaT, DBNull → nothing where nothing may stand, a placeholder where a value must`, async () => {
  const { rows } = await check("25.csv", caseFile("25-backslash-n.csv"));
  expect(Object.keys(JSON.parse(rows[0]?.instruction?.payload ?? "{}") as object)).not.toContain("mobile");
  for (const nothing of [String.raw`\N`, "NaT", "DBNull", "<NA>"]) {
    const text = csvOf({ ...GOOD_B, mobile: nothing, reference: nothing, period: nothing, value_date: nothing });
    const [row] = (await check("p.csv", text)).rows;
    expect([row?.faults, row?.reference, row?.period, row?.notNow]).toEqual([[], undefined, undefined, undefined]);
    expect(faultsIn(await check("p.csv", csvOf({ ...GOOD_B, name: nothing })))).toEqual(["2: placeholder name"]);
    const both = csvOf({ ...GOOD_B, bene_id: nothing, bene_bank_id: nothing });
    expect((await check("p.csv", both)).rows[0]?.option).toBe("B");
  }
});

test("30: several periods of one form → a question, unless a person says so; labels are no other period", async () => {
  const text = caseFile("30-fill-period.csv");
  expect(codesOf((await check("30.csv", text)).refused)).toEqual(["periods_several"]);
  const said = await check("30.csv", text, { flags: { period: "each" } });
  expect(said.rows.map(({ period }) => period).at(-1)).toBe("2027-04");
  const of = async (...periods: string[]) =>
    codesOf((await check("p.csv", csvOf(...periods.map((period) => ({ ...GOOD.transfer, period }))))).refused);
  expect(await of("2026-11", "2026-11 bonus", "2026-11-27")).toEqual([]);
  expect(await of("2026-W47", "2026-W48")).toEqual(["periods_several"]);
});

test("29, 31: what counts up, and holders one row off → pointed out, and goes", async () => {
  const counted = await check("29.csv", caseFile("29-fill-handle.csv"));
  expect(counted.checked?.pointedOut.map(({ code, column }) => `${code} ${column}`)).toEqual([
    "counts_up debit_account_id",
    "counts_up ifsc_code",
  ]);
  const slipped = await check("31.csv", caseFile("31-owner-shifted.csv"));
  expect(slipped.checked?.pointedOut).toMatchObject([{ code: "owners_differ", facts: { rows: 6, slipped: 1 } }]);
  expect(slipped.rows.every(({ instruction }) => instruction)).toBe(true);
});

test("an account of 16 digits with zeros behind the 15th → pointed out", async () => {
  const { checked } = await check("p.csv", csvOf({ ...GOOD_B, bank_acc_num: "1234567890123450" }));
  expect(codesOf(checked?.pointedOut ?? [])).toEqual(["account_rounded"]);
});

test("32: titles above the header → which line it is", async () => {
  const { refused } = await check("32.csv", caseFile("32-title-above.csv"));
  expect(wordsOf(refused)).toContain("the header is line 4 → Delete the lines above it");
});

test("33: a point or comma before three digits where semicolons separate → both ways to write it, and in no sum", async () => {
  for (const amount of ["1.250", "1,250"]) {
    const text = caseFile("33-point-thousands.csv").replace("1.250", amount);
    const { rows, checked } = await check("33.csv", text);
    expect(wordsOf(rows[0]?.faults ?? [])).toContain("Write 1250 if it does, 1.25 if not");
    expect(checked?.total.amount).toBe("980.00");
  }
  const { rows } = await check("l.csv", csvOf({ ...GOOD.loan, tenure: "12.5" }));
  expect(wordsOf(rows[0]?.faults ?? [])).toContain('"12.5" is not a whole number → Write a whole number');
});

test("40: a time with a zone → its day in the zone of the settings", async () => {
  const given = { now: Date.parse("2026-11-28T10:00:00Z"), flags: { time_zone: "Asia/Kolkata" } };
  const { rows } = await check("40.csv", caseFile("40-value-date-utc.csv"), given);
  expect(rows.map(({ notNow }) => notNow?.code)).toEqual(["not_now", "not_now"]);
  const texts = [
    "2026-11-28T18:29:00Z",
    "2026-11-28T20:00:00+05:30",
    "Sat, 28 Nov 2026 18:00:00 GMT",
    "2026-11-28 23:59 +0530",
  ];
  const today = await check("p.csv", csvOf(...texts.map((value_date) => ({ ...GOOD.transfer, value_date }))), given);
  expect(today.rows.map(({ notNow }) => notNow)).toEqual(texts.map(() => undefined));
});

test.for([
  ["from_account,to_account,ammount", ["column_misspelt"], "looks like a misspelt amount"],
  ["from_account,to_account", ["column_missing"], "missing for a transfer: amount"],
  ["from_account,to_account,amt", ["column_missing"], '"amt" may be amount'],
  ["borrower_id,amount,tenur", ["column_misspelt"], "tenure"],
  ["Employee Name,Account No,IFSC,Net Pay", ["operation_unknown"], "map FILE"],
  ["amount,colour", ["operation_unknown"], "map FILE"],
] as const)("a header %s, wherever it lies → %s", async ([header, codes, words]) => {
  const { refused } = await check("p.csv", `${header}\n${header.replaceAll(/[^,]+/g, "x")}\n`);
  expect(codesOf(refused)).toEqual(codes);
  expect(wordsOf(refused)).toContain(words);
});

const inline = (cell: string, text: string): string => `<c r="${cell}" t="inlineStr"><is><t>${text}</t></is></c>`;
const bookOf = (shape: BookShape): Buffer => zipOf(partsOf(shape));
const sheetOf = (merged: readonly string[], ...rows: readonly (readonly string[])[]): string =>
  `<worksheet><sheetData>${rows.map((texts, at) => textRow(at + 1, texts)).join("")}</sheetData><mergeCells>${merged
    .map((ref) => `<mergeCell ref="${ref}"/>`)
    .join("")}</mergeCells></worksheet>`;
const COLUMNS = ["from_account", "to_account", "amount", "status", "period"];

test("26, 27, 28: merged cells → hold for each row that they cover; an amount, or another field's value, is asked about", async () => {
  const lines = [
    COLUMNS,
    ["A-1", "B-1", "10", "On hold", "2026-11"],
    ["A-1", "B-2", "20", "", ""],
    ["A-1", "B-3", "30", "", ""],
    ["A-1", "", "40", "", ""],
    ["A-1", "B-5", "", "", ""],
  ];
  const merged = ["D2:D3", "E2:E6", "A5:B5", "C5:C6", "D1:D1"];
  const { rows } = await check("m.xlsx", bookOf({ sheets: { A: sheetOf(merged, ...lines) } }));
  expect(rows.map(({ notNow, faults }) => notNow?.code ?? codesOf(faults).join())).toEqual([
    ...["not_now", "not_now", "", "merged_cell,merged_cell", "merged_cell"],
  ]);
  expect(rows.map(({ period }) => period)).toEqual(Array.from({ length: 5 }, () => "2026-11"));
});

test("24, 34: hidden paise, sheets and columns → told", async () => {
  const number = `<worksheet><cols><col min="3" max="3" hidden="1"/></cols><sheetData>${textRow(1, COLUMNS.slice(0, 3))}<row r="2">${inline("A2", "A-1")}${inline("B2", "B-1")}<c r="C2" s="1"><v>18333.33</v></c></row></sheetData></worksheet>`;
  const { checked } = await check(
    "h.xlsx",
    bookOf({ sheets: { A: number, B: number }, hidden: ["B"], formats: ["#,##0"] }),
  );
  expect(checked?.pointedOut).toMatchObject([{ code: "shown_otherwise", facts: { shown: "18333" } }]);
  expect(codesOf(checked?.remarks ?? [])).toEqual(["sheets_hidden", "columns_hidden"]);
  const cover = sheetOf([], ["Payments of November"]);
  const { refused } = await check(
    "h.xlsx",
    bookOf({ sheets: { A: cover, B: number }, hidden: ["B"], formats: ["#,##0"] }),
  );
  expect(codesOf(refused)).toEqual(["sheet_is_hidden"]);
});
