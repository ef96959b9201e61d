import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Judge } from "../../../checks/duplicates/duplicates.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { asOf, isAsBefore, keysOf, statedOf, type JudgedRow } from "./judged-row.ts";
import type { JudgedRows } from "./judged-rows.ts";
import { Repeats, type NearDuplicates } from "./near-duplicates.ts";
import { numbersIn } from "../numbers.ts";
import type { Telling } from "./telling.ts";

/**
 * Judges rows by others and moves them (DESIGN §7): when their file is taken, before an attempt, and when what they
 * waited for has its end. Called inside a transaction of the caller.
 */
export class Verdicts {
  readonly #rows: JudgedRows;
  readonly #near: NearDuplicates;
  readonly #telling: Telling;
  readonly #waiting: StatementSync;
  readonly #ordinal: StatementSync;
  /** How many equal rows the judged batch has had so far, by core key and period: only of those that do repeat. */
  #repeats = new Map<string, number>();
  #repeatsOf = -1;

  constructor(database: DatabaseSync, rows: JudgedRows, near: NearDuplicates, telling: Telling) {
    this.#rows = rows;
    this.#near = near;
    this.#telling = telling;
    this.#waiting = database.prepare(
      "SELECT number FROM row WHERE batch = ? AND state = 'held' AND code = 'other_row_open' ORDER BY number",
    );
    this.#ordinal = database.prepare("UPDATE row SET ordinal = ? WHERE batch = ? AND number = ?");
  }

  /**
   * Judges new rows in input order. They share a key with another row or correct one, their keys are in `seen`, and the
   * rows before them are judged. `sinceMs`: an equal row older than that is another payment, where neither states a
   * period or a reference.
   */
  judgeNew(batch: BatchSeq, numbers: readonly number[], judge: Judge, nowMs: number, sinceMs: number): void {
    const elsewhere = this.#rows.seen.elsewhereOf(batch.seq);
    const hereOf = this.#rows.seen.hereOf(batch.seq);
    for (const number of numbers) {
      const row = this.#rows.one(batch, number);
      const here = hereOf(keysOf(row), number);
      const isRepeat =
        row.reference_key === null && here.some((earlier) => earlier.period === (row.period ?? undefined));
      const ordinal = isRepeat ? this.#nextOrdinal(batch.seq, row) : 1;
      if (isRepeat) this.#ordinal.run(ordinal, batch.seq, number);
      const keys = { ...keysOf(row), ordinal };
      const verdict = judge(
        statedOf(batch, row),
        this.#rows.seenBy(batch, row, elsewhere(keys), keys, { here }),
        nowMs,
      );
      this.#near.noteRepeats(verdict);
      if (verdict.state !== "ready") this.#rows.move(batch, row, verdict, nowMs);
      else if (row.family === null) this.#near.noteSentAnew(batch.seq, row, sinceMs);
    }
  }

  /** Judges a ready row once more: one that may not go after all is ready no more. */
  judgeBeforeAttempt(batch: BatchSeq, number: number, judge: Judge, nowMs: number): void {
    const row = this.#rows.find(batch, number);
    if (row?.state !== "ready") return;
    // a held row elsewhere cannot have been sent; it may well be held for this very row
    const keys = keysOf(row);
    const elsewhere = this.#rows
      .seenBy(batch, row, this.#rows.seen.elsewhereOf(batch.seq)(keys), keys)
      .filter((other) => !other.sameBatch && other.standing !== "held");
    if (elsewhere.length === 0 && row.payee_changed === 0) return;
    const verdict = judge(statedOf(batch, row), elsewhere, asOf(row, nowMs));
    if (verdict.state !== "ready") this.#rows.move(batch, row, verdict, nowMs);
  }

  /**
   * Judges anew rows that waited for an open row elsewhere, and other held rows by what went meanwhile. Gives the rows
   * that changed.
   */
  judgeAgain(batch: BatchSeq, judge: Judge, nowMs: number, recentMs: number): number[] {
    const elsewhere = this.#rows.seen.elsewhereOf(batch.seq);
    const hereOf = this.#rows.seen.hereOf(batch.seq);
    const changed = new Set<number>();
    const noted = new Repeats();
    let isAnyFree = false;
    for (const number of numbersIn(this.#waiting, batch.seq)) {
      const row = this.#rows.one(batch, number);
      const keys = keysOf(row);
      const seen = this.#rows.seenBy(batch, row, elsewhere(keys), keys, { here: hereOf(keys, number) });
      const unreleased = { ...row, released: 0 };
      const verdict = judge(statedOf(batch, unreleased), seen, asOf(unreleased, nowMs));
      this.#rows.move(batch, row, verdict, nowMs);
      this.#near.noteRepeats(verdict, noted);
      if (!isAsBefore(row, verdict)) changed.add(number);
      if (verdict.state !== "ready") continue;
      isAnyFree = true;
      if (row.family === null) this.#near.noteSentAnew(batch.seq, row, asOf(unreleased, nowMs) - recentMs, noted);
    }
    // while they waited they were not compared with the batches that their file repeats
    if (isAnyFree) this.#near.holdNearDuplicates(batch, nowMs, noted);
    else this.#near.keep(batch, noted);
    for (const number of this.#telling.whatWent(batch, judge, nowMs)) changed.add(number);
    for (const number of this.#near.tellLetGo(batch, nowMs)) changed.add(number);
    return [...changed];
  }

  #nextOrdinal(batchSeq: number, row: JudgedRow): number {
    if (this.#repeatsOf !== batchSeq) {
      this.#repeats = new Map();
      this.#repeatsOf = batchSeq;
    }
    const key = `${Buffer.from(row.core_key).toString("base64")}/${row.period ?? ""}`;
    const ordinal = (this.#repeats.get(key) ?? 1) + 1;
    this.#repeats.set(key, ordinal);
    return ordinal;
  }
}
