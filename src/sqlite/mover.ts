import { addAct, keepTallies, type BatchRow } from "./batches.ts";
import { byName, type Journal } from "./store.ts";
import type { RowName } from "../checks/beside.ts";
import { move as moveRow, type Change } from "../journal/states.ts";
import type { Who } from "../journal/store.ts";

/** The rows of one batch in a transaction that moves some of them. */
export class Mover {
  readonly #journal: Journal;
  readonly #batch: BatchRow;
  #nextTurn: number;

  constructor(journal: Journal, batch: BatchRow) {
    this.#journal = journal;
    this.#batch = batch;
    this.#nextTurn = batch.nextTurn;
  }

  /** false: the row was in another state, or on its way against expectation. */
  move(change: Omit<Change, "turn">): boolean {
    const turn = change.to === "ready" ? { turn: this.#nextTurn } : {};
    const isMoved = moveRow((sql, values) => this.#journal.run(...byName(sql, values)), this.#batch, {
      ...change,
      ...turn,
    });
    if (isMoved && change.to === "ready") this.#nextTurn += 1;
    return isMoved;
  }

  /** `at`: the latest time that the journal knows from now on; `mark`: the new one, and how many rows it lets go. */
  end(at: number, mark = this.#batch.mark, letGo = 0): void {
    // apart: of nearly all commits it changes nothing, and no index is written
    this.#journal.run("UPDATE batch SET tallies = NULL WHERE seq = ? AND tallies IS NOT NULL", this.#batch.seq);
    const sql = "UPDATE batch SET mark = ?, nextTurn = ?, letGo = letGo + ?, lastAt = max(lastAt, ?) WHERE seq = ?";
    this.#journal.run(sql, mark, this.#nextTurn, letGo, at, this.#batch.seq);
  }
}

/** Rows that were let go, and of which nobody will tell what became of them, are unknown from now on (I4). */
export function makeUnknown(journal: Journal, batch: BatchRow, who: Who): RowName[] {
  const sql = "SELECT row FROM row WHERE batch = ? AND state = 'ready' AND turn <= ? ORDER BY row";
  const rows = journal.all(sql, batch.seq, batch.mark).map(({ row }) => Number(row));
  if (rows.length === 0) return [];
  const mover = new Mover(journal, batch);
  // it may have left: that counts as a try, which tells the row from the same one after a person let it go again
  const left = { to: "unknown", isOnItsWay: true, code: "interrupted", answer: { tries: 1 } } as const;
  for (const row of rows) mover.move({ row, from: ["ready"], ...left });
  mover.end(0);
  addAct(journal, { ...who, at: Date.now(), kind: "recover", batch: batch.id, rows });
  keepTallies(journal, batch.seq);
  return rows.map((row) => ({ batch: batch.id, row }));
}
