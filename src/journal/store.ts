import type { RowName } from "../checks/correction.ts";
import type { JudgeRules } from "../checks/duplicates.ts";
import type { OperationName, PayoutOption } from "../operations/operation.ts";
import type { BatchPhase, BatchRecord, Environment, NewBatch, OpeningTotals, Tallies } from "./batch-record.ts";
import type { AttemptEnd, NewRow, RowRecord, RowTexts } from "./row-record.ts";
import type { RowState, SettledAs } from "./state.ts";

/** Which sums of a day are asked for. */
export interface DaySumOptions {
  readonly environment: Environment;
  /** When the day began, milliseconds since 1970. */
  readonly sinceMs: number;
  readonly ofBatches?: readonly string[];
}

/** All batches of files in these folders, or these, or those that wait for one. */
export type BatchesAsked =
  { readonly folders: readonly string[] } | { readonly batches: readonly string[] } | { readonly awaited: string };

/** `isOver`: what a row of it waited for has its end; `judgeAgain` says what becomes of it. */
export interface WaitingBatch {
  readonly batch: string;
  /** How many of its rows wait. */
  readonly rows: number;
  readonly isOver: boolean;
}

/** A person's act, or paydrop's own, in the history of a batch. */
export interface Act {
  readonly at: number;
  readonly by: string;
  readonly kind: string;
  readonly row?: number;
  readonly note: string;
}

/** What a person says became of a row. */
export interface RowSettled {
  readonly batch: string;
  readonly row: number;
  readonly as: SettledAs;
  readonly act: Omit<Act, "at">;
  /** The state that the person saw. */
  readonly from?: RowState;
}

/**
 * I12: what a folder remembers of a journal, to know it again. The time tells an attempt from the one with the same
 * number that a restored journal makes. 0: none yet.
 */
export interface Mark {
  readonly stateId: string;
  readonly lastAttempt: number;
  /** When it was committed; milliseconds since 1970. */
  readonly lastAttemptAt: number;
}

/** Why nothing of an inbox goes until a person says so by name. */
export interface InboxHold {
  /** `stop_file`, or the code of the stop that a person must look at. */
  readonly code: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** A sentence for a person. */
  readonly message: string;
}

export interface HeldInbox extends InboxHold {
  readonly folder: string;
}

/** `begin` gives an attempt to send, or says what the check inside its transaction found instead. */
export type Begun =
  { readonly attempt: number; readonly ordinal: number } | { readonly attempt?: undefined; readonly state: RowState };

/**
 * The durable memory of what was sent and answered; the only source of truth. Asynchronous, so that another engine
 * fits. Every method that changes something has reached stable storage when its promise resolves.
 */
export interface JournalStore {
  readonly stateId: string;

  batch(idOrPrefix: string): Promise<BatchRecord | undefined>;
  batches(): Promise<readonly BatchRecord[]>;
  /** Batches of the same bytes, newest first. */
  batchesOfBytes(sha256: string, environment: Environment): Promise<readonly BatchRecord[]>;

  /** Writes a batch down in the phase `recording`. */
  createBatch(batch: NewBatch): Promise<void>;
  /** Writes rows down in order. */
  addRows(batchId: string, rows: readonly NewRow[]): Promise<void>;
  /** All rows are there: each instruction is judged by what the journal has seen of it. */
  judgeRows(batchId: string, rules: JudgeRules): Promise<void>;
  /**
   * The judged file is looked at as a whole; with `allOrNothing` every row waits for a person when one is invalid or
   * held. The phase becomes `open`, all in one: until then nothing of the batch may be sent, and a crash forgets it; from
   * then on its results are owed.
   */
  openBatch(batchId: string, totals: OpeningTotals, allOrNothing?: boolean): Promise<void>;
  /** Removes a batch that was never opened, if it is there. */
  dropBatch(batchId: string): Promise<void>;

  /** Rows in input order, in pages, from a row number on. */
  rows(batchId: string, fromRow?: number): AsyncIterable<readonly RowRecord[]>;
  /** Numbers of the rows that may go, in input order, in pages, from a row number on. */
  readyRows(batchId: string, fromRow?: number): AsyncIterable<readonly number[]>;
  /** The operations, and options, of the batch's instructions. */
  operations(batchId: string): Promise<readonly { operation: OperationName; option?: PayoutOption }[]>;
  row(batchId: string, number: number): Promise<RowRecord | undefined>;
  /** Rows in one of these states, in input order, in pages, from a row number on. */
  rowsIn(batchId: string, states: readonly RowState[], fromRow?: number): AsyncIterable<readonly RowRecord[]>;
  tallies(batchId: string): Promise<Tallies>;
  /** Adds them up and writes them down: until a row of the batch changes, nobody has to again. */
  keepTallies(batchId: string): Promise<void>;
  /**
   * Exact sums, in ten-thousandths, of what was sent since then and may have been taken (accepted, unknown, sending,
   * settled as done), and of what may still go: rows that are ready, not sent, or refused for the key or the address, of
   * all batches that were taken in since then and not cancelled; or, with `ofBatches`, the ready rows of those.
   */
  goneOrWaiting(day: DaySumOptions): Promise<ReadonlyMap<OperationName, bigint>>;

