import { expect, test } from "vitest";
import { createChecker } from "../../src/checks/check-row.ts";
import type { CheckedRow } from "../../src/checks/instruction.ts";
import { operationNamed } from "../../src/operations/catalogue.ts";
import type { OperationName } from "../../src/operations/operation.ts";
import type { Row } from "../../src/reader/row.ts";
import { createRowMapper } from "../../src/reader/mapping/mapped-rows.ts";
import { read } from "../support/files.ts";
import { mappingsOf } from "../support/mappings.ts";
import { DEFAULT_CHOICES } from "../support/rows.ts";

const PAYOUT = "debit_account_id,bene_id,bene_bank_id,amount,payment_mode,narration,notes";
const TRANSFER = "from_account,to_account,amount,remark";

async function check(operation: OperationName, header: string, ...rows: readonly string[]): Promise<CheckedRow[]> {
  return checkRows(operation, (await read("a.csv", [header, ...rows, ""].join("\n"))).rows);
}

function checkRows(operation: OperationName, rows: readonly Row[]): CheckedRow[] {
  const options = { fileName: "a.csv", format: "csv", sandbox: false, choices: DEFAULT_CHOICES } as const;
  return createChecker({ ...options, operation: operationNamed(operation) }).check(rows);
}

/** `fault`, `warning` or `goes`, with the first message. */
function saidOf({ instruction, faults, warnings }: CheckedRow): string {
  if (faults) return `fault: ${faults[0]?.message} ${faults[0]?.hint}`;
  return warnings ? `warning: ${warnings[0]?.message}` : `goes: ${instruction.amount}`;
}

test.each([
  ["decimals, in a row that is longer than the header", `ACC-1,B-1,12,1000,50,NEFT,Salary,`, "1000.50"],
  ["decimals of zeros, in a row that lacks a cell at its end", `ACC-1,B-1,12,1000,00,NEFT,Salary`, "1000.00"],
  ["thousands and decimals, in such a row", `ACC-1,B-1,12,4,000.00,NEFT,Salary`, "4000.00"],
  ["lakhs, in a longer row", `ACC-1,B-1,12,1200,500,NEFT,Salary,`, "1200500"],
  ["one decimal, in a longer row", `ACC-1,B-1,12,1250,5,NEFT,Salary,`, "1250.5"],
])("an amount that its comma cut in two is not paid by its first part: %s", async (_, row, whole) => {
  const [checked] = await check("payout", PAYOUT, row);
  expect(checked && saidOf(checked)).toMatch(/^fault: .* look like one amount, cut in two at a comma outside quotes /);
  expect(checked && saidOf(checked)).toContain(`Write ${whole} in one cell;`);
});

test("behind the amount in a column that is not ours two digits are pointed out, and only in a longer row", async () => {
  const rows = await check("transfer", TRANSFER, "ACC-1,ACC-2,100,50,", "ACC-1,ACC-3,100.00,50,", "ACC-1,ACC-4,100,50");
  expect(rows.map((row) => saidOf(row).slice(0, 12))).toEqual(['warning: "10', "goes: 100.00", "goes: 100"]);
});

test("in a row that lacks a cell, digits that no narration is are pointed out in its place", async () => {
  const header = "debit_account_id,bene_id,bene_bank_id,payment_mode,amount,narration,notes";
  const rows = await check("payout", header, "ACC-1,B-1,12,NEFT,52,250.00,Salary", "ACC-1,B-1,12,NEFT,52,250,Salary");
  expect(rows.map((row) => saidOf(row).slice(0, 12))).toEqual(['warning: "52', 'warning: "52']);
});

test.each([
  ["loan", "borrower_id,tenure,amount,remarks", "BRW-1,12,50,000", "50000"],
  ["loan", "borrower_id,tenure,amount,place", "BRW-1,12,50,000", "50000"],
  ["loan", "borrower_id,tenure,amount,remarks", "BRW-1,12,50,000.00", "50000.00"],
  ["loan", "borrower_id,tenure,amount,remarks,place", "BRW-1,12,1,50,000", "150000"],
  [
    "payout",
    "debit_account_id,bene_id,bene_bank_id,payment_mode,amount,narration",
    "ACC-1,B-1,12,NEFT,50,000",
    "50000",
  ],
] as const)("thousands of zeros are no text, also where the last cell was left off: %s, %s, %s", async (...given) => {
  const [operation, header, row, whole] = given;
  const [checked] = await check(operation, header, row);
  expect(checked && saidOf(checked)).toMatch(/^fault: .* look like one amount, cut in two at a comma outside quotes /);
  expect(checked && saidOf(checked)).toContain(`Write ${whole} in one cell;`);
});

