import { describe, expect, test } from "vitest";
import { GOOD_OPTION_A, GOOD_ROWS, checkOne } from "../support/rows.ts";

const PAYOUT = GOOD_ROWS.payout;

/** Fault or warning of one cell, as a person reads it: `F2 code: message → hint`. */
function said(field: string, text: string): string {
  const { faults = [], warnings = [] } = checkOne("payout", { ...PAYOUT, [field]: text });
  return [...faults, ...warnings].map(({ cell = "", code, message, hint }) => `${cell} ${code}: ${message} → ${hint}`).join("\n"); // prettier-ignore
}

const AS_TEXT = "Type it again with the column formatted as Text.";

describe("what Excel does to an account number is named, with the cell and what to do", () => {
  test.each([
    [
      "5.01003E+13",
      `scientific_notation: "5.01003E+13" is an account number that Excel rounded; the digits are gone → ${AS_TEXT}`,
    ],
    [
      "5,01003E+13",
      `scientific_notation: "5,01003E+13" is an account number that Excel rounded; the digits are gone → ${AS_TEXT}`,
    ],
    ["50100271828001.0", 'decimals_added: "••001.0" is an account number that was turned into a decimal number'],
    ["50100271828001.00", 'decimals_added: "••01.00" is an account number that was turned into a decimal number'],
    ["123456789012345000", 'digits_lost: "••5000" has 18 digits, of which only zeros follow the 15th'],
    ["1234567890123450", 'digits_lost: "••3450" has 16 digits, of which only zeros follow the 15th'],
    ["50,100,271,828,001", 'thousands_separator: "••8,001" has a thousands separator'],
    ["02-Jan", `made_a_date: "02-Jan" looks like a date that Excel made of an account number → ${AS_TEXT}`],
    ["2026-11-02 00:00:00", 'made_a_date: "2026-11-02 00:00:00" looks like a date'],
    ["#N/A", 'spreadsheet_error: "#N/A" is an error of the spreadsheet, not an account number → Repair the formula'],
    ["#REF!", "spreadsheet_error"],
    ["#########", "spreadsheet_error"],
    ["TRUE", 'true_or_false: "TRUE" is a yes/no value of the spreadsheet, not an account number'],
    [
      "=A1",
      'formula_as_text: "=A1" is a formula, not an account number → Write the plain value, without = and quotes.',
    ],
    ['="0123"&"4"', "formula_as_text"],
    ["''50100271828001", "leading_apostrophe"],
    ["'50100271828001'", "leading_apostrophe: \"'••8001'\" begins with an apostrophe → Take the apostrophe away"],
    ["५०१००२७१८२८००१", 'foreign_digits: "••८००१" has digits other than 0 to 9 → Type it with the digits 0 to 9.'],
    ["５０１００２７１", "foreign_digits"],
    ["50100\u00a0271828001", 'space_inside: "••8001" has a space of another kind than the space bar\'s in it'],
    ["50100271828001\u00a0", "space_inside"],
  ])("%j", (text, expected) => {
    expect(said("bank_acc_num", text)).toContain(`F2 ${expected}`);
  });

  test.each(["50100271828001", "00123400567", "1234567890123456", "1E5", "ACC-7", "2E5X"])("%s is one", (text) => {
    expect(said("bank_acc_num", text)).toBe("");
  });
});

describe("what Excel does to an amount is named, and the plain number proposed where it is sure", () => {
  test.each([
    ["1,00,000.00", "thousands_separator", "100000.00"],
    ["100,000.00", "thousands_separator", "100000.00"],
    ["1.234.567,89", "thousands_separator", "1234567.89"],
    ["1 234 567.89", "space_inside", "1234567.89"],
    ["1\u202f234,50", "space_inside", "1234.50"],
    ["1'234'567.89", "thousands_separator", "1234567.89"],
    ["1’234.50", "thousands_separator", "1234.50"],
    ["1_234", "thousands_separator", "1234"],
    ["100,50", "decimal_comma", "100.50"],
    ["₹52250.00", "currency_sign", "52250.00"],
    ["Rs. 52,250.00", "currency_sign", "52250.00"],
    ["INR 52250", "currency_sign", "52250"],
    ["52250/-", "currency_sign", "52250"],
    ["$1,234.50", "amount_other_currency", undefined],
    ["€ 1.234,50", "amount_other_currency", undefined],
    ["+100", "has_sign", "100"],
    ["1.5225E+04", "scientific_notation", undefined],
    ["(100)", "in_parentheses", undefined],
    ["-100", "has_sign", undefined],
    ["−100", "has_sign", undefined],
    ["#DIV/0!", "spreadsheet_error", undefined],
    ["FALSE", "true_or_false", undefined],
    ["02-Jan", "made_a_date", undefined],
    ["=SUM(A1)", "formula_as_text", undefined],
    ["१००", "foreign_digits", undefined],
    ["1000\u00a0", "space_inside", "1000"],
    ["\u200b2500", "hidden_character", "2500"],
    ["2,500\u200e", "hidden_character", "2500"],
    ["0100", "leading_zeros", "100"],
    ["100.", "bare_point", "100"],
    ["1,0000", "decimal_comma", "1.0000"],
  ])("%j is %s, meant was %s", (text, code, plain) => {
    const told = said("amount", text);
    expect(told).toContain(`I2 ${code}: `);
    expect(/→ Write ([0-9.]+)\.(?: If|$)/.exec(told)?.[1]).toBe(plain);
  });
});

