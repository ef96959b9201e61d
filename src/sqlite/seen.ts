import type { Seen } from "../duplicates/seen.ts";
import { batchOf, mayHold, type BatchRow } from "./batches.ts";
import { findTied } from "./own-keys.ts";
import { byName, LIMIT, rowName, type Journal } from "./store.ts";
import { FOUND_MAX, GOES, ON_ITS_WAY, UNENDED, WAITS, WENT } from "../journal/states.ts";
import { byPerson, IS_PERSON_KNOWN, isSamePerson, NAMED } from "../journal/row-keys.ts";
import { IS_WRITTEN_OTHERWISE, PAYEE_KEY } from "../journal/row-keys.ts";
import type { JournalStore, SeenRow } from "../journal/store.ts";

type KeyColumn = "payment" | "reference";
/** A row that is judged; which of its keys other rows have, in its own batch before it and in others. */
type JudgedRow = SeenRow["row"] &
  Readonly<Record<"isCorrected" | "isWrittenOtherwise" | "isPersonKnown" | Met, number>> &
  Readonly<Record<"payeeKey" | "operation", string>> & { readonly option?: string };
type Met = `${KeyColumn}${"Here" | "Elsewhere"}`;

const isMet = (key: KeyColumn, where: string): string =>
  `EXISTS (SELECT 1 FROM key k WHERE k.key = r.${key} AND k.batch ${where})`;
const met = (key: KeyColumn): string => `${isMet(key, "= r.batch AND k.row < r.row")} AS ${key}Here,
  ${isMet(key, "< r.batch")} OR ${isMet(key, "> r.batch")} AS ${key}Elsewhere`;
const isSamePlace = (one: string, other: string): string =>
  ["fileName", "folder", "environment"].map((name) => `${one}.${name} = ${other}.${name}`).join(" AND ");
const KEPT = (batch: string): string => `coalesce(${batch}.tallies ->> '$.accepted.rows', 0)`;
/**
 * SQL: the row `c` of a later file in the same place corrects `o`, the row of that number of the batch `e`: that one did not
 * go, two periods do not differ, and nobody can have been paid by both. `accepted`: how many rows were, of a batch.
 */
export const inPlace = (e: string, o: string, later: string, c: string, accepted = KEPT): string =>
  `${isSamePlace(e, later)} AND ${e}.seq < ${later}.seq AND ${o}.batch = ${e}.seq AND ${c}.batch = ${later}.seq
    AND ${o}.row = ${c}.row AND ${o}.state IN ('invalid', 'rejected') AND coalesce(${o}.period = ${c}.period, TRUE)
    AND ${accepted(e)} + ${accepted(later)} <= max(${e}.rows, ${later}.rows)`;
/** The rows of the batch ?1 behind ?2 that correct one of an earlier batch in its place: all of them, the last one counts. */
const IN_PLACE = `SELECT r.row, ${rowName("e.id", "o.row")} AS inPlaceOf
  FROM batch b CROSS JOIN batch e ON ${isSamePlace("e", "b")} AND e.phase <> 'recording'
    AND ${mayHold(["invalid", "rejected"]).replaceAll("b.", "e.")}
  CROSS JOIN row o ON o.batch = e.seq AND (o.state = 'invalid' OR o.state = 'rejected')
  CROSS JOIN row r ON ${inPlace("e", "o", "b", "r")} WHERE b.seq = ?1 AND o.row > ?2 ORDER BY e.seq`;
const RETRY_OF = `${rowName("r.retryBatch", "r.retryRow")} AS retryOf`;
const STATE = `iif(${ON_ITS_WAY}, 'on_its_way', r.state) AS state`;
/** What a later file in the same place corrects did not go. */
const IS_CORRECTED = `EXISTS (SELECT 1 FROM row c WHERE c.retryBatch = ?2 AND c.retryRow = r.row)
  OR r.state IN ('invalid', 'rejected') AND EXISTS (
    SELECT 1 FROM batch later CROSS JOIN row c ON ${inPlace("b", "r", "later", "c")} WHERE later.phase <> 'recording')`;
