import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Correction } from "../../checks/correction.ts";
import type { BatchSeq, Environment } from "../batch-record.ts";
import { EarlierKeys } from "./duplicates/earlier-keys.ts";
import type { PaymentKeys } from "./duplicates/keys.ts";
import type { NewRow } from "../row-record.ts";

/** Rows in one insert: a statement costs as much as the row that it writes. */
const ROWS_TOGETHER = 16;

/** Writes rows down, as ready until the batch is judged. Called inside a transaction of its caller. */
export class NewRows {
  readonly #keys: PaymentKeys;
  readonly #earlier: EarlierKeys;
  readonly #insert: StatementSync;
  readonly #insertTogether: StatementSync;
  readonly #tie: StatementSync;

  /** `past`: name under which another journal is attached that knows earlier rows as well. */
  constructor(database: DatabaseSync, keys: PaymentKeys, past?: string) {
    this.#keys = keys;
    this.#earlier = new EarlierKeys(database, keys, past);
    const into = `INSERT INTO row (batch, number, state, operation, option, amount, period, reference_key, doubtful,
       core_key, beneficiary_key, account_key, code, faults, changed_at) VALUES `;
    const values = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    this.#insert = database.prepare(into + values);
    this.#insertTogether = database.prepare(into + Array<string>(ROWS_TOGETHER).fill(values).join());
    const ofOrigin = (value: string): string =>
      (past === undefined ? ["main"] : ["main", past])
        .map(
          (schema) =>
            `(SELECT ${value} FROM ${schema}.row o JOIN ${schema}.batch b ON b.seq = o.batch WHERE b.id = ?1 AND o.number = ?2)`,
        )
        .join();
    // without a period of its own a correction has that of the row that it corrects, or of that row's file
    this.#tie = database.prepare(
      `UPDATE row SET origin_batch = ?1, origin_row = ?2, changes = ?3, payee_changed = ?4,
         family = coalesce(${ofOrigin("o.family")}, ?7),
         period = coalesce(period, ${ofOrigin("coalesce(o.period, b.period)")}, (SELECT period FROM main.batch WHERE seq = ?5))
       WHERE batch = ?5 AND number = ?6`,
    );
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

  /** Appends the values of one row to those that are there. */
  #pushValues(values: SQLInputValue[], batch: BatchSeq, row: NewRow, nowMs: number): void {
    const { number, payment, operation, option = null, amount = null } = row;
    if (!payment || !operation) {
      const code = row.faults?.[0]?.code ?? "invalid";
      values.push(
        batch.seq,
        number,
        "invalid",
        operation ?? null,
        option,
        amount,
        null,
        null,
        0,
        null,
        null,
        null,
        code,
      );
    } else {
      const { environment } = batch;
      values.push(batch.seq, number, "ready", operation, option, amount, payment.period ?? null);
      values.push(payment.reference === undefined ? null : this.#referenceKey(environment, payment.reference));
      values.push(payment.isDoubtful ? 1 : 0);
      const core = this.#earlier.core(environment, operation, payment);
      values.push(core ?? this.#keys.core(environment, operation, payment));
      values.push(this.#keys.beneficiary(environment, operation, payment));
      values.push(this.#keys.account(environment, operation, payment), null);
    }
    values.push(notesOf(row), nowMs);
  }

  #referenceKey(environment: Environment, reference: string): Uint8Array {
    return this.#earlier.reference(environment, reference) ?? this.#keys.reference(environment, reference);
  }
}

/** What is wrong with a row and what is pointed out of it stand in one column; the level tells them apart. */
export function notesOf({ faults = [], warnings = [] }: Pick<NewRow, "faults" | "warnings">): string | null {
  return faults.length + warnings.length === 0 ? null : JSON.stringify([...faults, ...warnings]);
}
