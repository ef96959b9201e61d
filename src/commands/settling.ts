import type { Config } from "../config/config.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { SettledAs } from "../journal/state.ts";
import type { JournalStore } from "../journal/store.ts";
import { recoverIfDead } from "./try-lock.ts";

/** One row that a person settles. `row`: as it was found. */
export interface Settling {
  readonly batch: string;
  readonly row: RowRecord;
  readonly as: SettledAs;
  readonly by: string;
  readonly note: string;
}

export interface Settlings {
  readonly todo: readonly Settling[];
  /** Settled so before: nothing is done again. */
  readonly already: readonly Settling[];
  /** Lines of a list without a decision. */
  readonly skipped: number;
}

/** `done`, `not-done`, in any writing of the space between. */
export function asSaid(value: unknown): SettledAs | undefined {
  const word = typeof value === "string" ? value.trim().toLowerCase().replace(/[\s_-]+/g, "-") : ""; // prettier-ignore
  if (word === "done") return "settled_done";
  return word === "not-done" ? "settled_not_done" : undefined;
}

/** The row as it is now; one that a dead process left on its way is unknown by then. */
export async function rowToSettle(
  journal: JournalStore,
  batchId: string,
  number: number,
  config: Config,
): Promise<RowRecord | undefined> {
  const row = await journal.row(batchId, number);
  if (row?.state !== "sending" || !(await recoverIfDead(config))) return row;
  return journal.row(batchId, number);
}

/** How an act says what was settled. */
export function noteOf(as: SettledAs, note: string): string {
  return `as ${wordsOf(as)}: ${note}`;
}

export function wordsOf(as: SettledAs): "done" | "not done" {
  return as === "settled_done" ? "done" : "not done";
}
