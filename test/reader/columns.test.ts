import { describe, expect, test } from "vitest";
import { looksMisspelt, spelledOut } from "../../src/column-name.ts";
import type { Mapping } from "../../src/config/mapping.ts";
import type { Fault } from "../../src/messages/sentence.ts";
import {
  completeOperations,
  createColumnPlan,
  employeeColumnAt,
  knownColumns,
  misspeltColumns,
  type LookupTable,
} from "../../src/reader/columns.ts";
import type { Cell, Row } from "../../src/reader/row.ts";

const rowOf = (columns: readonly string[], cells: readonly Cell[]): Row => ({ number: 7, columns, cells });

describe("names", () => {
  test.each([
    ["Bene. A/c No.", "beneficiaryaccountnumber"],
    ["AcctNo", "accountnumber"],
    ["Net Pay (Rs.)", "netpay"],
    ["Amount in INR", "amount"],
    ["empName", "employeename"],
    ["Paise", "paise"],
    ["नाम", "नाम"],
  ])("%s → spelled out %s", (name, expected) => {
    expect(spelledOut(name)).toBe(expected);
  });

  test.each([
    ["amont", "amount", true],
    ["ifsccdoe", "ifsccode", true],
    ["nmae", "name", true],
    ["game", "name", true],
    ["grade", "name", false],
    ["accounts", "amount", false],
  ])("%s for %s → a slip: %s", (name, field, expected) => {
    expect(looksMisspelt(name, field)).toBe(expected);
  });
});

describe("the column of employees' numbers", () => {
  test.each(
    "employee_no,Employee Number,Employee ID,EmployeeNumber,Emp. No.,EMPNO,emp_id,EmpCode,emp num,Emp ID No,Staff No,staffId,staff number,Personnel No.,Payroll ID,payroll number,Worker No,worker-id".split(
      ",",
    ),
  )("%s → found, and the first of several", (name) => {
    expect(employeeColumnAt(["Sr No", name, "emp_id"])).toBe(1);
  });

  test("names that count rows, or tell of an employee something else → none", () => {
    const names = ["id", "no", "sr no", "S.No.", "employee_name", "Emp Account No", "employee", "payroll", "member_id"];
    expect(employeeColumnAt([...names, "Employee PAN No", "Bank Code", ""])).toBe(-1);
  });
});

describe("the plan by our own names", () => {
  test("each field has its place; nameless columns and strangers have none", () => {
    const names = ["Emp No", "Debit Account ID", "AMOUNT", "", "retry-of", "Period", "operation"];
    const { sources, amountUnit, faultsOf } = createColumnPlan()(names);
    expect(Object.fromEntries([...sources].map(([field, { at, column }]) => [field, [at, column]]))).toEqual({
      debit_account_id: [1, "Debit Account ID"],
      amount: [2, "AMOUNT"],
      retry_of: [4, "retry-of"],
      period: [5, "Period"],
      operation: [6, "operation"],
    });
    expect([amountUnit, faultsOf]).toEqual(["rupees", undefined]);
  });

  test("the same array of names → the same plan", () => {
    const plan = createColumnPlan();
    const names = ["amount"];
    expect(plan(names)).toBe(plan(names));
  });
});

const MAPPING: Mapping = {
  name: "hrms",
  operation: "payout",
  option: "B",
  amountUnit: "paise",
  header: ["Employee", "Account No", "Net Pay", "Mode", "Currency", "Team"],
  columns: [
    { column: "Employee", fields: ["name", "bank_owner_name"] },
    { column: "Account No", fields: ["bank_acc_num"] },
    { column: "Net Pay", fields: ["amount"] },
    { column: "Mode", fields: ["payment_mode"] },
  ],
  constants: { debit_account_id: "ACC-1" },
  values: { payment_mode: { "Bank transfer": "NEFT", "": "IMPS" } },
  mustBe: [{ column: "Currency", values: ["INR"] }],
  lookups: [{ file: "/t/banks.csv", by: "Team", key: "Team", fields: { ifsc_code: "IFSC" } }],
};
const BANKS: LookupTable = new Map<string, readonly string[] | "ambiguous">([
  ["Sales", ["EXMB0100200"]],
  ["Twice", "ambiguous"],
]);

