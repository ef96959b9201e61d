/** What the journal's thread and its caller say to each other. */
import type { JudgeRules } from "../../checks/duplicates/duplicates.ts";
import { PaydropError, type ErrorCode } from "../../errors.ts";
import type { JournalOptions } from "../sqlite/sqlite-journal.ts";
import type { JournalStore } from "../store.ts";

/**
 * How the thread opens the journal. `scratchDir`: the folder of a journal to throw away, which knows what the one in
 * `stateDir` has seen.
 */
export type ThreadStart =
  | { readonly stateDir: string; readonly options: JournalOptions }
  | { readonly stateDir: string; readonly scratchDir: string };

/**
 * Calls that were gathered go in one message, and so do the answers of one commit. Both are flat: to carry a thousand
 * small arrays and objects over costs more than what is in them.
 */
export interface Calls {
  /** The rules by which every `begin` judges from now on. */
  readonly rules?: JudgeRules;
  /**
   * id, method, number of arguments, the arguments; again and again. The calls that every row makes are shorter: id,
   * `ROW_BEGINS`, batch, row; and id, `ROW_ENDS`, attempt, state, reason, duration, HTTP status, answer.
   */
  readonly calls: readonly unknown[];
}
/** In place of a method: a number is carried over at less cost than a name. */
export const ROW_BEGINS = 0;
export const ROW_ENDS = 1;
export interface Answers {
  /** id, value; again and again. The value of a `begin` is the number of the attempt alone, if it is a row's first. */
  readonly done: readonly unknown[];
  readonly failed: readonly (readonly [id: number, error: ErrorText])[];
}
/** An error as it crosses threads; `code` where it is a PaydropError. */
export interface ErrorText {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint: string;
}
/** The first message of the thread. `methods`: names of all methods that the journal in the thread has. */
export type FirstAnswer =
  { readonly stateId: string; readonly methods: readonly (keyof JournalStore)[] } | { readonly failed: ErrorText };

export function errorOf({ code, message, hint }: ErrorText): Error {
  return code === undefined ? new Error(message) : new PaydropError(code, message, hint);
}
