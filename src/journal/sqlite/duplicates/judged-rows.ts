import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Verdict } from "../../../checks/duplicates/duplicates.ts";
import type { Seen } from "../../../checks/duplicates/seen.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { JUDGED, moreOf, type JudgedRow } from "./judged-row.ts";
import type { SeenRows } from "./seen-rows.ts";
import type { Keys } from "./seen-row.ts";
import { assertMove } from "../../state.ts";

/** Reads the rows that are judged, finds what to compare them with, and writes the verdicts down. */
export class JudgedRows {
  readonly seen: SeenRows;
  readonly #row: StatementSync;
  readonly #move: StatementSync;

  constructor(database: DatabaseSync, seen: SeenRows) {
    this.seen = seen;
    this.#row = database.prepare(JUDGED);
    this.#move = database.prepare(
      `UPDATE row SET state = ?, code = ?, other_batch = ?, other_row = ?, other_at = ?, other_more = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = ?`,
    );
  }

  /** The row must exist. */
  one(batch: BatchSeq, number: number): JudgedRow {
    return this.find(batch, number) as JudgedRow;
  }

  find(batch: BatchSeq, number: number): JudgedRow | undefined {
    return this.#row.get(batch.seq, number) as unknown as JudgedRow | undefined;
  }

  /**
   * The rows that it is compared with: those that share a key with it (`elsewhere`, `here`), and its family: the row
   * that it corrects, and every correction of that row or of itself. A row found both ways is given once, as family. Of
   * its own batch: the rows `here`, and corrections that come before the row `before`.
   */
  seenBy(
    batch: BatchSeq,
    row: JudgedRow,
    elsewhere: readonly Seen[],
    keys: Keys,
    { here = [], before = row.number }: { readonly here?: readonly Seen[]; readonly before?: number } = {},
  ): Seen[] {
    const others = [...here, ...elsewhere];
    if (row.has_kin === 0) return others;
    // where `before` lies behind it, the row itself is one of the corrections
    const family = this.seen
      .family({ name: row.family ?? row.name, isItself: row.family === null }, keys, batch.seq, before)
      .filter((kin) => !kin.sameBatch || kin.row !== row.number);
    const isKin = (other: Seen): boolean => family.some((kin) => kin.batch === other.batch && kin.row === other.row);
    return [...family, ...others.filter((other) => !isKin(other))];
  }

  move(batch: BatchSeq, row: JudgedRow, verdict: Verdict, nowMs: number): void {
    assertMove(row.state, verdict.state);
    const other: Seen | undefined = verdict.state === "ready" ? undefined : verdict.other;
    this.#move.run(verdict.state, verdict.state === "held" ? verdict.code : null, other?.batch ?? null,
      other?.row ?? null, other?.acceptedAt ?? null, moreOf(verdict), nowMs, batch.seq, row.number, row.state); // prettier-ignore
  }
}
