import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Judge } from "../../../checks/duplicates/duplicates.ts";
import { wasOpened } from "../batch-columns.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { keysOf, statedOf, type JudgedRow } from "./judged-row.ts";
import type { JudgedRows } from "./judged-rows.ts";
import { thereBefore } from "./in-place.ts";
import { payeeOf, plainAmountOf } from "./near-rows.ts";
import { asSeen, columnsIn, type SeenRow } from "./seen-row.ts";

/** A row that stands for others of its list. `payee`: keyed hash; `amount`: decimal text without zeros at its end. */
interface Sampled {
  readonly payee: Uint8Array;
  readonly amount: string;
  readonly number: number;
}

/** A row of an earlier batch with the same payee. `seq`: of its batch. */
type Shared = SeenRow & { readonly seq: number };
type IsSame = (row: JudgedRow, other: Shared) => boolean;

/**
 * A few rows of every batch, by which a list of the same payees and amounts is known again although no row of it is
 * equal: it was sent from the wrong account, say, and dropped again with the right one in every row (DESIGN §7
 * near_duplicate). `keep` is called inside a transaction of the caller.
 */
export class PayeeSamples {
  readonly #rows: JudgedRows;
  readonly #first: StatementSync;
  readonly #shared: StatementSync;
  readonly #there: StatementSync;
  readonly #ofPayee: StatementSync;
  readonly #keep: StatementSync;
  /** The sample of the batch that is being judged: nothing of it is kept before it opens. */
  #sample: readonly Sampled[] = [];

