import { isMonth, wasOpened } from "../batch-columns.ts";
import { isIn, isPaid, mayBePaid, PAID, STILL_GOES } from "../../state.ts";

/** The id of the batch `?1`. */
const idIn = (schema: string): string => `(SELECT id FROM ${schema}.batch WHERE seq = ?1)`;

/** Batches that `?1` repeats a row of. */
export const repeated = (schema: string, isEarlier: string): string => `
  SELECT DISTINCT b.seq FROM row r JOIN ${schema}.batch b ON b.id = r.other_batch
  WHERE r.batch = ?1 AND ${isEarlier} AND (r.state IN ('duplicate', 'held') OR r.released > 0)`;

/**
 * Later batches that contain a payment of `?1`, or are the same list with another account in every row. `keys`: the
 * rows of `?1` that count; `which`: the later rows `o` that do. DISTINCT: a payment in every row of both files is
 * looked for once.
 */
const laterWith = (schema: string, keys: string, which: string): string => `
  WITH mine AS (SELECT DISTINCT core_key FROM ${schema}.row WHERE batch = ?1 AND ${keys})
  SELECT DISTINCT o.batch AS seq FROM mine CROSS JOIN ${schema}.seen s ON s.key = mine.core_key AND s.batch > ?1
  CROSS JOIN ${schema}.row o ON o.batch = s.batch AND o.number = s.number WHERE ${which}
  UNION SELECT later FROM ${schema}.repeats WHERE earlier = ?1 AND how = 'list'`;

/** Later batches in which a payment that is about to go in `?1` went, or may have gone. */
export const REPEATING = laterWith("main", "state = 'ready' AND released = 0", isIn("o", [...PAID, "unknown"]));

/** Later batches that repeated rows of `?1` when they came. */
export const copies = (schema: string): string =>
  laterWith(
    schema,
    "core_key IS NOT NULL",
    `o.other_batch = ${idIn(schema)} AND (o.state IN ('duplicate', 'held') OR o.released > 0)`,
  );

/** Batches that ready rows of `?1` correct: of the rows that `retry_of` names, and of the first rows behind those. */
export const origins = (schema: string): string => `
  WITH tied AS (
    SELECT DISTINCT origin_batch, substr(family, 1, instr(family, ':') - 1) AS first FROM row
    WHERE batch = ?1 AND state = 'ready' AND released = 0 AND family IS NOT NULL
  )
  SELECT seq FROM ${schema}.batch WHERE id IN (SELECT origin_batch FROM tied UNION SELECT first FROM tied)`;

/** Batches with corrections of rows of the batches `?1` (JSON list of seq). `?2`: the one that is judged. */
export const correcting = (schema: string, isEarlier: string): string => `
  SELECT DISTINCT k.batch AS seq FROM json_each(?1) e CROSS JOIN ${schema}.batch b ON b.seq = e.value
  CROSS JOIN ${schema}.row k ON k.family > b.id || ':' AND k.family < b.id || ';' WHERE ${isEarlier}`;

const DID_NOT_GO = `(o.state IN ('rejected', 'not_sent', 'settled_not_done') OR (ob.phase = 'cancelled' AND o.state IN ('ready', 'held')))`;

/** Of equal payments the newest say it all: a million of them are not walked over for each of a million. */
const NEWEST = "ORDER BY batch DESC LIMIT 16";

/**
 * Batches before `?1` in which this row did not go: one of its reference `?3`, or else of its core key `?2` and its
 * period `?4`; without a period only since `?5`.
 */
export const didNotGoIn = (schema: string, isEarlier: string): string => `
  SELECT o.batch AS seq FROM (
    SELECT * FROM (SELECT batch, number FROM ${schema}.seen WHERE key = ?2 AND ${isEarlier} ${NEWEST})
    UNION ALL SELECT * FROM (SELECT batch, number FROM ${schema}.seen WHERE key = ?3 AND ${isEarlier} ${NEWEST})
  ) s CROSS JOIN ${schema}.row o ON o.batch = s.batch AND o.number = s.number
  CROSS JOIN ${schema}.batch ob ON ob.seq = o.batch
  WHERE ${DID_NOT_GO} AND ${wasOpened("ob")} AND (o.reference_key = ?3
    OR (coalesce(o.reference_key = ?3, 1) AND o.period IS ?4 AND (?4 IS NOT NULL OR o.changed_at >= ?5)))`;

/** The amount without zeros at its end: `100` for `100.00`. */
export const plainAmountOf = (row: string): string =>
  `iif(instr(${row}.amount, '.') > 0, rtrim(rtrim(${row}.amount, '0'), '.'), ${row}.amount)`;

