import type { Seen } from "../duplicates/seen.ts";
import { batchOf, LAST_AT_OF_BATCH, type BatchRow } from "./postgres-batches.ts";
import type { Postgres } from "./postgres.ts";
import {
  FOUND_MAX,
  HAS_OTHER_ZEROS,
  MAY_GO_OF_SHARE,
  ON_ITS_WAY_OF_SHARE,
  PAYEE_KEY,
  WENT_OF_SHARE,
} from "./states.ts";
import type { JournalStore, SeenRow } from "./store.ts";

type JudgedRow = SeenRow["row"] & { isCorrected?: boolean; hasOtherZeros?: boolean; payeeKey: string };

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
/**
 * Batches in the place of the batch $1 with rows that one of both may correct, and where nobody can have been paid by both:
 * few, the nearest, looked for once a page.
 */
const PLACES = `SELECT b.seq FROM batch own CROSS JOIN LATERAL (
    SELECT b.* FROM batch b WHERE ${isSamePlace("b", "own")} AND b.phase <> 'recording'
      AND (b.seq > own.seq OR b.seq < own.seq AND EXISTS (SELECT 1 FROM share x WHERE x.batch = b.seq
        AND (x.tallies IS NULL OR x.tallies -> 'invalid' IS NOT NULL OR x.tallies -> 'rejected' IS NOT NULL)))
    ORDER BY abs(b.seq - own.seq) LIMIT 20) b
  WHERE own.seq = $1 AND ${isPaidOnce("b", "own", kept)}`;
/** Of those, $3: whether they correct the row `r`, and the last one that it corrects. */
const IS_CORRECTED_IN_PLACE = `EXISTS (SELECT 1 FROM unnest($3::bigint[]) p(batch)
  JOIN rows c ON c.batch = p.batch AND c.row = r.row WHERE p.batch > r.batch AND ${isMended("r", "c")})`;
const IN_PLACE_OF = `SELECT ${rowName("e.id", "o.row")} FROM unnest($3::bigint[]) p(batch) JOIN batch e ON e.seq = p.batch
  JOIN rows o ON o.batch = p.batch AND o.row = r.row WHERE p.batch < r.batch AND ${isMended("o", "r")} ORDER BY e.seq DESC LIMIT 1`;

const RETRY_OF = `${rowName("r.retryBatch", "r.retryRow")} AS retryOf`;
const STATE = `CASE WHEN ${ON_ITS_WAY_OF_SHARE} THEN 'on_its_way' ELSE r.state END AS state`;
const IS_CORRECTED = "EXISTS (SELECT 1 FROM rows c WHERE c.retryBatch = $2 AND c.retryRow = r.row)";
const JUDGED = `SELECT r.row, r.payment, r.payee, r.zeros, r.reference, r.period, ${RETRY_OF}, ${STATE}, r.amount, r.faults,
    r.reasons, ${PAYEE_KEY} AS payeeKey, ${HAS_OTHER_ZEROS} AS hasOtherZeros,
    ${IS_CORRECTED} OR ${IS_CORRECTED_IN_PLACE} AS isCorrected, (${IN_PLACE_OF}) AS inPlaceOf
  FROM rows r CROSS JOIN LATERAL (SELECT s.mark FROM share s WHERE s.batch = r.batch AND s.share = r.share OFFSET 0) s
  WHERE r.batch = $1 AND r.payment IS NOT NULL`;
const CHOSEN = `${JUDGED} AND r.row = ANY($4) ORDER BY r.row`;
const PAGE = `${JUDGED} AND r.row > $4 AND r.state IN ('ready', 'held', 'duplicate') AND NOT ${ON_ITS_WAY_OF_SHARE}`;
const isKnown = (key: string): string =>
  `EXISTS (SELECT 1 FROM key k WHERE k.key = r.${key} AND (k.batch <> r.batch OR k.row < r.row))`;
/** One search for each key: nearly all rows of nearly all files meet nothing, and stay ready. */
const CONCERNED = `${PAGE} AND (r.state <> 'ready' OR r.retryBatch IS NOT NULL OR ${isKnown("payment")}
  OR ${isKnown("reference")} OR ${HAS_OTHER_ZEROS} OR ${IS_CORRECTED} OR EXISTS (${IN_PLACE_OF}))`;

const COLUMNS = `b.id AS batch, r.row, r.payment, r.payee, r.zeros, r.reference, r.period, r.amount, ${RETRY_OF},
  ${STATE}, CASE WHEN ${WENT_OF_SHARE} THEN coalesce(r.wentAt, ${LAST_AT_OF_BATCH}) END AS wentAt`;
