import type { JudgeRules } from "../checks/duplicates/duplicates.ts";
import type { Act } from "./act-calls.ts";
import type { AttemptEnd } from "./row-record.ts";
import type { RowState } from "./state.ts";

/** `begin` gives an attempt to send, or says what the check inside its transaction found instead. */
export type Begun =
  { readonly attempt: number; readonly ordinal: number } | { readonly attempt?: undefined; readonly state: RowState };

/** What sends a row, and what lets it go again. */
export interface AttemptCalls {
  /** I2: resolves when the attempt is on stable storage. Groups with others into one commit. */
  begin(batchId: string, row: number, rules: JudgeRules): Promise<Begun>;
  /** The outcome of an attempt. Groups with others into one commit; calls commit in the order they were made. */
  end(attempt: number, end: AttemptEnd): Promise<void>;
  /** I4: attempts without an outcome become unknown. Gives how many. Only the holder of the lock may ask for it. */
  recover(): Promise<number>;

  /**
   * Rows that were held for an open row elsewhere are judged again, since that one may have come to an end. Gives the
   * rows that are held for another reason now, or for none.
   */
  judgeAgain(batchId: string, rules: JudgeRules): Promise<readonly number[]>;
  /** Of the rows that a person is about to release: those with a reason that the person must be told first. */
  judgeNamed(batchId: string, rows: readonly number[], rules: JudgeRules): Promise<readonly number[]>;
  /**
   * Lets rows in the states `from` go again, rejected ones only where they were refused for the key or the address.
   * Gives how many. `act`: of the person who says so; stands in the same transaction, or not at all.
   */
  makeReady(
    batchId: string,
    rows: readonly number[] | "all",
    from: readonly RowState[],
    act?: Omit<Act, "at">,
  ): Promise<number>;
}
