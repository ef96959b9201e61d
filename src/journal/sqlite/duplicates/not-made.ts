import type { DatabaseSync } from "node:sqlite";
import type { RowName } from "../../../checks/correction.ts";
import type { MadeSince } from "../../act-calls.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { isPaid, mayBePaid } from "../../state.ts";
import { mayHold } from "../batches.ts";
import { CORRECTED_BY } from "../rows.ts";

/**
 * SQL: the attempt `a` at another row `o` was made after the last one at `r`, for the same reference or, where neither has
 * one, the same core and period. A period without its year comes again: what went with one later than `?1` milliseconds
 * is another payment.
 */
const SINCE = `s.key = coalesce(r.reference_key, r.core_key) AND a.id > r.last_attempt
  AND (o.reference_key = r.reference_key OR (o.reference_key IS NULL AND r.reference_key IS NULL AND o.period IS r.period
    AND (r.period GLOB '*20[0-9][0-9]*' OR a.started_at <= r.changed_at + ?1)))`;

/**
 * SQL: other rows `o` made the payment of the row `r` after that was settled: those without a reference have the
 * same place among equal rows, or are as many as those of its file that were not made, up to `r`. By their attempts: what
 * a person said of an older one later on pays nothing. A settlement later than `?2`, now, is of a clock that was ahead,
 * and says nothing of what came before it.
 */
const PAID_SINCE = `(SELECT coalesce(max(o.reference_key IS NOT NULL OR o.ordinal = r.ordinal), 0)
    OR r.reference_key IS NULL AND count(*) FILTER (WHERE o.batch <> r.batch) >= (
      SELECT count(*) FROM seen s JOIN row n ON n.batch = s.batch AND n.number = s.number
      WHERE s.key = r.core_key AND s.batch = r.batch AND n.state = 'settled_not_done' AND n.reference_key IS NULL
      AND n.period IS r.period AND n.ordinal <= r.ordinal)
  FROM seen s CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number CROSS JOIN attempt a ON a.id = o.last_attempt
  WHERE ${SINCE} AND ${isPaid("o")} AND (a.started_at >= r.changed_at OR r.changed_at > ?2))`;

/**
 * Rows that a person settled as not done, and that nothing has paid since: they wait for a retry. Who cancels or archives
 * a batch has said that nothing more of it goes.
 */
export function rowsNotMade(database: DatabaseSync, recentMs: number, nowMs: number): RowName[] {
  const found = database
    .prepare(
      `SELECT b.id AS batch, r.number AS row FROM batch b CROSS JOIN row r ON r.batch = b.seq
       WHERE b.phase IN ('open', 'paused') AND b.archive IS NULL AND ${mayHold("settled_not_done")}
       AND r.state = 'settled_not_done' AND ${CORRECTED_BY} IS NULL AND NOT ${PAID_SINCE}
       ORDER BY b.seq, r.number`,
    )
    .all(recentMs, nowMs);
  return found as unknown as RowName[];
}

/** The rows that made, or may have made, the payment of this one since it was settled as not done. */
export function madeSince(
  database: DatabaseSync,
  { seq }: BatchSeq,
  number: number,
  recentMs: number,
): readonly MadeSince[] {
  const made = database.prepare(
    `SELECT DISTINCT b.id AS batch, o.number AS row, o.state FROM row r CROSS JOIN seen s
     CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number CROSS JOIN attempt a ON a.id = o.last_attempt
     JOIN batch b ON b.seq = o.batch
     WHERE r.batch = ?2 AND r.number = ?3 AND r.state = 'settled_not_done' AND ${SINCE}
     AND (o.reference_key IS NOT NULL OR o.ordinal = r.ordinal) AND ${mayBePaid("o")} ORDER BY b.seq, o.number`,
  );
  return made.all(recentMs, seq, number) as unknown as MadeSince[];
}
