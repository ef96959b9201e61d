import type { DatabaseSync, StatementSync } from "node:sqlite";
import { numbersIn } from "../numbers.ts";

/** Rows whose keys are entered in one go, sorted by key: each page of a large journal is then read and written once. */
const ENTERED_ROWS_MAX = 200_000;

/** Enters the keys of new rows into the table `seen`. Called inside a transaction of its caller. */
export class EnteredKeys {
  readonly #sort: StatementSync;
  readonly #enter: StatementSync;
  readonly #shared: StatementSync;
  readonly #clear: StatementSync;

  /** `past`: name under which another journal is attached, whose rows all count as elsewhere. */
  constructor(database: DatabaseSync, past?: string) {
    // `kin`: the row corrects another one, whatever its keys are
    database.exec(
      `CREATE TEMP TABLE entering (key BLOB NOT NULL, number INTEGER NOT NULL, kin INTEGER NOT NULL,
         PRIMARY KEY (key, number)) STRICT, WITHOUT ROWID`,
    );
    const keysOf = (column: string): string =>
      `SELECT ${column} AS key, number, family IS NOT NULL AS kin FROM row
       WHERE batch = ?1 AND number BETWEEN ?2 AND ?3 AND core_key IS NOT NULL AND ${column} IS NOT NULL`;
    this.#sort = database.prepare(
      `INSERT INTO temp.entering ${keysOf("core_key")} UNION ALL ${keysOf("reference_key")} ORDER BY 1, 2`,
    );
    // `OR FAIL`: else SQLite copies each page before it changes it, to undo this statement alone; a failure here ends
    // the whole transaction
    this.#enter = database.prepare(
      "INSERT OR FAIL INTO seen (key, batch, number) SELECT key, ?1, number FROM temp.entering ORDER BY key, number",
    );
    // of a million equal rows only the first one walks over the others
    this.#shared = database.prepare(
      `SELECT DISTINCT e.number FROM temp.entering e WHERE e.kin
         OR EXISTS (SELECT 1 FROM main.seen s WHERE s.key = e.key AND NOT (s.batch = ?1 AND s.number >= e.number))
         ${past === undefined ? "" : `OR EXISTS (SELECT 1 FROM ${past}.seen s WHERE s.key = e.key)`}
       ORDER BY e.number`,
    );
    this.#clear = database.prepare("DELETE FROM temp.entering");
  }

  /** The steps, as row numbers `[from, to]`, in which the keys of a batch are best entered, one after the other. */
  static *steps(lastNumber: number): Generator<readonly [number, number]> {
    for (let from = 0; from <= lastNumber; from += ENTERED_ROWS_MAX) yield [from, from + ENTERED_ROWS_MAX - 1];
  }

  /**
   * From now on the keys of these rows are found by whoever looks for them. Gives the rows among them that share a key
   * with an earlier row of their batch or with any row of another one, and those that correct a row.
   */
  enter(batchSeq: number, from: number, to: number): number[] {
    this.#sort.run(batchSeq, from, to);
    this.#enter.run(batchSeq);
    const shared = numbersIn(this.#shared, batchSeq);
    this.#clear.run();
    return shared;
  }
}
