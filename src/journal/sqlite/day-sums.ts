import type { DatabaseSync, StatementSync } from "node:sqlite";
import { unitsOf } from "../../amount.ts";
import type { OperationName } from "../../operations/operation.ts";
import { mayBePaid, STILL_GOES } from "../state.ts";
import type { DaySumOptions } from "../batch-calls.ts";

interface AmountRow {
  readonly operation: OperationName;
  readonly amount: string;
}

/** Adds up what went and what may still go, for the caps of a day. Asked twice for each file of that day. */
export class DaySums {
  readonly #first: readonly StatementSync[];
  readonly #gone: readonly StatementSync[];
  readonly #waiting: readonly StatementSync[];
  readonly #ready: readonly StatementSync[];
  /**
   * For each journal the first attempt that may be of this day: earlier ones are not looked at for each of its files.
   */
  #from: { readonly sinceMs: number; readonly ids: readonly number[] } | undefined;

  /** `past`: name under which another journal is attached. */
  constructor(database: DatabaseSync, past?: string) {
    const prepared = (sql: (schema: string) => string): StatementSync[] =>
      (past === undefined ? ["main"] : ["main", past]).map((schema) => database.prepare(sql(schema)));
    const rowsOf = (schema: string): string =>
      `SELECT r.operation, r.amount FROM ${schema}.batch b JOIN ${schema}.row r ON r.batch = b.seq`;
    this.#first = prepared(
      (schema) =>
        `SELECT coalesce((SELECT id FROM ${schema}.attempt WHERE id >= ?1 AND started_at >= ?2 ORDER BY id LIMIT 1),
           (SELECT max(id) + 1 FROM ${schema}.attempt), 0) AS id`,
    );
    this.#gone = prepared(
      (schema) =>
        `SELECT r.operation, r.amount FROM ${schema}.attempt a
         JOIN ${schema}.row r ON r.batch = a.batch AND r.number = a.row AND r.last_attempt = a.id
         JOIN ${schema}.batch b ON b.seq = a.batch WHERE a.id >= ? AND a.started_at >= ? AND b.environment = ?
         AND ${mayBePaid("r")}`,
    );
    this.#waiting = prepared(
      (schema) =>
        `${rowsOf(schema)} WHERE b.created_at >= ? AND b.environment = ? AND b.phase <> 'cancelled'
         AND ${STILL_GOES}`,
    );
    this.#ready = prepared(
      (schema) => `${rowsOf(schema)} WHERE b.id IN (SELECT value FROM json_each(?)) AND r.state = 'ready'`,
    );
  }

  /** Ten-thousandths by operation. */
  of({ environment, sinceMs, ofBatches }: DaySumOptions): ReadonlyMap<OperationName, bigint> {
    const sums = new Map<OperationName, bigint>();
    const add = (statements: readonly StatementSync[], ...values: readonly (string | number)[]): void => {
      for (const statement of statements) {
        for (const { operation, amount } of statement.iterate(...values) as Iterable<unknown> as Iterable<AmountRow>) {
          sums.set(operation, (sums.get(operation) ?? 0n) + unitsOf(amount));
        }
      }
    };
    for (const [index, id] of this.#firstAttempts(sinceMs).entries()) {
      add(this.#gone.slice(index, index + 1), id, sinceMs, environment);
    }
    if (ofBatches === undefined) add(this.#waiting, sinceMs, environment);
    else add(this.#ready, JSON.stringify(ofBatches));
    return sums;
  }

  /** Goes on from the attempts that are known: what began before the day stays before it. */
  #firstAttempts(sinceMs: number): readonly number[] {
    const known = this.#from?.sinceMs === sinceMs ? this.#from.ids : [];
    const ids = this.#first.map((first, index) => (first.get(known[index] ?? 0, sinceMs) as { id: number }).id);
    this.#from = { sinceMs, ids };
    return ids;
  }
}