const ROW = "JOIN batch b ON b.seq = k.batch JOIN rows r ON r.batch = k.batch AND r.row = k.row";
const SHARE = "JOIN share s ON s.batch = r.batch AND s.share = r.share";
/** A month, a week or a day. */
const form = (period: string): string =>
  `(substr(${period}, 6, 1) = 'W')::int + 2 * (substr(${period}, 8, 1) = '-')::int`;
/**
 * Two references, and two periods of one form, tell two rows apart. Such rows are left out: any number of them could stand
 * before one that speaks against sending. Rows with the same reference are found by that.
 */
const NOT_TOLD_APART = `k.isNamed <= g.isUnnamed
  AND (g.period IS NULL OR r.period IS NULL OR r.period = g.period OR ${form("r.period")} <> ${form("g.period")})`;
/** What is asked for, all of a page at once; what is found says of which (`n`). */
const asked = (columns: string, found: string): string =>
  `SELECT g.n, f.* FROM json_to_recordset($1) AS g(n int, ${columns}) CROSS JOIN LATERAL (${found} LIMIT ${FOUND_MAX}) f`;
const keyed = (found: string): string =>
  asked(
    "key text, isUnnamed boolean, period text, last int",
    `SELECT ${COLUMNS} FROM key k ${ROW} ${SHARE} WHERE k.key = g.key AND ${NOT_TOLD_APART} AND ${found}`,
  );
/** The newest come first, and the walk ends when enough are found. $2: the batch that is judged, $3 its environment. */
const ELSEWHERE = keyed(`${MAY_GO_OF_SHARE} AND k.batch <> $2 AND b.environment = $3 AND b.phase <> 'recording'
  ORDER BY k.batch DESC, k.row DESC`);
/**
 * From the first row of the batch on: one walk is good for all rows of a page. `last`: the last one of the page with this
 * key. Duplicates count among the equal rows of a file.
 */
const HERE = keyed(`(${MAY_GO_OF_SHARE} OR r.state = 'duplicate') AND k.batch = $2 AND k.row < g.last ORDER BY k.row`);
const PAYEE = asked(
  "payee text, batch text",
  `SELECT ${COLUMNS} FROM key k ${ROW} ${SHARE} WHERE k.key = g.payee AND k.batch = (SELECT seq FROM batch WHERE id = g.batch)
    AND ${MAY_GO_OF_SHARE} AND b.seq <> $2 AND b.environment = $3 AND b.phase <> 'recording' ORDER BY k.row`,
);
/** With whatever zeros; those that went first, for one with the same zeros makes the others say nothing. */
const PAYEE_ELSEWHERE = asked(
  "payee text",
  `SELECT ${COLUMNS} FROM key k ${ROW} ${SHARE} WHERE k.key >= g.payee AND k.key < g.payee || '~' AND k.batch <> $2
    AND b.environment = $3 AND b.phase <> 'recording' AND (${MAY_GO_OF_SHARE} OR r.state IN ('invalid', 'rejected'))
    ORDER BY ${WENT_OF_SHARE} DESC, k.batch DESC, k.row DESC`,
);
/**
 * All that the row `g.row` of the batch $2 corrects, one after the other, and all that corrects it, or one of those, by name
 * or in place.
 */
const KIN = asked(
  "row int",
  `WITH RECURSIVE corrects(id, row) AS (
      SELECT $2, g.row UNION
      SELECT more.id, more.row FROM corrects k JOIN batch b ON b.id = k.id JOIN rows r ON r.batch = b.seq AND r.row = k.row
        CROSS JOIN LATERAL (SELECT r.retryBatch, r.retryRow WHERE r.retryBatch IS NOT NULL UNION ALL
          SELECT e.id, o.row FROM batch e JOIN rows o ON ${inPlace("e", "o", "b", "r")}) more(id, row)
    ), kin(id, row) AS (
      (SELECT id, row FROM corrects LIMIT ${FOUND_MAX}) UNION
      SELECT more.id, more.row FROM kin k CROSS JOIN LATERAL (
        SELECT b.id, c.row FROM rows c JOIN batch b ON b.seq = c.batch WHERE c.retryBatch = k.id AND c.retryRow = k.row
        UNION ALL SELECT later.id, c.row FROM batch b JOIN rows r ON r.batch = b.seq AND r.row = k.row CROSS JOIN batch later
          JOIN rows c ON ${inPlace("b", "r", "later", "c")} WHERE b.id = k.id) more
    ) SELECT ${COLUMNS}, (SELECT ${rowName("e.id", "o.row")} FROM batch e JOIN rows o ON ${inPlace("e", "o", "b", "r")}
        ORDER BY e.seq DESC LIMIT 1) AS inPlaceOf FROM (SELECT id, row FROM kin LIMIT ${FOUND_MAX}) k JOIN batch b ON b.id = k.id
      JOIN rows r ON r.batch = b.seq AND r.row = k.row ${SHARE}
    WHERE NOT (b.id = $2 AND r.row >= g.row) AND b.environment = $3 AND (b.phase <> 'recording' OR b.id = $2)`,
);

