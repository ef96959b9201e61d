import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Change } from "../../checks/correction.ts";
import type { Fault } from "../../checks/fault.ts";
import type { OperationName, PayoutOption } from "../../operations/operation.ts";
import type { BatchPhase } from "../batch-record.ts";
import { numbersIn } from "./numbers.ts";
import { PAGE_ROWS } from "./pages.ts";
import type { RowRecord } from "../row-record.ts";
import { rowNameOf } from "./duplicates/seen-row.ts";
import { isPaid, type RowState } from "../state.ts";

/** The rows of a batch as they stand, in input order. */
export class Rows {
  readonly #page: StatementSync;
  readonly #ready: StatementSync;
  readonly #operations: StatementSync;
  readonly #inStates: StatementSync;
  readonly #last: StatementSync;

  constructor(database: DatabaseSync) {
    this.#last = database.prepare("SELECT number FROM row WHERE batch = ? ORDER BY number DESC LIMIT 1");
    this.#page = database.prepare(`${SELECT_RECORD} WHERE r.batch = ? AND r.number >= ? ORDER BY r.number LIMIT ?`);
    this.#ready = database.prepare(
      "SELECT number FROM row WHERE batch = ? AND number >= ? AND state = 'ready' ORDER BY number LIMIT ?",
    );
    this.#operations = database.prepare(
      "SELECT DISTINCT operation, option FROM row WHERE batch = ? AND core_key IS NOT NULL",
    );
    this.#inStates = database.prepare(
      `${SELECT_RECORD} WHERE r.batch = ? AND r.number >= ? AND r.state IN (SELECT value FROM json_each(?))
       ORDER BY r.number LIMIT ?`,
    );
    // an object with twenty names for each row would cost more than reading it
    for (const records of [this.#page, this.#inStates]) records.setReturnArrays(true);
  }

  /** 0 where there are no rows. */
  lastNumber(batchSeq: number): number {
    return Number(this.#last.get(batchSeq)?.["number"] ?? 0);
  }

  /** Numbers of the rows that may go: one page. */
  readyPage(batchSeq: number, fromRow: number): number[] {
    return numbersIn(this.#ready, batchSeq, fromRow, PAGE_ROWS);
  }

  operations(batchSeq: number): { operation: OperationName; option?: PayoutOption }[] {
    const found = this.#operations.all(batchSeq) as { operation: OperationName; option: PayoutOption | null }[];
    return found.map(({ operation, option }) => (option === null ? { operation } : { operation, option }));
  }

  one(batchSeq: number, number: number): RowRecord | undefined {
    return this.page(batchSeq, number, 1).find((row) => row.number === number);
  }

  /** One page of the rows in one of these states. */
  pageIn(batchSeq: number, states: readonly RowState[], fromRow: number): RowRecord[] {
    const found = this.#inStates.all(batchSeq, fromRow, JSON.stringify(states), PAGE_ROWS);
    return (found as unknown as RecordColumns[]).map(asRecord);
  }

  /** One page of all rows. */
  page(batchSeq: number, fromRow: number, rowsMax = PAGE_ROWS): RowRecord[] {
    return (this.#page.all(batchSeq, fromRow, rowsMax) as unknown as RecordColumns[]).map(asRecord);
  }
}

/**
 * SQL: the first accepted row that corrects the row `r`, as `BATCH:ROW`. One of another operation is no correction,
 * unless that is what `r` was refused for.
 */
export const CORRECTED_BY = `(SELECT kb.id || ':' || k.number FROM row k JOIN batch kb ON kb.seq = k.batch
  WHERE k.family = coalesce(r.family, (SELECT id FROM batch WHERE seq = r.batch) || ':' || r.number)
  AND ${isPaid("k")}
   AND (k.operation = r.operation OR r.operation IS NULL OR r.code = 'retry_of_operation') ORDER BY k.batch, k.number LIMIT 1)`;

/** SQL: the phase of the batch whose row `r` repeats, where that row was settled as not done since: it may go again. */
const GIVEN_BACK_IN = `(SELECT ob.phase FROM batch ob JOIN row o ON o.batch = ob.seq AND o.number = r.other_row
  WHERE ob.id = r.other_batch AND o.state = 'settled_not_done')`;

const SELECT_RECORD = `SELECT r.number, r.state, r.attempts, r.operation, r.option, r.amount, r.code, r.faults,
  r.other_batch, r.other_row, r.other_at, r.other_more, r.origin_batch, r.origin_row, r.changes, r.payee_changed,
  CASE WHEN r.origin_batch IS NOT NULL AND r.period <> (SELECT period FROM batch WHERE seq = r.batch) THEN r.period END, r.settled_by,
  a.http_status, a.started_at, a.duration_ms, a.response, r.changed_at,
  CASE WHEN r.state IN ('rejected', 'invalid') THEN ${CORRECTED_BY} END,
  CASE WHEN r.state IN ('duplicate', 'held') THEN ${GIVEN_BACK_IN} END,
  r.state = 'held' AND r.period IS NOT NULL
  FROM row r LEFT JOIN attempt a ON a.id = r.last_attempt`;

/** The columns of `SELECT_RECORD`, in its order. */
type RecordColumns = readonly [
  number: number,
  state: RowState,
  attempts: number,
  operation: OperationName | null,
  option: PayoutOption | null,
  amount: string | null,
  code: string | null,
  faults: string | null,
  otherBatch: string | null,
  otherRow: number | null,
  otherAt: number | null,
  otherMore: number,
  originBatch: string | null,
  originRow: number | null,
  changes: string | null,
  payeeChanged: number,
  correctedPeriod: string | null,
  settledBy: string | null,
  httpStatus: number | null,
  startedAt: number | null,
  durationMs: number | null,
  response: string | null,
  changedAt: number,
  correctedBy: string | null,
  givenBackIn: BatchPhase | null,
  hasPeriod: number,
];

function asRecord(columns: RecordColumns): RowRecord {
  const [number, state, attempts, operation, option, amount, code, faults, otherBatch, otherRow, otherAt, otherMore, originBatch,
    originRow, changes, payeeChanged, correctedPeriod, settledBy, httpStatus, startedAt, durationMs, response, changedAt, correctedBy, givenBackIn, hasPeriod] = columns; // prettier-ignore
  const record: { -readonly [Key in keyof RowRecord]: RowRecord[Key] } = { number, state, attempts };
  if (operation !== null) record.operation = operation;
  if (option !== null) record.option = option;
  if (amount !== null) record.amount = amount;
  if (code !== null) record.code = code;
  if (faults !== null) {
    const { fault, warning } = Object.groupBy(JSON.parse(faults) as Fault[], ({ level = "fault" }) => level);
    if (fault) record.faults = fault;
    if (warning) record.warnings = warning;
  }
  if (otherBatch !== null && otherRow !== null) {
    const [at, more] = [otherAt === null ? {} : { at: otherAt }, otherMore === 0 ? {} : { more: otherMore }];
    record.other = { batch: otherBatch, row: otherRow, ...at, ...more };
  }
  if (originBatch !== null && originRow !== null) {
    record.correction = {
      of: { batch: originBatch, row: originRow },
      ...(changes === null ? {} : { changes: JSON.parse(changes) as Change[] }),
      payeeChanged: payeeChanged === 1,
      ...(correctedPeriod === null ? {} : { period: correctedPeriod }),
    };
  }
  if (correctedBy !== null) record.correctedBy = rowNameOf(correctedBy);
  if (givenBackIn !== null) record.givenBackIn = givenBackIn;
  if (hasPeriod === 1) record.hasPeriod = true;
  if (httpStatus !== null) record.httpStatus = httpStatus;
  if (startedAt !== null) record.sentAt = startedAt;
  if (durationMs !== null) record.durationMs = durationMs;
  if (state === "unknown") record.untilAt = changedAt;
  if (response !== null) record.response = response;
  if (settledBy !== null) record.settledBy = settledBy;
  return record;
}
