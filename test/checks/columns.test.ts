import { describe, expect, test } from "vitest";
import { createColumnPlan } from "../../src/checks/columns.ts";
import type { ColumnOptions } from "../../src/checks/columns.ts";
import { looksMisspelt } from "../../src/checks/columns.ts";
import { OPERATIONS, operationNamed } from "../../src/operations/catalogue.ts";
import type { OperationName } from "../../src/operations/operation.ts";
import { GOOD_OPTION_A, GOOD_ROWS } from "../support/rows.ts";

const OPTION_B = Object.keys(GOOD_ROWS.payout);

function planOf(name: OperationName, columns: readonly string[], options: Partial<ColumnOptions> = {}) {
  return createColumnPlan(columns, {
    operations: [operationNamed(name)],
    ownColumns: [],
    mustBeComplete: true,
    ...options,
  });
}

function faultsOf(plan: ReturnType<typeof createColumnPlan>): readonly (readonly [string, string])[] {
  return "positions" in plan ? [] : plan.map((fault) => [fault.code, fault.message]);
}

function without(columns: readonly string[], ...names: readonly string[]): readonly string[] {
  return columns.filter((column) => !names.includes(column));
}

describe("a header", () => {
  test("is understood without case, spaces, _ and -", () => {
    const plan = planOf("transfer", ["From Account", "TO-ACCOUNT", " amount ", "Ref No", "Reference"]);
    if (!("positions" in plan)) throw new Error("refused");
    expect(Object.fromEntries(plan.positions)).toEqual({ from_account: 0, to_account: 1, amount: 2, reference: 4 });
    expect(plan.knownCount).toBe(4);
  });

  test("may have columns of its own", () => {
    expect(faultsOf(planOf("payout", [...OPTION_B, "Employee No", "Branch", "Remarks"]))).toEqual([]);
  });

  test("needs every required column, and says which are missing", () => {
    expect(faultsOf(planOf("payout", without(OPTION_B, "amount", "bank_owner_name", "narration")))).toEqual([
      ["column_missing", "the columns bank_owner_name, amount are missing for payouts"],
    ]);
  });

  test("of payouts lacks what the nearer option needs", () => {
    const optionA = Object.keys(GOOD_OPTION_A);
    expect(faultsOf(planOf("payout", without(optionA, "bene_bank_id")))).toEqual([
      ["column_missing", "the column bene_bank_id is missing for payouts"],
    ]);
  });

  test.each([
    [["Emp Name", "IFSC Code", "Net"], "debit_account_id, name, bank_acc_num, bank_owner_name, amount, payment_mode"],
    [["name", "amount"], "debit_account_id, bank_acc_num, ifsc_code, bank_owner_name, payment_mode"],
    [["name", "email", "bene_id", "amount"], "debit_account_id, bene_bank_id, payment_mode"],
    [["amount", "payment_mode"], "debit_account_id, bene_id, bene_bank_id"],
  ])("of payouts that names a payee lacks what that way of naming it needs: %j", (columns, missing) => {
    expect(faultsOf(planOf("payout", columns))).toEqual([
      ["column_missing", `the columns ${missing} are missing for payouts`],
    ]);
  });

  test("need not be complete where the rows may differ", () => {
    expect(faultsOf(planOf("payout", ["amount"], { mustBeComplete: false }))).toEqual([]);
    expect(faultsOf(planOf("payout", ["amount"], { mustBeComplete: false, operations: OPERATIONS }))).toEqual([]);
  });

  test.each([
    ["ammount", "amount"],
    ["amuont", "amount"],
    ["Narrations", "narration"],
    ["note", "notes"],
    ["ifsc_cod", "ifsc_code"],
    ["mobile_no", "mobile"],
    ["Nmae", "name"],
    ["Refrence", "reference"],
    ["periods", "period"],
  ])("with %s asks whether %s is meant", (written, meant) => {
    const columns = [...without(OPTION_B, meant), written];
    expect(faultsOf(planOf("payout", columns)).map(([code]) => code)).toEqual(["column_misspelt"]);
    expect(faultsOf(planOf("payout", columns))[0]?.[1]).toContain(`misspelt ${meant}`);
    expect(faultsOf(planOf("payout", [...columns, meant]))).toEqual([]);
  });

  test("with an invisible character in a name shows it", () => {
    const [[, message] = []] = faultsOf(planOf("payout", [...without(OPTION_B, "amount"), "amount\u200b"]));
    expect(message).toContain('the column "amount\\u{200b}" looks like a misspelt amount');
  });

  test("with a column that the configuration knows as the user's own does not ask", () => {
    const columns = [...without(OPTION_B, "notes"), "note"];
    expect(faultsOf(planOf("payout", columns, { ownColumns: ["Note"] }))).toEqual([]);
  });
});

test.each([
  ["game", "name", true],
  ["same_", "name", false],
  ["date", "name", false],
  ["bankname", "bankid", false],
  ["amuont", "amount", true],
  ["amountinr", "amount", false],
  ["tenor", "tenure", true],
  ["upa", "vpa", true],
  ["upi", "vpa", false],
])("%s looks like a misspelt %s: %s", (name, field, expected) => {
  expect(looksMisspelt(name, field)).toBe(expected);
});
