import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Seen } from "../checks/seen.ts";
import { asSeen, columnsIn, rowNameOf, type Keys, type SeenRow } from "./seen-row.ts";

/** The row that others are corrections of, by its name (`BATCH:ROW`): the judged row itself, or the one it corrects. */
interface Family {
  readonly name: string;
  readonly isItself: boolean;
}

/** More equal payments than this, in other batches and in this one, say nothing new. */
const ELSEWHERE_MAX = 64;
const HERE_MAX = 64;
const BATCHES_MAX = 1000;
const EQUAL_MAX = 1000;
/** For so many keys what was found is kept. */
const KEYS_KEPT_MAX = 64;

// rejected, invalid, not_sent, duplicate and settled_not_done rows stand in nobody's way
const IN_THE_WAY = `r.state IN ('accepted', 'settled_done', 'unknown', 'sending', 'ready', 'held')`;
// a duplicate was accepted elsewhere: there is nothing left to correct
const KIN_IN_THE_WAY = `(${IN_THE_WAY} OR r.state = 'duplicate')`;

// what a cancelled batch did not send must not crowd out what it did
const NOT_CANCELLED = `NOT (b.phase = 'cancelled' AND r.state IN ('ready', 'held'))`;

const WENT = `o.state IN ('accepted', 'settled_done') AND o.changed_at BETWEEN ?2 AND ?3`;

/**
 * Of held and duplicate rows of the batch `?1` those whose payment was accepted elsewhere from `?2` to `?3`, or that of a
 * row which they correct or that corrects the same one. Key by key: the same payment in every row of two files is walked
 * over once, not for each of them.
 */
export const OVERTAKEN = `WITH waits AS (
    SELECT number, core_key, reference_key, family,
      coalesce(family, (SELECT id FROM batch WHERE seq = ?1) || ':' || number) AS kin
    FROM row WHERE batch = ?1 AND state IN ('held', 'duplicate')
  ), went AS MATERIALIZED (
    SELECT k.key FROM (SELECT core_key AS key FROM waits UNION SELECT reference_key FROM waits) k WHERE EXISTS (
      SELECT 1 FROM seen s CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number
      WHERE s.key = k.key AND s.batch <> ?1 AND ${WENT})
  )
  SELECT number FROM waits WHERE core_key IN (SELECT key FROM went) OR reference_key IN (SELECT key FROM went)
  UNION SELECT w.number FROM waits w CROSS JOIN row o ON o.family = w.kin WHERE ${WENT}
  UNION SELECT w.number FROM waits w CROSS JOIN batch b ON b.id = substr(w.family, 1, instr(w.family, ':') - 1)
  CROSS JOIN row o ON o.batch = b.seq AND o.number = CAST(substr(w.family, instr(w.family, ':') + 1) AS INTEGER)
  WHERE w.family IS NOT NULL AND ${WENT}`;

/** Of each other batch the first row of every period that stands in the way of `?1`; where `?3`, those without a reference. */
function ofEachBatch(schema: string, other: string): string {
  const last = `SELECT max(s.batch) FROM ${schema}.seen s WHERE s.key = ?1 AND ${other}`;
  return `WITH RECURSIVE one(batch) AS (
      ${last} UNION ALL SELECT (${last} AND s.batch < one.batch) FROM one WHERE batch IS NOT NULL LIMIT ${BATCHES_MAX}
    )
    SELECT ${columnsIn(schema)}, min(r.number) FROM one CROSS JOIN ${schema}.batch b ON b.seq = one.batch
    CROSS JOIN ${schema}.row r ON r.batch = b.seq AND r.number IN (
      SELECT s.number FROM ${schema}.seen s CROSS JOIN ${schema}.row r ON r.batch = s.batch AND r.number = s.number
      WHERE s.key = ?1 AND s.batch = b.seq AND ${IN_THE_WAY} AND ${NOT_CANCELLED}
        AND (?3 = 0 OR r.reference_key IS NULL OR r.doubtful = 1) LIMIT ${EQUAL_MAX})
    WHERE b.phase <> 'recording' GROUP BY r.batch, r.period`;
}

