import type { DatabaseSync, StatementSync } from "node:sqlite";
import { join } from "node:path";
import { DAY_MS } from "../../../day.ts";
import { isMonth, wasOpened } from "../batch-columns.ts";
import type { NewBatch } from "../../batch-record.ts";

/** A file at a place, whose month is stated. */
export type LaidThere = Pick<NewBatch, "folder" | "fileName" | "environment" | "period" | "createdAt">;

/** For so long corrections of a month's file come; the next month's file comes later. */
const CORRECTED_FOR_MS = 14 * DAY_MS;

/** The batches that files at one place were taken as before, for another month (DESIGN §7 period_unclear). */
export class LaidBefore {
  readonly #of: StatementSync;
  readonly #heldFor: StatementSync;

  constructor(database: DatabaseSync) {
    // months only: weeks and days may follow each other at one place; without a file from there no batch is walked over
    this.#of = database.prepare(
      `SELECT e.id FROM batch e WHERE EXISTS (SELECT 1 FROM source WHERE path = ?1) AND e.folder = ?2 AND e.file_name = ?3
       AND e.environment = ?4 AND e.period <> ?5 AND ${isMonth("e.period")} AND ${isMonth("?5")} AND e.created_at >= ?6
       AND ${wasOpened("e")}`,
    );
    this.#heldFor = database.prepare(
      `SELECT DISTINCT e.id FROM row r JOIN batch b ON b.seq = r.batch JOIN batch e ON e.id = r.other_batch
       WHERE r.batch = ?1 AND r.state = 'held' AND r.code IN ('period_unclear', 'other_row_open')
       AND e.folder = b.folder AND e.file_name = b.file_name AND e.environment = b.environment AND e.period <> b.period
       AND ${isMonth("e.period")} AND ${isMonth("b.period")} AND e.created_at >= b.created_at - ${CORRECTED_FOR_MS}`,
    );
  }

  /** Their ids, for a file that is about to be taken. */
  of({ folder, fileName, environment, period = "", createdAt }: LaidThere): string[] {
    const sinceMs = createdAt - CORRECTED_FOR_MS;
    return idsIn(this.#of.all(join(folder, fileName), folder, fileName, environment, period, sinceMs));
  }

  /** Of a batch that was taken: ids of those whose rows hold some of its rows. */
  heldFor(batchSeq: number): string[] {
    return idsIn(this.#heldFor.all(batchSeq));
  }
}

function idsIn(rows: readonly unknown[]): string[] {
  return (rows as readonly { id: string }[]).map(({ id }) => id);
}