describe("text that was kept from being a number is read exactly", () => {
  test.each([
    ["bank_acc_num", '="00123400567"', '"bank_acc_num":"00123400567"'],
    ["bank_acc_num", "'00123400567", '"bank_acc_num":"00123400567"'],
    ["bank_acc_num", '  =" 00123400567 " ', '"bank_acc_num":"00123400567"'],
    ["ifsc_code", '="HDFC0001234"', '"ifsc_code":"HDFC0001234"'],
    ["mobile", '="+919800000001"', '"mobile":"+919800000001"'],
    ["amount", '="1000.50"', '"amount":1000.50,'],
    ["amount", "'1000.50", '"amount":1000.50,'],
    ["name", '="Asha Verma"', '"name":"Asha Verma"'],
    ["narration", '="Salary "', '"narration":"Salary"'],
    // in a text an apostrophe may be one
    ["name", "'t Hooft", '"name":"\'t Hooft"'],
    ["narration", "'11 arrears", '"narration":"\'11 arrears"'],
    ["narration", '=A1&"x"', '"narration":"=A1&\\"x\\""'],
  ])("%s: %j", (field, text, inPayload) => {
    const { instruction, faults } = checkOne("payout", { ...PAYOUT, [field]: text });
    expect(faults).toBeUndefined();
    expect(instruction?.payload).toContain(inPayload);
  });

  test("and is the same payment as without the mark", () => {
    const plain = checkOne("payout", { ...PAYOUT, bank_acc_num: "0012", reference: "R-1" }).instruction;
    const marked = checkOne("payout", { ...PAYOUT, bank_acc_num: "'0012", reference: '="R-1"' }).instruction;
    expect(marked).toEqual(plain);
  });

  test("what is damaged inside is still named", () => {
    expect(said("bank_acc_num", '="5.01E+13"')).toContain("scientific_notation");
    expect(said("amount", "'1,000")).toContain("thousands_separator");
    expect(said("bank_acc_num", '=""')).toContain("value_missing");
    const { faults } = checkOne("payout", { ...GOOD_OPTION_A, bene_bank_id: "'12.5" });
    expect(faults?.map((fault) => fault.code)).toEqual(["number_not_whole"]);
  });
});

test("no-break spaces around a text come from a web page and do not go; inside it, and in a narration, they stay", () => {
  const cells = { ...PAYOUT, payment_mode: "\u00a0NEFT\u00a0 ", name: "Asha\u00a0Rao\u202f", narration: " rent\u00a0" };
  const { instruction } = checkOne("payout", cells);
  expect(instruction?.payload).toContain('"payment_mode":"NEFT","narration":" rent\u00a0"');
  expect(instruction?.payload).toContain('"name":"Asha\u00a0Rao",');
  expect(said("bank_acc_num", "0012\u00a0")).toContain("space_inside");
});

test("a period that Excel made a date of is told how periods are written, in a cell that is a date as in a text", () => {
  for (const cell of ["Nov-26", { token: "cell_date", source: "2026-11-01", stored: "46327" }] as const) {
    const { faults } = checkOne("payout", { ...PAYOUT, period: cell });
    expect(faults?.map(({ code, hint }) => `${code}: ${hint}`)).toEqual([
      "period_a_date: Write it like 2026-11, a week like 2026-W47, with the column formatted as Text.",
    ]);
  }
});

describe("an error of a spreadsheet is no text either", () => {
  test.each([
    ["name", "#N/A", 'B2 spreadsheet_error: "#N/A" is an error of the spreadsheet, not text → Repair the formula'],
    ["payment_mode", "#REF!", 'J2 spreadsheet_error: "#REF!" is an error of the spreadsheet, not text'],
    ["narration", "#NAME?", "K2 spreadsheet_error"],
    // Hindi in a CSV file that is not UTF-8
    [
      "name",
      "????? ????",
      'B2 broken_character: "?••" has a character that was damaged earlier (nothing but ? is left)',
    ],
    ["bank_owner_name", "???.?? - ???", "broken_character"],
  ])("%s %s", (field, text, expected) => {
    expect(said(field, text)).toContain(expected);
  });

  test.each(["#1 Traders", "N/A", "# N/A", "#N/A (see note)", "?", "?? 2026", "why??"])("%s is one", (text) => {
    expect(said("narration", text)).toBe("");
  });
});
