import type { DatabaseSync } from "node:sqlite";
import { isPaid } from "../../state.ts";
import { mayHold } from "../batches.ts";
import { CORRECTED_BY } from "../rows.ts";

/**
 * SQL: another row `o` made the payment of the row `r` after that was settled: it has the same reference or, where
 * neither has one, the same core, period and place among equal rows. A period without its year comes again: what went
 * with one later than `?1` milliseconds is another payment.
 */
const PAID_SINCE = `EXISTS (
  SELECT 1 FROM seen s CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number
  WHERE s.key = coalesce(r.reference_key, r.core_key) AND ${isPaid("o")} AND o.changed_at > r.changed_at
  AND (o.reference_key = r.reference_key OR (o.reference_key IS NULL AND r.reference_key IS NULL
    AND o.period IS r.period AND o.ordinal = r.ordinal
    AND (r.period GLOB '*20[0-9][0-9]*' OR o.changed_at <= r.changed_at + ?1))))`;

/**
 * Batches with rows that a person settled as not done, and that nothing has paid since: they wait for a retry. Who
 * cancels or archives a batch has said that nothing more of it goes.
 */
export function batchesNotMade(database: DatabaseSync, recentMs: number): string[] {
  const found = database
    .prepare(
      `SELECT b.id FROM batch b WHERE b.phase IN ('open', 'paused') AND b.archive IS NULL AND ${mayHold("settled_not_done")}
       AND EXISTS (SELECT 1 FROM row r WHERE r.batch = b.seq AND r.state = 'settled_not_done'
         AND ${CORRECTED_BY} IS NULL AND NOT ${PAID_SINCE})
       ORDER BY b.seq`,
    )
    .all(recentMs) as { id: string }[];
  return found.map(({ id }) => id);
}
