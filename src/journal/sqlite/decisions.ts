import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RowName } from "../../checks/correction.ts";
import type { Repeat } from "../act-calls.ts";
import { PaydropError } from "../../errors.ts";
import { numbersIn } from "./numbers.ts";
import type { BatchSeq } from "../batch-record.ts";
import { OVERTAKEN } from "./duplicates/seen-statements.ts";
import { assertMove, MAY_NOT_SETTLE, maySettle, RESUMABLE, type RowState, type SettledAs } from "../state.ts";
import { BLOCKED } from "./duplicates/waiting-rows.ts";

/** The id of the act that goes with a decision: it is written right behind it, in the same transaction. */
const NEXT_ACT = "1 + (SELECT coalesce(max(id), 0) FROM act)";
const HELD = "SELECT number FROM row WHERE batch = ? AND state = 'held'";
const WAITS_WHOLE = `SELECT 1 FROM row WHERE batch = ?1 AND state = 'held' AND code = 'all_or_nothing'
  UNION ALL SELECT 1 FROM batch WHERE seq = ?1 AND all_or_nothing = 1 AND NOT EXISTS (
    SELECT 1 FROM row WHERE batch = ?1 AND (state NOT IN ('invalid', 'held', 'duplicate') OR decided IS NOT NULL))
  LIMIT 1`;