/** Rows of this and other batches that share a key with the one that is judged, or are tied to it (DESIGN §7). */
export class SeenRows {
  readonly #elsewhere: readonly StatementSync[];
  readonly #elsewhereInPeriod: readonly StatementSync[];
  readonly #ofEachElsewhere: readonly StatementSync[];
  readonly #unknownElsewhere: readonly StatementSync[];
  readonly #here: StatementSync;
  readonly #hereInPeriod: StatementSync;
  readonly #hereUnnamed: StatementSync;
  readonly #corrections: readonly StatementSync[];
  readonly #origin: readonly StatementSync[];
  readonly #correctionsHere: StatementSync;

  /** `past`: name under which another journal is attached, whose rows all count as elsewhere. */
  constructor(database: DatabaseSync, past?: string) {
    const schemas = past === undefined ? ["main"] : ["main", past];
    const from = (schema: string): string =>
      `SELECT ${columnsIn(schema)} FROM ${schema}.seen s JOIN ${schema}.row r ON r.batch = s.batch AND r.number = s.number
       JOIN ${schema}.batch b ON b.seq = r.batch WHERE s.key = ?1`;
    // two ranges instead of one inequality: a file of a million equal rows is not walked for each of them
    const others = (schema: string, batch: string): string[] =>
      schema === "main" ? [`${batch} > ?2`, `${batch} < ?2`] : ["?2 IS NOT NULL"];
    const elsewhere = (and: string): StatementSync[] =>
      schemas.flatMap((schema) =>
        others(schema, "s.batch").map((other) =>
          database.prepare(
            `${from(schema)} AND ${other} AND b.phase <> 'recording' AND ${IN_THE_WAY} AND ${NOT_CANCELLED} ${and}
             ORDER BY s.batch DESC LIMIT ${ELSEWHERE_MAX}`,
          ),
        ),
      );
    this.#elsewhere = elsewhere("");
    this.#elsewhereInPeriod = elsewhere("AND r.period IS ?3");
    this.#ofEachElsewhere = schemas.flatMap((schema) =>
      others(schema, "s.batch").map((other) => database.prepare(ofEachBatch(schema, other))),
    );
    this.#unknownElsewhere = schemas.map((schema) =>
      database.prepare(
        `SELECT ${columnsIn(schema)} FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch
         WHERE r.core_key = ?1 AND r.state = 'unknown' AND ${schema === "main" ? "r.batch <> ?2" : "?2 IS NOT NULL"}
         LIMIT 1`,
      ),
    );
    const kin = (schema: string, word: string, where: string): StatementSync =>
      database.prepare(
        `SELECT ${columnsIn(schema)}, '${word}' AS kin FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch
         WHERE ${where} AND b.phase <> 'recording' AND ${KIN_IN_THE_WAY} AND ${NOT_CANCELLED}
         ORDER BY r.batch DESC LIMIT ${ELSEWHERE_MAX}`,
      );
    this.#corrections = schemas.flatMap((schema) =>
      others(schema, "r.batch").map((other) => kin(schema, "correction", `r.family = ?1 AND ${other}`)),
    );
    this.#origin = schemas.map((schema) => kin(schema, "origin", "b.id = ?1 AND r.number = ?2"));
    this.#correctionsHere = database.prepare(
      `SELECT ${columnsIn("main")}, 'correction' AS kin FROM row r JOIN batch b ON b.seq = r.batch
       WHERE r.family = ?1 AND r.batch = ?2 AND r.number < ?3 AND ${KIN_IN_THE_WAY} ORDER BY r.number LIMIT ${HERE_MAX}`,
    );
    const here = `AND s.batch = ?2 AND s.number < ?3 AND r.state <> 'invalid'`;
    this.#here = database.prepare(`${from("main")} ${here} ORDER BY s.number LIMIT ${HERE_MAX}`);
    this.#hereInPeriod = database.prepare(
      `${from("main")} ${here} AND r.period IS ?4 ORDER BY s.number LIMIT ${HERE_MAX}`,
    );
    // of each period the first: whether two of them are one month is for the judge to say
    this.#hereUnnamed = database.prepare(
      `SELECT * FROM (SELECT ${columnsIn("main")}, min(s.number)
       FROM seen s JOIN row r ON r.batch = s.batch AND r.number = s.number JOIN batch b ON b.seq = r.batch
       WHERE s.key = ?1 AND s.batch = ?2 AND r.state <> 'invalid' AND r.reference_key IS NULL GROUP BY r.period)
       ORDER BY number LIMIT ${HERE_MAX}`,
    );
  }

  /**
   * In other batches. For as long as nothing changes there: of equal rows only the first one walks over the others, most of
   * which may stand in nobody's way.
   */
  elsewhereOf(batchSeq: number): (keys: Keys) => Seen[] {
    const kept = new Map<string, SeenRow[]>();
    const inTheWay = (key: Uint8Array, period?: string | null): SeenRow[] =>
      found(kept, nameOf(key, period), () =>
        period === undefined
          ? this.#elsewhere.flatMap((statement) => all(statement, key, batchSeq))
          : this.#elsewhereInPeriod.flatMap((statement) => all(statement, key, batchSeq, period)),
      );
    // one that states no reference, or that is of the same month, may be the same payment, however many came after it
    const ofEach = ({ core }: Keys, hasReference: 0 | 1): SeenRow[] =>
      found(kept, `${nameOf(core)} ${hasReference}`, () =>
        this.#ofEachElsewhere.flatMap((statement) => all(statement, core, batchSeq, hasReference)),
      );
    return (keys) => {
      const rows = [...inTheWay(keys.core)];
      if (rows.length >= ELSEWHERE_MAX) {
        rows.push(...inTheWay(keys.core, keys.period), ...ofEach(keys, keys.reference === null ? 0 : 1));
        // one that nobody knows the end of holds all others, however many came after it
        rows.push(...this.#unknownElsewhere.flatMap((statement) => all(statement, keys.core, batchSeq)));
      }
      if (keys.reference !== null) rows.push(...inTheWay(keys.reference));
      const once = new Map(rows.map((row) => [`${row.id}/${row.number}`, row]));
      return [...once.values()].map((row) => asSeen(row, keys, false));
    };
  }

  /**
   * The row that this one corrects in the end, where it is another one, and the other corrections of that row; those in
   * the same batch that come before the row `before`.
   */
  family({ name, isItself }: Family, keys: Keys, batchSeq: number, before: number): Seen[] {
    const origin = rowNameOf(name);
    const elsewhere = this.#corrections.flatMap((statement) => all(statement, name, batchSeq));
    if (!isItself) elsewhere.push(...this.#origin.flatMap((statement) => all(statement, origin.batch, origin.row)));
    const here = isItself ? [] : all(this.#correctionsHere, name, batchSeq, before);
    return [...elsewhere.map((other) => asSeen(other, keys, false)), ...here.map((other) => asSeen(other, keys, true))];
  }

  /**
   * Rows of the same batch before `number`: a row with a reference repeats that, and its core fields where they stand in
   * a row without one; any other one repeats its core fields.
   */
  hereOf(batchSeq: number): (keys: Keys, number: number) => Seen[] {
    const unnamed = new Map<string, SeenRow[]>();
    const firstUnnamed = ({ core }: Keys): SeenRow[] =>
      found(unnamed, nameOf(core), () => all(this.#hereUnnamed, core, batchSeq));
    return (keys, number) => {
      const { core, reference, period } = keys;
      let rows: SeenRow[];
      if (reference === null) {
        rows = all(this.#hereInPeriod, core, batchSeq, number, period);
        if (rows.length === 0) rows = all(this.#here, core, batchSeq, number);
      } else {
        rows = [
          ...all(this.#here, reference, batchSeq, number),
          ...firstUnnamed(keys).filter((row) => row.number < number),
        ];
      }
      return rows.map((row) => asSeen(row, keys, true));
    };
  }
}

function nameOf(key: Uint8Array, period?: string | null): string {
  return `${Buffer.from(key).toString("base64")} ${period === undefined ? "" : JSON.stringify(period)}`;
}

/** What was found is kept for the last keys that were looked for. */
function found(kept: Map<string, SeenRow[]>, name: string, look: () => SeenRow[]): SeenRow[] {
  let rows = kept.get(name);
  if (rows) return rows;
  rows = look();
  if (kept.size >= KEYS_KEPT_MAX) kept.clear();
  kept.set(name, rows);
  return rows;
}

function all(statement: StatementSync, ...values: (Uint8Array | number | string | null)[]): SeenRow[] {
  return statement.all(...values) as unknown as SeenRow[];
}