/** Key of the payee: the account without its branch; rows of earlier builds have only the key of both together. */
export const payeeOf = (row: string): string => `coalesce(${row}.account_key, ${row}.beneficiary_key)`;

/**
 * Holds ready rows of `?1` whose payee has a row with other core fields in the batches `?2` (JSON list of seq), which
 * was accepted, settled as done, has no end yet, or still goes. `?3`: now. An earlier row that still goes does not count if its period or its reference is another one. With
 * `?4`, where `?1` sends anew what did not go there, no such row counts, and what is sent anew is not held. With `?5`
 * rows that correct another row are not held.
 *
 * For each payee, period and reference two earlier rows will do: not every pair is compared. First come payments that
 * `?1` does not contain (of several sweeps into one account the missing one was corrected), then the one with the same
 * row number.
 */
export const holdNear = (schema: string): string => `
  WITH going AS MATERIALIZED (
    SELECT n.number, n.core_key, n.period, n.reference_key, n.beneficiary_key, n.account_key FROM row n
    WHERE n.batch = ?1 AND n.state = 'ready' AND n.released = 0 AND (n.family IS NULL OR NOT ?5) AND NOT (?4 AND EXISTS (
      SELECT 1 FROM ${schema}.seen s JOIN ${schema}.row o ON o.batch = s.batch AND o.number = s.number
      JOIN ${schema}.batch ob ON ob.seq = o.batch
      WHERE s.key = n.core_key AND s.batch IN (SELECT value FROM json_each(?2)) AND ${DID_NOT_GO}))
  ), mine AS MATERIALIZED (
    SELECT number, core_key, period, reference_key, beneficiary_key AS payee FROM going
    UNION ALL SELECT number, core_key, period, reference_key, account_key FROM going WHERE account_key IS NOT NULL
  ), paid AS (
    SELECT ${payeeOf("r")} AS payee, r.core_key, r.reference_key, r.period, r.batch << 32 | r.number AS place, r.number, b.id,
      r.state IN ('ready', 'not_sent', 'rejected') OR ?4 AS by_name,
      iif(${isPaid("r")}, r.changed_at, NULL) AS accepted_at
    FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch
    WHERE r.batch IN (SELECT value FROM json_each(?2)) AND (${mayBePaid("r")}
      OR (b.phase <> 'cancelled' AND ${STILL_GOES})) AND ${payeeOf("r")} IN (SELECT payee FROM mine)
  ), earlier AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY payee, period, reference_key ORDER BY place) AS nth FROM (
      SELECT payee, core_key, iif(by_name, period, NULL) AS period, iif(by_name, reference_key, NULL) AS reference_key,
        min(place) | (EXISTS (SELECT 1 FROM main.seen s WHERE s.key = core_key AND s.batch = ?1) << 61) AS place,
        number, id, accepted_at
      FROM paid GROUP BY 1, 2, 3, 4)
  ), near AS MATERIALIZED (
    SELECT n.number, min(e.place | ((e.number <> n.number) << 60)), e.number AS other_row, e.id, e.accepted_at FROM mine n
    JOIN earlier e ON e.payee = n.payee AND e.nth <= 2 AND e.core_key <> n.core_key
      AND NOT (coalesce(n.period <> e.period, 0) OR coalesce(n.reference_key <> e.reference_key, 0))
    GROUP BY n.number
  )
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?3, other_batch = near.id,
    other_row = near.other_row, other_at = near.accepted_at
  FROM near WHERE row.batch = ?1 AND row.number = near.number`;

const sureMonth = (row: string): string => `iif(${isMonth(`${row}.period`)}, ${row}.period, NULL)`;
/** A reference that no spreadsheet can have rewritten: surely another one than one of another text. */
const sureReference = (row: string): string => `iif(${row}.doubtful, NULL, ${row}.reference_key)`;

/**
 * `?1`: a retry file; `?2`: a batch whose rows it corrects; `?3`: copies of that one (JSON list of seq); `?4`: now.
 * Holds a correction whose payee, or that of the row which it corrects, has a row in a copy that went or may have, and
 * that `?2` does not have: that one was the correction. Rows of copies that are tied by `retry_of` do not count: they
 * say which row they correct. Two rows with sure references are not compared: with an equal one the row is held already.
 * For each payee and month two rows will do, with and without a reference: not every pair is compared.
 */