  /** `past`: name under which another journal is attached, whose batches all came earlier. */
  constructor(database: DatabaseSync, rows: JudgedRows, past?: string) {
    this.#rows = rows;
    // payees are hashes: the first of them are as good as drawn by lot, and every file that has them draws the same
    this.#first = database.prepare(
      `SELECT ${payeeOf("r")} AS payee, ${plainAmountOf("r")} AS amount, number
       FROM row r WHERE batch = ? AND number BETWEEN ? AND ? AND core_key IS NOT NULL ORDER BY 1, 2, 3 LIMIT ${KEPT}`,
    );
    const earlier = past ?? "main";
    this.#shared = database.prepare(
      `SELECT ${columnsIn(earlier)}, b.seq FROM (
         SELECT batch, number FROM ${earlier}.payee_sample WHERE payee = ?1 AND amount = ?2
         AND ${past === undefined ? "batch <> ?3" : "?3 IS NOT NULL"} ORDER BY batch DESC LIMIT ${NEWEST}
       ) e CROSS JOIN ${earlier}.batch b ON b.seq = e.batch
       CROSS JOIN ${earlier}.row r ON r.batch = e.batch AND r.number = e.number
       WHERE ${wasOpened("b")}`,
    );
    this.#there = database.prepare(`SELECT b.seq, b.rows FROM ${thereBefore(past)} AND ${wasOpened("b")}`);
    this.#ofPayee = database.prepare(
      `SELECT ${columnsIn(earlier)}, b.seq FROM ${earlier}.payee_sample e CROSS JOIN ${earlier}.batch b ON b.seq = e.batch
       CROSS JOIN ${earlier}.row r ON r.batch = e.batch AND r.number = e.number
       WHERE e.payee = ?1 AND e.batch IN (SELECT value FROM json_each(?2)) ORDER BY e.batch DESC LIMIT ${NEWEST}`,
    );
    this.#keep = database.prepare("INSERT INTO payee_sample (payee, amount, batch, number) VALUES (?, ?, ?, ?)");
  }

  /** Begins a new batch: forgets the sample of the one before. */
  sampleFromHere(): void {
    this.#sample = [];
  }

  /** Draws from the rows `from` to `to` of the batch as well. */
  add(batchSeq: number, from: number, to: number): void {
    const found = this.#first.all(batchSeq, from, to) as unknown as readonly Sampled[];
    this.#sample = [...this.#sample, ...found].sort(inOrder).slice(0, KEPT);
  }

  /**
   * Numbers (`seq`) of earlier batches with the same payees and amounts: with equal core fields their rows would be, by
   * periods, references and days, the same payments. Whether they went is asked row by row.
   */
  alike(batch: BatchSeq, judge: Judge, nowMs: number): readonly number[] {
    const payees = new Set<string>();
    const found = new Set<number>();
    const there = new Map(
      (this.#there.all(batch.seq) as unknown as { seq: number; rows: number }[]).map(({ seq, rows }) => [seq, rows]),
    );
    const isSame: IsSame = (row, other) => isSameButForCore(batch, row, other, judge, nowMs);
    for (const { payee, amount, number } of this.#sample) {
      const same = this.#sameIn(this.#shared.all(payee, amount, batch.seq), batch, number, isSame);
      for (const seq of same) found.add(seq);
      if (same.size > 0) payees.add(Buffer.from(payee).toString("base64"));
    }
    const inPlace = [...found].filter((seq) => this.#isShort(there.get(seq)));
    // of a short list any row: whoever changes the account or the IFSC in a file that lies there corrects it
    const isList = payees.size >= Math.max(PAYEES_MIN, this.#sample.length / PART_MIN);
    return [...new Set([...(isList ? found : inPlace), ...this.#samePeople(batch, isSame, there)])];
  }

  /** Batches of those of these rows that are the same payment as a sampled one, if that may go. */
  #sameIn(others: readonly unknown[], batch: BatchSeq, number: number, isSame: IsSame): ReadonlySet<number> {
    // of most payments there is no other one: their rows are not read once more
    const row = others.length === 0 ? undefined : this.#rows.one(batch, number);
    if (!row || !mayGo(row) || row.family !== null) return new Set();
    return new Set((others as readonly Shared[]).filter((other) => isSame(row, other)).map(({ seq }) => seq));
  }

  /** Whether this list, or one with so many rows that lay in its place before, has fewer than make a list. */
  #isShort(rows: number | undefined): boolean {
    return rows !== undefined && Math.min(rows, this.#sample.length) < PAYEES_MIN;
  }

  /**
   * Batches `there`, whose files lay in the place of this one, that are for the very same month and people: every amount
   * may have been corrected. Without a month it is the next week's file.
   */
  #samePeople(batch: BatchSeq, isSame: IsSame, there: ReadonlyMap<number, number>): readonly number[] {
    if (there.size === 0) return [];
    const seqs = JSON.stringify([...there.keys()]);
    const isOfMonth: IsSame = (row, other) => isOfSameMonth(batch, row, other) && isSame(row, other);
    const shared = new Map<number, number>();
    for (const { payee, number } of this.#sample) {
      const same = this.#sameIn(this.#ofPayee.all(payee, seqs), batch, number, isOfMonth);
      for (const seq of same) shared.set(seq, (shared.get(seq) ?? 0) + 1);
    }
    const all = (seq: number): number => Math.max(this.#sample.length, Math.min(KEPT, there.get(seq) ?? 0));
    return [...shared].filter(([seq, rows]) => rows >= all(seq) * SAME_PEOPLE_MIN).map(([seq]) => seq);
  }

  /** To be called when the batch opens. */
  keep(batchSeq: number): void {
    for (const { payee, amount, number } of this.#sample) this.#keep.run(payee, amount, batchSeq, number);
    this.sampleFromHere();
  }
}

/** So many that a tenth of a list of thousands is known as well: somebody may send it again in parts. */
const KEPT = 256;
/** Of so many payees it is the same list, or parts of it: the same amount of one or two of them says nothing. */
const PAYEES_MIN = 4;
/** Nor do a few of a long list, each of whom got the same fee or refund from another account: at least one in so many. */
const PART_MIN = 16;
/** Of the same people nearly all: somebody may have been left out, or put in, as well. */
const SAME_PEOPLE_MIN = 0.9;
/** Of lists that are alike the newest say it all. */
const NEWEST = 16;

/** By itself, or when the row that it waits for has its end. */
function mayGo({ state, code }: JudgedRow): boolean {
  return state === "ready" || (state === "held" && code === "other_row_open");
}

function isSameButForCore(batch: BatchSeq, row: JudgedRow, other: Shared, judge: Judge, nowMs: number): boolean {
  if (Buffer.compare(other.core_key, row.core_key) === 0) return false;
  const seen = asSeen(other, { ...keysOf(row), core: other.core_key }, false);
  const went = { ...seen, standing: "accepted", acceptedAt: other.changed_at } as const;
  return judge(statedOf(batch, row), [went], nowMs).state !== "ready";
}

/** By what is stated, or else by the names of their files. */
function isOfSameMonth({ guessedPeriod }: BatchSeq, row: JudgedRow, other: Shared): boolean {
  const period = row.period ?? guessedPeriod;
  return period !== undefined && period === (other.period ?? other.guessed_period);
}

function inOrder(one: Sampled, other: Sampled): number {
  const byPayee = Buffer.compare(one.payee, other.payee);
  if (byPayee !== 0) return byPayee;
  return Buffer.compare(Buffer.from(one.amount), Buffer.from(other.amount)) || one.number - other.number;
}
