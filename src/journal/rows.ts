import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Change, Correction } from "../checks/correction.ts";
import type { Fault } from "../checks/fault.ts";
import type { OperationName, PayoutOption } from "../operations/operation.ts";
import { EarlierKeys } from "./earlier-keys.ts";
import type { PaymentKeys } from "./keys.ts";
import type { RowState } from "./state.ts";
import type { Environment } from "./batch-record.ts";
import type { NewRow, RowRecord } from "./row-record.ts";

/** What the row statements must know of a batch. */
export interface BatchSeq {
  readonly seq: number;
  readonly environment: Environment;
  readonly period?: string;
  readonly guessedPeriod?: string;
}

/** Rows in one insert: a statement costs as much as the row that it writes. */
const ROWS_TOGETHER = 16;

/** Writes rows down, as ready until the batch is judged, and reads them again in input order. */
export class Rows {
  readonly #keys: PaymentKeys;
  readonly #earlier: EarlierKeys;
  readonly #insert: StatementSync;
  readonly #insertTogether: StatementSync;
  readonly #page: StatementSync;
  readonly #ready: StatementSync;
  readonly #operations: StatementSync;
  readonly #inStates: StatementSync;
  readonly #last: StatementSync;
  readonly #tie: StatementSync;

  /** `past`: name under which another journal is attached that knows earlier rows as well. */
  constructor(database: DatabaseSync, keys: PaymentKeys, past?: string) {
    this.#keys = keys;
    this.#earlier = new EarlierKeys(database, keys, past);
    const into = `INSERT INTO row (batch, number, state, operation, option, amount, period, reference_key, doubtful,
       core_key, beneficiary_key, code, faults, changed_at) VALUES `;
    const values = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    this.#insert = database.prepare(into + values);
    this.#insertTogether = database.prepare(into + Array<string>(ROWS_TOGETHER).fill(values).join());
    const ofOrigin = (value: string): string =>
      (past === undefined ? ["main"] : ["main", past])
        .map(
          (schema) =>
            `(SELECT ${value} FROM ${schema}.row o JOIN ${schema}.batch b ON b.seq = o.batch WHERE b.id = ?1 AND o.number = ?2)`,
        )
        .join();
    // what was stated for the file of that row holds for its correction, which is in a file of another name and no flags
    this.#tie = database.prepare(
      `UPDATE row SET origin_batch = ?1, origin_row = ?2, changes = ?3, payee_changed = ?4,
         family = coalesce(${ofOrigin("o.family")}, ?7),
         period = coalesce(period, ${ofOrigin("coalesce(o.period, b.period)")})
       WHERE batch = ?5 AND number = ?6`,
    );
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

  add(batch: BatchSeq, rows: readonly NewRow[], nowMs: number): void {
    const whole = rows.length - (rows.length % ROWS_TOGETHER);
    let together: SQLInputValue[] = [];
    for (const [index, row] of rows.entries()) {
      this.#pushValues(together, batch, row, nowMs);
      const isWhole = (index + 1) % ROWS_TOGETHER === 0;
      if (!isWhole && index < whole) continue;
      (isWhole ? this.#insertTogether : this.#insert).run(...together);
      together = [];
    }
    for (const row of rows) if (row.correction) this.#addCorrection(batch, row.number, row.correction);
  }

  #addCorrection(batch: BatchSeq, number: number, { of, changes, payeeChanged }: Correction): void {
    const changed = changes === undefined ? null : JSON.stringify(changes);
    this.#tie.run(of.batch, of.row, changed, payeeChanged ? 1 : 0, batch.seq, number, `${of.batch}:${of.row}`);
  }

