import type { Environment } from "./batch-record.ts";
import type { LaidThere } from "./sqlite/duplicates/laid-before.ts";

/**
 * I12: what a folder remembers of a journal, to know it again. The time tells an attempt from the one with the same
 * number that a restored journal makes. `lastAttempt` 0: none yet.
 */
export interface Mark {
  readonly stateId: string;
  readonly lastAttempt: number;
  /** When it was committed; milliseconds since 1970. */
  readonly lastAttemptAt: number;
}

/** Why nothing of an inbox goes until a person says so by name. */
export interface InboxHold {
  /** `stop_file`, or the code of the stop that a person must look at: of any version of paydrop, hence any text. */
  readonly code: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** A sentence for a person. */
  readonly message: string;
}

export interface HeldInbox extends InboxHold {
  readonly folder: string;
}

/** What a process that has the instance lock sends, besides what it was started for. */
export interface LockHolder {
  readonly destination: string;
  readonly environment: Environment;
  /** It can encrypt payouts. */
  readonly hasKeys: boolean;
  /** It looks for rows that people let go meanwhile, and sends them before it ends (DESIGN §7). */
  readonly takesOver: boolean;
}

/** What is remembered of addresses, folders and files: marks (I12), inboxes that are held, what was taken in and written. */
export interface PlaceCalls {
  /** The environment of what went to this base URL; undefined: nothing did. */
  environmentAt(destination: string): Promise<Environment | undefined>;
  setEnvironmentAt(destination: string, environment: Environment): Promise<void>;

  /** Of the process that has the lock, or had it last; undefined: it is of an earlier build. */
  lockHolder(): Promise<LockHolder | undefined>;
  setLockHolder(holder: LockHolder): Promise<void>;

  /** The mark of this moment. */
  mark(): Promise<Mark>;
  /** Whether the journal has seen what a mark tells of, or a person accepted for this place that it has not. */
  knows(mark: Mark, place: string): Promise<boolean>;
  acceptLoss(mark: Mark, place: string): Promise<void>;

  inboxHolds(): Promise<readonly HeldInbox[]>;
  /** An inbox that is held already keeps its first reason. */
  holdInbox(folder: string, hold: InboxHold): Promise<void>;
  /** Gives the hold that stood. */
  liftInboxHold(folder: string, by: string): Promise<InboxHold | undefined>;

  /** The batch that a file at this path, with this identity on disk, was taken as. */
  sourceBatch(path: string, identity: string): Promise<string | undefined>;
  /**
   * The batch that a file at this path was taken as, where that file had the same size and time, and another number on its
   * disk. Not where the file came or changed (`changedMs`, milliseconds since 1970) after the batch was taken in.
   */
  sourceRenumbered(path: string, sizeAndTime: string, changedMs: number): Promise<string | undefined>;
  /** Paths of the files that were taken as this batch. */
  sourcesOf(batchId: string): Promise<readonly string[]>;
  /** Ids of the batches that were taken from this very path a few days ago, for another month. */
  laidBefore(file: LaidThere): Promise<readonly string[]>;
  noteSource(path: string, identity: string, batchId: string): Promise<void>;

  /** The hash of what paydrop wrote there last, so that it never replaces a file that is not its own. */
  written(path: string): Promise<string | undefined>;
  /** Whether paydrop ever wrote these bytes, at whichever path. */
  wrote(sha256: string): Promise<boolean>;
  noteWritten(path: string, sha256: string): Promise<void>;
}
