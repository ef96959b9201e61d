/**
 * Another row that shares a reference, the core fields (what makes two rows one payment) or the payment key with the one
 * that is judged, and what became of it (DESIGN §7).
 */
export interface Seen {
  readonly batch: string;
  readonly row: number;
  /** In the batch that is being judged itself. */
  readonly sameBatch: boolean;
  /**
   * Neither row has a reference; their core fields and stated periods are equal, or neither has a period; and of the rows
   * of its file that are so alike, each is the first, or each the second, and so on.
   */
  readonly sameKey: boolean;
  readonly sameCore: boolean;
  readonly sameReference: boolean;
  /** By `retry_of`: the very row that the judged one corrects, or another correction of that row. */
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
  /** Of the row that it corrects in the end, or else its own. */
  readonly originBatch: string;
}

/** What the judged row states of itself. */
export interface Stated {
  /** When its file was taken, milliseconds since 1970. */
  readonly takenAt: number;
  readonly row: number;
  /** SHA-256 of its file. Left out of a workbook, whose sheets hold other rows. */
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
  /** A person let it go: an open row elsewhere may still hold it, and what was accepted since, of which that person knew nothing. */
  readonly released?: Release;
}

export interface Release {
  /** The number that the next attempt would have had. */
  readonly before: number;
  /** The number of the act. */
  readonly act?: number;
  /** Milliseconds since 1970: what was on its way by then, or unknown, had its end afterwards. */
  readonly at: number;
}
