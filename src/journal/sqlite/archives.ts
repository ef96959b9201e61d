import type { DatabaseSync, StatementSync } from "node:sqlite";
import { PaydropError } from "../../errors.ts";
import { asBatches, wasOpened } from "./batch-columns.ts";
import { mayHold, OWES_RESULTS } from "./batches.ts";
import type { BatchRecord, BatchSeq } from "../batch-record.ts";
import { notesOf } from "./new-rows.ts";
import type { RowTexts } from "../row-record.ts";
import { STILL_GOES } from "../state.ts";

/**
 * Batches that rest, and their texts, which go into a file of the archive and come back from it. Whatever judges other
 * rows stays: keys, states, periods, times and attempts, so that nothing is ever paid again because of an archive (I1,
 * I12). Every method that writes is called inside a transaction of its caller.
 */
export class Archives {
  readonly #database: DatabaseSync;
  readonly #archive: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#archive = database.prepare("SELECT id, archive FROM batch WHERE seq = ?");
  }

  /** Batches of which nothing can go any more without a person's act, oldest first. */
  resting(beforeMs: number): BatchRecord[] {
    const resting = this.#database.prepare(`SELECT * FROM batch b WHERE b.created_at < ?1 AND ${RESTS} ORDER BY seq`);
    return asBatches(resting.all(beforeMs));
  }

  /**
   * Drops the texts that lie in `file`. False, and nothing done, when the batch does not rest or has another number of
   * acts than the file tells of.
   */
  moveOut(batch: BatchSeq, file: string, acts: number): boolean {
    const stands = this.#database
      .prepare(
        `SELECT 1 FROM batch b WHERE b.seq = ?1 AND (SELECT count(*) FROM act WHERE act.batch = b.seq) = ?2
         AND ${RESTS}`,
      )
      .get(batch.seq, acts);
    if (!stands) return false;
    this.#database
      .prepare(
        `UPDATE attempt SET response = NULL WHERE response IS NOT NULL
         AND id IN (SELECT last_attempt FROM row WHERE batch = ?)`,
      )
      .run(batch.seq);
    this.#database.prepare("UPDATE row SET faults = NULL WHERE batch = ? AND faults IS NOT NULL").run(batch.seq);
    this.#setFile(batch, file);
    return true;
  }

  /** Puts texts of an archived batch back. */
  putBack(batch: BatchSeq, rows: readonly RowTexts[]): void {
    const response = this.#database.prepare(
      "UPDATE attempt SET response = ? WHERE id = (SELECT last_attempt FROM row WHERE batch = ? AND number = ?)",
    );
    const notes = this.#database.prepare("UPDATE row SET faults = ? WHERE batch = ? AND number = ?");
    for (const row of rows) {
      if (row.response !== undefined) response.run(row.response, batch.seq, row.number);
      const text = notesOf(row);
      if (text !== null) notes.run(text, batch.seq, row.number);
    }
  }

  /** All texts are back. */
  moveIn(batch: BatchSeq): void {
    this.#setFile(batch, null);
  }

  assertNotArchived({ seq }: BatchSeq): void {
    const { id, archive } = this.#archive.get(seq) as { id: string; archive: string | null };
    if (archive !== null) throw archivedError({ id, archive });
  }

  #setFile(batch: BatchSeq, file: string | null): void {
    this.#database.prepare("UPDATE batch SET archive = ? WHERE seq = ?").run(file, batch.seq);
  }
}

const RESTS = `${wasOpened("b")} AND b.archive IS NULL
  AND NOT ${OWES_RESULTS}
  AND NOT (${mayHold("sending", "unknown", "ready", "not_sent", "held", "rejected")} AND EXISTS (
    SELECT 1 FROM row r WHERE r.batch = b.seq AND (r.state IN ('sending', 'unknown')
      OR (b.phase <> 'cancelled' AND (r.state = 'held' OR ${STILL_GOES})))))`;

/** While the details of a batch are elsewhere, nothing of it changes, and nothing is told of its rows. */
export function archivedError({ id, archive = "" }: { readonly id: string; readonly archive?: string }): PaydropError {
  return new PaydropError(
    "usage",
    `batch ${id} is archived: its details lie in archive/${archive} of the state directory`,
    `bring them back with \`paydrop archive --restore ${id}\`, then do this again`,
  );
}
