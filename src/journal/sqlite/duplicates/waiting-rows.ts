import type { DatabaseSync } from "node:sqlite";
import type { RowName } from "../../../checks/correction.ts";
import { mayHold } from "../batches.ts";
import { numbersIn } from "../numbers.ts";
import type { BatchesAsked, WaitingBatch } from "../../act-calls.ts";

/** The row `o`, of the batch `ob`, still goes by itself. */
const GOES = `(ob.phase = 'open' AND o.state IN ('ready', 'sending'))`;
/**
 * The row `o` stands in nobody's way any more, or was surely accepted: to the judge (`seen.ts`) neither open nor held.
 */
const ENDED = `(o.state NOT IN ('ready', 'sending', 'unknown', 'held') OR (o.state = 'held' AND o.code = 'all_or_nothing')
  OR (o.state IN ('ready', 'held') AND ob.phase = 'cancelled'))`;
/** Until the row `o` has its end no person can release `r`, which is held for it: they may be the same money. */
export const BLOCKED = `(o.state IN ('unknown', 'sending')
  OR (r.code = 'other_row_open' AND o.state = 'ready' AND ob.phase <> 'cancelled'))`;
const AWAITED = `JOIN batch ob ON ob.id = r.other_batch JOIN row o ON o.batch = ob.seq AND o.number = r.other_row`;

/** Rows that are held for a row of another batch, and whether that row has its end. */
export class WaitingRows {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  batches(of: BatchesAsked): WaitingBatch[] {
    const [asked, values] = askedBy(of);
    const rows = this.#database
      .prepare(
        `SELECT b.id, count(*) AS waiting, max(b.phase = 'open' AND ${ENDED}) AS over
         FROM batch b JOIN row r INDEXED BY row_waiting ON r.batch = b.seq ${AWAITED}
         WHERE ${asked} IN (SELECT value FROM json_each(?)) AND b.phase IN ('open', 'paused') AND ${mayHold("held")}
         AND r.state = 'held' AND r.code = 'other_row_open' GROUP BY b.seq ORDER BY b.seq`,
      )
      .all(JSON.stringify(values)) as { id: string; waiting: number; over: number }[];
    return rows.map(({ id, waiting, over }) => ({ batch: id, rows: waiting, isOver: over === 1 }));
  }

  /** How many rows of a batch are held for a row that has its end: `judgeAgain` says what becomes of them. */
  areOver(batchSeq: number): number {
    const over = this.#database.prepare(
      `SELECT count(*) AS rows FROM row r ${AWAITED}
       WHERE r.batch = ? AND r.state = 'held' AND r.code = 'other_row_open' AND ${ENDED}`,
    );
    return (over.get(batchSeq) as { rows: number }).rows;
  }

  /** Whether no held row of the batch needs a person: each waits for one that goes by itself, or that has its end. */
  waitsForOthers(batchSeq: number): boolean {
    const needsPerson = this.#database.prepare(
      `SELECT 1 FROM row h WHERE h.batch = ? AND h.state = 'held' AND NOT EXISTS (
         SELECT 1 FROM row r ${AWAITED} WHERE r.batch = h.batch AND r.number = h.number
         AND r.code = 'other_row_open' AND (${GOES} OR ${ENDED})) LIMIT 1`,
    );
    return needsPerson.get(batchSeq) === undefined;
  }

  /** Whether rows are held that may be another month's payments: whoever states the period speaks of them. */
  asksMonth(batchSeq: number): boolean {
    const asking = this.#database.prepare(
      "SELECT 1 FROM row WHERE batch = ? AND state = 'held' AND code IN ('same_file', 'possible_duplicate') LIMIT 1",
    );
    return asking.get(batchSeq) !== undefined;
  }

  /** Held rows that no person can let go yet. */
  blocked(batchSeq: number): number[] {
    const found = this.#database.prepare(
      `SELECT r.number FROM row r ${AWAITED} WHERE r.batch = ? AND r.state = 'held' AND ${BLOCKED}`,
    );
    return numbersIn(found, batchSeq);
  }

  /** What the first held row waits for, if no person can let any of them go yet. */
  blockedBy(batchSeq: number): RowName | undefined {
    // for columns outside of an aggregate SQLite takes the row with the least number
    const found = this.#database
      .prepare(
        `SELECT count(*) AS blocked, min(r.number), ob.id AS batch, o.number AS row,
           (SELECT count(*) FROM row WHERE batch = ?1 AND state = 'held') AS held
         FROM row r ${AWAITED} WHERE r.batch = ?1 AND r.state = 'held' AND ${BLOCKED}`,
      )
      .get(batchSeq) as { blocked: number; batch: string; row: number; held: number };
    const { blocked, batch, row, held } = found;
    return blocked > 0 && blocked === held ? { batch, row } : undefined;
  }
}

function askedBy(of: BatchesAsked): readonly [column: string, values: readonly string[]] {
  if ("folders" in of) return ["b.folder", of.folders];
  return "awaited" in of ? ["r.other_batch", [of.awaited]] : ["b.id", of.batches];
}