export async function seen(
  postgres: Postgres,
  ...[id, which, corrected]: Parameters<JournalStore["seen"]>
): Promise<SeenRow[]> {
  const own = await batchOf(postgres, id);
  const { after = -1, limit } = which;
  const page = `${which.isConcerned ? CONCERNED : PAGE} ORDER BY r.row ${limit === undefined ? "" : `LIMIT ${limit}`}`;
  const places = (await postgres.query<{ seq: number }>(PLACES, own.seq)).map(({ seq }) => seq);
  const found = which.rows
    ? await postgres.query<JudgedRow>(CHOSEN, own.seq, id, places, which.rows)
    : await postgres.query<JudgedRow>(page, own.seq, id, places, after);
  const othersOf = await search(postgres, own, found, corrected);
  return found.map((row) => ({ row, others: othersOf(row) }));
}

/** Finds the other rows of one page, by one query for each way in which rows are tied. */
async function search(
  postgres: Postgres,
  { seq, id, environment }: BatchRow,
  page: readonly JudgedRow[],
  corrected: readonly string[],
): Promise<(row: JudgedRow) => readonly Seen[]> {
  const [keys, payees, zeros, kin] = [new Asked(), new Asked(), new Asked(), new Asked()];
  for (const row of page) {
    for (const one of keysOf(row)) keys.ask(one, row.row);
    for (const one of payeesOf(row, corrected)) payees.ask(one);
    if (row.hasOtherZeros) zeros.ask({ payee: row.payee });
    if (row.retryOf || row.inPlaceOf || row.isCorrected) kin.ask({ row: row.row });
  }
  const elsewhere = await keys.find(postgres, ELSEWHERE, seq, environment);
  const here = await keys.find(postgres, HERE, seq);
  const ofPayees = await payees.find(postgres, PAYEE, seq, environment);
  const withZeros = await zeros.find(postgres, PAYEE_ELSEWHERE, seq, environment);
  const related = await kin.find(postgres, KIN, id, environment);
  return (row) => {
    const lists = keysOf(row).flatMap((key) => [elsewhere(key), before(here(key), row.row)]);
    lists.push(...payeesOf(row, corrected).map(ofPayees), withZeros({ payee: row.payee }), related({ row: row.row }));
    const [first = NOBODY, ...more] = lists.filter((list) => list.length > 0);
    if (more.length === 0) return first;
    // one row may be found in more ways than one
    return [...new Map([first, ...more].flat().map((one) => [`${one.batch}:${one.row}`, one])).values()];
  };
}

const NOBODY: readonly Seen[] = [];

function keysOf({ payment, reference, period }: JudgedRow): object[] {
  const ofPayment = { key: payment, isUnnamed: reference === undefined, period };
  return reference === undefined ? [ofPayment] : [ofPayment, { key: reference, isUnnamed: true }];
}

function payeesOf({ payeeKey: payee }: JudgedRow, corrected: readonly string[]): object[] {
  return corrected.map((batch) => ({ payee, batch }));
}

/** The same list for all rows behind those that were found. */
function before(found: readonly Seen[], row: number): readonly Seen[] {
  return (found.at(-1)?.row ?? 0) < row ? found : found.filter((one) => one.row < row);
}

/** What is looked for; equal things once. */
class Asked {
  readonly #numbers = new Map<string, number>();
  readonly #all: object[] = [];

  ask(one: object, last?: number): void {
    const name = JSON.stringify(one);
    const n = this.#numbers.get(name) ?? this.#all.length;
    this.#numbers.set(name, n);
    this.#all[n] = { ...one, n, last };
  }

  async find(
    postgres: Postgres,
    sql: string,
    ...values: readonly (string | number)[]
  ): Promise<(one: object) => readonly Seen[]> {
    const lists: Seen[][] = [];
    if (this.#all.length > 0) {
      const found = await postgres.query<Seen & { n: number }>(sql, JSON.stringify(this.#all), ...values);
      for (const { n, ...seen } of found) (lists[n] ??= []).push(seen);
    }
    return (one) => lists[this.#numbers.get(JSON.stringify(one)) ?? -1] ?? NOBODY;
  }
}
