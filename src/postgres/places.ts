export const rowName = (batch: string, row: string): string =>
  `CASE WHEN ${batch} IS NOT NULL THEN json_build_object('batch', ${batch}, 'row', ${row}) END`;
const isSamePlace = (one: string, other: string): string =>
  ["fileName", "folder", "environment"].map((name) => `${one}.${name} = ${other}.${name}`).join(" AND ");
/** SQL: how many rows were accepted of a batch, as far as they were counted. */
export const kept = (batch: string): string =>
  `(SELECT coalesce(sum((x.tallies -> 'accepted' ->> 'rows')::int), 0) FROM share x WHERE x.batch = ${batch}.seq)`;
const isPaidOnce = (e: string, later: string, accepted: (batch: string) => string): string =>
  `${accepted(e)} + ${accepted(later)} <= greatest(${e}.rows, ${later}.rows)`;
const isMended = (o: string, c: string): string =>
  `${o}.row = ${c}.row AND ${o}.state IN ('invalid', 'rejected') AND coalesce(${o}.period = ${c}.period, true)`;
/**
 * SQL: the row `c` of a later file in the same place corrects `o`, the row of that number of the batch `e`: that one did not
 * go, two periods do not differ, and nobody can have been paid by both (asked last, of few). `accepted`: how many rows were,
 * of a batch.
 */
export const inPlace = (e: string, o: string, later: string, c: string, accepted = kept): string =>
  `${isSamePlace(e, later)} AND ${e}.seq < ${later}.seq AND ${o}.batch = ${e}.seq AND ${c}.batch = ${later}.seq
    AND ${isMended(o, c)} AND CASE WHEN ${o}.row = ${c}.row THEN ${isPaidOnce(e, later, accepted)} END`;
const mayBeMended = (e: string): string => `EXISTS (SELECT 1 FROM share x WHERE x.batch = ${e}.seq
  AND (x.tallies IS NULL OR x.tallies -> 'invalid' IS NOT NULL OR x.tallies -> 'rejected' IS NOT NULL))`;
/** The rows of the batch $1 behind $2 that correct one of an earlier batch in its place: all of them, the last one counts. */
export const IN_PLACE = `SELECT r.row, ${rowName("e.id", "o.row")} AS inPlaceOf FROM batch own
  CROSS JOIN LATERAL (SELECT e.* FROM batch e WHERE ${isSamePlace("e", "own")} AND e.seq < own.seq AND e.phase <> 'recording'
    AND ${mayBeMended("e")} AND ${isPaidOnce("e", "own", kept)} OFFSET 0) e
  CROSS JOIN LATERAL (SELECT o.* FROM rows o WHERE o.batch = e.seq AND o.row > $2 AND o.state IN ('invalid', 'rejected') OFFSET 0) o
  JOIN rows r ON r.batch = own.seq AND ${isMended("o", "r")} WHERE own.seq = $1 ORDER BY e.seq`;

/** SQL: a later file in its place corrects the row `r`, which did not go. */
export const IS_CORRECTED_IN_PLACE = `CASE WHEN r.state IN ('invalid', 'rejected') THEN EXISTS (
  SELECT 1 FROM batch e JOIN batch later ON ${isSamePlace("e", "later")} AND later.seq > e.seq AND later.phase <> 'recording'
    JOIN rows c ON c.batch = later.seq AND c.row = r.row
  WHERE e.seq = r.batch AND ${isMended("r", "c")} AND ${isPaidOnce("e", "later", kept)}) END`;