const PERSON_KEYS = `r.employee, r.mobile, r.email, ${NAMED} AS named`;
const judged = (
  among: string,
): string => `SELECT r.row, r.payment, r.payee, r.zeros, r.reference, r.payeeAs, r.referenceAs, r.period, ${RETRY_OF}, ${STATE},
    ${PERSON_KEYS}, r.operation, r.option, ${IS_PERSON_KNOWN} AS isPersonKnown,
    r.amount, r.faults, r.reasons, ${met("payment")}, ${met("reference")},
    ${PAYEE_KEY} AS payeeKey, ${IS_WRITTEN_OTHERWISE} AS isWrittenOtherwise, ${IS_CORRECTED} AS isCorrected
  FROM batch b CROSS JOIN ${among} WHERE b.seq = ?1 AND r.batch = ?1 AND r.payment IS NOT NULL`;
const CHOSEN = `${judged("row r")} AND r.row IN (SELECT value FROM json_each(?3)) ORDER BY r.row`;
/** `row`: where its number is read. */
const page = (among: string, row: string, only: string): string => `${judged(among)} AND ${row} > ?3
  AND r.state IN ('ready', 'held', 'duplicate') AND NOT ${ON_ITS_WAY} AND ${only} ORDER BY ${row} ${LIMIT}4`;
const PAGE = page("row r", "r.row", "TRUE");
const isKnown = (key: KeyColumn): string =>
  `EXISTS (SELECT 1 FROM key k WHERE k.key = r.${key} AND (k.batch <> r.batch OR k.row < r.row))`;
/** What went to its person went to its account, too: nothing to look at, for rule 9 says nothing then. */
const IS_ACCOUNT_KNOWN = byPerson(
  (key) => `EXISTS (SELECT 1 FROM key k CROSS JOIN batch b ON b.seq = k.batch
    CROSS JOIN row p ON p.batch = k.batch AND p.row = k.row
    WHERE k.key = ${key} AND k.batch <> r.batch AND p.payee = r.payee AND ${isSamePerson("r.", "p.")}
      AND ${WENT.replaceAll("r.", "p.")} AND b.phase <> 'recording'
      AND b.environment = (SELECT environment FROM batch WHERE seq = ?1))`,
);
/** Of the rows that `findTied` found: nearly all rows of nearly all files meet nothing, and stay ready. ?5: those that correct one in place. */
const CONCERNED = page(
  "temp.tied t CROSS JOIN row r ON r.batch = t.batch AND r.row = t.row",
  "t.row",
  `t.batch = ?1 AND (r.state <> 'ready' OR r.retryBatch IS NOT NULL OR ${isKnown("payment")} OR ${isKnown("reference")} OR ${IS_WRITTEN_OTHERWISE}
  OR isPersonKnown AND NOT ${IS_ACCOUNT_KNOWN} OR isCorrected OR r.row IN (SELECT value FROM json_each(?5)))`,
);

const COLUMNS = `b.id AS batch, r.row, r.payment, r.payee, r.zeros, r.reference, r.payeeAs, r.referenceAs, r.period, r.amount, r.last4,
  ${PERSON_KEYS}, ${RETRY_OF}, ${STATE}, iif(${WENT}, coalesce(r.wentAt, b.lastAt), NULL) AS wentAt`;
const FOUND = `SELECT ${COLUMNS} FROM key k CROSS JOIN batch b ON b.seq = k.batch
  CROSS JOIN row r ON r.batch = k.batch AND r.row = k.row`;
/** A month, a week or a day. */
const form = (period: string): string => `(substr(${period}, 6, 1) = 'W') + 2 * (substr(${period}, 8, 1) = '-')`;
/**
 * Two references, and two periods of one form, tell two rows apart. Such rows are left out: any number of them could stand
 * before one that speaks against sending. Rows with the same reference are found by that. `$isUnnamed`: the judged row states
 * no reference; `$period`: its period.
 */
const IS_OF_PERIOD = `($period IS NULL OR r.period IS NULL OR r.period = $period OR ${form("r.period")} <> ${form("$period")})`;
const NOT_TOLD_APART = `k.isNamed <= $isUnnamed AND ${IS_OF_PERIOD}`;
/** One more than are read tells that there are more. */
const FIRST = `LIMIT ${FOUND_MAX + 1}`;
const OTHERS = "b.phase <> 'recording'";
/** The newest come first, and the walk ends when enough are found. `$own`: the batch of the judged row. */
const elsewhere = (only: string): string => `${FOUND} WHERE k.key = $key AND ${only} AND ${NOT_TOLD_APART}
  AND k.batch <> $own AND b.environment = $environment AND ${OTHERS} ORDER BY k.batch DESC, k.row DESC ${FIRST}`;
