import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { HoldCode, Judge, Verdict } from "../checks/duplicates.ts";
import type { Seen } from "../checks/seen.ts";
import type { BatchSeq } from "./batch-record.ts";
import { isAsBefore, JUDGED, keysOf, moreOf, statedOf, type JudgedRow } from "./judged-row.ts";
import { Repeats, type NearDuplicates } from "./near-duplicates.ts";
import { numbersIn } from "./numbers.ts";
import { OVERTAKEN, type SeenRows } from "./seen.ts";
import type { Keys } from "./seen-row.ts";
import { assertMove } from "./state.ts";

/**
 * Where a row that is not on its way goes because of others (DESIGN §7): when its file is taken, and when what it waited
 * for has an end. Called inside a transaction of the caller.
 */
export class Verdicts {
  readonly #seen: SeenRows;
  readonly #near: NearDuplicates;
  readonly #row: StatementSync;
  readonly #waiting: StatementSync;
  readonly #heldSince: StatementSync;
  readonly #overtaken: StatementSync;
  readonly #waitsWhole: StatementSync;
  readonly #ordinal: StatementSync;
  readonly #move: StatementSync;
  /** Equal rows of the batch that is being judged, by core key and period: kept only for those that do repeat. */
  #repeats = new Map<string, number>();
  #repeatsOf = -1;

