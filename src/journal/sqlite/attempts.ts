import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Judge } from "../../checks/duplicates/duplicates.ts";
import type { BatchSeq } from "../batch-record.ts";
import { assertMove, type RowState } from "../state.ts";
import type { AttemptEnd } from "../row-record.ts";
import type { Begun } from "../attempt-calls.ts";
import type { Verdicts } from "./duplicates/verdicts.ts";

/** The row that an attempt is of; `batch` is its number. */
interface Place {
  readonly batch: number;
  readonly row: number;
}

/** Attempts and their outcomes. Every method is called inside a transaction of its caller. */
export class Attempts {
  readonly #verdicts: Verdicts;
  readonly #transaction: () => number;
  readonly #state: StatementSync;
  readonly #last: StatementSync;
  readonly #insert: StatementSync;
  readonly #first: StatementSync;
  readonly #again: StatementSync;
  readonly #rowOf: StatementSync;
  readonly #end: StatementSync;
  readonly #endRow: StatementSync;
  readonly #open: StatementSync;
  readonly #version: StatementSync;
  readonly #phase: StatementSync;
  /** Batches that this process has judged, and the data version then: while it stays, nothing has changed elsewhere. */
  readonly #judged = new Map<number, number>();
  /** Batches that were open, and the data version then. */
  readonly #openIn = new Map<number, number>();
  /** What this process has begun and not ended. */
  readonly #onTheirWay = new Map<number, Place>();
  #lastId = 0;
  #lastIdIn = -1;
  /** The transaction in which the data version was last read, and that version: within one it cannot change. */
  #lookedAt = -1;
  #seenVersion = -1;

