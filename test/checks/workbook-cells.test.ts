import { expect, test } from "vitest";
import { partsOf, textRow, zipOf } from "../support/workbooks.ts";
import { check, codesOf, faultsIn } from "./checking.ts";

const HEADER = textRow(1, ["from_account", "to_account", "amount", "period"]);
/** Cells of styles 1 and on. */
const FORMATS = ["0", "0.0%", "[$$-409]0.00", "dd-mmm-yy", "mmm-yy"];

/** The third row's cells as XML, the others text. */
async function sheet(cells: readonly [to: string, amount: string, period?: string]): ReturnType<typeof check> {
  const [to, amount, period = ""] = cells;
  const text = (at: string, value: string): string => `<c r="${at}2" t="inlineStr"><is><t>${value}</t></is></c>`;
  const cell = (at: string, xml: string): string =>
    xml.startsWith("<") ? xml.replace("<c", `<c r="${at}2"`) : text(at, xml);
  const row = `<row r="2">${text("A", "A-1")}${cell("B", to)}${cell("C", amount)}${cell("D", period)}</row>`;
  const book = zipOf(partsOf({ sheets: { Payments: HEADER + row }, formats: FORMATS }));
  return check("t.xlsx", book);
}

test.for([
  ["a number in place of an id", ["<c><v>50100271828</v></c>", "5"], "2: number_not_text to_account"],
  ["more digits than Excel keeps", ["<c><v>12345678901234567000</v></c>", "5"], "2: number_not_text to_account"],
  ["a date in place of an id", ['<c s="4"><v>45000</v></c>', "5"], "2: made_a_date to_account"],
  ["an error", ['<c t="e"><v>#REF!</v></c>', "5"], "2: spreadsheet_error to_account"],
  ["a truth value", ['<c t="b"><v>1</v></c>', "5"], "2: true_or_false to_account"],
  ["a formula that was never calculated", ["B-1", "<c><f>1+1</f></c>"], "2: spreadsheet_error amount"],
] as const)("a workbook's cell: %s → invalid", async ([, cells, fault]) => {
  expect(faultsIn(await sheet(cells))).toEqual([fault]);
});

test.for([
  ["a rounded amount", ["B-1", '<c s="1"><v>100.5</v></c>'], "100.5", ["shown_otherwise"]],
  ["an amount in dollars", ["B-1", '<c s="3"><v>100</v></c>'], "100", ["shown_otherwise"]],
  ["a number", ["B-1", "<c><v>100.25</v></c>"], "100.25", []],
] as const)("a workbook's cell: %s → goes as the workbook holds it", async ([, cells, amount, notices]) => {
  const { rows } = await sheet(cells);
  expect(rows[0]?.instruction && rows[0].amount).toBe(amount);
  expect(codesOf(rows[0]?.notices ?? [])).toEqual(notices);
});

test.for([
  ["a day", '<c s="4"><v>46357</v></c>', "2026-12-01"],
  ["the month that Excel made of 2026-12", '<c s="5"><v>46357</v></c>', "2026-12"],
] as const)("a workbook's date as a period, shown as %s → that", async ([, cell, period]) => {
  const { rows } = await sheet(["B-1", "5", cell]);
  expect(rows[0]?.period).toBe(period);
});

test("a month in place of an id → made a date", async () => {
  expect(faultsIn(await sheet(['<c s="5"><v>46357</v></c>', "5"]))).toEqual(["2: made_a_date to_account"]);
});
