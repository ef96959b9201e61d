import type { BatchReport, CheckedFile } from "../../src/events.ts";
import type { RowRecord } from "../../src/journal/store.ts";

/** A row of a payout as the journal has it: accepted, unless said otherwise. */
export function rowRecord(row: number, more: Partial<RowRecord> = {}): RowRecord {
  return {
    ...{
      batch: "K7Q29F3M",
      row,
      state: "accepted",
      onItsWay: false,
      operation: "payout",
      option: "B",
      amount: "100.00",
    },
    ...{ faults: [], notices: [], reasons: [], attempts: 1, code: more.state ?? "accepted" },
    ...more,
  };
}

export const REPORT: BatchReport = {
  batch: "K7Q29F3M",
  file: "/inbox/october-payroll.csv",
  operation: "payout, option B",
  destination: "https://api.bank.example",
  total: { rows: 240, amount: "11087750.50" },
  byStatus: {
    accepted: { rows: 235, amount: "10871500.50" },
    rejected: { rows: 3, amount: "135750.00" },
    unknown: { rows: 2, amount: "80500.00" },
  },
  accounts: [
    {
      account: "ACC-OPS-01",
      total: { rows: 180, amount: "9214500.00" },
      byStatus: { accepted: { rows: 175, amount: "8998250.00" } },
    },
    {
      account: "ACC-FIELD-02",
      total: { rows: 60, amount: "1873250.50" },
      byStatus: { accepted: { rows: 60, amount: "1873250.50" } },
    },
  ],
  requests: 240,
  startedAt: Date.UTC(2026, 10, 1),
  durationMs: 172_000,
  files: {
    results: "/inbox/october-payroll.csv.results.csv",
    retry: "/inbox/october-payroll.csv.retry.csv",
    retryRows: 3,
  },
  remarks: [{ code: "without_amount", facts: { rows: 1 } }],
  invalid: [],
  held: [],
  rowsToLookAt: { unknown: [91, 164], rejected: [112, 130, 201] },
  next: [
    {
      code: "look_up",
      text: "look up rows 91 and 164 in the service's dashboard. Then say what you found:",
      todo: "",
      commands: [{ name: "settle", batch: "K7Q29F3M", flags: { row: "91", as: "done", by: "NAME", note: "TEXT" } }],
    },
  ],
  exitCode: 4,
};

export const CHECKED: CheckedFile = {
  file: "/inbox/october-payroll.csv",
  format: "csv",
  operation: "payout, option B",
  period: "2026-10",
  environment: "live",
  destination: "https://api.bank.example",
  total: { rows: 240, amount: "11087750.50" },
  byStatus: {
    not_sent: { rows: 236, amount: "11000000.00" },
    invalid: { rows: 3, amount: "87750.50" },
    held: { rows: 1, amount: "0.00" },
  },
  accounts: REPORT.accounts.map(({ account, total }) => ({ account, total, byStatus: {} })),
  control: { rows: 240, total: "11087750.50" },
  unreadable: 0,
  remarks: [],
  invalid: [2, 3].map((row) => ({
    code: "not_a_number",
    row,
    column: "Net Pay",
    cell: `G${row}`,
    facts: { value: "x", thing: "amount" },
  })),
  invalidCount: 3,
  held: [
    {
      code: "repeat_in_file",
      row: 9,
      facts: { otherRow: 8, cancel: "paydrop cancel K7Q29F3M --held --by NAME", release: "…" },
    },
  ],
  heldCount: 1,
  pointedOut: [],
  pointedOutCount: 0,
};