/** What changes rows outside of sending: people's acts. Every method is called inside a transaction of its caller. */
export class Decisions {
  readonly #database: DatabaseSync;
  readonly #settle: StatementSync;
  readonly #seenAs: StatementSync;
  readonly #waiting: StatementSync;
  readonly #repeats: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#settle = database.prepare(
      // a row that may go again keeps the act that let it go before
      `UPDATE row SET state = ?1, settled_by = ?2, changed_at = ?3,
         decided = iif(?1 = 'settled_done', ${NEXT_ACT}, decided) WHERE batch = ?4 AND number = ?5`,
    );
    this.#seenAs = database.prepare("SELECT state, settled_by FROM row WHERE batch = ? AND number = ?");
    const names = "o.batch = ?1 AND o.number = ?2 AND r.other_batch = ob.id AND r.other_row = o.number";
    const sharingKeys = (
      more = "",
    ): string => `SELECT DISTINCT b.id AS batch, r.number AS row${more} FROM row o JOIN batch ob ON ob.seq = o.batch
       JOIN seen s ON s.key IN (o.core_key, o.reference_key)
       JOIN row r ON r.batch = s.batch AND r.number = s.number JOIN batch b ON b.seq = r.batch WHERE ${names}`;
    const waits = `r.batch <> ?1 AND r.state = 'held' AND r.code = 'other_row_open' AND b.phase IN ('open', 'paused')`;
    this.#waiting = database.prepare(
      `${sharingKeys()} AND ${waits}
       UNION SELECT b.id, r.number FROM row o JOIN batch ob ON ob.seq = o.batch
       JOIN row r ON r.family = coalesce(o.family, ob.id || ':' || o.number) JOIN batch b ON b.seq = r.batch
       WHERE ${names} AND ${waits} ORDER BY 1, 2`,
    );
    const repeats = "(r.state = 'duplicate' OR (r.state = 'held' AND r.code <> 'other_row_open' AND r.batch <> ?1))";
    this.#repeats = database.prepare(
      `${sharingKeys(", r.state")} AND ${repeats} AND b.phase <> 'cancelled' ORDER BY 1, 2 LIMIT ?3`,
    );
  }

  /** I5: only a person, by name, says what became of an unknown row. */
  settle(batch: BatchSeq, number: number, as: SettledAs, by: string, nowMs: number): void {
    this.#settle.run(as, by, nowMs, batch.seq, number);
  }

  /** Asked in the transaction that settles. `seenAs`: the state that the person saw. */
  assertMaySettle(batch: BatchSeq, number: number, as: SettledAs, seenAs?: RowState): void {
    const row = this.#seenAs.get(batch.seq, number);
    const from = row?.["state"] as RowState | undefined;
    const wasSettled = typeof row?.["settled_by"] === "string";
    if (from === undefined || !maySettle(from, as, wasSettled) || (seenAs !== undefined && from !== seenAs)) {
      throw new PaydropError(
        "usage",
        from === undefined ? `the batch has no row ${number}` : `row ${number} is ${from}: there is nothing to settle`,
        MAY_NOT_SETTLE,
      );
    }
    assertMove(from, as);
  }

  /**
   * Makes duplicate and held rows ready by a person's word; not those that wait for an open row, or whose payment was
   * accepted elsewhere since that person looked (what a clock that was ahead accepted says nothing of that). Gives the
   * rows that go.
   */
  release(
    batch: BatchSeq,
    rows: readonly number[] | "all",
    nowMs: number,
    seenAtMs = Number.MAX_SAFE_INTEGER,
  ): number[] {
    assertMove("held", "ready");
    assertMove("duplicate", "ready");
    const update = this.#database.prepare(
      // `all_or_nothing` and `other_row_open` say nothing of the row itself: it is judged in full when it goes
      `UPDATE row AS r SET state = 'ready', changed_at = ?, decided = ${NEXT_ACT},
         released = iif(code IN ('all_or_nothing', 'other_row_open'), 0, 1 + (SELECT coalesce(max(id), 0) FROM attempt))
       WHERE batch = ? AND number = ? AND state IN ('held', 'duplicate')
       AND NOT (state = 'held' AND EXISTS (
         SELECT 1 FROM row o JOIN batch ob ON ob.seq = o.batch
         WHERE ob.id = r.other_batch AND o.number = r.other_row AND ${BLOCKED}))`,
    );
    // `--all` means what is held; a duplicate goes only when a person names its row
    const wanted = rows === "all" ? numbersIn(this.#database.prepare(HELD), batch.seq) : rows;
    const overtaken = new Set(numbersIn(this.#database.prepare(OVERTAKEN), batch.seq, seenAtMs, nowMs));
    return wanted
      .filter((number) => !overtaken.has(number) && update.run(nowMs, batch.seq, number).changes === 1)
      .sort((a, b) => a - b);
  }

  /** Holds those of these rows that are ready, where a row of the file is invalid or held: then none goes. */
  holdAllOrNothing(batch: BatchSeq, rows: readonly number[] | "all", nowMs: number): void {
    assertMove("ready", "held");
    this.#database
      .prepare(
        `UPDATE row SET state = 'held', code = 'all_or_nothing', changed_at = ?2 WHERE batch = ?1 AND state = 'ready'
         AND (?3 IS NULL OR number IN (SELECT value FROM json_each(?3)))
         AND EXISTS (SELECT 1 FROM row WHERE batch = ?1 AND state IN ('invalid', 'held'))`,
      )
      .run(batch.seq, nowMs, rows === "all" ? null : JSON.stringify(rows));
  }

  /**
   * Whether rows wait for the other rows of their file, or will when they wait for no other file: no person let any go.
   */
  waitsWhole(batch: BatchSeq): boolean {
    return this.#database.prepare(WAITS_WHOLE).get(batch.seq) !== undefined;
  }

  /** Lets rows go again, rejected ones only where a resumed run may send them. Gives how many. */
  makeReady(batch: BatchSeq, rows: readonly number[] | "all", from: readonly RowState[], nowMs: number): number {
    for (const state of from) assertMove(state, "ready");
    const update = this.#database.prepare(
      `UPDATE row AS r SET state = 'ready', changed_at = ?1 WHERE batch = ?2 AND state IN (SELECT value FROM json_each(?3))
       AND (state <> 'rejected' OR ${RESUMABLE}) AND ${rows === "all" ? "?4" : "number = ?4"}`,
    );
    const which = [nowMs, batch.seq, JSON.stringify(from)] as const;
    let changed = 0;
    for (const number of rows === "all" ? [1] : rows) changed += Number(update.run(...which, number).changes);
    return changed;
  }

  /** Rows of other batches that are held until this one has an end. */
  waitingFor(batch: BatchSeq, number: number): RowName[] {
    return this.#waiting.all(batch.seq, number) as unknown as RowName[];
  }

  /** The first rows that are duplicates of this one, or are held since they may be. */
  repeatsOf(batch: BatchSeq, number: number, max: number): Repeat[] {
    return this.#repeats.all(batch.seq, number, max) as unknown as Repeat[];
  }
}
