import type { Fault } from "../messages/sentence.ts";
import type { OperationName } from "../operations/index.ts";
import type { Row } from "../reader/row.ts";

/** A row of a batch, as people name it. */
export interface RowName {
  readonly batch: string;
  readonly row: number;
}

/** What the checks say of one row. Its texts are in clear: they are never logged, and stored only in the spool. */
export interface CheckedRow {
  readonly row: Row;
  /** Only of a valid row. */
  readonly instruction?: {
    /** Compact JSON (§5.2 step 1) with the fields in the order of §2; amounts keep the very digits of the file. */
    readonly payload: string;
    /** What makes it the same payment as another (DESIGN §2), canonical. */
    readonly payment: string;
  };
  /** Why it is invalid; empty for a valid one. */
  readonly faults: readonly Fault[];
  /** What a person should look at; the row goes all the same. */
  readonly notices: readonly Fault[];
  /** A column says that it is not to go now (`not_now`). */
  readonly notNow?: Fault;
  /** These also of an invalid row, as far as they can be told. */
  readonly operation?: OperationName;
  readonly option?: "A" | "B";
  /** Plain decimal text, as it is sent. */
  readonly amount?: string;
  readonly debit?: string;
  /** Who receives or owes the money, canonical. */
  readonly payee?: string;
  readonly reference?: string;
  /** The period that the row states itself, in one of the three forms (DESIGN §6). */
  readonly period?: string;
  readonly retryOf?: RowName;
}
