import type { Seen } from "../duplicates/seen.ts";
import { batchOf, LAST_AT_OF_BATCH, type BatchRow } from "./batches.ts";
import { Asked, type Found, type ReadOnce } from "./asked.ts";
import { IN_PLACE, inPlace, IS_CORRECTED_IN_PLACE, rowName } from "./places.ts";
import type { Postgres } from "./postgres.ts";
import { byPerson, IS_PERSON_KNOWN, isSamePerson, NAMED } from "../journal/row-keys.ts";
import { IS_WRITTEN_OTHERWISE, PAYEE_KEY } from "../journal/row-keys.ts";
import { FOUND_MAX, GOES, ofShare, ON_ITS_WAY_OF_SHARE } from "../journal/states.ts";
import { UNENDED, WAITS, WENT_OF_SHARE } from "../journal/states.ts";
import type { JournalStore, SeenRow } from "../journal/store.ts";

type JudgedRow = SeenRow["row"] &
  Readonly<Partial<Record<"isCorrected" | "isWrittenOtherwise" | "isPersonKnown", boolean>>> & {
    readonly payeeKey: string;
    readonly operation: string;
    readonly option?: string;
  };

const RETRY_OF = `${rowName("r.retryBatch", "r.retryRow")} AS retryOf`;
const STATE = `CASE WHEN ${ON_ITS_WAY_OF_SHARE} THEN 'on_its_way' ELSE r.state END AS state`;
const IS_CORRECTED = `(EXISTS (SELECT 1 FROM rows c WHERE c.retryBatch = $2 AND c.retryRow = r.row) OR ${IS_CORRECTED_IN_PLACE})`;
const PERSON_KEYS = `r.employee, r.mobile, r.email, ${NAMED} AS named`;
const JUDGED = `SELECT r.row, r.payment, r.payee, r.zeros, r.reference, r.payeeAs, r.referenceAs, r.period, ${RETRY_OF}, ${STATE}, r.amount, r.faults,
    r.reasons, ${PERSON_KEYS}, r.operation, r.option, ${IS_PERSON_KNOWN} AS isPersonKnown, ${PAYEE_KEY} AS payeeKey, ${IS_WRITTEN_OTHERWISE} AS isWrittenOtherwise,
    ${IS_CORRECTED} AS isCorrected
  FROM rows r CROSS JOIN LATERAL (SELECT s.mark FROM share s WHERE s.batch = r.batch AND s.share = r.share OFFSET 0) s
  WHERE r.batch = $1 AND r.payment IS NOT NULL`;
const CHOSEN = `${JUDGED} AND r.row = ANY($3) ORDER BY r.row`;
const PAGE = `${JUDGED} AND r.row > $3 AND r.state IN ('ready', 'held', 'duplicate') AND NOT ${ON_ITS_WAY_OF_SHARE}`;
const isKnown = (key: string): string =>
  `EXISTS (SELECT 1 FROM key k WHERE k.key = r.${key} AND (k.batch <> r.batch OR k.row < r.row))`;
/** What went to its person went to its account, too: nothing to look at, for rule 9 says nothing then. */
const IS_ACCOUNT_KNOWN = byPerson(
  (key) => `EXISTS (SELECT 1
    FROM (SELECT k.batch, k.row FROM key k WHERE k.key = ${key} AND k.batch <> r.batch OFFSET 0) k
    CROSS JOIN LATERAL (SELECT b.* FROM batch b WHERE b.seq = k.batch OFFSET 0) b
    CROSS JOIN LATERAL (SELECT p.* FROM rows p WHERE p.batch = k.batch AND p.row = k.row OFFSET 0) p
    CROSS JOIN LATERAL (SELECT s.mark FROM share s WHERE s.batch = p.batch AND s.share = p.share OFFSET 0) s
    WHERE p.payee = r.payee AND ${isSamePerson("r.", "p.")} AND ${WENT_OF_SHARE.replaceAll("r.", "p.")}
      AND b.phase <> 'recording' AND b.environment = (SELECT environment FROM batch WHERE seq = $1))`,
);
/** One search for each key: nearly all rows of nearly all files meet nothing, and stay ready. $4: those that correct one in place. */
const CONCERNED = `${PAGE} AND (r.state <> 'ready' OR r.retryBatch IS NOT NULL OR ${isKnown("payment")}
  OR ${isKnown("reference")} OR ${IS_WRITTEN_OTHERWISE}
  OR ${IS_PERSON_KNOWN} AND NOT ${IS_ACCOUNT_KNOWN} OR ${IS_CORRECTED} OR r.row = ANY($4))`;

