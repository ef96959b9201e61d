import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { HoldCode, Judge, Verdict } from "../../../checks/duplicates/duplicates.ts";
import type { Seen } from "../../../checks/duplicates/seen.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { asOf, isAsBefore, keysOf, statedOf, type JudgedRow } from "./judged-row.ts";
import type { JudgedRows } from "./judged-rows.ts";
import { numbersIn } from "../numbers.ts";
import { OVERTAKEN } from "./seen-statements.ts";

/**
 * Whoever releases a row must have been told every reason against it: a row with one that was not told gets that one
 * and stays behind. Makes no row ready. Called inside a transaction of the caller.
 */
export class Telling {
  readonly #rows: JudgedRows;
  readonly #heldSince: StatementSync;
  readonly #overtaken: StatementSync;

  constructor(database: DatabaseSync, rows: JudgedRows) {
    this.#rows = rows;
    this.#heldSince = database.prepare("SELECT min(changed_at) AS since FROM row WHERE batch = ? AND state = 'held'");
    this.#overtaken = database.prepare(
      `SELECT number FROM row WHERE batch = ?1 AND state = 'held' AND code NOT IN ('other_row_open', 'all_or_nothing')
         AND number IN (${OVERTAKEN}) ORDER BY number`,
    );
  }

  /**
   * Judges held rows by what was accepted since they are held: whoever releases them would not know of those payments.
   * Gives the rows that changed.
   */
  whatWent(batch: BatchSeq, judge: Judge, nowMs: number): number[] {
    const { since: sinceMs } = this.#heldSince.get(batch.seq) as { since: number | null };
    if (sinceMs === null) return [];
    const elsewhere = this.#rows.seen.elsewhereOf(batch.seq);
    const changed: number[] = [];
    for (const number of numbersIn(this.#overtaken, batch.seq, sinceMs + 1, Number.MAX_SAFE_INTEGER)) {
      const row = this.#rows.one(batch, number);
      const keys = keysOf(row);
      const seen = this.#rows.seenBy(batch, row, elsewhere(keys), keys, { before: Number.MAX_SAFE_INTEGER });
      const went = seen.filter(({ standing }) => standing === "accepted");
      const since = went.filter(({ acceptedAt = 0 }) => acceptedAt > row.changed_at);
      if (since.length === 0) continue;
      const unreleased = { ...row, released: 0 };
      const stated = statedOf(batch, unreleased);
      const atMs = asOf(unreleased, nowMs);
      if (judge(stated, since, atMs).state === "ready") continue;
      // by all of them: what went since may be another payment, and what went before the same one
      const verdict = judge(stated, went, atMs);
      this.#rows.move(batch, row, verdict, nowMs);
      if (!isAsBefore(row, verdict)) changed.push(number);
    }
    return changed;
  }

  /**
   * Of the rows that a person is about to release: those that by now repeat another payment than the one that was told,
   * or have a reason which the told one hid. They get that payment or reason and stay. Gives their numbers.
   */
  named(batch: BatchSeq, numbers: readonly number[], judgeBehind: (told?: HoldCode) => Judge, nowMs: number): number[] {
    const elsewhere = this.#rows.seen.elsewhereOf(batch.seq);
    const hereOf = this.#rows.seen.hereOf(batch.seq);
    return numbers.filter((number) => {
      const row = this.#rows.find(batch, number);
      if (row?.state !== "held" && row?.state !== "duplicate") return false;
      const told = row.state === "held" ? (row.code as HoldCode) : undefined;
      const keys = keysOf(row);
      const here = { here: hereOf(keys, number), before: Number.MAX_SAFE_INTEGER };
      const all = this.#rows.seenBy(batch, row, elsewhere(keys), keys, here);
      const seen = all.filter((other) => (told === undefined ? mayBeRepeated(other) : !isTold(batch, row, other)));
      const unreleased = { ...row, released: 0 };
      const judged = judgeBehind(told)(statedOf(batch, unreleased), seen, asOf(unreleased, nowMs));
      if (judged.state === "ready") return false;
      const verdict: Verdict =
        told === undefined && judged.other ? { state: "duplicate", other: judged.other } : judged;
      if (isAsBefore(row, verdict)) return false;
      this.#rows.move(batch, row, verdict, nowMs);
      return true;
    });
  }
}

/** Whether a duplicate may repeat this row as well. */
function mayBeRepeated({ standing, sameBatch }: Seen): boolean {
  return standing === "accepted" && !sameBatch;
}

/**
 * Whether the person was told of this row: it was named; or, where the whole file is held as sent before, it is a row
 * of the batch that was named or of the same bytes.
 */
function isTold(batch: BatchSeq, { code, other_batch, other_row }: JudgedRow, other: Seen): boolean {
  if (other.batch === other_batch && other.row === other_row) return true;
  return (
    code === "same_file" && (other.batch === other_batch || (batch.file !== undefined && other.file === batch.file))
  );
}
