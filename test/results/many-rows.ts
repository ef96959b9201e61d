// Run by flat-memory.test.ts in a process of its own: node many-rows.ts FOLDER ROWS
import type { RowRecord } from "../../src/journal/row-record.ts";
import type { Row } from "../../src/reader/row.ts";
import type { OwnCells } from "../../src/results/own-cell.ts";
import { writeResults } from "../../src/results/write-results.ts";
import { resultsInput, rowRecord, sheetOf } from "../support/records.ts";

const [folder = "", count = "0"] = process.argv.slice(2);
const rows = Number(count);
const columns = Array.from({ length: 14 }, (_, index) => `column_${index}`);
const sheet = sheetOf("csv", columns, rows, (index) => columns.map((name) => `${name} of ${index}, quoted`), 1000);

async function* records(): AsyncGenerator<readonly RowRecord[]> {
  for (let from = 0; from < rows; from += 500) {
    const states = ["accepted", "rejected", "unknown", "held"] as const;
    const page = Array.from({ length: Math.min(500, rows - from) }, (_, index) =>
      rowRecord(from + index + 2, { state: states[index % 4] ?? "accepted", amount: "0.10", code: `${index}` }),
    );
    yield await Promise.resolve(page);
  }
}

const input = resultsInput(folder, sheet, []);
const batch = { ...input.batch, rows, total: `${rows / 10}` };
const ownOf = (row: Row): OwnCells => ({ debitAccount: `ACC-${row.number}`, reference: undefined, period: undefined });
const report = await writeResults({ ...input, batch, records, ownOf });
process.stdout.write(JSON.stringify(report.totals.total));
