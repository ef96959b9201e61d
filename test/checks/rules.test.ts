import { describe, expect, test } from "vitest";
import { createChecker } from "../../src/checks/check-row.ts";
import type { CheckedRow } from "../../src/checks/instruction.ts";
import { readRules } from "../../src/config/rules.ts";
import { FileRefusedError } from "../../src/errors.ts";
import { operationNamed } from "../../src/operations/catalogue.ts";
import type { OperationName } from "../../src/operations/operation.ts";
import { DEFAULT_CHOICES, GOOD_OPTION_A, GOOD_ROWS, checkOne, rowOf } from "../support/rows.ts";

const PAYOUT = GOOD_ROWS.payout;

/** One row by rules written as in paydrop.toml. */
function check(rules: object, cells: Record<string, string>, name: OperationName = "payout"): CheckedRow {
  const { folder } = operationNamed(name);
  return checkOne(name, cells, { choices: { rules: readRules({ [folder]: rules }, "/", () => "") } });
}

function without(name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(PAYOUT).filter(([key]) => key !== name));
}

function said({ faults = [], warnings = [] }: CheckedRow): string[] {
  return [...faults, ...warnings].map(({ code, level, message, hint }) => `${level ?? "fault"} ${code}: ${message} → ${hint}`); // prettier-ignore
}

function codes({ faults = [], warnings = [] }: CheckedRow): string[] {
  return [...faults, ...warnings].map(({ code, level }) => `${level ?? "fault"} ${code}`);
}

describe("required", () => {
  test("an empty cell of an optional field is a fault, or only a warning", () => {
    const cells = { ...PAYOUT, notes: "" };
    expect(codes(check({ notes: { required: true } }, cells))).toEqual(["fault value_missing"]);
    const warned = check({ notes: { required: true, warn: ["required"] } }, cells);
    expect(codes(warned)).toEqual(["warning value_missing"]);
    expect(warned.instruction?.payload).not.toContain("notes");
    expect(codes(check({ notes: { required: true } }, { ...PAYOUT, notes: "x" }))).toEqual([]);
  });

  test("a required field may be made optional, also its column", () => {
    const cells = without("bank_owner_name");
    expect(() => check({}, cells)).toThrow(FileRefusedError);
    expect(check({ bank_owner_name: { required: false } }, cells).instruction?.payload).not.toContain(
      "bank_owner_name",
    );
    expect(() => check({ mobile: { required: true } }, { ...cells, ...PAYOUT })).not.toThrow();
    expect(() => check({ mobile: { required: true } }, without("mobile"))).toThrow("the column mobile is missing");
  });

  test("what must be written is not filled in", () => {
    const cells = { amount: "1", vpa: "a@b", currency: "" };
    expect(check({}, cells, "collection").instruction?.payload).toContain('"INR"');
    expect(codes(check({ currency: { required: true } }, cells, "collection"))).toEqual(["fault value_missing"]);
  });
});

describe("allowed", () => {
  const rules = { payment_mode: { allowed: ["NEFT", "IMPS"] } };

  test("names what is, and proposes the one that differs by capitals only", () => {
    expect(codes(check(rules, PAYOUT))).toEqual([]);
    expect(said(check(rules, { ...PAYOUT, payment_mode: "UPI" }))).toEqual([
      'fault value_not_allowed: "UPI" is none of the values that are allowed here: NEFT, IMPS → ' +
        "Write one of them exactly, or add it to [rules] in paydrop.toml.",
    ]);
    expect(said(check(rules, { ...PAYOUT, payment_mode: "neft" }))[0]).toMatch(/→ Write NEFT\.$/);
  });

  test("judges what is filled in as well", () => {
    const cells = { amount: "1", vpa: "a@b" };
    expect(codes(check({ currency: { allowed: ["USD"] } }, cells, "collection"))).toEqual(["fault value_not_allowed"]);
  });

  test("an account that is a name is shown as it is; a number, also in groups, by its last digits", () => {
    const allowed = { debit_account_id: { allowed: ["ACC-OPS-01"] } };
    const shown = (account: string): string => said(check(allowed, { ...PAYOUT, debit_account_id: account }))[0] ?? "";
    expect(shown("ACC-OPS-02")).toContain('"ACC-OPS-02" is none');
    expect(shown("ACC-50100")).toContain('"••0100" is none');
    expect(shown("IN-5010-0271")).toContain('"••0271" is none');
    expect(shown("5010-0271-8280")).toContain('"••8280" is none');
    expect(shown("Asha")).toContain('"••" is none');
  });

  test("never shows a list of accounts", () => {
    const allowed = { debit_account_id: { allowed: ["50100271828099"] } };
    const [text] = said(check(allowed, { ...PAYOUT, debit_account_id: "50100271828001" }));
    expect(text).toContain('"••8001" is none of the values that are allowed here: those of the settings');
    expect(text).not.toContain("8099");
    const [form] = said(check({ debit_account_id: { pattern: "50100271828099|IN-.*" } }, PAYOUT));
    expect(form).toContain("does not have the form ••8099|IN-.*");
  });

  test("an empty optional cell is no value", () => {
    expect(codes(check({ purpose: { allowed: ["salary"] } }, { ...PAYOUT, purpose: "" }))).toEqual([]);
  });
});

