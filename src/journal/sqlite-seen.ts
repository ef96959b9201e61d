import type { Seen } from "../duplicates/seen.ts";
import { batchOf, mayHold, type BatchRow } from "./sqlite-batches.ts";
import { rowName, type Journal } from "./sqlite.ts";
import { FOUND_MAX, HAS_OTHER_ZEROS, MAY_GO, ON_ITS_WAY, PAYEE_KEY, WENT } from "./states.ts";
import type { JournalStore, SeenRow } from "./store.ts";

type KeyColumn = "payment" | "reference";
/** A row that is judged; which of its keys other rows have, in its own batch before it and in others. */
type JudgedRow = SeenRow["row"] &
  Readonly<Record<"isCorrected" | "hasOtherZeros" | Met, number> & { payeeKey: string }>;
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
/** Batches in the place of the batch ?1 with rows that one of both may correct: few, the nearest, looked for once a page. */
const PLACES = `SELECT b.seq FROM batch own JOIN batch b ON ${isSamePlace("b", "own")} WHERE own.seq = ?1
    AND b.phase <> 'recording' AND (b.seq > own.seq OR b.seq < own.seq AND ${mayHold(["invalid", "rejected"])})
  ORDER BY abs(b.seq - own.seq) LIMIT 20`;
/** Of those, ?3, the rows of the number of the row `r`. */
const beside = (batch: string, row: string): string => `json_each(?3) p
  CROSS JOIN batch ${batch} ON ${batch}.seq = p.value
  CROSS JOIN row ${row} ON ${row}.batch = ${batch}.seq AND ${row}.row = r.row`;
const RETRY_OF = `${rowName("r.retryBatch", "r.retryRow")} AS retryOf`;
const STATE = `iif(${ON_ITS_WAY}, 'on_its_way', r.state) AS state`;
const JUDGED = `SELECT r.row, r.payment, r.payee, r.zeros, r.reference, r.period, ${RETRY_OF}, ${STATE},
    r.amount, r.faults, r.reasons, ${met("payment")}, ${met("reference")},
    ${PAYEE_KEY} AS payeeKey, ${HAS_OTHER_ZEROS} AS hasOtherZeros,
    EXISTS (SELECT 1 FROM row c WHERE c.retryBatch = ?2 AND c.retryRow = r.row)
      OR ?3 <> '[]' AND EXISTS (SELECT 1 FROM ${beside("later", "c")} WHERE ${inPlace("b", "r", "later", "c")}) AS isCorrected,
    iif(?3 = '[]', NULL, (SELECT ${rowName("e.id", "o.row")} FROM ${beside("e", "o")} WHERE ${inPlace("e", "o", "b", "r")}
      ORDER BY e.seq DESC LIMIT 1)) AS inPlaceOf
  FROM row r JOIN batch b ON b.seq = r.batch WHERE r.batch = ?1 AND r.payment IS NOT NULL`;
const CHOSEN = `${JUDGED} AND r.row IN (SELECT value FROM json_each(?4)) ORDER BY r.row`;
const page = (only: string): string => `${JUDGED} AND r.row > ?4 AND r.state IN ('ready', 'held', 'duplicate')
  AND NOT ${ON_ITS_WAY} AND ${only} ORDER BY r.row LIMIT ?5`;
const PAGE = page("TRUE");
const isKnown = (key: KeyColumn): string =>
  `EXISTS (SELECT 1 FROM key k WHERE k.key = r.${key} AND (k.batch <> r.batch OR k.row < r.row))`;
/** One search for each key: nearly all rows of nearly all files meet nothing, and stay ready. */
const CONCERNED =
  page(`(r.state <> 'ready' OR r.retryBatch IS NOT NULL OR ${isKnown("payment")} OR ${isKnown("reference")}
  OR ${HAS_OTHER_ZEROS} OR isCorrected OR inPlaceOf IS NOT NULL)`);

const COLUMNS = `b.id AS batch, r.row, r.payment, r.payee, r.zeros, r.reference, r.period, r.amount, ${RETRY_OF},
  ${STATE}, iif(${WENT}, coalesce(r.wentAt, b.lastAt), NULL) AS wentAt`;
const FOUND = `SELECT ${COLUMNS} FROM key k CROSS JOIN batch b ON b.seq = k.batch
  CROSS JOIN row r ON r.batch = k.batch AND r.row = k.row`;
