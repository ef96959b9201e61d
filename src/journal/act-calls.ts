import type { RowName } from "../checks/correction.ts";
import type { BatchPhase } from "./batch-record.ts";
import type { RowState, SettledAs } from "./state.ts";

/** A person's act, or paydrop's own, in the history of a batch. */
export interface Act {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  readonly kind: string;
  readonly row?: number;
  readonly note: string;
}

/** What a person says became of a row. */
interface RowSettled {
  readonly batch: string;
  readonly row: number;
  readonly as: SettledAs;
  readonly act: Omit<Act, "at">;
  /** The state that the person saw. */
  readonly from?: RowState;
}

/**
 * Asks about the batches of files in these folders, about these very ones, or about those that wait for rows of one.
 */
export type BatchesAsked =
  { readonly folders: readonly string[] } | { readonly batches: readonly string[] } | { readonly awaited: string };

/** A row that was not sent because another one had gone. */
export type Repeat = RowName & { readonly state: Extract<RowState, "duplicate" | "held"> };

/** A row that made a payment, or may have made it. */
export type MadeSince = RowName & { readonly state: RowState };

/** `isOver`: what a row of it waited for has its end; `judgeAgain` says what becomes of it. */
export interface WaitingBatch {
  readonly batch: string;
  /** How many of its rows wait. */
  readonly rows: number;
  readonly isOver: boolean;
}

/** What people decide of a batch and its rows, each with who did it (I5), and what is left to do because of it. */
export interface ActCalls {
  setDestination(batchId: string, destination: string, act: Omit<Act, "at">): Promise<void>;
  /** Throws PaydropError `usage` when the batch is in no phase that leads there: a cancelled one stays cancelled. */
  setPhase(batchId: string, phase: Exclude<BatchPhase, "recording">, act: Omit<Act, "at">): Promise<void>;
  /** All of them or none. Throws PaydropError `usage` when a row is in another state than its caller saw. */
  settle(settlings: readonly RowSettled[]): Promise<void>;
  /**
   * Held and duplicate rows become ready. Those held for an open row stay, and those whose payment was accepted
   * elsewhere at `seenAtMs` (milliseconds since 1970) or later: whoever lets them go has not seen that. Gives the rows
   * that go. Throws PaydropError `usage` for a cancelled batch.
   */
  release(
    batchId: string,
    rows: readonly number[] | "all",
    act: Omit<Act, "at">,
    seenAtMs?: number,
  ): Promise<readonly number[]>;

  /** Rows of other batches that are held until this row has an end. */
  waitingFor(batchId: string, row: number): Promise<readonly RowName[]>;
  /**
   * The first few rows that are duplicates of this one, or held for it: even if it is settled as not done, they go only
   * when a person says so.
   */
  repeatsOf(batchId: string, row: number, max: number): Promise<readonly Repeat[]>;
  /** Batches, not cancelled, with rows that are held for a row of another batch, whatever that row waits for. */
  waitingBatches(of: BatchesAsked): Promise<readonly WaitingBatch[]>;
  /** Whether rows of the batch are held that may be another month's payments. */
  asksMonth(batchId: string): Promise<boolean>;
  /**
   * Whether each held row of the batch waits for a row that goes by itself, or has its end: no person has to decide.
   */
  waitsForOthers(batchId: string): Promise<boolean>;
  /** What the first held row waits for, where `release` would leave all held rows where they are; else undefined. */
  blockedBy(batchId: string): Promise<RowName | undefined>;
  /** The held rows that `release` would leave where they are, since they wait for an open row. */
  blockedRows(batchId: string): Promise<readonly number[]>;

  history(batchId: string): Promise<readonly Act[]>;
  /** How many acts the history of a batch has: a release of all rows of a large file writes one for each. */
  countActs(batchId: string): Promise<number>;
  note(batchId: string, act: Omit<Act, "at">): Promise<void>;
  /** An act for each of these rows. */
  noteRows(batchId: string, rows: readonly number[], act: Omit<Act, "at">): Promise<void>;
  /** Open batches with ready rows that somebody left to the sending process (act `handover`) after the act `after`. */
  handedOver(after: number): Promise<{ readonly lastAct: number; readonly batches: readonly string[] }>;

  /** `true`: until `false` is said the results are behind the journal; after a crash `unfinished` gives the batch. */
  oweResults(batchId: string, isOwed: boolean): Promise<void>;
  owesResults(batchId: string): Promise<boolean>;
  /**
   * Rows that were settled as not done and whose payment no row has made since; not of batches that are cancelled or
   * archived. `recentMs`: so long after that an equal row counts as the same payment where nothing says its time.
   */
  notMade(recentMs: number): Promise<readonly RowName[]>;
  /** The rows that made this row's payment, or may have, since it was settled as not done; `recentMs` as above. */
  madeSince(batchId: string, row: number, recentMs: number): Promise<readonly MadeSince[]>;
  /**
   * Open batches of files in these folders with rows that may go: ready, not sent, or refused for the key or the address;
   * and those whose results are owed.
   */
  unfinished(folders: readonly string[]): Promise<readonly string[]>;
}
