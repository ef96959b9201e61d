import type { RowName } from "../checks/beside.ts";

/** A keyed hash: 22 characters of base64url, 132 bits. */
export type Key = string;

/** What the rules know of the row that they judge. */
export interface Judged {
  readonly row: number;
  readonly payment: Key;
  readonly payee: Key;
  readonly reference?: Key;
  readonly period?: string;
  readonly retryOf?: RowName;
}

/** Another row with the same payment, reference or payee, as one query of the journal finds it. */
export interface Seen extends RowName {
  readonly payment?: Key;
  readonly payee?: Key;
  readonly reference?: Key;
  readonly period?: string;
  /** `on_its_way`: ready, and its turn was let go. */
  readonly state:
    | "ready"
    | "on_its_way"
    | "accepted"
    | "rejected"
    | "unknown"
    | "not_sent"
    | "invalid"
    | "duplicate"
    | "held"
    | "cancelled"
    | "settled_done"
    | "settled_not_done";
  /** When it went, milliseconds since 1970; missing where it did not. */
  readonly wentAt?: number;
  readonly retryOf?: RowName;
}

export const HOLD_CODES = [
  "same_payment",
  "reference_used",
  "open_elsewhere",
  "correction",
  "maybe_paid",
  "other_amount",
  "repeat_in_file",
  "same_file",
  "mostly_paid",
  "not_now",
  "all_or_nothing",
] as const;

export type HoldCode = (typeof HOLD_CODES)[number];

/** One reason of DESIGN §7. Plain data: the journal keeps it. */
export interface Reason {
  readonly code: HoldCode;
  /** The row that it is about. */
  readonly other?: RowName;
  /** When that one went. */
  readonly at?: number;
  /** Of a correction: it pays another payee than `other`. */
  readonly isOtherPayee?: true;
}

/** `reasons`: all that apply, in the order of DESIGN §7; the first one gives the row its code. Empty: ready. */
export interface Verdict {
  readonly row: number;
  readonly state: "ready" | "duplicate" | "held";
  readonly reasons: readonly Reason[];
}
