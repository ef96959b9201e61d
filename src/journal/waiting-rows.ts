import type { DatabaseSync } from "node:sqlite";

/** The row `o`, of the batch `ob`, still goes by itself. */
const GOES = `(ob.phase = 'open' AND o.state IN ('ready', 'sending'))`;
/** It stands in nobody's way any more, or surely was paid: to the judge (`seen.ts`) neither open nor held. */
const ENDED = `(o.state NOT IN ('ready', 'sending', 'unknown', 'held') OR (o.state = 'held' AND o.code = 'all_or_nothing')
  OR (o.state IN ('ready', 'held') AND ob.phase = 'cancelled'))`;
const AWAITED = `JOIN batch ob ON ob.id = r.other_batch JOIN row o ON o.batch = ob.seq AND o.number = r.other_row`;

/** Rows that are held for a row of another batch, and how that one stands. */
export class WaitingRows {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Of a batch with held rows. */
  waitsForOthers(batchSeq: number): boolean {
    const needsPerson = this.#database.prepare(
      `SELECT 1 FROM row h WHERE h.batch = ? AND h.state = 'held' AND NOT EXISTS (
         SELECT 1 FROM row r ${AWAITED} WHERE r.batch = h.batch AND r.number = h.number
         AND r.code = 'other_row_open' AND (${GOES} OR ${ENDED})) LIMIT 1`,
    );
    return needsPerson.get(batchSeq) === undefined;
  }
}
