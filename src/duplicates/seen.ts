import type { RowName } from "../checks/beside.ts";
import type { HoldReason } from "../messages/holds.ts";
import type { STATUSES } from "../messages/statuses.ts";

/** A keyed hash: 22 characters of base64url, 132 bits. */
export type Key = string;

/** What the rules know of the row that they judge. */
export interface Judged {
  readonly row: number;
  readonly payment: Key;
  readonly payee: Key;
  /** How many zeros stand in front of its account or id: its key is the same without them. */
  readonly zeros?: number;
  readonly reference?: Key;
  /** How payee and reference are written, hidden, where otherwise than in their one spelling (README §7). */
  readonly payeeAs?: string;
  readonly referenceAs?: string;
  readonly period?: string;
  /** Whom it pays, by an own number, a mobile or an address that is nobody else's in its file, or by name and mobile (README §16). */
  readonly employee?: Key;
  readonly mobile?: Key;
  readonly email?: Key;
  readonly named?: Key;
  readonly retryOf?: RowName;
  /** The row of its number that it corrects as a later file in the same place. */
  readonly inPlaceOf?: RowName;
  /** More rows that it was to be compared with are in the journal than were read. */
  readonly isCut?: true;
}

/** Another row with the same payment, reference or payee, as one query of the journal finds it. */
export interface Seen extends RowName, Partial<Omit<Judged, "row" | "isCut">> {
  /** `on_its_way`: ready, and its turn was let go. */
  readonly state: "ready" | "on_its_way" | keyof typeof STATUSES;
  /** When it went, milliseconds since 1970; missing where it did not. */
  readonly wentAt?: number;
  readonly amount?: string;
  /** The last four of its account or id. */
  readonly last4?: string;
}

/** One reason of README §7. Plain data: the journal keeps it. */
export type Reason = HoldReason;
export type HoldCode = Reason["code"];

/** `reasons`: all that apply, in the order of README §7; the first one gives the row its code. Empty: ready. */
export interface Verdict {
  readonly row: number;
  readonly state: "ready" | "duplicate" | "held";
  readonly reasons: readonly Reason[];
}
