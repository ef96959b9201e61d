import type { Correction, RowName } from "../checks/correction.ts";
import type { Fault } from "../checks/fault.ts";
import type { PaymentTexts } from "../checks/payment-texts.ts";
import type { OperationName, PayoutOption } from "../operations/operation.ts";
import type { BatchPhase } from "./batch-record.ts";
import type { RowState } from "./state.ts";

/** One row as it is written down before anything is sent. */
export interface NewRow {
  readonly number: number;
  readonly operation?: OperationName;
  readonly option?: PayoutOption;
  readonly amount?: string;
  /** An instruction has texts, an invalid row has faults. */
  readonly payment?: PaymentTexts;
  readonly faults?: readonly Fault[];
  readonly warnings?: readonly Fault[];
  readonly correction?: Correction;
}

/** One row as the journal knows it, with its last attempt. */
export interface RowRecord {
  readonly number: number;
  readonly state: RowState;
  readonly operation?: OperationName;
  readonly option?: PayoutOption;
  readonly amount?: string;
  /** Why it is in this state: a hold code, the reason of an outcome, or the first fault's code. */
  readonly code?: string;
  readonly faults?: readonly Fault[];
  /** What is to be pointed out of the row, whatever its state. */
  readonly warnings?: readonly Fault[];
  /** The row of an earlier batch that it corrects, and what was changed. */
  readonly correction?: Correction;
  /** Of a rejected or invalid row: the accepted row that corrected it since. */
  readonly correctedBy?: RowName;
  /**
   * The row that a duplicate or held row was found to repeat. `at`: when that one was accepted; `more`: how many other
   * accepted rows it may repeat instead.
   */
  readonly other?: { readonly batch: string; readonly row: number; readonly at?: number; readonly more?: number };
  /** Of a held row: a period is stated, by itself or for its file. */
  readonly hasPeriod?: true;
  /** Of a duplicate or held row, whose `other` was settled as not done since: the phase of that one's batch. */
  readonly givenBackIn?: BatchPhase;
  readonly attempts: number;
  readonly httpStatus?: number;
  /** When the last attempt was written down, before its commit and so before its first byte left. */
  readonly sentAt?: number;
  /** From its first byte on, without the time that its commit took. */
  readonly durationMs?: number;
  /** Of an unknown row: when that was written down. Its request left between `sentAt` and then. */
  readonly untilAt?: number;
  /** A cleaned excerpt of the answer. */
  readonly response?: string;
  readonly settledBy?: string;
}

/** What is only told of a row: no other row is judged by it. */
export type RowTexts = Pick<RowRecord, "number" | "response" | "faults" | "warnings">;

/** What became of one attempt. */
export interface AttemptEnd {
  readonly state: "accepted" | "rejected" | "unknown" | "not_sent";
  readonly reason: string;
  readonly httpStatus?: number;
  readonly durationMs: number;
  readonly response?: string;
}