  /** `transaction` tells one transaction from the next. */
  constructor(database: DatabaseSync, verdicts: Verdicts, transaction: () => number) {
    this.#verdicts = verdicts;
    this.#transaction = transaction;
    this.#state = database.prepare("SELECT state FROM row WHERE batch = ? AND number = ?");
    this.#last = database.prepare("SELECT coalesce(max(id), 0) AS id FROM attempt");
    this.#insert = database.prepare("INSERT INTO attempt (id, batch, row, started_at) VALUES (?, ?, ?, ?)");
    const sending = `UPDATE row SET state = 'sending', code = NULL, attempts = attempts + 1, last_attempt = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = 'ready'`;
    this.#first = database.prepare(`${sending} AND attempts = 0`);
    // SQLite makes a table to return anything from an update: too dear for every row
    this.#again = database.prepare(`${sending} RETURNING attempts`);
    this.#rowOf = database.prepare("SELECT batch, row FROM attempt WHERE id = ?");
    this.#end = database.prepare(
      `UPDATE attempt SET outcome = ?, reason = ?, http_status = ?, duration_ms = ?, response = ?
       WHERE id = ? AND outcome IS NULL`,
    );
    this.#endRow = database.prepare(
      `UPDATE row SET state = ?, code = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = 'sending' AND last_attempt = ?`,
    );
    this.#version = database.prepare("PRAGMA data_version");
    this.#phase = database.prepare("SELECT phase FROM batch WHERE seq = ?");
    this.#open = database.prepare("SELECT id, started_at FROM attempt WHERE outcome IS NULL");
  }

  /**
   * The rows of this batch are judged from here on: `begin` does not judge them again until another process writes, or
   * `changed` says that rows of another batch may stand in their way.
   */
  judgedFromHere(batchSeq: number): void {
    this.#judged.set(batchSeq, this.#dataVersion());
  }

  /** To be called when this very process pauses, opens or cancels the batch: the data version does not show that. */
  phaseChanged(batchSeq: number): void {
    this.#openIn.delete(batchSeq);
  }

  /**
   * To be called when rows of this batch may stand in the way of others from now on: those of every other batch are
   * judged again before their next attempt. What becomes of a ready row needs no call: no other ready row has its keys.
   */
  changed(batchSeq: number): void {
    for (const seq of this.#judged.keys()) if (seq !== batchSeq) this.#judged.delete(seq);
  }

  /**
   * Moves the row to `sending` with a new attempt; or, if the same payment was found elsewhere meanwhile, to
   * `duplicate` or `held`. Of a row that is not ready the state is given, and it is never sent (I1). Of a batch that is
   * paused or cancelled nothing begins: whoever said so was told that nothing more goes.
   */
  begin(batch: BatchSeq, number: number, judge: Judge, nowMs: number): Begun {
    if (!this.#isOpen(batch.seq)) return { state: this.#stateOf(batch.seq, number) };
    if (!this.#isJudged(batch.seq)) this.#verdicts.judgeBeforeAttempt(batch, number, judge, nowMs);
    assertMove("ready", "sending");
    const attempt = this.#lastAttempt() + 1;
    const ordinal = this.#moveToSending(attempt, batch.seq, number, nowMs);
    if (ordinal === undefined) return { state: this.#stateOf(batch.seq, number) };
    this.#insert.run(attempt, batch.seq, number, nowMs);
    this.#lastId = attempt;
    this.#onTheirWay.set(attempt, { batch: batch.seq, row: number });
    return { attempt, ordinal };
  }

  /** Which attempt of the row this is, from 1; undefined for a row that is not ready. */
  #moveToSending(attempt: number, batchSeq: number, number: number, nowMs: number): number | undefined {
    if (this.#first.run(attempt, nowMs, batchSeq, number).changes === 1) return 1;
    const row = this.#again.get(attempt, nowMs, batchSeq, number) as { attempts: number } | undefined;
    return row?.attempts;
  }

  /** Ids go up by one and never come again. */
  #lastAttempt(): number {
    const version = this.#dataVersion();
    if (this.#lastIdIn !== version) this.#lastId = (this.#last.get() as { id: number }).id;
    this.#lastIdIn = version;
    return this.#lastId;
  }

  #isJudged(batchSeq: number): boolean {
    return this.#judged.get(batchSeq) === this.#dataVersion();
  }

  #isOpen(batchSeq: number): boolean {
    if (this.#openIn.get(batchSeq) === this.#dataVersion()) return true;
    if (this.#phase.get(batchSeq)?.["phase"] !== "open") return false;
    this.#openIn.set(batchSeq, this.#dataVersion());
    return true;
  }

  /** Another number as soon as another process has changed something. */
  #dataVersion(): number {
    if (this.#lookedAt === this.#transaction()) return this.#seenVersion;
    this.#lookedAt = this.#transaction();
    this.#seenVersion = (this.#version.get() as { data_version: number }).data_version;
    return this.#seenVersion;
  }

  #stateOf(batchSeq: number, number: number): RowState {
    return (this.#state.get(batchSeq, number)?.["state"] ?? "invalid") as RowState;
  }

  end(attempt: number, end: AttemptEnd, nowMs: number): void {
    assertMove("sending", end.state);
    const { changes } = this.#end.run(end.state, end.reason, end.httpStatus ?? null, Math.round(end.durationMs),
      end.response ?? null, attempt); // prettier-ignore
    if (changes !== 1) throw new Error(`attempt ${attempt} has an outcome already`);
    const place = this.#onTheirWay.get(attempt) ?? (this.#rowOf.get(attempt) as unknown as Place);
    this.#onTheirWay.delete(attempt);
    if (this.#endRow.run(end.state, end.reason, nowMs, place.batch, place.row, attempt).changes !== 1) {
      throw new Error(`row ${place.row} was not being sent by attempt ${attempt}`);
    }
  }

  /** I4: whatever was in flight when its process died is unknown. */
  recover(nowMs: number): number {
    const open = this.#open.all() as { id: number; started_at: number }[];
    for (const { id, started_at } of open) {
      this.end(id, { state: "unknown", reason: "interrupted", durationMs: Math.max(0, nowMs - started_at) }, nowMs);
    }
    return open.length;
  }
}
