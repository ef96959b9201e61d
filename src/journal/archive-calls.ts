import type { Act } from "./act-calls.ts";
import type { BatchRecord } from "./batch-record.ts";
import type { RowTexts } from "./row-record.ts";

/** Old batches out of the journal and back, without forgetting what was sent. */
export interface ArchiveCalls {
  /**
   * Batches that were taken in before `beforeMs` (milliseconds since 1970) and rest, oldest first: no row of them is
   * ready, sending, unknown, held, not sent, or refused for the key or the address. What a cancelled one did not send
   * rests too. Without those in the archive.
   */
  resting(beforeMs: number): Promise<readonly BatchRecord[]>;
  /**
   * The texts of a batch lie safely in `file`: they are dropped here, and nothing of the batch changes until `moveIn`.
   * False when it does not rest any more, or has another number of acts than the file tells of.
   */
  moveOut(batchId: string, file: string, acts: number, act: Omit<Act, "at">): Promise<boolean>;
  /** Puts texts of an archived batch back. */
  putBack(batchId: string, rows: readonly RowTexts[]): Promise<void>;
  /** All texts are back: the batch is one like others again. */
  moveIn(batchId: string, act: Omit<Act, "at">): Promise<void>;
}
