import type { Config } from "../../config/config.ts";
import { defined } from "../../defined.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import type { SettledAs } from "../../journal/state.ts";
import type { Act, JournalStore } from "../../journal/store.ts";
import { recoverIfDead } from "../try-lock.ts";

/** What a person says of a row, or of many, and how the history tells of it. */
export interface Word {
  readonly as: SettledAs;
  readonly by: string;
  readonly note: string;
  readonly act: Omit<Act, "at">;
}

/**
 * One row that a person settles. `row`: the little that is told of it, as it was found: a list may be as long as a
 * file.
 */
export interface Settling {
  readonly batch: string;
  readonly row: SettledRow;
  readonly word: Word;
}

type SettledRow = Pick<RowRecord, "number" | "state" | "amount" | "operation" | "settledBy">;

export interface Settlings {
  readonly todo: readonly Settling[];
  /** Settled so before: nothing is done again. */
  readonly already: readonly Settling[];
  /** Lines of a list without a decision. */
  readonly skipped: number;
}

/** `done`, `not-done`, in any writing of the space between. */
export function asSaid(value: unknown): SettledAs | undefined {
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  if (word === "done") return "settled_done";
  return /^not[\s_-]+done$/.test(word) ? "settled_not_done" : undefined;
}

/** The row as it is now; one that a dead process left on its way is made unknown first. */
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

export function settlingOf(
  batch: string,
  { number, state, amount, operation, settledBy }: RowRecord,
  word: Word,
): Settling {
  return { batch, row: defined({ number, state, amount, operation, settledBy }), word };
}

export function wordOf(as: SettledAs, by: string, note: string): Word {
  return { as, by, note, act: { by, kind: "settle", note: `as ${wordsOf(as)}: ${note}` } };
}

export function wordsOf(as: SettledAs): "done" | "not done" {
  return as === "settled_done" ? "done" : "not done";
}