const [GO, WAIT, HAVE_NO_END] = [elsewhere(GOES), elsewhere(WAITS), elsewhere(UNENDED)];
/**
 * From the first row of the batch on: one walk is good for all rows of a page. Duplicates count among the equal rows of a
 * file.
 */
const HERE = `${FOUND} WHERE k.key = $key AND (${GOES} OR ${WAITS} OR r.state = 'duplicate') AND ${NOT_TOLD_APART}
  AND k.batch = $own AND k.row < $lastRow ORDER BY k.row ${FIRST}`;
/** However it is written: `k.key` between these. */
const OF_PAYEE = "k.key >= $key AND k.key < $key || '~'";
/** Of the batch `$corrected`, that went or go, and are not told apart. */
const payee = (
  key: string,
): string => `${FOUND} WHERE ${key} AND k.batch = (SELECT seq FROM batch WHERE id = $corrected)
  AND k.batch <> $own AND ${GOES} AND ($isUnnamed OR r.reference IS NULL) AND ${IS_OF_PERIOD}
  AND b.environment = $environment AND ${OTHERS} ORDER BY k.batch, k.row ${FIRST}`;
const [PAYEE, PAYEE_IN_ANY_WAY] = [payee("k.key = $key"), payee(OF_PAYEE)];
/** Where one payment to the payee as it is written here went or goes, nothing is said of other ways. */
const ALIKE = `${FOUND} WHERE k.key = $payeeKey AND k.batch <> $own AND b.environment = $environment AND ${OTHERS} AND ${GOES}
  ORDER BY k.batch DESC, k.row DESC LIMIT 1`;
/** One of them is enough. `$payeeKey`: as it is written here, `$zeros`: those in front. */
const OTHERWISE = `${FOUND} WHERE ${OF_PAYEE} AND k.key <> $payeeKey AND k.batch <> $own AND b.environment = $environment AND ${OTHERS}
  AND (${GOES} OR r.state IN ('invalid', 'rejected') AND r.zeros IS NOT $zeros)
  ORDER BY ${WENT} DESC, k.batch DESC, k.row DESC LIMIT ${FOUND_MAX}`;
/** What went to this person: to the account of the judged row, or else last. */
const TO_PERSON = `${FOUND} WHERE k.key IN ($employee, $mobile, $email, $named) AND k.batch <> $own AND b.environment = $environment
  AND ${OTHERS} AND ${WENT} AND ${isSamePerson("$")} ORDER BY r.payee = $payee DESC, k.batch DESC, k.row DESC LIMIT 1`;
/**
 * All that the row ?1, ?2 corrects, one after the other, and all that corrects it, or one of those, by name or in place; with
 * itself. `kin`: how many they are, with those that do not count.
 */
const KIN = `WITH RECURSIVE corrects(id, row) AS (
    SELECT ?1, ?2 UNION
    SELECT r.retryBatch, r.retryRow FROM corrects o JOIN batch b ON b.id = o.id
      JOIN row r ON r.batch = b.seq AND r.row = o.row WHERE r.retryBatch IS NOT NULL UNION
    SELECT e.id, o.row FROM corrects k CROSS JOIN batch b ON b.id = k.id CROSS JOIN row r ON r.batch = b.seq AND r.row = k.row
      CROSS JOIN batch e ON ${isSamePlace("e", "b")} CROSS JOIN row o ON ${inPlace("e", "o", "b", "r")} ${FIRST}
  ), kin(id, row) AS (
    SELECT id, row FROM corrects UNION
    SELECT b.id, r.row FROM kin k JOIN row r ON r.retryBatch = k.id AND r.retryRow = k.row
      JOIN batch b ON b.seq = r.batch UNION
    SELECT later.id, c.row FROM kin k CROSS JOIN batch b ON b.id = k.id CROSS JOIN row r ON r.batch = b.seq AND r.row = k.row
      CROSS JOIN batch later ON ${isSamePlace("later", "b")} CROSS JOIN row c ON ${inPlace("b", "r", "later", "c")}
    ${FIRST}
  ) SELECT ${COLUMNS}, (SELECT ${rowName("e.id", "o.row")} FROM batch e CROSS JOIN row o ON ${inPlace("e", "o", "b", "r")}
    ORDER BY e.seq DESC LIMIT 1) AS inPlaceOf, (SELECT count(*) FROM kin) AS kin,
    (b.id = ?1 AND r.row >= ?2) OR b.environment <> ?3 OR (b.phase = 'recording' AND b.id <> ?1) AS isNone
  FROM kin k CROSS JOIN batch b ON b.id = k.id CROSS JOIN row r ON r.batch = b.seq AND r.row = k.row`;