const COLUMNS = `b.id AS batch, r.row, r.payment, r.payee, r.zeros, r.reference, r.payeeAs, r.referenceAs, r.period, r.amount, r.last4,
  ${PERSON_KEYS}, ${RETRY_OF}, ${STATE}, CASE WHEN ${WENT_OF_SHARE} THEN coalesce(r.wentAt, ${LAST_AT_OF_BATCH}) END AS wentAt`;
const SHARE = "JOIN share s ON s.batch = r.batch AND s.share = r.share";
/** A month, a week or a day. */
const form = (period: string): string =>
  `(substr(${period}, 6, 1) = 'W')::int + 2 * (substr(${period}, 8, 1) = '-')::int`;
/**
 * Two references, and two periods of one form, tell two rows apart. Such rows are left out: any number of them could stand
 * before one that speaks against sending. Rows with the same reference are found by that.
 */
const IS_OF_PERIOD = `(g.period IS NULL OR r.period IS NULL OR r.period = g.period OR ${form("r.period")} <> ${form("g.period")})`;
/**
 * What is asked for, all of a page at once; what is found says of which (`n`). One more than are read tells that there are
 * more.
 */
const asked = (columns: string, found: string): string =>
  `SELECT g.n, f.* FROM json_to_recordset($1) AS g(n int, ${columns}) CROSS JOIN LATERAL (${found} LIMIT ${FOUND_MAX + 1}) f`;
/**
 * Rows by their keys, in the order of these. Each is looked up by itself (`OFFSET 0` keeps it so): a planner that does not know
 * a new batch yet takes it for one row, and would walk through all of it for each key.
 */
const found = (keys: string, order: string, only: string, more = "", first = order): string => `SELECT ${COLUMNS}${more}
  FROM (SELECT k.key, k.batch, k.row FROM key k WHERE ${keys} ORDER BY ${order} OFFSET 0) k
  CROSS JOIN LATERAL (SELECT b.* FROM batch b WHERE b.seq = k.batch OFFSET 0) b
  CROSS JOIN LATERAL (SELECT r.* FROM rows r WHERE r.batch = k.batch AND r.row = k.row OFFSET 0) r
  CROSS JOIN LATERAL (SELECT s.mark FROM share s WHERE s.batch = r.batch AND s.share = r.share OFFSET 0) s
  WHERE ${ofShare(only)} ORDER BY ${first}`;
const NEWEST = "k.batch DESC, k.row DESC";
/** Of other batches than $2 in the environment $3. */
const [ELSEWHERE, VISIBLE] = ["k.batch <> $2", "b.environment = $3 AND b.phase <> 'recording'"];
const keyed = (keys: string, order: string, only: string): string =>
  asked(
    "key text, isUnnamed boolean, period text, last int",
    found(`k.key = g.key AND k.isNamed <= g.isUnnamed AND ${keys}`, order, `${IS_OF_PERIOD} AND ${only}`),
  );
/** The newest come first, and the walk ends when enough are found. */
const elsewhere = (only: string): string => keyed(ELSEWHERE, NEWEST, `${only} AND ${VISIBLE}`);
const [GO, WAIT, HAVE_NO_END] = [elsewhere(GOES), elsewhere(WAITS), elsewhere(UNENDED)];
/**
 * From the first row of the batch on: one walk is good for all rows of a page. `last`: the last one of the page with this
 * key. Duplicates count among the equal rows of a file.
 */
const HERE = keyed("k.batch = $2 AND k.row < g.last", "k.row", `(${GOES} OR ${WAITS} OR r.state = 'duplicate')`);
/** Of the batch `g.batch`, that went or go, and are not told apart. */
const payee = (key: string, order: string): string =>
  asked(
    "key text, batch text, isUnnamed boolean, period text",
    found(
      `${key} AND k.batch = (SELECT seq FROM batch WHERE id = g.batch) AND ${ELSEWHERE}`,
      order,
      `${GOES} AND (g.isUnnamed OR r.reference IS NULL) AND ${IS_OF_PERIOD} AND ${VISIBLE}`,
    ),
  );
/** However it is written: the key between these. */
const OF_PAYEE = "k.key >= g.key AND k.key < g.key || '~'";
const [PAYEE, PAYEE_IN_ANY_WAY] = [payee("k.key = g.key", "k.row"), payee(OF_PAYEE, "k.key, k.batch, k.row")];
/**
 * Of a payee that is written in more than one way. Where one payment to it as it is written here went or goes, nothing is said
 * of other ways; of these, one is enough, but what went is told first.
 */