describe("the plan by a mapping", () => {
  const names = ["Team", "employee", "Account No", "Net Pay", "Mode", "Currency", "retry_message", "retry_of"];
  const columns = createColumnPlan(MAPPING, [BANKS])(names);
  const give = (field: string, cells: readonly Cell[]): Cell | Fault => {
    const source = columns.sources.get(field);
    const cell = source === undefined || source.at < 0 ? "" : (cells[source.at] ?? "");
    return source?.give ? source.give(cell) : cell;
  };
  const cells = ["Sales", "Asha", "0012", "5000", " Bank transfer ", "INR", "", "K7Q29F3M:4"];

  test("columns, constants, values and lookups → the fields", () => {
    const fields = "name bank_owner_name bank_acc_num amount payment_mode debit_account_id ifsc_code retry_of".split(
      " ",
    );
    const values = ["Asha", "Asha", "0012", "5000", "NEFT", "ACC-1", "EXMB0100200", "K7Q29F3M:4"];
    expect(fields.map((field) => give(field, cells))).toEqual(values);
    expect(columns.amountUnit).toBe("paise");
    expect(columns.sources.get("amount")).toMatchObject({ at: 3, column: "Net Pay" });
    expect(columns.faultsOf?.(rowOf(names, cells))).toEqual([]);
  });

  test.each([
    ["a value that nobody listed", "payment_mode", 4, "Cheque", "value_not_mapped"],
    ["an empty one that is listed", "payment_mode", 4, "", "IMPS"],
    ["a key that the table lacks", "ifsc_code", 0, "Ops", "lookup_missing"],
    ["a key with two lines", "ifsc_code", 0, "Twice", "lookup_ambiguous"],
    ["no key", "ifsc_code", 0, "", ""],
    ["a key kept as text", "ifsc_code", 0, '="Sales"', "EXMB0100200"],
  ])("%s → %s: %j is %s", (_, field, at, cell, expected) => {
    const given = give(field, cells.with(at, cell));
    expect(typeof given === "object" && "code" in given ? given.code : given).toBe(expected);
  });

  test("what must be so and is not, a key of one row alone → faults with their place", () => {
    expect(columns.faultsOf?.(rowOf(names, cells.with(5, "USD")))).toEqual([
      { code: "value_not_taken", row: 7, column: "Currency", facts: { taken: '"INR"', found: undefined } },
    ]);
    expect(columns.faultsOf?.(rowOf(names, cells.with(5, "")))[0]?.facts?.["found"]).toBe("empty");
    const more = [...names, "Bonus"];
    const other = createColumnPlan(MAPPING, [BANKS])(more);
    expect(other.faultsOf?.(rowOf(more, [...cells, "5"]))).toMatchObject([
      { code: "column_not_confirmed", column: "Bonus" },
    ]);
  });
});

describe("what columns are, by all of them together", () => {
  const seen = (header: string): string =>
    knownColumns(header.split(","))
      .map(({ field, by }) => (by === "name" ? field : `~${field}`))
      .join(" ");

  test.each([
    ["payeeName,vpa,amount,mode,remarks", "~name vpa amount ~payment_mode ~narration"],
    ["vpa,amount,name,bank_acc_num,ifsc_code", "vpa amount name bank_acc_num ifsc_code"],
    ["Employee Name,UPI ID,Net Salary", "~name ~vpa ~amount"],
    ["Debit Account,Account No,IFSC,Amt", "~debit_account_id ~bank_acc_num ~ifsc_code ~amount"],
    ["Debit Account,Credit Account,Amt", "~from_account ~to_account ~amount"],
    ["UPI,Amount (Rs.),Expiry Minutes", "~vpa ~amount ~expiry"],
    ["Emp No,Grade,Whatever", ""],
    ["vpa,amount,Salary", "vpa amount ~amount"],
  ])("%s → %s", (header, expected) => {
    expect(seen(header)).toBe(expected);
  });

  test("our own name in another operation → what it is in the one that is known", () => {
    expect(knownColumns(["from_account"])).toMatchObject([{ field: "from_account", by: "name" }]);
    expect(knownColumns(["from_account"], "payout")).toMatchObject([{ field: "debit_account_id", by: "synonym" }]);
  });

  test.each([
    ["vpa,amount", ["collection"]],
    ["from_account,to_account,amount", ["transfer"]],
    ["from_account,to_account,amount,vpa", ["transfer", "collection"]],
    ["borrower_id,amount,tenure", ["loan"]],
    ["debit_account_id,bene_id,bene_bank_id,amount,payment_mode", ["payout"]],
    ["Employee Name,UPI ID,Net Salary", []],
  ])("%s → complete for %j", (header, expected) => {
    expect(completeOperations(header.split(","))).toEqual(expected);
  });

  test("nearly a field that is missing → misspelt; one that is there, or the user's own, not", () => {
    const names = ["from_acount", "to_account", "amuont", "Refrence", "Grade"];
    const found = misspeltColumns(names, "transfer", []);
    expect(found.map(({ column, facts }) => [column, facts?.["meant"]])).toEqual([
      ["from_acount", "from_account"],
      ["amuont", "amount"],
      ["Refrence", "reference"],
    ]);
    expect(misspeltColumns(names, "transfer", ["amuont", "refrence", "FROM-acount"])).toEqual([]);
    expect(misspeltColumns(["amount", "amounts"], "transfer", [])).toEqual([]);
  });
});
