import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Judge } from "../checks/duplicates.ts";
import type { BatchSeq } from "./rows.ts";
import { assertMove, type RowState } from "./state.ts";
import type { AttemptEnd, Begun } from "./store.ts";
import type { Verdicts } from "./verdicts.ts";

/** Attempts and their outcomes. Every method is called inside a transaction of its caller. */
export class Attempts {
  readonly #verdicts: Verdicts;
  readonly #state: StatementSync;
  readonly #insert: StatementSync;
  readonly #sending: StatementSync;
  readonly #remove: StatementSync;
  readonly #end: StatementSync;
  readonly #endRow: StatementSync;
  readonly #open: StatementSync;
  readonly #version: StatementSync;
  /** Batches that were judged in this process, and the version of the file then: nothing has changed elsewhere since. */
  readonly #judged = new Map<number, number>();

  constructor(database: DatabaseSync, verdicts: Verdicts) {
    this.#verdicts = verdicts;
    this.#state = database.prepare("SELECT state FROM row WHERE batch = ? AND number = ?");
    this.#insert = database.prepare("INSERT INTO attempt (batch, row, started_at) VALUES (?, ?, ?)");
    this.#sending = database.prepare(
      `UPDATE row SET state = 'sending', code = NULL, attempts = attempts + 1, last_attempt = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = 'ready' RETURNING attempts`,
    );
    this.#remove = database.prepare("DELETE FROM attempt WHERE id = ?");
    this.#end = database.prepare(
      `UPDATE attempt SET outcome = ?, reason = ?, http_status = ?, duration_ms = ?, response = ?
       WHERE id = ? AND outcome IS NULL RETURNING batch, row`,
    );
    this.#endRow = database.prepare(
      `UPDATE row SET state = ?, code = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = 'sending' AND last_attempt = ?`,
    );
    this.#version = database.prepare("PRAGMA data_version");
    this.#open = database.prepare("SELECT id, started_at FROM attempt WHERE outcome IS NULL");
  }

  /** The rows of this batch are being judged from now on. Until something changes elsewhere, once is enough. */
  judgedFromHere(batchSeq: number): void {
    this.#judged.set(batchSeq, this.#dataVersion());
  }

  /** Something of this batch changed: the rows of every other one must be judged again. */
  changed(batchSeq: number): void {
    for (const seq of this.#judged.keys()) if (seq !== batchSeq) this.#judged.delete(seq);
  }

  /**
   * Row to `sending` with a new attempt; or, if the same payment was found elsewhere meanwhile, to `duplicate` or
   * `held`. The row must be ready: anything else is said, never sent (I1).
   */
  begin(batch: BatchSeq, number: number, judge: Judge, nowMs: number): Begun {
    const verdict = this.#isJudged(batch.seq)
      ? undefined
      : this.#verdicts.judgeBeforeAttempt(batch, number, judge, nowMs);
    if (verdict !== undefined) return { state: verdict };
    assertMove("ready", "sending");
    const attempt = Number(this.#insert.run(batch.seq, number, nowMs).lastInsertRowid);
    const row = this.#sending.get(attempt, nowMs, batch.seq, number) as { attempts: number } | undefined;
    if (row) return { attempt, ordinal: row.attempts };
    this.#remove.run(attempt);
    return { state: this.#stateOf(batch.seq, number) };
  }

  #isJudged(batchSeq: number): boolean {
    this.changed(batchSeq);
    return this.#judged.get(batchSeq) === this.#dataVersion();
  }

  #dataVersion(): number {
    return (this.#version.get() as { data_version: number }).data_version;
  }

  #stateOf(batchSeq: number, number: number): RowState {
    return (this.#state.get(batchSeq, number)?.["state"] ?? "invalid") as RowState;
  }

  end(attempt: number, end: AttemptEnd, nowMs: number): void {
    assertMove("sending", end.state);
    const row = this.#end.get(end.state, end.reason, end.httpStatus ?? null, Math.round(end.durationMs),
      end.response ?? null, attempt) as { batch: number; row: number } | undefined; // prettier-ignore
    if (!row) throw new Error(`attempt ${attempt} has an outcome already`);
    if (this.#endRow.run(end.state, end.reason, nowMs, row.batch, row.row, attempt).changes !== 1) {
      throw new Error(`row ${row.row} was not being sent by attempt ${attempt}`);
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