const ALIKE = found(`k.key = g.alike AND ${ELSEWHERE}`, NEWEST, `${GOES} AND ${VISIBLE}`, ", true AS isAlike");
const UNLIKE = found(
  `${OF_PAYEE} AND k.key <> g.alike AND ${ELSEWHERE}`,
  NEWEST,
  `(${GOES} OR r.state IN ('invalid', 'rejected') AND r.zeros IS DISTINCT FROM g.zeros) AND ${VISIBLE}`,
  ", false",
  `${WENT_OF_SHARE} DESC, ${NEWEST}`,
);
const OTHERWISE = asked(
  "key text, alike text, zeros int",
  `SELECT * FROM ((${ALIKE} LIMIT 1) UNION ALL (${UNLIKE} LIMIT ${FOUND_MAX - 1})) f`,
);
/** What went to a person: to the account of the judged row, or else last. */
const TO_PERSON = asked(
  "employee text, mobile text, email text, named text, payee text, operation text, option text",
  `SELECT * FROM (${found(
    `k.key IN (g.employee, g.mobile, g.email, g.named) AND ${ELSEWHERE}`,
    NEWEST,
    `${WENT_OF_SHARE} AND ${isSamePerson("g.")} AND ${VISIBLE}`,
    "",
    `r.payee = g.payee DESC, ${NEWEST}`,
  )} LIMIT 1) f`,
);
/**
 * All that the row `g.row` of the batch $2 corrects, one after the other, and all that corrects it, or one of those, by name
 * or in place; with itself. `kin`: how many they are, with those that do not count.
 */
const KIN = asked(
  "row int",
  `WITH RECURSIVE corrects(id, row) AS (
      SELECT $2, g.row UNION
      SELECT more.id, more.row FROM corrects k JOIN batch b ON b.id = k.id JOIN rows r ON r.batch = b.seq AND r.row = k.row
        CROSS JOIN LATERAL (SELECT r.retryBatch, r.retryRow WHERE r.retryBatch IS NOT NULL UNION ALL
          SELECT e.id, o.row FROM batch e JOIN rows o ON ${inPlace("e", "o", "b", "r")}) more(id, row)
    ), kin(id, row) AS (
      (SELECT id, row FROM corrects LIMIT ${FOUND_MAX + 1}) UNION
      SELECT more.id, more.row FROM kin k CROSS JOIN LATERAL (
        SELECT b.id, c.row FROM rows c JOIN batch b ON b.seq = c.batch WHERE c.retryBatch = k.id AND c.retryRow = k.row
        UNION ALL SELECT later.id, c.row FROM batch b JOIN rows r ON r.batch = b.seq AND r.row = k.row CROSS JOIN batch later
          JOIN rows c ON ${inPlace("b", "r", "later", "c")} WHERE b.id = k.id) more
    ), members AS MATERIALIZED (SELECT id, row FROM kin LIMIT ${FOUND_MAX + 1})
    SELECT ${COLUMNS}, (SELECT ${rowName("e.id", "o.row")} FROM batch e JOIN rows o ON ${inPlace("e", "o", "b", "r")}
        ORDER BY e.seq DESC LIMIT 1) AS inPlaceOf, (SELECT count(*)::int FROM members) AS kin,
      ((b.id = $2 AND r.row >= g.row) OR b.environment <> $3 OR (b.phase = 'recording' AND b.id <> $2)) AS isNone
    FROM members k JOIN batch b ON b.id = k.id JOIN rows r ON r.batch = b.seq AND r.row = k.row ${SHARE}`,
);

export async function seen(
  postgres: Postgres,
  ...[id, which, corrected]: Parameters<JournalStore["seen"]>
): Promise<SeenRow[]> {
  const own = await batchOf(postgres, id);
  const { after = -1, limit } = which;
  const inPlaces = await postgres.query<InPlace>(IN_PLACE, own.seq, after);
  const origins = new Map(inPlaces.map(({ row, inPlaceOf }) => [row, inPlaceOf]));
  const page = `ORDER BY r.row ${limit === undefined ? "" : `LIMIT ${limit}`}`;
  const rows = which.rows
    ? await postgres.query<JudgedRow>(CHOSEN, own.seq, id, which.rows)
    : which.isConcerned
      ? await postgres.query<JudgedRow>(`${CONCERNED} ${page}`, own.seq, id, after, [...origins.keys()])
      : await postgres.query<JudgedRow>(`${PAGE} ${page}`, own.seq, id, after);
  const judged = rows.map((row) => {
    const inPlaceOf = origins.get(row.row);
    return inPlaceOf ? { ...row, inPlaceOf } : row;
  });
  const othersOf = await search(postgres, own, judged, { corrected, isNamed: which.rows !== undefined });
  return judged.map((row) => {
    const { others, isCut } = othersOf(row);
    return { row: isCut ? { ...row, isCut } : row, others };
  });
}

type InPlace = Required<Pick<SeenRow["row"], "row" | "inPlaceOf">>;

