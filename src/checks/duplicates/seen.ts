/**
 * Another row that shares a reference, the core fields (what makes two rows one payment) or the payment key with the one
 * that is judged, and what became of it (DESIGN §7).
 */
export interface Seen {
  readonly batch: string;
  readonly row: number;
  /** It is in the batch of the judged row. */
  readonly sameBatch: boolean;
  /**
   * The same payment key, and neither has a reference: equal core fields, equal stated periods (or none), and the same
   * place among such rows of its own file: each the first, or each the second, and so on.
   */
  readonly sameKey: boolean;
  readonly sameCore: boolean;
  readonly sameReference: boolean;
  /** By `retry_of`. `origin`: the judged row corrects it; `correction`: it corrects the same row, or the judged one. */
  readonly kin?: "origin" | "correction";
  /** `open`: unknown, sending or ready. `ended`: rejected, invalid, not sent, settled as not done, cancelled. */
  readonly standing: "accepted" | "open" | "held" | "ended";
  readonly hasReference: boolean;
  readonly isDoubtful: boolean;
  readonly period?: string;
  /** Its period was stated for the whole file, or for that of the row that it corrects. */
  readonly isPeriodOfFile?: boolean;
  /** The month in its file's name, a guess. */
  readonly guessedPeriod?: string;
  /** When it was accepted, milliseconds since 1970. */
  readonly acceptedAt?: number;
  /** The number of its last attempt, where it had one. */
  readonly lastAttempt?: number;
  /** The number of the act by which a person let it go, or settled it as done, whichever was later. */
  readonly decided?: number;
  /** SHA-256 of its file, with the sheet of a workbook. */
  readonly file?: string;
  /** The batch of the row that it corrects in the end, or else its own. */
  readonly originBatch: string;
}

/** What the judged row states of itself. */
export interface Stated {
  /** When its file was taken, milliseconds since 1970. */
  readonly takenAt: number;
  readonly row: number;
  /** SHA-256 of its file, with the sheet of a workbook; left out where the sheet is not known. */
  readonly file?: string;
  readonly hasReference: boolean;
  readonly isDoubtful?: boolean;
  readonly period?: string;
  /** Its period was stated for the whole file, and does not stand in the row itself. */
  readonly isPeriodOfFile?: boolean;
  readonly guessedPeriod?: string;
  /** It corrects an earlier row, and pays somebody else than that one would have. */
  readonly payeeChanged?: boolean;
  /** The batch of the row that it corrects in the end. */
  readonly originBatch?: string;
  /** A person let it go: only a row that is open elsewhere, or was accepted since, can still hold it. */
  readonly released?: Release;
}

export interface Release {
  /** The number that the next attempt would have had then. */
  readonly before: number;
  /** The number of the act. */
  readonly act?: number;
  /** When, milliseconds since 1970. What was on its way then, or unknown, had its end afterwards. */
  readonly at: number;
}
