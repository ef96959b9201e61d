import type { DatabaseSync } from "node:sqlite";
import type { Judge } from "../checks/duplicates.ts";
import { PaydropError } from "../errors.ts";
import type { BatchSeq } from "./rows.ts";
import type { Keys, SeenRows } from "./seen.ts";
import { assertMove, type RowState } from "./state.ts";

/**
 * What changes rows outside of sending: people's acts, the end of a row that another one waited for, and the rule that
 * looks at a whole file. Every method is called inside a transaction of its caller.
 */
export class Decisions {
  readonly #database: DatabaseSync;
  readonly #seen: SeenRows;

  constructor(database: DatabaseSync, seen: SeenRows) {
    this.#database = database;
    this.#seen = seen;
  }

  /** I5: only a person, by name, says what became of an unknown row. `seenAs`: the state that the person saw. */
  settle(
    batch: BatchSeq,
    number: number,
    as: "settled_done" | "settled_not_done",
    by: string,
    nowMs: number,
    seenAs?: RowState,
  ): RowState {
    const row = this.#database.prepare("SELECT state FROM row WHERE batch = ? AND number = ?").get(batch.seq, number);
    const from = row?.["state"] as RowState | undefined;
    const allowed: readonly RowState[] =
      as === "settled_done" ? ["unknown", "settled_not_done"] : ["unknown", "accepted", "settled_done"];
    if (from === undefined || !allowed.includes(from) || (seenAs !== undefined && from !== seenAs)) {
      throw new PaydropError(
        "usage",
        from === undefined ? `the batch has no row ${number}` : `row ${number} is ${from}: there is nothing to settle`,
        "only an unknown row can be settled, or an accepted one that the bank gave back (as not-done)",
      );
    }
    assertMove(from, as);
    this.#database
      .prepare("UPDATE row SET state = ?, settled_by = ?, changed_at = ? WHERE batch = ? AND number = ? AND state = ?")
      .run(as, by, nowMs, batch.seq, number, from);
    return from;
  }