test.each([
  ["transfer", TRANSFER, "ACC-1,ACC-2,75,500"],
  ["transfer", TRANSFER, "ACC-1,ACC-2,75,500.25"],
  ["transfer", `${TRANSFER},place`, "ACC-1,ACC-2,1,75,500"],
  ["transfer", "from_account,to_account,amount,branch_code", "ACC-1,ACC-2,75,000"],
  ["payout", "debit_account_id,bene_id,bene_bank_id,payment_mode,amount,purpose", "ACC-1,B-1,12,NEFT,75,000"],
  ["payout", "debit_account_id,bene_id,bene_bank_id,payment_mode,amount,notes", "ACC-1,B-1,12,NEFT,75,500"],
  ["payout", PAYOUT.replace("payment_mode,narration", "narration,payment_mode"), "ACC-1,B-1,12,1900,5,NEFT,Salary,"],
] as const)("what may be meant is pointed out: %s, %s, %s", async (operation, header, row) => {
  const [checked] = await check(operation, header, row);
  expect(checked && saidOf(checked)).toMatch(/^warning: .* look like one amount, cut in two/);
});

test.each([
  ["transfer", TRANSFER, "ACC-1,ACC-2,750,5"],
  ["transfer", TRANSFER, "ACC-1,ACC-2,750,50"],
  ["transfer", TRANSFER, "ACC-1,ACC-2,750.00,500"],
  ["transfer", TRANSFER, "ACC-1,ACC-2,7500,500"],
  ["transfer", "from_account,to_account,amount,emp_code", "ACC-1,ACC-2,750,101"],
  ["transfer", "from_account,to_account,amount,tds", "ACC-1,ACC-2,750,125.00"],
  ["transfer", "from_account,to_account,amount,reference", "ACC-1,ACC-2,750,101"],
  ["transfer", "from_account,to_account,amount,lines", "ACC-1,ACC-2,1200,3,"],
  ["transfer", "from_account,amount,to_account", "ACC-1,750,101"],
  ["loan", "borrower_id,amount,tenure", "BRW-1,750,120"],
  ["payout", "debit_account_id,bene_id,bene_bank_id,payment_mode,amount,purpose", "ACC-1,B-1,12,NEFT,750,101"],
] as const)(
  "a few rupees, and a number that may well stand behind them: %s, %s, %s",
  async (operation, header, row) => {
    const [checked] = await check(operation, header, row);
    expect(checked && saidOf(checked)).toMatch(/^goes: /);
  },
);

test.each([
  ["loan", "borrower_id,amount,tenure", "BRW-1,5000,12,"],
  ["payout", PAYOUT, "ACC-1,B-1,12,1000,NEFT,,,"],
  ["payout", PAYOUT, "ACC-1,B-1,12,1000,NEFT,50,"],
  ["payout", PAYOUT, 'ACC-1,B-1,12,"1000",10,50,'],
  ["payout", "debit_account_id,bene_id,bene_bank_id,amount,purpose,payment_mode", "ACC-1,B-1,12,1000,00,NEFT"],
] as const)("a whole number that may well stand there: %s, %s, %s", async (operation, header, row) => {
  const [checked] = await check(operation, header, row);
  expect(checked && saidOf(checked)).toMatch(/^goes: [15]000$/);
});

test("of a mapped file it is told by the columns of the file", async () => {
  const [mapping] = mappingsOf(`[mapping.m]
    operation = "payout"
    amount_unit = "rupees"
    header = ["Mode", "From", "To", "Net Pay", "Way", "Note"]
    columns = { From = "debit_account_id", To = "bene_id", Way = "payment_mode", "Net Pay" = "amount", Note = "notes" }
    constants = { bene_bank_id = "12" }`);
  if (!mapping) throw new Error("no mapping");
  const { rows } = await read(
    "a.csv",
    "Mode,From,To,Net Pay,Way,Note\nx,ACC-1,B-1,1000,50,NEFT,\nx,ACC-1,B-1,1000,NEFT,,,\n",
  );
  const [cut, whole] = checkRows("payout", rows.map(createRowMapper(mapping, [])));
  expect(cut?.faults).toMatchObject([{ code: "amount_cut", column: "Net Pay (amount)", cell: "D2" }]);
  expect(whole && saidOf(whole)).toBe("goes: 1000");
});
