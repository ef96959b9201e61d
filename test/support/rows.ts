import type { CheckerOptions } from "../../src/checks/check-row.ts";
import { createChecker } from "../../src/checks/check-row.ts";
import type { CheckedRow } from "../../src/checks/instruction.ts";
import { operationNamed } from "../../src/operations/catalogue.ts";
import type { OperationName } from "../../src/operations/operation.ts";
import type { Cell, Row } from "../../src/reader/row.ts";

/** What DESIGN §3 and §6 give as defaults. */
export const DEFAULT_CHOICES = {
  emptyFields: "omit",
  amountDigitsMax: 15,
  amountDecimalsMax: 2,
  ifscFormat: "refuse",
  ownColumns: [],
  numberGrouping: "none",
  decimalSign: "point",
  rules: {},
} as const satisfies CheckerOptions["choices"];

/** A good row of each operation; the payout is of option B. */
export const GOOD_ROWS = {
  payout: {
    debit_account_id: "ACC-OPS-01",
    name: "Asha Verma",
    mobile: "9800000001",
    email: "asha@mail.example",
    bank_id: "HDFC",
    bank_acc_num: "50100271828001",
    ifsc_code: "HDFC0001234",
    bank_owner_name: "Asha Verma",
    amount: "52250.00",
    payment_mode: "NEFT",
    narration: "Salary November",
    purpose: "salary",
    notes: "",
  },
  transfer: { from_account: "50100271828001", to_account: "50100314159002", amount: "1200.50" },
  loan: { borrower_id: "BRW-0042", amount: "250000", tenure: "24" },
  collection: { amount: "499", currency: "INR", vpa: "ravi@bank", expiry: "30" },
} as const satisfies Record<OperationName, Record<string, string>>;

export const GOOD_OPTION_A = {
  debit_account_id: "ACC-OPS-01",
  bene_id: "BENE-0007",
  bene_bank_id: "12",
  amount: "900.10",
  payment_mode: "IMPS",
} as const;

/** A row as the reader gives it: the keys are its columns. */
export function rowOf(cells: Readonly<Record<string, Cell>>, number = 2): Row {
  return { number, columns: Object.keys(cells), cells: Object.values(cells) };
}

export interface CheckSetting extends Partial<Omit<CheckerOptions, "operation" | "choices">> {
  readonly choices?: Partial<CheckerOptions["choices"]>;
}

/** One row through a checker of its own. Without an operation the row must say it. */
export function checkOne(
  operation: OperationName | undefined,
  cells: Readonly<Record<string, Cell>>,
  setting: CheckSetting = {},
): CheckedRow {
  const checker = createChecker({
    fileName: "payroll.csv",
    format: "csv",
    sandbox: false,
    ...setting,
    ...(operation ? { operation: operationNamed(operation) } : {}),
    choices: { ...DEFAULT_CHOICES, ...setting.choices },
  });
  const [checked] = checker.check([rowOf(cells)]);
  if (!checked) throw new Error("no row came back");
  return checked;
}

/** The fault codes of one row. */
export function codesOf(checked: CheckedRow): readonly string[] {
  return checked.faults?.map((fault) => fault.code) ?? [];
}
