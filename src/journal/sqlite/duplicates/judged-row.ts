import type { Verdict } from "../../../checks/duplicates/duplicates.ts";
import type { Stated } from "../../../checks/duplicates/seen.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { batchOf, type Keys } from "./seen-row.ts";
import type { RowState } from "../../state.ts";

/** What the verdict on a row depends on. */
export interface JudgedRow {
  readonly number: number;
  readonly state: RowState;
  readonly code: string | null;
  readonly other_batch: string | null;
  readonly other_row: number | null;
  readonly other_at: number | null;
  readonly other_more: number;
  readonly reference_key: Uint8Array | null;
  readonly doubtful: number;
  readonly core_key: Uint8Array;
  readonly period: string | null;
  readonly ordinal: number;
  /** The number that the next attempt would have had when a person released the row; 0: never released. */
  readonly released: number;
  readonly payee_changed: number;
  /** The row that it corrects in the end; null: none. */
  readonly family: string | null;
  readonly name: string;
  /** It corrects a row, or is corrected by one. */
  readonly has_kin: number;
  readonly changed_at: number;
  /** When its file was taken. */
  readonly taken_at: number;
  /** The act by which a person let it go, and when that was. null: none did, or an earlier build wrote it down. */
  readonly decided: number | null;
  readonly decided_at: number | null;
}

/** SQL: the row `?2` of the batch `?1`. */
export const JUDGED = `SELECT r.number, r.state, r.code, r.other_batch, r.other_row, r.other_at, r.other_more,
  r.reference_key, r.doubtful, r.core_key, r.period, r.ordinal, r.released, r.payee_changed, r.changed_at, r.family,
  r.decided, (SELECT at FROM act WHERE id = r.decided) AS decided_at, b.created_at AS taken_at, b.id || ':' || r.number AS name,
  r.family IS NOT NULL OR EXISTS (SELECT 1 FROM row k WHERE k.family = b.id || ':' || r.number) AS has_kin
  FROM row r JOIN batch b ON b.seq = r.batch WHERE r.batch = ?1 AND r.number = ?2`;

/**
 * Whether a verdict leaves the row as it is: the same state, for the same reason, because of the same other row, accepted
 * at the same time, and beside as many more. A row that the verdict lets go never stays as it is.
 */
export function isAsBefore(row: JudgedRow, verdict: Verdict): boolean {
  if (verdict.state === "ready" || row.state !== verdict.state) return false;
  if (verdict.state === "held" && row.code !== verdict.code) return false;
  const { batch = null, row: number = null, acceptedAt = null } = verdict.other ?? {};
  const isSameOther = row.other_batch === batch && row.other_row === number && row.other_at === acceptedAt;
  return isSameOther && row.other_more === moreOf(verdict);
}

/** Of a possible duplicate: how many more rows, beside the one that the verdict names, may be the same payment. */
export function moreOf(verdict: Verdict): number {
  return verdict.state === "held" && verdict.code === "possible_duplicate" ? (verdict.others?.length ?? 0) : 0;
}

export function keysOf(row: JudgedRow): Keys {
  return { reference: row.reference_key, core: row.core_key, period: row.period, ordinal: row.ordinal };
}

/** What the rules of DESIGN §7 are told of a row that they judge. */
export function statedOf(batch: BatchSeq, row: JudgedRow): Stated {
  return {
    takenAt: row.taken_at,
    row: row.number,
    ...(batch.file === undefined ? {} : { file: batch.file }),
    hasReference: row.reference_key !== null,
    isDoubtful: row.doubtful === 1,
    payeeChanged: row.payee_changed === 1,
    ...(row.released === 0 ? {} : releaseOf(row)),
    ...(row.family === null ? {} : { originBatch: batchOf(row.family) }),
    ...(row.period === null ? {} : { period: row.period, isPeriodOfFile: row.period === batch.period }),
    ...(batch.guessedPeriod === undefined ? {} : { guessedPeriod: batch.guessedPeriod }),
  };
}

/** By the time of the act: what becomes of the row later, when it could not go, is no later word of that person. */
function releaseOf(row: JudgedRow): Pick<Stated, "released"> {
  const { released: before, decided: act, decided_at: decidedAt, changed_at: changedAt } = row;
  return { released: { before, at: decidedAt ?? changedAt, ...(act === null ? {} : { act }) } };
}

/**
 * The time by which a row is judged. One that nobody let go is judged as on the day when its file was dropped: what
 * went since, while it waited or was settled as not done, is no older payment, however late somebody looks.
 */
export function asOf({ released, taken_at: takenAt }: JudgedRow, nowMs: number): number {
  return released === 0 ? Math.min(nowMs, takenAt) : nowMs;
}