  /** Duplicate and held rows go by a person's word; not those that wait for an open row. Gives the rows that go. */
  release(batch: BatchSeq, rows: readonly number[] | "all", nowMs: number): number[] {
    const update = this.#database.prepare(
      // a file that was held as a whole says nothing of its rows: those are judged in full when they go
      `UPDATE row SET state = 'ready', released = (code IS NOT 'all_or_nothing'), changed_at = ? WHERE batch = ?
       AND (state = 'held' OR (state = 'duplicate' AND ?)) AND (? OR number = ?)
       AND NOT (state = 'held' AND EXISTS (
         SELECT 1 FROM row o JOIN batch b ON b.seq = o.batch WHERE b.id = row.other_batch AND o.number = row.other_row
         AND (o.state IN ('unknown', 'sending')
           OR (row.code = 'other_row_open' AND o.state = 'ready' AND b.phase <> 'cancelled'))))
       RETURNING number`,
    );
    // `--all` means what is held; a duplicate goes only when a person names its row
    const released =
      rows === "all"
        ? update.all(nowMs, batch.seq, 0, 1, 0)
        : rows.flatMap((number) => update.all(nowMs, batch.seq, 1, 0, number));
    return (released as { number: number }[]).map((row) => row.number).sort((a, b) => a - b);
  }

  /** Where one row cannot go by itself, none goes. */
  holdAllOrNothing(batch: BatchSeq, nowMs: number): void {
    assertMove("ready", "held");
    this.#database
      .prepare(
        `UPDATE row SET state = 'held', code = 'all_or_nothing', changed_at = ?2 WHERE batch = ?1 AND state = 'ready'
         AND EXISTS (SELECT 1 FROM row WHERE batch = ?1 AND state IN ('invalid', 'held'))`,
      )
      .run(batch.seq, nowMs);
  }

  /** Rows go again: rejected ones only for one of the reasons. Gives how many. */
  makeReady(
    batch: BatchSeq,
    rows: readonly number[] | "all",
    from: readonly RowState[],
    reasons: readonly string[],
    nowMs: number,
  ): number {
    for (const state of from) assertMove(state, "ready");
    const update = this.#database.prepare(
      `UPDATE row SET state = 'ready', changed_at = ? WHERE batch = ? AND state IN (SELECT value FROM json_each(?))
       AND (state <> 'rejected' OR code IN (SELECT value FROM json_each(?))) AND (? OR number = ?)`,
    );
    const numbers = rows === "all" ? [0] : rows;
    let changed = 0;
    for (const number of numbers) {
      const { changes } = update.run(nowMs, batch.seq, JSON.stringify(from), JSON.stringify(reasons),
        rows === "all" ? 1 : 0, number); // prettier-ignore
      changed += Number(changes);
    }
    return changed;
  }

  /** Batches with rows that are held until this one has an end. */
  waitingFor(batch: BatchSeq, number: number): string[] {
    const find = (key: "core_key" | "payment_key"): { id: string }[] =>
      this.#database
        .prepare(
          `SELECT DISTINCT b.id FROM row r JOIN batch b ON b.seq = r.batch
           WHERE r.${key} = (SELECT ${key} FROM row WHERE batch = ?1 AND number = ?2)
           AND r.batch <> ?1 AND r.state = 'held' AND r.code = 'other_row_open' AND b.phase IN ('open', 'paused')`,
        )
        .all(batch.seq, number) as { id: string }[];
    return [...new Set([...find("core_key"), ...find("payment_key")].map((row) => row.id))];
  }

  /** Rows that waited for an open row elsewhere are judged anew. */
  judgeAgain(batch: BatchSeq, judge: Judge, nowMs: number): void {
    const waiting = this.#database
      .prepare(
        `SELECT number, payment_key, core_key, keyed_by_reference, period FROM row
         WHERE batch = ? AND state = 'held' AND code = 'other_row_open'`,
      )
      .all(batch.seq) as unknown as WaitingRow[];
    const update = this.#database.prepare(
      `UPDATE row SET state = ?, code = ?, other_batch = ?, other_row = ?, other_at = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = 'held'`,
    );
    for (const row of waiting) {
      const keys: Keys = {
        payment: row.payment_key,
        core: row.core_key,
        byReference: row.keyed_by_reference === 1,
        ...(row.period === null ? {} : { period: row.period }),
      };
      const earlier = this.#seen.here(keys, batch.seq).filter((other) => other.row < row.number);
      const verdict = judge(
        {
          hasReference: keys.byReference,
          released: false,
          ...(row.period === null ? {} : { period: row.period }),
          ...(batch.guessedPeriod === undefined ? {} : { guessedPeriod: batch.guessedPeriod }),
        },
        [...earlier, ...this.#seen.elsewhere(keys, batch.seq)],
        nowMs,
      );
      assertMove("held", verdict.state);
      const other = verdict.state === "ready" ? undefined : verdict.other;
      update.run(verdict.state, verdict.state === "held" ? verdict.code : null,
        other?.batch ?? null, other?.row ?? null, other?.acceptedAt ?? null, nowMs, batch.seq, row.number); // prettier-ignore
    }
  }

  /**
   * DESIGN §7 near_duplicate: this file repeats rows of an earlier batch, and this row's beneficiary has an accepted or
   * unknown row there with another amount: perhaps an amount was edited after it had been sent.
   */
  holdNearDuplicates(batch: BatchSeq, nowMs: number): number {
    const repeated = this.#database
      .prepare(
        `SELECT DISTINCT b.seq FROM row r JOIN batch b ON b.id = r.other_batch
         WHERE r.batch = ?1 AND b.seq <> ?1 AND r.state IN ('duplicate', 'held')`,
      )
      .all(batch.seq) as { seq: number }[];
    const hold = this.#database.prepare(
      `WITH earlier AS MATERIALIZED (
         SELECT r.beneficiary_key, r.core_key, r.number, r.changed_at, b.id FROM row r JOIN batch b ON b.seq = r.batch
         WHERE r.batch = ?2 AND r.state IN ('accepted', 'unknown', 'sending', 'settled_done')
       ), near AS MATERIALIZED (
         SELECT n.number, min(e.number) AS other_row, e.id, e.changed_at FROM row n
         JOIN earlier e ON e.beneficiary_key = n.beneficiary_key AND e.core_key <> n.core_key
         WHERE n.batch = ?1 AND n.state = 'ready' GROUP BY n.number
       )
       UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?3, other_batch = near.id,
         other_row = near.other_row, other_at = near.changed_at
       FROM near WHERE row.batch = ?1 AND row.number = near.number AND row.state = 'ready'`,
    );
    let held = 0;
    for (const { seq } of repeated) held += Number(hold.run(batch.seq, seq, nowMs).changes);
    return held;
  }
}

interface WaitingRow {
  readonly number: number;
  readonly payment_key: Uint8Array;
  readonly core_key: Uint8Array;
  readonly keyed_by_reference: number;
  readonly period: string | null;
}
