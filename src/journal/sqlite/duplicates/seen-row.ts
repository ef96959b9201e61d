import type { RowName } from "../../../checks/correction.ts";
import type { Seen } from "../../../checks/duplicates/seen.ts";
import type { BatchPhase } from "../../batch-record.ts";
import type { RowState } from "../../state.ts";

/**
 * What a row is known again by: reference and core fields; without a reference, period and place among equal rows too.
 */
export interface Keys {
  readonly reference: Uint8Array | null;
  readonly core: Uint8Array;
  readonly period: string | null;
  readonly ordinal: number;
}

/** A row that shares a key with the judged one, or is tied to it, as the statements read it. */
export interface SeenRow {
  readonly number: number;
  readonly state: RowState;
  readonly code: string | null;
  readonly reference_key: Uint8Array | null;
  readonly doubtful: number;
  readonly core_key: Uint8Array;
  readonly period: string | null;
  readonly ordinal: number;
  readonly changed_at: number;
  readonly last_attempt: number | null;
  readonly decided: number | null;
  readonly family: string | null;
  readonly id: string;
  readonly guessed_period: string | null;
  readonly file_period: string | null;
  /** Hash of its bytes, with the sheet of a workbook; null where that is not known. */
  readonly file: string | null;
  readonly phase: BatchPhase;
  readonly kin?: "origin" | "correction";
}

/** SQL: the file of the batch `b`: the hash of its bytes, with the sheet of a workbook, which has rows of its own. */
export const FILE_OF = `iif(b.format = 'xlsx', b.sha256 || ' ' || (b.choices ->> '$.sheet'), b.sha256)`;

/**
 * SQL: the columns of a `SeenRow`. Where a correction has the period that was stated for the file of the row which it
 * corrects, that period and that file's name count for it.
 */
export function columnsIn(schema: string): string {
  const ofOrigin = (column: string): string =>
    `(SELECT o.${column} FROM ${schema}.batch o WHERE o.id = substr(r.family, 1, instr(r.family, ':') - 1))`;
  // few rows correct another one: the origin is looked for only for those
  const inherits = `r.family IS NOT NULL AND r.period = ${ofOrigin("period")}`;
  return `r.number, r.state, r.code, r.reference_key, r.doubtful, r.core_key, r.period, r.ordinal, r.changed_at,
    r.last_attempt, r.decided, r.family, b.id, b.phase, ${FILE_OF} AS file, iif(${inherits}, r.period, b.period) AS file_period,
    iif(${inherits}, ${ofOrigin("guessed_period")}, b.guessed_period) AS guessed_period`;
}

/** What the rules of DESIGN §7 are told of a `SeenRow`. `keys`: those of the judged row. */
export function asSeen(row: SeenRow, keys: Keys, sameBatch: boolean): Seen {
  const sameCore = Buffer.compare(row.core_key, keys.core) === 0;
  const sameReference =
    row.reference_key !== null && keys.reference !== null && Buffer.compare(row.reference_key, keys.reference) === 0;
  const neither = row.reference_key === null && keys.reference === null;
  const standing = standingOf(row);
  return {
    batch: row.id,
    row: row.number,
    sameBatch,
    sameKey: neither && sameCore && row.period === keys.period && row.ordinal === keys.ordinal,
    sameCore,
    sameReference,
    ...(row.kin === undefined ? {} : { kin: row.kin }),
    standing,
    hasReference: row.reference_key !== null,
    isDoubtful: row.doubtful === 1,
    ...(row.period === null ? {} : { period: row.period, isPeriodOfFile: row.period === row.file_period }),
    ...(row.guessed_period === null ? {} : { guessedPeriod: row.guessed_period }),
    ...(standing === "accepted" ? { acceptedAt: row.changed_at } : {}),
    ...(row.last_attempt === null ? {} : { lastAttempt: row.last_attempt }),
    ...(row.decided === null ? {} : { decided: row.decided }),
    ...(row.file === null ? {} : { file: row.file }),
    originBatch: row.family === null ? row.id : batchOf(row.family),
  };
}

function standingOf({ state, phase, code, kin }: SeenRow): Seen["standing"] {
  switch (state) {
    case "accepted":
    case "settled_done":
      return "accepted";
    case "unknown":
    case "sending":
      return "open";
    case "ready":
      return phase === "cancelled" ? "ended" : "open";
    case "held":
      // a file held as a whole waits for its corrected copy, and must not stand in the way of that
      return phase === "cancelled" || code === "all_or_nothing" ? "ended" : "held";
    case "duplicate":
      return kin === undefined ? "ended" : "accepted";
    case "rejected":
    case "not_sent":
    case "invalid":
    case "settled_not_done":
      return "ended";
    default:
      return state satisfies never;
  }
}

/** The batch of a row by the row's name, `BATCH:ROW`. */
export function batchOf(name: string): string {
  return rowNameOf(name).batch;
}

export function rowNameOf(name: string): RowName {
  const [batch = "", row = ""] = name.split(":");
  return { batch, row: Number(row) };
}
