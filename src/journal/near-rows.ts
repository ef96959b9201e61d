import { STILL_GOES } from "./state.ts";

/** The id of the batch `?1`. */
const ID = "(SELECT id FROM batch WHERE seq = ?1)";

/** Batches of which `?1` repeats a row. */
export const repeated = (schema: string, isEarlier: string): string => `
  SELECT DISTINCT b.seq FROM row r JOIN ${schema}.batch b ON b.id = r.other_batch
  WHERE r.batch = ?1 AND ${isEarlier} AND (r.state IN ('duplicate', 'held') OR r.released > 0)`;

/** Later batches that have rows equal to `keys`: the same payment in every row of both files is walked over once. */
const laterWith = (keys: string, which: string): string => `
  WITH mine AS (SELECT DISTINCT core_key FROM row WHERE batch = ?1 AND ${keys})
  SELECT DISTINCT o.batch AS seq FROM mine CROSS JOIN seen s ON s.key = mine.core_key AND s.batch > ?1
  CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number WHERE ${which}`;

/** Those in which went what is about to go here. */
export const REPEATING = laterWith(
  "state = 'ready' AND released = 0",
  "o.state IN ('accepted', 'unknown', 'settled_done')",
);

/** Those that repeated `?1` when they came. */
export const COPIES = laterWith(
  "core_key IS NOT NULL",
  `o.other_batch = ${ID} AND (o.state IN ('duplicate', 'held') OR o.released > 0)`,
);

const DID_NOT_GO = `(o.state IN ('rejected', 'not_sent', 'settled_not_done') OR (ob.phase = 'cancelled' AND o.state IN ('ready', 'held')))`;

/** Of equal payments the newest say it all: a million of them are not walked over for each of a million. */
const NEWEST = "ORDER BY batch DESC LIMIT 16";

/** Earlier batches in which this row did not go: one of its reference, or else of its core fields in the same period. */
export const didNotGoIn = (schema: string, isEarlier: string): string => `
  SELECT o.batch AS seq FROM (
    SELECT * FROM (SELECT batch, number FROM ${schema}.seen WHERE key = ?2 AND ${isEarlier} ${NEWEST})
    UNION ALL SELECT * FROM (SELECT batch, number FROM ${schema}.seen WHERE key = ?3 AND ${isEarlier} ${NEWEST})
  ) s CROSS JOIN ${schema}.row o ON o.batch = s.batch AND o.number = s.number
  CROSS JOIN ${schema}.batch ob ON ob.seq = o.batch
  WHERE ${DID_NOT_GO} AND ob.phase <> 'recording' AND (o.reference_key = ?3
    OR (coalesce(o.reference_key = ?3, 1) AND o.period IS ?4 AND (?4 IS NOT NULL OR o.changed_at >= ?5)))`;

/**
 * `?2`: the earlier batches. `?4`: rows of them that state another reference or period hold nothing, nor do they hold what
 * is sent anew itself. Of rows that hold the same the first two of other core fields do: where every row pays the same
 * one, not every pair of them is compared.
 */
export const holdNear = (schema: string): string => `
  WITH paid AS (
    SELECT r.beneficiary_key, r.core_key, r.reference_key, r.period, r.batch << 32 | r.number AS place, r.number, b.id,
      r.state IN ('ready', 'not_sent', 'rejected') OR ?4 AS by_name,
      iif(r.state IN ('accepted', 'settled_done'), r.changed_at, NULL) AS accepted_at
    FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch
    WHERE r.batch IN (SELECT value FROM json_each(?2)) AND (r.state IN ('accepted', 'unknown', 'sending', 'settled_done')
      OR (b.phase <> 'cancelled' AND ${STILL_GOES}))
  ), earlier AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY beneficiary_key, period, reference_key ORDER BY place) AS nth FROM (
      SELECT beneficiary_key, core_key, iif(by_name, period, NULL) AS period,
        iif(by_name, reference_key, NULL) AS reference_key, min(place) AS place, number, id, accepted_at
      FROM paid GROUP BY 1, 2, 3, 4)
  ), near AS MATERIALIZED (
    SELECT n.number, min(e.place), e.number AS other_row, e.id, e.accepted_at FROM row n
    JOIN earlier e ON e.beneficiary_key = n.beneficiary_key AND e.nth <= 2 AND e.core_key <> n.core_key
      AND NOT (coalesce(n.period <> e.period, 0) OR coalesce(n.reference_key <> e.reference_key, 0))
    WHERE n.batch = ?1 AND n.state = 'ready' AND n.released = 0 AND NOT (?4 AND EXISTS (
      SELECT 1 FROM ${schema}.seen s JOIN ${schema}.row o ON o.batch = s.batch AND o.number = s.number
      JOIN ${schema}.batch ob ON ob.seq = o.batch
      WHERE s.key = n.core_key AND s.batch IN (SELECT value FROM json_each(?2)) AND ${DID_NOT_GO}))
    GROUP BY n.number
  )
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?3, other_batch = near.id,
    other_row = near.other_row, other_at = near.accepted_at
  FROM near WHERE row.batch = ?1 AND row.number = near.number`;

/** Of held rows those that others went beside, which were let go although the same row of an earlier batch held them. */
export const tellLetGo = (schema: string, isElsewhere: string): string => `
  WITH near AS (
    SELECT DISTINCT other_batch, other_row FROM row WHERE batch = ?1 AND state = 'held' AND code = 'near_duplicate'
  ), went AS MATERIALIZED (
    SELECT near.other_batch, near.other_row, count(*) AS more FROM near
    CROSS JOIN ${schema}.row s ON s.other_batch = near.other_batch AND s.other_row = near.other_row AND s.released > 0
    WHERE ${isElsewhere} AND s.state IN ('accepted', 'settled_done', 'unknown', 'sending') GROUP BY 1, 2
  )
  UPDATE row SET other_more = went.more, changed_at = ?2 FROM went
  WHERE row.batch = ?1 AND row.state = 'held' AND row.code = 'near_duplicate' AND row.other_batch = went.other_batch
    AND row.other_row = went.other_row AND row.other_more < went.more RETURNING row.number`;

/** Not what was let go after that one went: nobody is asked a second time. By a list: no other row is walked over. */
export const LET_GO_IN_PLACE = `
  WITH went AS (
    SELECT s.other_row AS number, max(s.last_attempt), s.number AS other_row, ob.id, iif(s.state = 'unknown', NULL, s.changed_at) AS accepted_at
    FROM row s CROSS JOIN row n ON n.batch = ?1 AND n.number = s.other_row JOIN batch ob ON ob.seq = s.batch
    WHERE s.other_batch = ${ID} AND s.released > 0 AND s.batch <> ?1
      AND s.state IN ('accepted', 'settled_done', 'unknown', 'sending') AND s.last_attempt >= n.released
      AND n.state = 'ready' AND s.beneficiary_key = n.beneficiary_key AND s.core_key <> n.core_key
      AND NOT (coalesce(n.period <> s.period, 0) OR coalesce(n.reference_key <> s.reference_key, 0))
    GROUP BY s.other_row
  )
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?2, other_batch = went.id,
    other_row = went.other_row, other_at = went.accepted_at
  FROM went WHERE row.batch = ?1 AND row.number IN (SELECT number FROM went) AND row.number = went.number`;
