import { join } from "node:path";
import { formatUnits, unitsOf } from "../../src/amount.ts";
import type { BatchRecord } from "../../src/journal/batch-record.ts";
import type { RowRecord } from "../../src/journal/row-record.ts";
import type { FileFormat } from "../../src/format.ts";
import type { Cell, Row, Sheet } from "../../src/reader/row.ts";
import type { ResultsInput } from "../../src/results/write-results.ts";

/** A batch as the journal would know it; rows and total as given. */
export function batchRecord(overrides: Partial<BatchRecord> = {}): BatchRecord {
  return {
    id: "K7Q29F3M",
    environment: "test",
    destination: "http://127.0.0.1:7900",
    fileName: "payroll.csv",
    folder: "/inbox",
    format: "csv",
    sha256: "ab".repeat(32),
    sizeBytes: 1000,
    rows: 0,
    total: "0.00",
    choices: "{}",
    remarks: [],
    phase: "open",
    createdAt: Date.UTC(2026, 9, 31, 12, 37, 22),
    ...overrides,
  };
}

/** A row of a payout that was accepted, unless said otherwise. */
export function rowRecord(number: number, overrides: Partial<RowRecord> = {}): RowRecord {
  const isAccepted = overrides.state === undefined || overrides.state === "accepted";
  return {
    number,
    state: "accepted",
    operation: "payout",
    option: "B",
    amount: "100.00",
    ...(isAccepted ? ACCEPTED : {}),
    attempts: isAccepted ? 1 : 0,
    ...overrides,
  };
}

const ACCEPTED = {
  code: "accepted",
  httpStatus: 200,
  sentAt: Date.UTC(2026, 9, 31, 12, 37, 23, 114),
  durationMs: 120,
} as const;

/** A sheet whose rows are made when they are asked for; the first row is number 2 in CSV, 1 in JSON. */
export function sheetOf(
  format: FileFormat,
  columns: readonly string[],
  count: number,
  cellsOf: (index: number) => readonly Cell[],
  chunk = 500,
): Sheet {
  const first = format === "csv" ? 2 : 1;
  return {
    format,
    ...(format === "csv" ? { header: columns } : {}),
    remarks: [],
    async *rows() {
      for (let from = 0; from < count; from += chunk) {
        const rows: Row[] = [];
        for (let index = from; index < Math.min(count, from + chunk); index += 1) {
          rows.push({ number: first + index, columns, cells: cellsOf(index) });
        }
        yield await Promise.resolve(rows);
      }
    },
  };
}

export async function* pagesOf(
  records: readonly RowRecord[],
  size = 300,
): AsyncGenerator<readonly RowRecord[], void, undefined> {
  for (let from = 0; from < records.length; from += size) yield await Promise.resolve(records.slice(from, from + size));
}

/** Everything `writeResults` asks for, with a memory of written files in a Map. */
export function resultsInput(
  folder: string,
  sheet: Sheet,
  records: readonly RowRecord[],
  overrides: Partial<ResultsInput> = {},
  memory: Map<string, string> = new Map<string, string>(),
): ResultsInput {
  const total = records.reduce((sum, { amount }) => sum + (amount === undefined ? 0n : unitsOf(amount)), 0n);
  return {
    batch: batchRecord({ folder, format: sheet.format, rows: records.length, total: formatUnits(total) }),
    sheet,
    records: () => pagesOf(records),
    target: { folder, fileName: `payroll.${sheet.format}` },
    fallbackFolder: join(folder, "state"),
    mode: 0o640,
    ownOf: (row) => ({
      debitAccount: cellText(row, "debit_account_id"),
      reference: cellText(row, "reference"),
      period: cellText(row, "period"),
    }),
    run: {
      operation: "payout, option B",
      requests: records.length,
      startedAt: Date.UTC(2026, 9, 31, 12, 37, 22),
      endedAt: Date.UTC(2026, 9, 31, 12, 40, 14),
    },
    exitCode: (_totals, isElsewhere) => (isElsewhere ? 74 : 0),
    written: (path) => Promise.resolve(memory.get(path)),
    wrote: (sha256) => Promise.resolve(memory.has(sha256)),
    noteWritten: (path, sha256) => {
      memory.set(path, sha256).set(sha256, path);
      return Promise.resolve();
    },
    ...overrides,
  };
}

function cellText(row: Row, column: string): string | undefined {
  const cell = row.cells[row.columns.indexOf(column)];
  return typeof cell === "string" && cell !== "" ? cell : undefined;
}