/** Finds the other rows of one page, by one query for each way in which rows are tied. `isNamed`: a person may let them go. */
async function search(
  postgres: Postgres,
  { seq, id, environment }: BatchRow,
  page: readonly JudgedRow[],
  { corrected, isNamed }: { readonly corrected: readonly string[]; readonly isNamed: boolean },
): Promise<(row: JudgedRow) => Found> {
  const [keys, waiting, unended] = [new Asked(), new Asked(), new Asked()];
  const [payees, inAnyWay, written, kin, people] = [new Asked(), new Asked(), new Asked(), new Asked(), new Asked()];
  for (const row of page) {
    for (const one of keysOf(row)) keys.ask(one, row.row);
    for (const one of payeesOf(row, corrected)) (row.isWrittenOtherwise ? inAnyWay : payees).ask(one);
    if (row.isWrittenOtherwise) written.ask(writingOf(row));
    if (row.isPersonKnown) people.ask(personOf(row));
    if (row.retryOf || row.inPlaceOf || row.isCorrected) kin.ask({ row: row.row });
  }
  // what went or goes, apart from what waits: no number of these may hide one of those
  const go = await keys.find(postgres, GO, seq, environment);
  for (const one of page.flatMap(keysOf)) {
    if (!go(one).isCut) waiting.ask(one);
    // it is held; what has no end must be known before a person lets it go in spite of that
    else if (isNamed) unended.ask(one);
  }
  const wait = await waiting.find(postgres, WAIT, seq, environment);
  const haveNoEnd = await unended.find(postgres, HAVE_NO_END, seq, environment);
  const here = await keys.find(postgres, HERE, seq);
  const ofPayees = await payees.find(postgres, PAYEE, seq, environment);
  const ofAll = await inAnyWay.find(postgres, PAYEE_IN_ANY_WAY, seq, environment);
  const otherwise = await written.find(postgres, OTHERWISE, seq, environment);
  const toPerson = await people.find(postgres, TO_PERSON, seq, environment);
  const related = await kin.find(postgres, KIN, id, environment);
  return (row) => {
    const found = keysOf(row).flatMap((key) => {
      const elsewhere = [haveNoEnd(key), go(key), wait(key)];
      const above = before(here(key), row.row);
      // how many equal rows stand above is asked only where some went elsewhere
      const isAsked = key.key === row.reference || elsewhere.some(({ others }) => others.length > 0);
      return [...elsewhere, isAsked ? above : { others: above.others }];
    });
    for (const one of payeesOf(row, corrected)) found.push(ofPayees(one), ofAll(one));
    found.push(alikeFirst(otherwise(writingOf(row))), kinOf(related({ row: row.row })), toPerson(personOf(row)));
    const isCut = found.some((one) => one.isCut) || undefined;
    const [first = [], ...more] = found.map(({ others }) => others).filter((others) => others.length > 0);
    if (more.length === 0) return { others: first, isCut };
    // one row may be found in more ways than one
    const all = new Map([first, ...more].flat().map((one) => [`${one.batch}:${one.row}`, one]));
    return { others: [...all.values()], isCut };
  };
}

interface KeyAsked {
  readonly key: string;
  readonly isUnnamed: boolean;
  readonly period?: string | undefined;
}

function keysOf({ payment, reference, period }: JudgedRow): KeyAsked[] {
  const ofPayment = { key: payment, isUnnamed: reference === undefined, period };
  return reference === undefined ? [ofPayment] : [ofPayment, { key: reference, isUnnamed: true }];
}

function payeesOf(row: JudgedRow, corrected: readonly string[]): object[] {
  const { payee, payeeKey, isWrittenOtherwise, reference, period } = row;
  const key = isWrittenOtherwise ? payee : payeeKey;
  return corrected.map((batch) => ({ key, batch, isUnnamed: reference === undefined, period }));
}

function writingOf({ payee: key, payeeKey: alike, zeros }: JudgedRow): object {
  return { key, alike, zeros };
}

function personOf({ employee, mobile, email, named, payee, operation, option }: JudgedRow): object {
  return { employee, mobile, email, named, payee, operation, option };
}

function alikeFirst({ others }: Found): Found {
  const found = others as readonly (Seen & { readonly isAlike: boolean })[];
  const told = found[0]?.isAlike ? found.slice(0, 1) : found;
  return { others: told.map(({ isAlike: _isAlike, ...one }) => one) };
}

function kinOf({ others }: Found): Found {
  const found = others as readonly (Seen & { readonly kin: number; readonly isNone: boolean })[];
  return {
    others: found.flatMap(({ kin: _kin, isNone, ...one }): Seen[] => (isNone ? [] : [one])),
    isCut: (found[0]?.kin ?? 0) > FOUND_MAX || undefined,
  };
}

/** The same list for all rows behind those that were found. */
function before({ others, more }: ReadOnce, row: number): Found {
  const isCut = (more && more.row < row) || undefined;
  return { others: (others.at(-1)?.row ?? 0) < row ? others : others.filter((one) => one.row < row), isCut };
}