export const holdCorrected = (schema: string): string => `
  WITH paid AS (
    SELECT ${payeeOf("c")} AS payee, c.core_key, ${sureMonth("c")} AS month, ${sureReference("c")} IS NOT NULL AS is_named,
      min(c.batch << 32 | c.number) AS place, c.number, b.id, iif(${isPaid("c")}, c.changed_at, NULL) AS accepted_at
    FROM ${schema}.row c JOIN ${schema}.batch b ON b.seq = c.batch
    WHERE c.batch IN (SELECT value FROM json_each(?3)) AND ${mayBePaid("c")}
      AND c.family IS NULL AND NOT EXISTS (SELECT 1 FROM ${schema}.seen s WHERE s.key = c.core_key AND s.batch = ?2)
    GROUP BY 1, 2, 3, 4
  ), copied AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY payee, month, is_named ORDER BY place) AS nth FROM paid
  ), tied AS MATERIALIZED (
    SELECT n.number, n.core_key, ${sureMonth("n")} AS month, ${sureReference("n")} IS NOT NULL AS is_named,
      n.beneficiary_key, n.account_key, o.beneficiary_key AS origin_key, o.account_key AS origin_account FROM row n
    JOIN ${schema}.batch ob ON ob.id = n.origin_batch
    JOIN ${schema}.row o ON o.batch = ob.seq AND o.number = n.origin_row
    WHERE n.batch = ?1 AND n.state = 'ready' AND n.released = 0 AND n.family IS NOT NULL
      AND (ob.seq = ?2 OR substr(n.family, 1, instr(n.family, ':') - 1) = (SELECT id FROM ${schema}.batch WHERE seq = ?2))
  ), payees AS (
    SELECT number, core_key, month, is_named, beneficiary_key AS payee FROM tied
    UNION SELECT number, core_key, month, is_named, origin_key FROM tied
    UNION SELECT number, core_key, month, is_named, account_key FROM tied
    UNION SELECT number, core_key, month, is_named, origin_account FROM tied
  ), near AS MATERIALIZED (
    SELECT p.number, min(c.place), c.number AS other_row, c.id, c.accepted_at FROM payees p
    JOIN copied c ON c.payee = p.payee AND c.nth <= 2 AND c.core_key <> p.core_key
      AND NOT (p.is_named AND c.is_named) AND coalesce(p.month = c.month, 1)
    GROUP BY p.number
  )
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?4, other_batch = near.id,
    other_row = near.other_row, other_at = near.accepted_at
  FROM near WHERE row.batch = ?1 AND row.number = near.number`;

/**
 * Notes at near duplicates of `?1` how many rows of other batches, held for the same earlier row, a person let go.
 * `?2`: now. Gives the rows for which there are more than before.
 */
export const tellLetGo = (schema: string, isElsewhere: string): string => `
  WITH near AS (
    SELECT DISTINCT other_batch, other_row FROM row WHERE batch = ?1 AND state = 'held' AND code = 'near_duplicate'
  ), went AS MATERIALIZED (
    SELECT near.other_batch, near.other_row, count(*) AS more FROM near
    CROSS JOIN ${schema}.row s ON s.other_batch = near.other_batch AND s.other_row = near.other_row AND s.released > 0
    WHERE ${isElsewhere} AND ${mayBePaid("s")} GROUP BY 1, 2
  )
  UPDATE row SET other_more = went.more, changed_at = ?2 FROM went
  WHERE row.batch = ?1 AND row.state = 'held' AND row.code = 'near_duplicate' AND row.other_batch = went.other_batch
    AND row.other_row = went.other_row AND row.other_more < went.more RETURNING row.number`;

/**
 * Holds ready rows of `?1` in whose place a row of another batch with other core fields went, let go by a person. Not a
 * row that was let go itself after that one went: nobody is asked a second time. `?2`: now. By the list after `IN`
 * SQLite walks over no other row.
 */
export const LET_GO_IN_PLACE = `
  WITH went AS (
    SELECT s.other_row AS number, max(s.last_attempt), s.number AS other_row, ob.id,
      iif(${isPaid("s")}, s.changed_at, NULL) AS accepted_at
    FROM row s CROSS JOIN row n ON n.batch = ?1 AND n.number = s.other_row JOIN batch ob ON ob.seq = s.batch
    WHERE s.other_batch = ${idIn("main")} AND s.released > 0 AND s.batch <> ?1
      AND ${mayBePaid("s")} AND s.last_attempt >= n.released
      AND n.state = 'ready' AND (s.beneficiary_key = n.beneficiary_key OR s.account_key = n.account_key
        OR (s.number = n.number AND ${plainAmountOf("s")} = ${plainAmountOf("n")}))
      AND s.core_key <> n.core_key
      AND NOT (coalesce(n.period <> s.period, 0) OR coalesce(n.reference_key <> s.reference_key, 0))
    GROUP BY s.other_row
  )
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?2, other_batch = went.id,
    other_row = went.other_row, other_at = went.accepted_at
  FROM went WHERE row.batch = ?1 AND row.number IN (SELECT number FROM went) AND row.number = went.number`;
