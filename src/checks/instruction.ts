import type { Form, Operation, PayoutOption } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import type { Fault } from "./fault.ts";

/** A valid row, ready to send (DESIGN §2). */
export interface Instruction {
  readonly operation: Operation;
  readonly option?: PayoutOption;
  /** The request body (or the plaintext payload of a payout) as compact JSON, fields in the order of §2. */
  readonly payload: string;
  /** What the payload holds of each field of the form, in its order: empty where it holds nothing. Never stored. */
  readonly values: readonly string[];
  readonly form: Form;
  /** As written in the file. */
  readonly amount: string;
  /** The user's own id, not sent. */
  readonly reference?: string;
  /** The period that this row states itself. */
  readonly period?: string;
  /** The core fields (DESIGN §7) as one text, canonical; never logged or stored in clear. */
  readonly core: string;
  /** The beneficiary fields as one text, canonical; never logged or stored in clear. */
  readonly beneficiary: string;
  readonly debitAccount?: string;
}

/** What the checks say of one row. */
export type CheckedRow =
  | {
      readonly row: Row;
      readonly instruction: Instruction;
      readonly faults?: undefined;
      /** What a person should look at; the row goes all the same. */
      readonly warnings?: readonly Fault[];
    }
  | {
      readonly row: Row;
      readonly instruction?: undefined;
      readonly faults: readonly Fault[];
      readonly warnings?: readonly Fault[];
      /** As far as it can be told. */
      readonly operation?: Operation;
      /** The amount as written, where that is readable, for the control totals. */
      readonly amount?: string;
    };
