import type { Sensitivity } from "../text/mask.ts";

/** The four operations of §1. */
export type OperationName = "payout" | "transfer" | "loan" | "collection";

export type PayoutOption = "A" | "B";

/**
 * One field of a request body.
 * - `text`: free text; `id`: text that Excel must not have changed; both travel as JSON strings;
 * - `amount`: plain decimal text > 0, a JSON number with the digits of the file;
 * - `number`, `integer`: whole digits, a JSON number.
 */
export interface Field {
  readonly name: string;
  readonly kind: "text" | "id" | "amount" | "number" | "integer";
  /** The cell must hold a value. §2.6 does not say which must: this is paydrop's choice (`[rules.*]` changes it). */
  readonly required: boolean;
  /** Sent when the cell is empty or the column is missing. */
  readonly default?: string;
  /** How the value is masked wherever it is shown. */
  readonly sensitive?: Sensitivity;
  /**
   * `number`: a bank account number, the same however its digits are grouped. `number_or_id`: such a number, or an id,
   * whose signs are part of it.
   */
  readonly account?: "number" | "number_or_id";
  /** Leading and trailing spaces belong to the text (narration, notes). */
  readonly keepsSpaces?: boolean;
  /**
   * The shape that the text has beyond its kind. `ifsc`: it must be as `SBIN0001234` is (`ifsc_format` may allow
   * others). `currency`: another shape than that of `INR` is only pointed out.
   */
  readonly shape?: "ifsc" | "currency";
}

/** The fields of a request body in the order of the interface. Payouts have two forms, all others one. */
export interface Form {
  readonly option?: PayoutOption;
  readonly fields: readonly Field[];
  /** What makes two rows the same payment (DESIGN §7). */
  readonly coreFields: readonly string[];
  /** Who receives or owes the money: the core without amount and debit side. */
  readonly beneficiaryFields: readonly string[];
  /**
   * The fields of the beneficiary without bank or branch: where only those are corrected, the same beneficiary is paid.
   * Left out: all of `beneficiaryFields`.
   */
  readonly accountFields?: readonly string[];
}

/** The required fields without a default that nothing gives: no column, constant or lookup, as `isGiven` says. */
export function missingFields(form: Form, isGiven: (field: string) => boolean): readonly string[] {
  return form.fields
    .filter((field) => field.required && field.default === undefined && !isGiven(field.name))
    .map((field) => field.name);
}

/** One operation of §1: everything that is particular to it. Adding an operation is adding one such file. */
export interface Operation {
  readonly name: OperationName;
  /** Name of its folder in the inbox. */
  readonly folder: string;
  /** Path of the endpoint below the base URL (§4). */
  readonly path: string;
  /** The payload travels encrypted in the envelope (§2.4). */
  readonly encrypted: boolean;
  readonly forms: readonly Form[];
  /** The field that names the account to debit, for the totals per account. */
  readonly debitField?: string;
  /** Who stands on the other side: the beneficiary of a payment, and who owes it. */
  readonly party: "payee" | "borrower" | "payer";
  /** What a 2xx means, and no more (§4). */
  readonly acceptedMessage: string;
}