export function seen(journal: Journal, ...[id, which, corrected]: Parameters<JournalStore["seen"]>): SeenRow[] {
  const own = batchOf(journal, id);
  const { after = -1, limit = -1 } = which;
  const inPlaces = journal.records<InPlace>(IN_PLACE, own.seq, after);
  const origins = new Map(inPlaces.map(({ row, inPlaceOf }) => [row, inPlaceOf]));
  const inPlace = [...origins.keys()];
  if (which.isConcerned) findTied(journal, own, inPlace, after <= 0);
  const found = which.rows
    ? journal.records<JudgedRow>(CHOSEN, own.seq, id, JSON.stringify(which.rows))
    : which.isConcerned
      ? journal.records<JudgedRow>(CONCERNED, own.seq, id, after, limit, JSON.stringify(inPlace))
      : journal.records<JudgedRow>(PAGE, own.seq, id, after, limit);
  const search = new Search(journal, own, {
    corrected,
    lastRow: found.at(-1)?.row ?? 0,
    isNamed: which.rows !== undefined,
  });
  return found.map((one) => {
    const inPlaceOf = origins.get(one.row);
    const row = inPlaceOf ? { ...one, inPlaceOf } : one;
    const { others, isCut } = search.othersOf(row);
    return { row: isCut ? { ...row, isCut } : row, others };
  });
}

type InPlace = Required<Pick<SeenRow["row"], "row" | "inPlaceOf">>;

/** Rows that were found in one way; `isCut`: there are more. */
interface Found {
  readonly others: readonly Seen[];
  readonly isCut?: true | undefined;
}

/** By one key. `here`: those of the judged row's own batch, by rising numbers; there are more from the row `cutAt` on. */
interface Keyed extends Found {
  readonly here: readonly Seen[];
  readonly all: readonly Seen[];
  readonly cutAt: number;
}

const NONE: Found = { others: [] };

/** The values of what is searched for, by name. */
type Asked = Readonly<Record<string, string | number | null>>;

/** Finds the other rows of one page; what has the same keys in it is looked for once. */
class Search {
  readonly #journal: Journal;
  readonly #own: BatchRow;
  readonly #page: { readonly corrected: readonly string[]; readonly lastRow: number; readonly isNamed: boolean };
  readonly #found = new Map<string, Keyed>();

