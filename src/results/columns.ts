import { normalizeName } from "../column-name.ts";
import type { FileFormat } from "../file-format.ts";
import type { RowRecord } from "../journal/store.ts";
import { printable } from "../printable.ts";
import type { Row, Table } from "../reader/row.ts";
import { goesAgainAsItIs } from "../submission/again.ts";
import { tellRow, type BatchOfRow } from "./row-text.ts";
import { tableIn, type OutRow, type OutTable } from "./table.ts";
import { statusOf } from "./totals.ts";
import type { OutCell } from "./workbook.ts";

interface Line {
  readonly record: RowRecord;
  readonly batch: BatchOfRow;
  /** As the file says it; it is not sent. */
  readonly reference: string | undefined;
  readonly message: string;
  readonly action: string;
}

type Columns = Readonly<Record<string, (line: Line) => OutCell>>;

const RESPONSE_CHARACTERS_MAX = 200;

/**
 * The columns of a results file before the file's own ones (DESIGN §9). Readers go by these names: columns are only ever
 * added, at the end of the second list.
 */
const BEFORE: Columns = {
  result_row: ({ record }) => record.row,
  result_status: ({ record }) => statusOf(record),
  result_http_status: ({ record }) => record.httpStatus ?? null,
  result_message: ({ message }) => message,
  result_action: ({ action }) => action,
};

/** And those behind the file's own ones. */
const AFTER: Columns = {
  result_operation: ({ record }) => record.operation ?? "",
  result_amount: ({ record: { amount } }) => (amount === undefined ? "" : { amount }),
  result_reference: ({ reference = "" }) => printable(reference),
  result_attempts: ({ record }) => record.attempts,
  result_sent_at: ({ record: { sentAt } }) => (sentAt === undefined ? "" : new Date(sentAt).toISOString()),
  result_duration_ms: ({ record }) => record.durationMs ?? null,
  result_response: ({ record: { response = "" } }) => printable(response, RESPONSE_CHARACTERS_MAX),
  result_duplicate_of({ record }) {
    const other = record.reasons.find((reason) => reason.other)?.other;
    return other ? `${other.batch}:${other.row}` : "";
  },
  // after a row went again its answer counts; who settled it before stands among the acts
  result_settled_by: ({ record }) => (record.state.startsWith("settled_") ? printable(record.settledBy ?? "") : ""),
  result_batch: ({ batch }) => batch.id,
};

const BEFORE_OF = Object.values(BEFORE);
const AFTER_OF = Object.values(AFTER);
const RETRY_COLUMNS = ["retry_message", "retry_of"] as const;
/** In a workbook, in characters. */
const WIDTHS = { result_message: 50, result_action: 40, result_sent_at: 26, result_response: 40, retry_message: 70 };

/** One line per row of the file, in its order (I3). */
export function resultsTable({ header = [] }: Table, format: FileFormat): OutTable {
  const names = { before: Object.keys(BEFORE), after: Object.keys(AFTER) };
  return tableIn(format, { ...names, widths: WIDTHS, sheet: "results" }, header);
}

/** The file's own columns, ready to correct and drop again; what an earlier retry file added is left out. */
export function retryTable({ header = [], wrapper, reading }: Table, format: FileFormat): OutTable {
  const names = { before: [], after: RETRY_COLUMNS, dropped: RETRY_COLUMNS.map(normalizeName) };
  // by its name the sheet is found again where one is configured
  return tableIn(format, { ...names, isInput: true, widths: WIDTHS, sheet: reading.sheet ?? "retry" }, header, wrapper);
}

export function resultsRow(row: Row, record: RowRecord, batch: BatchOfRow, reference: string | undefined): OutRow {
  const { text: message, todo: action } = tellRow(record, batch);
  const line: Line = { record, batch, reference, message, action };
  return { before: BEFORE_OF.map((valueOf) => valueOf(line)), row, after: AFTER_OF.map((valueOf) => valueOf(line)) };
}

/** Whether a row stands in the retry file. Unknown rows are left out on purpose. */
export function isToCorrect(record: RowRecord): boolean {
  if (record.correctedBy) return false;
  return record.state === "invalid" || (record.state === "rejected" && !goesAgainAsItIs(record));
}

/** The same row for the retry file: what to correct, and which row of which batch it was. */
export function retryRow(row: Row, record: RowRecord, batch: BatchOfRow): OutRow {
  const { text, todo } = tellRow(record, batch);
  return { before: [], row, after: [`${text} → ${todo}`, `${batch.id}:${record.row}`] };
}
