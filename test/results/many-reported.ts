// Run by flat-memory.test.ts in a process of its own: node many-reported.ts ROWS
import type { RowRecord } from "../../src/journal/row-record.ts";
import { createClock } from "../../src/results/report/clock.ts";
import { reportPage } from "../../src/results/report/page.ts";
import { collectReport } from "../../src/results/report/report.ts";
import { batchRecord, rowRecord, sheetOf } from "../support/records.ts";

const rows = Number(process.argv[2] ?? "0");
const columns = ["debit_account_id", "reference", "bank_acc_num"];
const states = ["accepted", "rejected", "unknown", "held"] as const;

async function* records(): AsyncGenerator<readonly RowRecord[]> {
  for (let from = 0; from < rows; from += 500) {
    const page = Array.from({ length: Math.min(500, rows - from) }, (_, index) => {
      const sentAt = Date.UTC(2026, 9, 31) + (from + index) * 731;
      const state = states[index % 4] ?? "accepted";
      return rowRecord(from + index + 2, { state, amount: "0.10", sentAt, durationMs: index, response: "no" });
    });
    yield await Promise.resolve(page);
  }
}

const report = await collectReport({
  batch: batchRecord({ rows, total: `${rows / 10}` }),
  operation: "payout, option B",
  sheet: sheetOf("csv", columns, rows, (index) => [`ACC-${index}`, `REF-${index}`, `5010${index}`], 1000),
  view: (row) => row,
  records: records(),
  history: [],
});
const page = reportPage(report, createClock("UTC"));
process.stdout.write(JSON.stringify({ ...report.totals.total, isSmall: page.length < 1_000_000 }));