  constructor(database: DatabaseSync, seen: SeenRows, near: NearDuplicates) {
    this.#seen = seen;
    this.#near = near;
    this.#row = database.prepare(JUDGED);
    this.#waiting = database.prepare(
      "SELECT number FROM row WHERE batch = ? AND state = 'held' AND code = 'other_row_open' ORDER BY number",
    );
    this.#heldSince = database.prepare("SELECT min(changed_at) AS since FROM row WHERE batch = ? AND state = 'held'");
    this.#overtaken = database.prepare(
      `SELECT number FROM row WHERE batch = ?1 AND state = 'held' AND code NOT IN ('other_row_open', 'all_or_nothing')
         AND number IN (${OVERTAKEN}) ORDER BY number`,
    );
    this.#waitsWhole = database.prepare(
      "SELECT 1 FROM row WHERE batch = ? AND state = 'held' AND code = 'all_or_nothing' LIMIT 1",
    );
    this.#ordinal = database.prepare("UPDATE row SET ordinal = ? WHERE batch = ? AND number = ?");
    this.#move = database.prepare(
      `UPDATE row SET state = ?, code = ?, other_batch = ?, other_row = ?, other_at = ?, other_more = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = ?`,
    );
  }

  /**
   * These rows of a batch that is being taken, in input order: they share their keys with others, their keys are entered,
   * and what comes before them is judged. `sinceMs`: an equal row before that is another payment, where neither states
   * anything.
   */
  judgeNew(batch: BatchSeq, numbers: readonly number[], judge: Judge, nowMs: number, sinceMs: number): void {
    const elsewhere = this.#seen.elsewhereOf(batch.seq);
    const hereOf = this.#seen.hereOf(batch.seq);
    for (const number of numbers) {
      const row = this.#row.get(batch.seq, number) as unknown as JudgedRow;
      const here = hereOf(keysOf(row), number);
      const isRepeat =
        row.reference_key === null && here.some((earlier) => earlier.period === (row.period ?? undefined));
      const ordinal = isRepeat ? this.#nextOrdinal(batch.seq, row) : 1;
      if (isRepeat) this.#ordinal.run(ordinal, batch.seq, number);
      const keys = { ...keysOf(row), ordinal };
      const verdict = judge(statedOf(batch, row), this.#seenBy(batch, row, elsewhere(keys), keys, { here }), nowMs);
      this.#near.noteRepeats(verdict);
      if (verdict.state !== "ready") this.#moveRow(batch, row, verdict, nowMs);
      else if (row.family === null) this.#near.noteSentAnew(batch.seq, row, sinceMs);
    }
  }

  /** A ready row that may not go after all is ready no more. */
  judgeBeforeAttempt(batch: BatchSeq, number: number, judge: Judge, nowMs: number): void {
    const row = this.#row.get(batch.seq, number) as unknown as JudgedRow | undefined;
    if (row?.state !== "ready") return;
    // a held row elsewhere cannot have been sent; it may well be held for this very row
    const keys = keysOf(row);
    const elsewhere = this.#seenBy(batch, row, this.#seen.elsewhereOf(batch.seq)(keys), keys).filter(
      (other) => !other.sameBatch && other.standing !== "held",
    );
    if (elsewhere.length === 0 && row.payee_changed === 0) return;
    const verdict = judge(statedOf(batch, row), elsewhere, asOf(row, nowMs));
    if (verdict.state !== "ready") this.#moveRow(batch, row, verdict, nowMs);
  }

  /**
   * Rows that waited for an open row elsewhere are judged anew, and others by what went meanwhile. Where the others of
   * their file wait, they wait too. Gives the rows that stand otherwise than before.
   */
  judgeAgain(batch: BatchSeq, judge: Judge, nowMs: number, recentMs: number): number[] {
    const whenFree: Verdict = this.#waitsWhole.get(batch.seq) ? { state: "held", code: "all_or_nothing" } : READY;
    const elsewhere = this.#seen.elsewhereOf(batch.seq);
    const hereOf = this.#seen.hereOf(batch.seq);
    const changed = new Set<number>();
    const noted = new Repeats();
    let isAnyFree = false;
    for (const number of numbersIn(this.#waiting, batch.seq)) {
      const row = this.#row.get(batch.seq, number) as unknown as JudgedRow;
      const keys = keysOf(row);
      const seen = this.#seenBy(batch, row, elsewhere(keys), keys, { here: hereOf(keys, number) });
      const unreleased = { ...row, released: 0 };
      const judged = judge(statedOf(batch, unreleased), seen, asOf(unreleased, nowMs));
      const verdict = judged.state === "ready" ? whenFree : judged;
      this.#moveRow(batch, row, verdict, nowMs);
      if (!isAsBefore(row, verdict)) changed.add(number);
      if (verdict.state !== "ready") continue;
      isAnyFree = true;
      if (row.family === null) this.#near.noteSentAnew(batch.seq, row, asOf(unreleased, nowMs) - recentMs, noted);
    }
    // while they waited they were not compared with the rows that the others of their file repeat
    if (isAnyFree) this.#near.holdNearDuplicates(batch, nowMs, noted);
    for (const number of this.#tellWhatWent(batch, judge, nowMs)) changed.add(number);
    for (const number of this.#near.tellLetGo(batch, nowMs)) changed.add(number);
    return [...changed];
  }

  /** What was accepted since a row is held: whoever releases it would not know of that payment. It frees no row. */
  #tellWhatWent(batch: BatchSeq, judge: Judge, nowMs: number): number[] {
    const { since: sinceMs } = this.#heldSince.get(batch.seq) as { since: number | null };
    if (sinceMs === null) return [];
    const elsewhere = this.#seen.elsewhereOf(batch.seq);
    const changed: number[] = [];
    for (const number of numbersIn(this.#overtaken, batch.seq, sinceMs + 1, Number.MAX_SAFE_INTEGER)) {
      const row = this.#row.get(batch.seq, number) as unknown as JudgedRow;
      const keys = keysOf(row);
      const seen = this.#seenBy(batch, row, elsewhere(keys), keys, { before: Number.MAX_SAFE_INTEGER });
      const went = seen.filter(({ standing }) => standing === "accepted");
      const since = went.filter(({ acceptedAt = 0 }) => acceptedAt > row.changed_at);
      if (since.length === 0) continue;
      const unreleased = { ...row, released: 0 };
      const stated = statedOf(batch, unreleased);
      const atMs = asOf(unreleased, nowMs);
      if (judge(stated, since, atMs).state === "ready") continue;
      // by all of them: what went since may be another payment, and what went before the same one
      const verdict = judge(stated, went, atMs);
      this.#moveRow(batch, row, verdict, nowMs);
      if (!isAsBefore(row, verdict)) changed.push(number);
    }
    return changed;
  }

  /**
   * Rows that a person is about to let go: those of them that repeat another payment by now than the one that was told,
   * or that something else holds as well, which what was told has hidden.
   */
  judgeNamed(
    batch: BatchSeq,
    numbers: readonly number[],
    judgeBehind: (told?: HoldCode) => Judge,
    nowMs: number,
  ): number[] {
    const elsewhere = this.#seen.elsewhereOf(batch.seq);
    const hereOf = this.#seen.hereOf(batch.seq);
    return numbers.filter((number) => {
      const row = this.#row.get(batch.seq, number) as unknown as JudgedRow | undefined;
      if (row?.state !== "held" && row?.state !== "duplicate") return false;
      const told = row.state === "held" ? (row.code as HoldCode) : undefined;
      const keys = keysOf(row);
      const here = { here: hereOf(keys, number), before: Number.MAX_SAFE_INTEGER };
      const seen = this.#seenBy(batch, row, elsewhere(keys), keys, here).filter((other) => !isTold(batch, row, other));
      const unreleased = { ...row, released: 0 };
      const judged = judgeBehind(told)(statedOf(batch, unreleased), seen, asOf(unreleased, nowMs));
      if (judged.state === "ready") return false;
      const verdict: Verdict =
        told === undefined && judged.other ? { state: "duplicate", other: judged.other } : judged;
      if (isAsBefore(row, verdict)) return false;
      this.#moveRow(batch, row, verdict, nowMs);
      return true;
    });
  }

  /**
   * By its keys, and by what it corrects or what corrects it: a row that is both is told by the latter. Of its own file
   * those that are given as `here`, and the corrections `before` a row.
   */
  #seenBy(
    batch: BatchSeq,
    row: JudgedRow,
    elsewhere: readonly Seen[],
    keys: Keys,
    { here = [], before = row.number }: { readonly here?: readonly Seen[]; readonly before?: number } = {},
  ): Seen[] {
    const others = [...here, ...elsewhere];
    if (row.has_kin === 0) return others;
    const family = this.#seen.family(
      { name: row.family ?? row.name, isItself: row.family === null },
      keys,
      batch.seq,
      before,
    );
    const isKin = (other: Seen): boolean => family.some((kin) => kin.batch === other.batch && kin.row === other.row);
    return [...family, ...others.filter((other) => !isKin(other))];
  }

  #moveRow(batch: BatchSeq, row: JudgedRow, verdict: Verdict, nowMs: number): void {
    assertMove(row.state, verdict.state);
    const other: Seen | undefined = verdict.state === "ready" ? undefined : verdict.other;
    this.#move.run(verdict.state, verdict.state === "held" ? verdict.code : null, other?.batch ?? null,
      other?.row ?? null, other?.acceptedAt ?? null, moreOf(verdict), nowMs, batch.seq, row.number, row.state); // prettier-ignore
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

/**
 * A row that nobody let go is judged as on the day when its file was dropped: what went since, while it waited or was
 * settled as not done, is no older payment, however late somebody looks.
 */
function asOf({ released, taken_at: takenAt }: JudgedRow, nowMs: number): number {
  return released === 0 ? Math.min(nowMs, takenAt) : nowMs;
}

/** Of a whole file that was sent before, every row is told of what the same bytes were then. */
function isTold(batch: BatchSeq, { code, other_batch }: JudgedRow, other: Seen): boolean {
  return (
    code === "same_file" && (other.batch === other_batch || (batch.file !== undefined && other.file === batch.file))
  );
}

const READY: Verdict = { state: "ready" };
