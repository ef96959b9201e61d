import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Judge, Stated } from "../checks/duplicates.ts";
import type { Fault } from "../checks/fault.ts";
import type { OperationName, PayoutOption } from "../operations/operation.ts";
import type { PaymentKeys } from "./keys.ts";
import { SeenRows } from "./seen.ts";
import type { RowState } from "./state.ts";
import type { Environment, NewRow, RowRecord } from "./store.ts";

/** What the row statements must know of a batch. */
export interface BatchSeq {
  readonly seq: number;
  readonly environment: Environment;
  readonly guessedPeriod?: string;
}

/** Writes rows down with the verdict on each, and reads them again in input order. */
export class Rows {
  readonly #keys: PaymentKeys;
  readonly #seen: SeenRows;
  readonly #insert: StatementSync;
  readonly #page: StatementSync;
  /** Equal rows of the batch that is being recorded, by core key and period: kept only for those that do repeat. */
  #repeats = new Map<string, number>();
  #repeatsOf = -1;

  constructor(database: DatabaseSync, keys: PaymentKeys, past?: string) {
    this.#keys = keys;
    this.#seen = new SeenRows(database, past);
    this.#insert = database.prepare(
      `INSERT INTO row (batch, number, state, operation, option, amount, keyed_by_reference, period, payment_key,
         core_key, beneficiary_key, code, faults, other_batch, other_row, other_at, changed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#page = database.prepare(`${SELECT_RECORD} WHERE r.batch = ? AND r.number >= ? ORDER BY r.number LIMIT ?`);
  }

  add(batch: BatchSeq, row: NewRow, judge: Judge, nowMs: number): void {
    if (!row.payment || !row.operation) {
      const faults = row.faults ?? [];
      this.#insert.run(batch.seq, row.number, "invalid", row.operation ?? null, row.option ?? null, row.amount ?? null,
        0, null, null, null, null, faults[0]?.code ?? "invalid", notesOf(row), null, null, null, nowMs); // prettier-ignore
      return;
    }
    const { payment } = row;
    const core = this.#keys.core(batch.environment, row.operation, payment);
    const byReference = payment.reference !== undefined;
    const period = payment.period === undefined ? {} : { period: payment.period };
    const unkeyed = { payment: EMPTY, core, byReference, ...period };
    const here = byReference ? [] : this.#seen.here(unkeyed, batch.seq);
    const repeats = here.some((earlier) => earlier.period === payment.period);
    const ordinal = repeats ? this.#nextOrdinal(batch.seq, core, payment.period) : 1;
    const keys = { ...unkeyed, payment: this.#keys.payment(batch.environment, row.operation, payment, ordinal) };
    const seen = [...(byReference ? this.#seen.here(keys, batch.seq) : here), ...this.#seen.elsewhere(keys, batch.seq)];
    const stated: Stated = {
      hasReference: byReference,
      released: false,
      ...period,
      ...(batch.guessedPeriod === undefined ? {} : { guessedPeriod: batch.guessedPeriod }),
    };
    const verdict = judge(stated, seen, nowMs);
    const other = verdict.state === "ready" ? undefined : verdict.other;
    this.#insert.run(batch.seq, row.number, verdict.state, row.operation, row.option ?? null, row.amount ?? null,
      byReference ? 1 : 0, payment.period ?? null, keys.payment, core,
      this.#keys.beneficiary(batch.environment, row.operation, payment),
      verdict.state === "held" ? verdict.code : null, notesOf(row),
      other?.batch ?? null, other?.row ?? null, other?.acceptedAt ?? null, nowMs); // prettier-ignore
  }

  /** One page of rows in input order. */
  page(batchSeq: number, fromRow: number, rowsMax: number): RowRecord[] {
    return (this.#page.all(batchSeq, fromRow, rowsMax) as unknown as RecordColumns[]).map(asRecord);
  }

  seen(): SeenRows {
    return this.#seen;
  }

  #nextOrdinal(batchSeq: number, core: Uint8Array, period: string | undefined): number {
    if (this.#repeatsOf !== batchSeq) {
      this.#repeats = new Map();
      this.#repeatsOf = batchSeq;
    }
    const key = `${Buffer.from(core).toString("base64")}/${period ?? ""}`;
    const ordinal = (this.#repeats.get(key) ?? 1) + 1;
    this.#repeats.set(key, ordinal);
    return ordinal;
  }
}

/** What is wrong with a row and what is pointed out of it stand in one column; the level tells them apart. */
function notesOf({ faults = [], warnings = [] }: NewRow): string | null {
  return faults.length + warnings.length === 0 ? null : JSON.stringify([...faults, ...warnings]);
}

const EMPTY = new Uint8Array(0);

export const SELECT_RECORD = `SELECT r.number, r.state, r.operation, r.option, r.amount, r.code, r.faults,
  r.other_batch, r.other_row, r.other_at, r.attempts, r.settled_by, a.http_status, a.started_at, a.duration_ms, a.response
  FROM row r LEFT JOIN attempt a ON a.id = r.last_attempt`;

export interface RecordColumns {
  readonly number: number;
  readonly state: RowState;
  readonly operation: OperationName | null;
  readonly option: PayoutOption | null;
  readonly amount: string | null;
  readonly code: string | null;
  readonly faults: string | null;
  readonly other_batch: string | null;
  readonly other_row: number | null;
  readonly other_at: number | null;
  readonly attempts: number;
  readonly settled_by: string | null;
  readonly http_status: number | null;
  readonly started_at: number | null;
  readonly duration_ms: number | null;
  readonly response: string | null;
}

export function asRecord(row: RecordColumns): RowRecord {
  const record: { -readonly [Key in keyof RowRecord]: RowRecord[Key] } = {
    number: row.number,
    state: row.state,
    attempts: row.attempts,
  };
  if (row.operation !== null) record.operation = row.operation;
  if (row.option !== null) record.option = row.option;
  if (row.amount !== null) record.amount = row.amount;
  if (row.code !== null) record.code = row.code;
  if (row.faults !== null) {
    const { fault, warning } = Object.groupBy(JSON.parse(row.faults) as Fault[], ({ level = "fault" }) => level);
    if (fault) record.faults = fault;
    if (warning) record.warnings = warning;
  }
  if (row.other_batch !== null && row.other_row !== null) {
    record.other = {
      batch: row.other_batch,
      row: row.other_row,
      ...(row.other_at === null ? {} : { at: row.other_at }),
    };
  }
  if (row.http_status !== null) record.httpStatus = row.http_status;
  if (row.started_at !== null) record.sentAt = row.started_at;
  if (row.duration_ms !== null) record.durationMs = row.duration_ms;
  if (row.response !== null) record.response = row.response;
  if (row.settled_by !== null) record.settledBy = row.settled_by;
  return record;
}