const KEYED = `${FOUND} WHERE k.key = ?1`;
/** A month, a week or a day. */
const form = (period: string): string => `(substr(${period}, 6, 1) = 'W') + 2 * (substr(${period}, 8, 1) = '-')`;
/**
 * Two references, and two periods of one form, tell two rows apart. Such rows are left out: any number of them could stand
 * before one that speaks against sending. Rows with the same reference are found by that. ?2 is the batch of the judged
 * row, ?3 whether it states no reference, ?4 its period.
 */
const NOT_TOLD_APART = `k.isNamed <= ?3
  AND (?4 IS NULL OR r.period IS NULL OR r.period = ?4 OR ${form("r.period")} <> ${form("?4")})`;
/** The newest come first, and the walk ends when enough are found. ?5: the environment. */
const ELSEWHERE = `${KEYED} AND ${MAY_GO} AND ${NOT_TOLD_APART} AND k.batch <> ?2 AND b.environment = ?5
  AND b.phase <> 'recording' ORDER BY k.batch DESC, k.row DESC LIMIT ${FOUND_MAX}`;
/**
 * From the first row of the batch on: one walk is good for all rows of a page. ?5: the last one of the page. Duplicates
 * count among the equal rows of a file.
 */
const HERE = `${KEYED} AND (${MAY_GO} OR r.state = 'duplicate') AND ${NOT_TOLD_APART} AND k.batch = ?2 AND k.row < ?5
  ORDER BY k.row LIMIT ${FOUND_MAX}`;
const PAYEE = `${KEYED} AND ${MAY_GO} AND k.batch = (SELECT seq FROM batch WHERE id = ?2) AND b.environment = ?3
  AND b.phase <> 'recording' AND b.seq <> ?4 ORDER BY k.row LIMIT ${FOUND_MAX}`;
/** With whatever zeros; those that went first, for one with the same zeros makes the others say nothing. */
const PAYEE_ELSEWHERE = `${FOUND} WHERE k.key >= ?1 AND k.key < ?1 || '~' AND k.batch <> ?2 AND b.environment = ?3
  AND b.phase <> 'recording' AND (${MAY_GO} OR r.state IN ('invalid', 'rejected'))
  ORDER BY ${WENT} DESC, k.batch DESC, k.row DESC LIMIT ${FOUND_MAX}`;
/** All that the row ?1, ?2 corrects, one after the other, and all that corrects it, or one of those, by name or in place. */
const KIN = `WITH RECURSIVE corrects(id, row) AS (
    SELECT ?1, ?2 UNION
    SELECT r.retryBatch, r.retryRow FROM corrects o JOIN batch b ON b.id = o.id
      JOIN row r ON r.batch = b.seq AND r.row = o.row WHERE r.retryBatch IS NOT NULL UNION
    SELECT e.id, o.row FROM corrects k CROSS JOIN batch b ON b.id = k.id CROSS JOIN row r ON r.batch = b.seq AND r.row = k.row
      CROSS JOIN batch e ON ${isSamePlace("e", "b")} CROSS JOIN row o ON ${inPlace("e", "o", "b", "r")} LIMIT ${FOUND_MAX}
  ), kin(id, row) AS (
    SELECT id, row FROM corrects UNION
    SELECT b.id, r.row FROM kin k JOIN row r ON r.retryBatch = k.id AND r.retryRow = k.row
      JOIN batch b ON b.seq = r.batch UNION
    SELECT later.id, c.row FROM kin k CROSS JOIN batch b ON b.id = k.id CROSS JOIN row r ON r.batch = b.seq AND r.row = k.row
      CROSS JOIN batch later ON ${isSamePlace("later", "b")} CROSS JOIN row c ON ${inPlace("b", "r", "later", "c")}
    LIMIT ${FOUND_MAX}
  ) SELECT ${COLUMNS}, (SELECT ${rowName("e.id", "o.row")} FROM batch e CROSS JOIN row o ON ${inPlace("e", "o", "b", "r")}
    ORDER BY e.seq DESC LIMIT 1) AS inPlaceOf FROM kin k CROSS JOIN batch b ON b.id = k.id CROSS JOIN row r ON r.batch = b.seq AND r.row = k.row
  WHERE NOT (b.id = ?1 AND r.row >= ?2) AND b.environment = ?3 AND (b.phase <> 'recording' OR b.id = ?1)`;