  /** I2: resolves when the attempt is on stable storage. Groups with others into one commit. */
  begin(batchId: string, row: number, rules: JudgeRules): Promise<Begun>;
  /** The outcome of an attempt. Groups with others into one commit; calls commit in the order they were made. */
  end(attempt: number, end: AttemptEnd): Promise<void>;
  /** I4: attempts without an outcome become unknown. Gives how many. Only the holder of the lock may ask for it. */
  recover(): Promise<number>;
  /**
   * Rows that were held for an open row elsewhere are judged again, since that one may have come to an end. Gives the
   * rows that are held for another reason now, or for none.
   */
  judgeAgain(batchId: string, rules: JudgeRules): Promise<readonly number[]>;
  /** Of rows that a person is about to let go those of which something is to be told first that was not told yet. */
  judgeNamed(batchId: string, rows: readonly number[], rules: JudgeRules): Promise<readonly number[]>;
  /**
   * Lets rows in `from` go again, rejected ones only where they were refused for the key or the address. Gives how many.
   * `act`: of the person who says so, in the same transaction: it never stands where this is refused.
   */
  makeReady(
    batchId: string,
    rows: readonly number[] | "all",
    from: readonly RowState[],
    act?: Omit<Act, "at">,
  ): Promise<number>;

  /** The environment of what went to this base URL; undefined: nothing did. */
  environmentAt(destination: string): Promise<Environment | undefined>;
  setEnvironmentAt(destination: string, environment: Environment): Promise<void>;
  setDestination(batchId: string, destination: string, act: Omit<Act, "at">): Promise<void>;
  /** Throws PaydropError `usage` when the batch is in no phase that leads there: a cancelled one stays cancelled. */
  setPhase(batchId: string, phase: Exclude<BatchPhase, "recording">, act: Omit<Act, "at">): Promise<void>;
  /** All of them or none. Throws PaydropError `usage` when a row is in another state than its caller saw. */
  settle(settlings: readonly RowSettled[]): Promise<void>;
  /** Rows of other batches that are held until this row has an end. */
  waitingFor(batchId: string, row: number): Promise<readonly RowName[]>;
  /** The first few rows that are duplicates of this one: where it goes no more, neither do they, before a person says so. */
  duplicatesOf(batchId: string, row: number, max: number): Promise<readonly RowName[]>;
  /** Batches with rows that are held for a row of another batch, whatever that one waits for: not cancelled ones. */
  waitingBatches(of: BatchesAsked): Promise<readonly WaitingBatch[]>;
  /** Whether each held row of the batch is held for one that goes, or has gone, by itself: no person has to decide. */
  waitsForOthers(batchId: string): Promise<boolean>;
  /** What the first held row waits for where `release` would leave all of them where they are; else undefined. */
  blockedBy(batchId: string): Promise<RowName | undefined>;
  /** The held rows that `release` would leave where they are, since they wait for an open one. */
  blockedRows(batchId: string): Promise<readonly number[]>;
  /**
   * Held and duplicate rows become ready; those held for an open row stay, and those whose payment was accepted elsewhere
   * at `seenAtMs` (milliseconds since 1970) or later: whoever lets them go has not seen that. Gives the rows that go.
   * Throws PaydropError `usage` for a cancelled batch.
   */
  release(
    batchId: string,
    rows: readonly number[] | "all",
    act: Omit<Act, "at">,
    seenAtMs?: number,
  ): Promise<readonly number[]>;
  history(batchId: string): Promise<readonly Act[]>;
  /** How many acts the history of a batch has: a release of all rows of a large file writes one for each. */
  countActs(batchId: string): Promise<number>;
  note(batchId: string, act: Omit<Act, "at">): Promise<void>;
  /** An act for each of these rows. */
  noteRows(batchId: string, rows: readonly number[], act: Omit<Act, "at">): Promise<void>;
  /** Open batches with ready rows that somebody left to the sending process (act `handover`) after the act `after`. */
  handedOver(after: number): Promise<{ readonly lastAct: number; readonly batches: readonly string[] }>;

  /** Until `false` is said, the results of the batch are behind the journal: `unfinished` gives it after a crash. */
  oweResults(batchId: string, isOwed: boolean): Promise<void>;
  owesResults(batchId: string): Promise<boolean>;
  /**
   * Open batches of files in these folders with rows that may go: ready, not sent, or refused for the key or the address;
   * and those whose results are owed.
   */
  unfinished(folders: readonly string[]): Promise<readonly string[]>;
  inboxHolds(): Promise<readonly HeldInbox[]>;
  /** An inbox that is held already keeps its first reason. */
  holdInbox(folder: string, hold: InboxHold): Promise<void>;
  /** Gives the hold that stood. */
  liftInboxHold(folder: string, by: string): Promise<InboxHold | undefined>;

  /**
   * Batches that were taken in before then and rest, oldest first: no row of them is ready, sending, unknown, held, not
   * sent, or refused for the key or the address. What a cancelled one did not send rests too. Not those in the archive.
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

  /** The mark of this moment. */
  mark(): Promise<Mark>;
  /** Whether the journal has seen what a mark tells of, or a person accepted for this place that it has not. */
  knows(mark: Mark, place: string): Promise<boolean>;
  acceptLoss(mark: Mark, place: string): Promise<void>;

  /** The batch that a file at this path, with this identity on disk, was taken as. */
  sourceBatch(path: string, identity: string): Promise<string | undefined>;
  /** The one of a file that has the same size and time, lies there since before, and has another number on its disk. */
  sourceRenumbered(path: string, sizeAndTime: string, changedMs: number): Promise<string | undefined>;
  /** Where files lay that were taken as this batch. */
  sourcesOf(batchId: string): Promise<readonly string[]>;
  noteSource(path: string, identity: string, batchId: string): Promise<void>;

  /** The hash of what paydrop wrote there last, so that it never replaces a file that is not its own. */
  written(path: string): Promise<string | undefined>;
  /** Whether paydrop ever wrote these bytes, at whichever path. */
  wrote(sha256: string): Promise<boolean>;
  noteWritten(path: string, sha256: string): Promise<void>;

  close(): Promise<void>;
}
