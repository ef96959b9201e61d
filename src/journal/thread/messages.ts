/** What the journal's thread and its caller say to each other. */
import type { JudgeRules } from "../../checks/duplicates/duplicates.ts";
import { PaydropError, type ErrorCode } from "../../errors.ts";
import type { JournalOptions } from "../sqlite-journal.ts";
import type { JournalStore } from "../store.ts";

/** What the thread opens the journal with. `scratchDir`: one to throw away, which knows what this one has seen. */
export type ThreadStart =
  | { readonly stateDir: string; readonly options: JournalOptions }
  | { readonly stateDir: string; readonly scratchDir: string };

/**
 * Calls of one turn of the event loop travel together, and so do the answers of one commit. Both are flat: a thousand
 * small arrays and objects cost more to carry over than what is in them.
 */
export interface Calls {
  /** The rules by which every `begin` judges from now on. */
  readonly rules?: JudgeRules;
  /**
   * id, method, number of arguments, the arguments; again and again. What every row asks for has plain arguments only:
   * `begin` has its batch and row, `end` the attempt and then state, reason, duration, HTTP status, answer.
   */
  readonly calls: readonly unknown[];
}
export interface Answers {
  /** id, value; again and again. A row's first attempt, as nearly every one is, is told by its number alone. */
  readonly done: readonly unknown[];
  readonly failed: readonly (readonly [id: number, error: ErrorText])[];
}
/** An error as it crosses threads; `code` where it is a PaydropError. */
export interface ErrorText {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint: string;
}
/** `methods`: all names of the journal in the thread. */
export type FirstAnswer =
  { readonly stateId: string; readonly methods: readonly (keyof JournalStore)[] } | { readonly failed: ErrorText };

export function errorOf({ code, message, hint }: ErrorText): Error {
  return code === undefined ? new Error(message) : new PaydropError(code, message, hint);
}
