import { wasOpened } from "../batch-columns.ts";
import { columnsIn } from "./seen-row.ts";
import { isIn, isPaid, MAY_BE_PAID } from "../../state.ts";

/** More equal payments than this, in other batches and in this one, say nothing new. */
export const ELSEWHERE_MAX = 64;
const HERE_MAX = 64;
const BATCHES_MAX = 1000;
const EQUAL_MAX = 1000;
// rejected, invalid, not_sent, duplicate and settled_not_done rows stand in nobody's way
const IN_THE_WAY = isIn("r", [...MAY_BE_PAID, "ready", "held"]);
// a duplicate was accepted elsewhere: there is nothing left to correct
const KIN_IN_THE_WAY = `(${IN_THE_WAY} OR r.state = 'duplicate')`;

// what a cancelled batch did not send must not crowd out what it did
const NOT_CANCELLED = `NOT (b.phase = 'cancelled' AND r.state IN ('ready', 'held'))`;

const WENT = `${isPaid("o")} AND o.changed_at BETWEEN ?2 AND ?3`;

/**
 * Held and duplicate rows of the batch `?1` that were overtaken from the time `?2` to `?3`: a row with one of their
 * keys was accepted in another batch, or one of their family was: the row that they correct, or a correction. Key by
 * key: where two files have the same payment in every row, it is looked for once, not for each row.
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

/**
 * By the key `?1`, of each other batch the first row of every period that stands in the way. `?3` = 1: only rows
 * without a sure reference.
 */
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
    WHERE ${wasOpened("b")} GROUP BY r.batch, r.period`;
}

/** Rows of `schema` that are known by the key `?1`. */
function keyed(schema: string): string {
  return `SELECT ${columnsIn(schema)} FROM ${schema}.seen s JOIN ${schema}.row r ON r.batch = s.batch AND r.number = s.number
    JOIN ${schema}.batch b ON b.seq = r.batch WHERE s.key = ?1`;
}

function kin(schema: string, word: "origin" | "correction", where: string): string {
  return `SELECT ${columnsIn(schema)}, '${word}' AS kin FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch
    WHERE ${where} AND ${wasOpened("b")} AND ${KIN_IN_THE_WAY} AND ${NOT_CANCELLED}
    ORDER BY r.batch DESC LIMIT ${ELSEWHERE_MAX}`;
}

/**
 * One statement for each journal: this one, and the one that is attached as `past`, whose rows all count as elsewhere.
 * For this one two, before and behind the batch `?2`: with `<>` a file of a million equal rows would be walked over for
 * each of them.
 */
function everywhere(
  past: string | undefined,
  batch: string,
  sqlOf: (schema: string, isOther: string) => string,
): string[] {
  const here = [`${batch} > ?2`, `${batch} < ?2`].map((isOther) => sqlOf("main", isOther));
  return past === undefined ? here : [...here, sqlOf(past, "?2 IS NOT NULL")];
}

function schemas(past: string | undefined): string[] {
  return past === undefined ? ["main"] : ["main", past];
}

function inTheWay(past: string | undefined, and = ""): string[] {
  return everywhere(
    past,
    "s.batch",
    (schema, isOther) =>
      `${keyed(schema)} AND ${isOther} AND ${wasOpened("b")} AND ${IN_THE_WAY} AND ${NOT_CANCELLED} ${and}
       ORDER BY s.batch DESC LIMIT ${ELSEWHERE_MAX}`,
  );
}

/** Rows of batches other than `?2`. */
export const ELSEWHERE = {
  /** By the key `?1`: the newest that stand in the way. */
  inTheWay: (past?: string) => inTheWay(past),

  /** By the key `?1`: the newest of the period `?3` that stand in the way. */
  inTheWayInPeriod: (past?: string) => inTheWay(past, "AND r.period IS ?3"),

  ofEachBatch: (past?: string) => everywhere(past, "s.batch", ofEachBatch),

  /** By the core key `?1`: one unknown row. */
  unknown: (past?: string) =>
    schemas(past).map(
      (schema) => `SELECT ${columnsIn(schema)} FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch
        WHERE r.core_key = ?1 AND r.state = 'unknown' AND ${schema === "main" ? "r.batch <> ?2" : "?2 IS NOT NULL"}
        LIMIT 1`,
    ),

  /** Rows that correct the row named `?1` in the end. */
  corrections: (past?: string) =>
    everywhere(past, "r.batch", (schema, isOther) => kin(schema, "correction", `r.family = ?1 AND ${isOther}`)),

  /** The row `?2` of the batch with the id `?1`. */
  origin: (past?: string) => schemas(past).map((schema) => kin(schema, "origin", "b.id = ?1 AND r.number = ?2")),
} as const;

const BEFORE = `${keyed("main")} AND s.batch = ?2 AND s.number < ?3 AND r.state <> 'invalid'`;
const FIRST = `ORDER BY s.number LIMIT ${HERE_MAX}`;

/** Rows of the batch `?2`. */
export const HERE = {
  /** By the key `?1`, before the row `?3`. */
  before: `${BEFORE} ${FIRST}`,

  /** By the key `?1`, before the row `?3`, rows of the period `?4`. */
  beforeInPeriod: `${BEFORE} AND r.period IS ?4 ${FIRST}`,

  /**
   * By the key `?1`, the first row of each period without a reference: whether two are one month is the judge's to say.
   */
  unnamed: `SELECT * FROM (SELECT ${columnsIn("main")}, min(s.number)
    FROM seen s JOIN row r ON r.batch = s.batch AND r.number = s.number JOIN batch b ON b.seq = r.batch
    WHERE s.key = ?1 AND s.batch = ?2 AND r.state <> 'invalid' AND r.reference_key IS NULL GROUP BY r.period)
    ORDER BY number LIMIT ${HERE_MAX}`,

  /** Rows before the row `?3` that correct the row named `?1` in the end. */
  corrections: `SELECT ${columnsIn("main")}, 'correction' AS kin FROM row r JOIN batch b ON b.seq = r.batch
    WHERE r.family = ?1 AND r.batch = ?2 AND r.number < ?3 AND ${KIN_IN_THE_WAY} ORDER BY r.number LIMIT ${HERE_MAX}`,
} as const;