describe("pattern and max_length", () => {
  test("are about the value without the spaces around it, with those that are sent", () => {
    const rules = { narration: { pattern: "[A-Za-z0-9 ]*", max_length: 16 } };
    expect(codes(check(rules, PAYOUT))).toEqual([]);
    expect(said(check(rules, { ...PAYOUT, narration: "Salary #11" }))).toEqual([
      'fault pattern_differs: "Salary #11" does not have the form [A-Za-z0-9 ]* → ' +
        "Correct it; the form is set by [rules] in paydrop.toml.",
    ]);
    expect(codes(check(rules, { ...PAYOUT, narration: "Salary November 26" }))).toEqual(["fault value_too_long"]);
    expect(codes(check(rules, { ...PAYOUT, narration: "Salary November " }))).toEqual([]);
    expect(codes(check(rules, { ...PAYOUT, narration: "  Salary November" }))).toEqual(["fault value_too_long"]);
  });

  test("warn where so said, each for itself", () => {
    const rules = { narration: { pattern: "x", max_length: 3, warn: ["pattern", "max_length"] } };
    expect(codes(check(rules, PAYOUT))).toEqual(["warning pattern_differs", "warning value_too_long"]);
    const { pattern, max_length } = rules.narration;
    expect(codes(check({ narration: { pattern, max_length, warn: ["pattern"] } }, PAYOUT))).toEqual([
      "fault value_too_long",
    ]);
  });

  test("a character of two halves is one", () => {
    expect(codes(check({ narration: { max_length: 2 } }, { ...PAYOUT, narration: "😀😀" }))).toEqual([]);
  });

  test("hold for both options of a payout and for numbers", () => {
    expect(codes(check({ bene_bank_id: { allowed: ["7"] } }, GOOD_OPTION_A))).toEqual(["fault value_not_allowed"]);
    expect(codes(check({ narration: { max_length: 1 } }, { ...GOOD_OPTION_A, narration: "ab" }))).toEqual([
      "fault value_too_long",
    ]);
    expect(codes(check({ tenure: { pattern: "12|24" } }, { ...GOOD_ROWS.loan, tenure: "13" }, "loan"))).toEqual([
      "fault pattern_differs",
    ]);
  });
});

describe("max_per_row", () => {
  test("is exact, and is a fault or a warning", () => {
    const rules = { max_per_row: "52250" };
    expect(codes(check(rules, PAYOUT))).toEqual([]);
    expect(said(check(rules, { ...PAYOUT, amount: "52250.01" }))).toEqual([
      'fault amount_over_cap: "52250.01" is more than 52250, the most that one row may have → ' +
        "Correct the amount, or have max_per_row raised in paydrop.toml.",
    ]);
    const warned = check({ ...rules, warn: ["max_per_row"] }, { ...PAYOUT, amount: "60000" });
    expect(codes(warned)).toEqual(["warning amount_over_cap"]);
    expect(warned.instruction?.amount).toBe("60000");
  });

  test("an amount of nine digits is shown where its decimals tell that it is one", () => {
    const over = (amount: string): readonly string[] =>
      said(check({ max_per_row: "200000000" }, { ...PAYOUT, amount }));
    expect(over("1500000000.00")).toEqual([
      expect.stringContaining('"1500000000.00" is more than 200000000, the most'),
    ]);
    expect(over("50100271828001")).toEqual([expect.stringContaining('"••8001" is more than 200000000, the most')]);
  });

  test("is asked of amounts that can be read only", () => {
    expect(codes(check({ max_per_row: "1" }, { ...PAYOUT, amount: "1e9" }))).toEqual(["fault scientific_notation"]);
  });
});

test("a branch code that is in no list is pointed out; four letters stand for a whole bank", () => {
  const rules = { payouts: { fields: { ifsc_code: { list: "/ifsc.txt" } } } };
  const known = new Map([["/ifsc.txt", new Set(["SBIN", "HDFC0001234"])]]);
  const codesFor = (ifsc_code: string): string[] =>
    codes(checkOne("payout", { ...PAYOUT, ifsc_code }, { choices: { rules }, known }));
  expect(codesFor("HDFC0001234")).toEqual([]);
  expect(codesFor("hdfc0001234")).toEqual([]);
  expect(codesFor("SBIN0000999")).toEqual([]);
  expect(codesFor("HDFC0009999")).toEqual(["warning value_not_in_list"]);
  expect(codes(checkOne("payout", { ...PAYOUT, ifsc_code: "HDFC0009999" }, { choices: { rules } }))).toEqual([]);
});

test("in a mixed file every row keeps to the rules of its own operation", () => {
  const rules = readRules({ loans: { max_per_row: 5 }, transfers: { max_per_row: 7 } }, "/", () => "");
  const checker = createChecker({
    fileName: "m.json",
    format: "json",
    sandbox: false,
    choices: { ...DEFAULT_CHOICES, rules },
  });
  const rows = [
    rowOf({ operation: "loan", ...GOOD_ROWS.loan, amount: "6" }, 1),
    rowOf({ operation: "transfer", ...GOOD_ROWS.transfer, amount: "6" }, 2),
  ];
  expect(checker.check(rows).map(codes)).toEqual([["fault amount_over_cap"], []]);
});
