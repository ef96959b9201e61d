import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import { normalizeName } from "../text/names.ts";
import { printable } from "../text/printable.ts";
import { isResumable } from "../reason.ts";
import type { Row, Sheet } from "../reader/row.ts";
import { sentenceOf } from "./words/sentences.ts";
import { statusOf } from "./words/status.ts";
import { tableIn, type Table, type TableRow } from "./table.ts";

/** The columns of a results file (DESIGN §9). Readers go by these names: columns are only ever added at the end. */
const RESULTS_BEFORE = [
  "result_row",
  "result_status",
  "result_http_status",
  "result_message",
  "result_action",
] as const;

const RESULTS_AFTER = [
  "result_operation",
  "result_amount",
  "result_reference",
  "result_attempts",
  "result_sent_at",
  "result_duration_ms",
  "result_response",
  "result_duplicate_of",
  "result_settled_by",
  "result_batch",
] as const;

const RETRY_AFTER = ["retry_message", "retry_of"] as const;
const RESPONSE_CHARACTERS_MAX = 200;

/** One line per row of the file, in its order (I3). */
export function resultsTable(sheet: Sheet): Table {
  const shape = { before: RESULTS_BEFORE, after: RESULTS_AFTER, amounts: ["result_amount"] };
  return tableIn(sheet.format, shape, sheet.header ?? []);
}

/** The file's own columns, ready to correct and drop again; what an earlier retry file added is left out. */
export function retryTable(sheet: Sheet): Table {
  // by its name the sheet is found again where `sheet` is configured
  const sheetName = sheet.sheetName === undefined ? {} : { sheetName: sheet.sheetName };
  const shape = { before: [], after: RETRY_AFTER, isDropped: isOfRetryFile, isInput: true, ...sheetName } as const;
  return tableIn(sheet.format, shape, sheet.header ?? [], sheet.wrapper);
}

const RETRY_NAMES = new Set(RETRY_AFTER.map(normalizeName));

/** A column that a retry file adds to those of its file. */
export function isOfRetryFile(column: string): boolean {
  return RETRY_NAMES.has(normalizeName(column));
}

type BatchOfRow = Pick<BatchRecord, "id" | "phase" | "destination">;

export function resultsRow(row: Row, record: RowRecord, batch: BatchOfRow, reference: string | undefined): TableRow {
  const { message, action } = sentenceOf(record, batch);
  const { other, httpStatus, sentAt, durationMs } = record;
  return {
    before: [record.number, statusOf(record.state), httpStatus ?? null, message, action],
    row,
    after: [
      record.operation ?? "",
      record.amount ?? "",
      printable(reference ?? ""),
      record.attempts,
      sentAt === undefined ? "" : new Date(sentAt).toISOString(),
      durationMs === undefined ? null : Math.round(durationMs),
      printable(record.response ?? "", RESPONSE_CHARACTERS_MAX),
      other ? `${other.batch}:${other.row}` : "",
      printable(isSettled(record) ? (record.settledBy ?? "") : ""),
      batch.id,
    ],
  };
}

/** After a row went again its answer counts; who settled it before stands in the history. */
function isSettled({ state }: RowRecord): boolean {
  return state === "settled_done" || state === "settled_not_done";
}

/** Whether a row stands in the retry file. */
export function isToCorrect(record: RowRecord): boolean {
  if (record.correctedBy) return false;
  return record.state === "invalid" || (record.state === "rejected" && !isResumable(record));
}

/** The same row for the retry file: what to correct, and which row of which batch it was. */
export function retryRow(line: TableRow, batch: BatchOfRow): TableRow {
  const [number, , , message, action] = line.before;
  return { before: [], row: line.row, after: [`${message ?? ""} → ${action ?? ""}`, `${batch.id}:${number ?? ""}`] };
}
