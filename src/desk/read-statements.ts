import { seenOf } from "../acts/as-seen.ts";
import type { Reconciled } from "../acts/reconcile.ts";
import type { RowRecord } from "../journal/store.ts";
import { rowsIn, type Compared } from "./compared.ts";

const COMPARED_MAX = 20;

/** What the statements say that were compared here, the newest ones, until this process ends. */
export class ReadStatements {
  readonly #all = new Map<string, Compared>();

  add(id: string, compared: Compared): void {
    this.#all.set(id, compared);
    for (const old of [...this.#all.keys()].slice(0, -COMPARED_MAX)) this.#all.delete(old);
  }

  of(id: string): Compared | undefined {
    return this.#all.get(id);
  }

  /** The newest first. */
  get newest(): readonly Compared[] {
    return [...this.#all.values()].toReversed();
  }

  /** The newest word on an unknown row that is still as it was then. */
  wordOn(record: RowRecord): { readonly found: Reconciled; readonly in: Compared } | undefined {
    const as = seenOf(record);
    for (const one of this.newest)
      for (const is of ["proposed", "undecided", "not_shown"] as const) {
        const found = rowsIn(one, is).find(
          (row) => row.batch.id === record.batch && row.record.row === record.row && seenOf(row.record) === as,
        );
        if (found) return { found, in: one };
      }
    return undefined;
  }
}