export function seen(journal: Journal, ...[id, which, corrected]: Parameters<JournalStore["seen"]>): SeenRow[] {
  const own = batchOf(journal, id);
  const { after = -1, limit = -1 } = which;
  const common = [own.seq, id, JSON.stringify(journal.all(PLACES, own.seq).map(({ seq }) => seq))] as const;
  const judged = which.rows
    ? journal.records<JudgedRow>(CHOSEN, ...common, JSON.stringify(which.rows))
    : journal.records<JudgedRow>(which.isConcerned ? CONCERNED : PAGE, ...common, after, limit);
  const search = new Search(journal, own, corrected, judged.at(-1)?.row ?? 0);
  return judged.map((row) => ({ row, others: search.othersOf(row) }));
}

/** Rows that were found by one key: `here` those of the judged row's own batch, by rising numbers. */
interface Found {
  readonly elsewhere: readonly Seen[];
  readonly here: readonly Seen[];
  readonly all: readonly Seen[];
}

const NOBODY: readonly Seen[] = [];

/** Finds the other rows of one page; what has the same keys in it is looked for once. */
class Search {
  readonly #journal: Journal;
  readonly #own: BatchRow;
  readonly #corrected: readonly string[];
  readonly #lastRow: number;
  readonly #found = new Map<string, Found>();

  constructor(journal: Journal, own: BatchRow, corrected: readonly string[], lastRow: number) {
    this.#journal = journal;
    this.#own = own;
    this.#corrected = corrected;
    this.#lastRow = lastRow;
  }

  othersOf(row: JudgedRow): readonly Seen[] {
    const { id, seq, environment } = this.#own;
    const payments = this.#keyed(row, "payment", row.reference === undefined, row.period ?? null);
    const lists = [payments, this.#keyed(row, "reference", true, null)];
    for (const batch of this.#corrected) {
      const payees = (): Seen[] => this.#journal.records<Seen>(PAYEE, row.payeeKey, batch, environment, seq);
      lists.push(this.#once(`${row.payeeKey} in ${batch}`, () => [payees(), NOBODY]).all);
    }
    if (row.hasOtherZeros) {
      const payees = (): Seen[] => this.#journal.records<Seen>(PAYEE_ELSEWHERE, row.payee, seq, environment);
      lists.push(this.#once(row.payee, () => [payees(), NOBODY]).all);
    }
    if (row.retryOf || row.inPlaceOf || row.isCorrected)
      lists.push(this.#journal.records<Seen>(KIN, id, row.row, environment));
    const [first = NOBODY, ...more] = lists.filter((list) => list.length > 0);
    if (more.length === 0) return first;
    // one row may be found in more ways than one
    return [...new Map([first, ...more].flat().map((one) => [`${one.batch}:${one.row}`, one])).values()];
  }

  #keyed(row: JudgedRow, column: KeyColumn, isUnnamed: boolean, period: string | null): readonly Seen[] {
    const [key, isHere, isElsewhere] = [row[column], row[`${column}Here`], row[`${column}Elsewhere`]];
    if (!key || (!isHere && !isElsewhere)) return NOBODY;
    const common = [key, this.#own.seq, Number(isUnnamed), period] as const;
    const { elsewhere, here, all } = this.#once(`${key} ${isHere} ${isUnnamed} ${period ?? ""}`, () => [
      isElsewhere ? this.#journal.records<Seen>(ELSEWHERE, ...common, this.#own.environment) : NOBODY,
      isHere ? this.#journal.records<Seen>(HERE, ...common, this.#lastRow) : NOBODY,
    ]);
    // the same list for all rows behind those that were found: it crosses threads once
    return (here.at(-1)?.row ?? 0) < row.row ? all : [...elsewhere, ...here.filter((one) => one.row < row.row)];
  }

  #once(name: string, find: () => readonly [elsewhere: readonly Seen[], here: readonly Seen[]]): Found {
    let found = this.#found.get(name);
    if (!found) {
      const [elsewhere, here] = find();
      found = { elsewhere, here, all: here.length === 0 ? elsewhere : [...elsewhere, ...here] };
      this.#found.set(name, found);
    }
    return found;
  }
}