  /** The values of one row behind those that are there. */
  #pushValues(values: SQLInputValue[], batch: BatchSeq, row: NewRow, nowMs: number): void {
    const { number, payment, operation, option = null, amount = null } = row;
    if (!payment || !operation) {
      const code = row.faults?.[0]?.code ?? "invalid";
      values.push(batch.seq, number, "invalid", operation ?? null, option, amount, null, null, 0, null, null, code);
    } else {
      const { environment } = batch;
      values.push(batch.seq, number, "ready", operation, option, amount, payment.period ?? null);
      values.push(payment.reference === undefined ? null : this.#referenceKey(environment, payment.reference));
      values.push(payment.isDoubtful ? 1 : 0);
      const core = this.#earlier.core(environment, operation, payment);
      values.push(core ?? this.#keys.core(environment, operation, payment));
      values.push(this.#keys.beneficiary(environment, operation, payment), null);
    }
    values.push(notesOf(row), nowMs);
  }

  #referenceKey(environment: Environment, reference: string): Uint8Array {
    return this.#earlier.reference(environment, reference) ?? this.#keys.reference(environment, reference);
  }

  /** 0 where there are no rows. */
  lastNumber(batchSeq: number): number {
    return Number(this.#last.get(batchSeq)?.["number"] ?? 0);
  }

  /** Numbers of the rows that may go, in input order. */
  readyPage(batchSeq: number, fromRow: number, rowsMax: number): number[] {
    return (this.#ready.all(batchSeq, fromRow, rowsMax) as { number: number }[]).map((row) => row.number);
  }

  operations(batchSeq: number): { operation: OperationName; option?: PayoutOption }[] {
    const found = this.#operations.all(batchSeq) as { operation: OperationName; option: PayoutOption | null }[];
    return found.map(({ operation, option }) => (option === null ? { operation } : { operation, option }));
  }

  one(batchSeq: number, number: number): RowRecord | undefined {
    return this.page(batchSeq, number, 1).find((row) => row.number === number);
  }

  /** One page of the rows in one of these states, in input order. */
  pageIn(batchSeq: number, states: readonly RowState[], fromRow: number, rowsMax: number): RowRecord[] {
    const found = this.#inStates.all(batchSeq, fromRow, JSON.stringify(states), rowsMax);
    return (found as unknown as RecordColumns[]).map(asRecord);
  }

  /** One page of rows in input order. */
  page(batchSeq: number, fromRow: number, rowsMax: number): RowRecord[] {
    return (this.#page.all(batchSeq, fromRow, rowsMax) as unknown as RecordColumns[]).map(asRecord);
  }
}

/** What is wrong with a row and what is pointed out of it stand in one column; the level tells them apart. */
export function notesOf({ faults = [], warnings = [] }: Pick<NewRow, "faults" | "warnings">): string | null {
  return faults.length + warnings.length === 0 ? null : JSON.stringify([...faults, ...warnings]);
}

const SELECT_RECORD = `SELECT r.number, r.state, r.attempts, r.operation, r.option, r.amount, r.code, r.faults,
  r.other_batch, r.other_row, r.other_at, r.origin_batch, r.origin_row, r.changes, r.payee_changed, r.settled_by,
  a.http_status, a.started_at, a.duration_ms, a.response, r.changed_at
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
  originBatch: string | null,
  originRow: number | null,
  changes: string | null,
  payeeChanged: number,
  settledBy: string | null,
  httpStatus: number | null,
  startedAt: number | null,
  durationMs: number | null,
  response: string | null,
  changedAt: number,
];

function asRecord(columns: RecordColumns): RowRecord {
  const [number, state, attempts, operation, option, amount, code, faults, otherBatch, otherRow, otherAt, originBatch,
    originRow, changes, payeeChanged, settledBy, httpStatus, startedAt, durationMs, response, changedAt] = columns; // prettier-ignore
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
    record.other = { batch: otherBatch, row: otherRow, ...(otherAt === null ? {} : { at: otherAt }) };
  }
  if (originBatch !== null && originRow !== null) {
    record.correction = {
      of: { batch: originBatch, row: originRow },
      ...(changes === null ? {} : { changes: JSON.parse(changes) as Change[] }),
      payeeChanged: payeeChanged === 1,
    };
  }
  if (httpStatus !== null) record.httpStatus = httpStatus;
  if (startedAt !== null) record.sentAt = startedAt;
  if (durationMs !== null) record.durationMs = durationMs;
  if (state === "unknown") record.untilAt = changedAt;
  if (response !== null) record.response = response;
  if (settledBy !== null) record.settledBy = settledBy;
  return record;
}
