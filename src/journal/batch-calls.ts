import type { JudgeRules } from "../checks/duplicates/duplicates.ts";
import type { OperationName, PayoutOption } from "../operations/operation.ts";
import type { BatchRecord, Environment, NewBatch, OpeningTotals, Tallies } from "./batch-record.ts";
import type { NewRow, RowRecord } from "./row-record.ts";
import type { RowState } from "./state.ts";

/** Which sums of a day are asked for. */
export interface DaySumOptions {
  readonly environment: Environment;
  /** When the day began, milliseconds since 1970. */
  readonly sinceMs: number;
  readonly ofBatches?: readonly string[];
}

/** A batch from its first row until it is open, and what is known of it and its rows. */
export interface BatchCalls {
  batch(idOrPrefix: string): Promise<BatchRecord | undefined>;
  batches(): Promise<readonly BatchRecord[]>;
  /** Batches of the same bytes, newest first. */
  batchesOfBytes(sha256: string, environment: Environment): Promise<readonly BatchRecord[]>;

  /** Writes a batch down in the phase `recording`. */
  createBatch(batch: NewBatch): Promise<void>;
  /** Writes rows down in order. */
  addRows(batchId: string, rows: readonly NewRow[]): Promise<void>;
  /** All rows are written down: each instruction is judged by what the journal has seen of it. */
  judgeRows(batchId: string, rules: JudgeRules): Promise<void>;
  /**
   * Looks at the judged file as a whole; with `allOrNothing` every row waits for a person when one is invalid or held.
   * Then the phase becomes `open`, all in one transaction: until then nothing of the batch may be sent, and a crash
   * forgets it; from then on its results are owed.
   */
  openBatch(batchId: string, totals: OpeningTotals, allOrNothing?: boolean): Promise<void>;
  /** Removes a batch that was never opened, if it is there. */
  dropBatch(batchId: string): Promise<void>;

  /** Rows in input order, in pages, from a row number on. */
  rows(batchId: string, fromRow?: number): AsyncIterable<readonly RowRecord[]>;
  /** Numbers of the rows that may go, in input order, in pages, from a row number on. */
  readyRows(batchId: string, fromRow?: number): AsyncIterable<readonly number[]>;
  /** Rows in one of these states, in input order, in pages, from a row number on. */
  rowsIn(batchId: string, states: readonly RowState[], fromRow?: number): AsyncIterable<readonly RowRecord[]>;
  row(batchId: string, number: number): Promise<RowRecord | undefined>;
  /** The operations, and options, of the batch's instructions. */
  operations(batchId: string): Promise<readonly { operation: OperationName; option?: PayoutOption }[]>;
  tallies(batchId: string): Promise<Tallies>;
  /** Adds up the tallies of the batch and keeps them: until a row of it changes, nobody adds them up again. */
  keepTallies(batchId: string): Promise<void>;
  /**
   * Exact sums, in ten-thousandths, of what was sent since the day began and may have been taken (accepted, unknown, sending,
   * settled as done), and of what may still go: rows that are ready, not sent, or refused for the key or the address, of
   * all batches that were taken in since and not cancelled; or, with `ofBatches`, the ready rows of those.
   */
  goneOrWaiting(day: DaySumOptions): Promise<ReadonlyMap<OperationName, bigint>>;
}