  /** `isNamed`: rows that a person named, perhaps to let them go. */
  constructor(
    journal: Journal,
    own: BatchRow,
    page: { corrected: readonly string[]; lastRow: number; isNamed: boolean },
  ) {
    [this.#journal, this.#own, this.#page] = [journal, own, page];
  }

  othersOf(row: JudgedRow): Found {
    const found = [
      this.#keyed(row, "payment", { isUnnamed: row.reference === undefined, period: row.period ?? null }),
      this.#keyed(row, "reference", { isUnnamed: true, period: null }),
      ...this.#page.corrected.map((batch) => this.#ofPayee(row, batch)),
      row.isWrittenOtherwise ? this.#otherwise(row) : NONE,
      row.isPersonKnown ? this.#toPerson(row) : NONE,
      row.retryOf || row.inPlaceOf || row.isCorrected ? this.#kin(row) : NONE,
    ];
    const isCut = found.some((one) => one.isCut) || undefined;
    const [first = [], ...more] = found.map(({ others }) => others).filter((others) => others.length > 0);
    if (more.length === 0) return { others: first, isCut };
    // one row may be found in more ways than one
    const all = new Map([first, ...more].flat().map((one) => [`${one.batch}:${one.row}`, one]));
    return { others: [...all.values()], isCut };
  }

  #keyed(
    row: JudgedRow,
    column: KeyColumn,
    { isUnnamed, period }: { isUnnamed: boolean; period: string | null },
  ): Found {
    const [key, isHere, isElsewhere] = [row[column], row[`${column}Here`], row[`${column}Elsewhere`]];
    if (!key || (!isHere && !isElsewhere)) return NONE;
    const asked = { key, own: this.#own.seq, isUnnamed: Number(isUnnamed), period };
    const { others, isCut, here, all, cutAt } = this.#once(`${key} ${isHere} ${isUnnamed} ${period ?? ""}`, () => [
      isElsewhere ? this.#elsewhere({ ...asked, environment: this.#own.environment }) : NONE,
      isHere ? this.#rows(HERE, { ...asked, lastRow: this.#page.lastRow }) : [],
    ]);
    // how many equal rows stand above is asked only where some went elsewhere
    const isCutHere = isCut ?? ((row.row > cutAt && (column === "reference" || others.length > 0)) || undefined);
    // the same list for all rows behind those that were found: it crosses threads once
    if ((here.at(-1)?.row ?? 0) < row.row) return { others: all, isCut: isCutHere };
    return { others: [...others, ...here.filter((one) => one.row < row.row)], isCut: isCutHere };
  }

  /** What went or goes, apart from what waits: no number of these may hide one of those. */
  #elsewhere(asked: Asked): Found {
    const find = (sql: string): Found => this.#first(sql, asked);
    const go = find(GO);
    if (!go.isCut) {
      const wait = find(WAIT);
      return { others: [...go.others, ...wait.others], isCut: wait.isCut };
    }
    // it is held; what has no end must be known before a person lets it go in spite of that
    const unended = this.#page.isNamed ? find(HAVE_NO_END).others : [];
    return { others: [...unended, ...go.others], isCut: true };
  }

  #ofPayee(row: JudgedRow, corrected: string): Found {
    const { seq: own, environment } = this.#own;
    const [key, sql] = row.isWrittenOtherwise ? [row.payee, PAYEE_IN_ANY_WAY] : [row.payeeKey, PAYEE];
    const isUnnamed = Number(row.reference === undefined);
    const asked = { key, own, isUnnamed, period: row.period ?? null, corrected, environment };
    return this.#once(JSON.stringify(asked), () => [this.#first(sql, asked), []]);
  }

  #otherwise({ payee: key, payeeKey, zeros }: JudgedRow): Found {
    const { seq: own, environment } = this.#own;
    return this.#once(payeeKey, () => {
      const alike = this.#rows(ALIKE, { payeeKey, own, environment });
      if (alike.length > 0) return [{ others: alike }, []];
      return [{ others: this.#rows(OTHERWISE, { key, payeeKey, zeros: zeros ?? null, own, environment }) }, []];
    });
  }

  #toPerson(row: JudgedRow): Found {
    const { employee = null, mobile = null, email = null, named = null, operation, option = null, payee } = row;
    const { seq: own, environment } = this.#own;
    return {
      others: this.#rows(TO_PERSON, { employee, mobile, email, named, operation, option, payee, own, environment }),
    };
  }

  #kin({ row }: JudgedRow): Found {
    const { id, environment } = this.#own;
    const all = this.#journal.records<Seen & { kin: number; isNone: number }>(KIN, id, row, environment);
    const others = all.flatMap(({ kin: _kin, isNone, ...one }): Seen[] => (isNone ? [] : [one]));
    return { others, isCut: (all[0]?.kin ?? 0) > FOUND_MAX || undefined };
  }

  #rows(sql: string, asked: Asked): Seen[] {
    return this.#journal.records(...byName(sql, asked));
  }

  #first(sql: string, asked: Asked): Found {
    const others = this.#rows(sql, asked);
    return others.length > FOUND_MAX ? { others: others.slice(0, FOUND_MAX), isCut: true } : { others };
  }

  #once(name: string, find: () => readonly [elsewhere: Found, here: readonly Seen[]]): Keyed {
    const known = this.#found.get(name);
    if (known) return known;
    const [{ others, isCut }, here] = find();
    const cutAt = here[FOUND_MAX]?.row ?? Infinity;
    const shown = here.slice(0, FOUND_MAX);
    const found = { others, isCut, here: shown, all: shown.length === 0 ? others : [...others, ...shown], cutAt };
    this.#found.set(name, found);
    return found;
  }
}
