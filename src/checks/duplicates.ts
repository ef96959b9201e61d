/**
 * Is this row surely, or possibly, a payment that was made before? One pure function, a reason per branch (DESIGN §7).
 * The journal looks up what it has seen of a row and asks: when the file is checked, and again inside the transaction
 * of the attempt.
 */

/** What the keys of an instruction are made of. The journal hashes them with its own key and forgets the text. */
export interface PaymentTexts {
  readonly reference?: string;
  /** The period that the row, the file or the person stated. */
  readonly period?: string;
  readonly core: string;
  readonly beneficiary: string;
}

/** How another row with the same reference, the same core fields or the same payment key stands. */
export interface Seen {
  readonly batch: string;
  readonly row: number;
  /** In the batch that is being judged itself. */
  readonly sameBatch: boolean;
  readonly sameKey: boolean;
  readonly sameCore: boolean;
  readonly sameReference: boolean;
  /** `open`: unknown, sending or ready. `ended`: rejected, invalid, not sent, settled as not done, cancelled. */
  readonly standing: "accepted" | "open" | "held" | "ended";
  readonly hasReference: boolean;
  readonly period?: string;
  /** The month in its file's name, a guess. */
  readonly guessedPeriod?: string;
  /** When it was accepted, milliseconds since 1970. */
  readonly acceptedAt?: number;
}

/** What the judged row states of itself. */
export interface Stated {
  readonly hasReference: boolean;
  readonly period?: string;
  readonly guessedPeriod?: string;
  /** A person released it: only an open row elsewhere may still hold it. */
  readonly released: boolean;
}

export type HoldCode =
  | "same_file"
  | "possible_duplicate"
  | "reference_conflict"
  | "near_duplicate"
  | "repeat_in_file"
  | "other_row_open"
  | "all_or_nothing";

export type Verdict =
  | { readonly state: "ready" }
  | { readonly state: "duplicate"; readonly other: Seen }
  | { readonly state: "held"; readonly code: HoldCode; readonly other?: Seen };

/** `nowMs`: the later of the clock and the journal's last time. */
export type Judge = (stated: Stated, seen: readonly Seen[], nowMs: number) => Verdict;
