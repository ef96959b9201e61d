/**
 * What works on batches, and what that work stands on: the lock, the journal, and what a crash left. The story of a
 * batch is in `batch/work.ts`; the stages meet in `take-in.ts` and `batch/`.
 */
import { lockHolderOf } from "./batch/hand-over.ts";
import { BatchWork } from "./batch/work.ts";
import { createJudge } from "./checks/duplicates/duplicates.ts";
import type { Config } from "./config/config.ts";
import type { BatchReport, RunEvent, Stop } from "./events.ts";
import { faultPoint } from "./fault-point.ts";
import { removeTemporaries } from "./intake/snapshot.ts";
import { takeInstanceLock } from "./journal/sqlite/database/lock.ts";
import { openSqliteJournal } from "./journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "./journal/store.ts";
import { openThreadedJournal } from "./journal/thread/threaded.ts";
import type { OperationName } from "./operations/operation.ts";
import { snapshotsIn } from "./reading.ts";
import type { InboxKeeper } from "./results/marks/inbox-marks.ts";
import type { Report } from "./results/report/report.ts";

/**
 * How a person asks a run to stop. `soft`: no new attempt, rows in flight finish. `hard`: rows in flight are recorded
 * unknown at once (DESIGN §8). `hard` never fires before `soft`.
 */
export interface StopSignal {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
}

export interface Services {
  readonly config: Config;
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: StopSignal;
  /** The service is the sandbox inside this process: its address changes from run to run and says nothing. */
  readonly sandbox?: boolean;
  /** Many rows are expected: the journal gets a thread of its own. */
  readonly isLarge?: boolean;
  /** Rows that people let go meanwhile are sent too, before this process ends: it asks for `handedOver`. */
  readonly takesOver?: boolean;
  readonly now?: () => number;
}

export interface Processor {
  readonly journal: JournalStore;
  /**
   * Checks, sends and writes the results of one file. Throws PaydropError; a refused file is FileRefusedError.
   * `foundSha256`: hash of a file that was found in a folder, as it was complete there; `stopped` is thrown when it holds
   * something else by now. Left out: a person named the file.
   */
  processFile(path: string, foundSha256?: string): Promise<BatchReport>;
  /** Sends what is ready of a known batch, after a release, a retry or a resume, and writes its results again. */
  goOn(batchId: string): Promise<BatchReport>;
  /** Goes on as the same file again would: also with rows that were not sent, or refused for the key or the address. */
  takeUp(batchId: string): Promise<BatchReport>;
  /** Runs work on several batches: an answer that stops one stops every batch that begins before the work has ended. */
  together<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Lets the rows of an operation go again that wait, in every batch, because of what its endpoint answered: the first
   * of them finds out whether that is still so.
   */
  tryAgain(operation: OperationName): void;
  /** Batches of files in these folders that `takeUp` has something to send of, or to report after a crash. */
  unfinished(folders: readonly string[]): Promise<readonly string[]>;
  /** Writes results, retry file and summary again from journal and snapshot (I11). Sends nothing. */
  writeResultsAgain(batchId: string): Promise<BatchReport>;
  /** What journal and snapshot say of a batch, added up for people to read. Sends and writes nothing. */
  report(batchId: string): Promise<Report>;
  /**
   * Batches whose rows people let go, and left to this process or to one that crashed, since this was last called:
   * `goOn` sends them. Without batches that were stopped since, lie in a folder that is held, or go elsewhere.
   */
  handedOver(): Promise<readonly string[]>;
  /**
   * Throws unless rows of this batch may go by these settings: to be called before a person's word about them is
   * written down.
   */
  assertMayGo(batchId: string): Promise<void>;
  /**
   * Why the process that has the lock would not send rows of this batch that are left to it; undefined: it sends them.
   * Throws PaydropError `journal` where no process sends them (I12).
   */
  whyNotTaken(batchId: string): Promise<string | undefined>;
  /** Notes that this batch goes on at the address of these settings, where a person accepted that it is another one. */
  keepAddress(batchId: string): Promise<void>;
  /** Why nothing of this batch goes until a person says that its folder goes on; undefined: its folder is not held. */
  heldFolder(batchId: string): Promise<Stop | undefined>;
  /** I9, I12: keeps this journal's mark in an inbox, renewed every second; throws where another's mark is. */
  keepInbox(folder: string): Promise<InboxKeeper>;
  close(): Promise<void>;
}

/** `send` takes the instance lock (PaydropError `locked`) and turns attempts that were cut off into unknown (I4). */
export async function openProcessor(services: Services, mode: "send" | "read"): Promise<Processor> {
  const { config } = services;
  const lock = mode === "send" ? takeInstanceLock(config.stateDir) : undefined;
  let journal: JournalStore | undefined;
  try {
    journal = await openJournal(services, lock !== undefined);
    if (lock) {
      faultPoint("recovery.begun");
      // in one commit
      await Promise.all([journal.recover(), journal.setLockHolder(lockHolderOf(services))]);
      faultPoint("recovery.done");
      await removeTemporaries(snapshotsIn(config)).catch(() => undefined);
    }
    return new BatchWork(services, journal, lock);
  } catch (error) {
    await journal?.close();
    lock?.release();
    throw error;
  }
}

/** A piece of work on a processor, which is closed whatever becomes of it. */
export async function withProcessor<T>(
  services: Services,
  mode: "send" | "read",
  work: (processor: Processor) => Promise<T>,
): Promise<T> {
  const processor = await openProcessor(services, mode);
  try {
    return await work(processor);
  } finally {
    await processor.close();
  }
}

/** With a thread of its own where that pays: for a few rows it would only cost the time to start it. */
async function openJournal(services: Services, isChecked: boolean): Promise<JournalStore> {
  const { config, now, sandbox = false, isLarge = false } = services;
  const { stateDir, acceptLostJournal, by, concurrency } = config;
  const loss = acceptLostJournal && by !== undefined ? { lossAcceptedBy: by } : { makesNone: !isChecked };
  const options = { isChecked, keepsBallast: isChecked && !sandbox, ...loss };
  if (isLarge && now === undefined) return openThreadedJournal({ stateDir, options }, concurrency);
  return openSqliteJournal(stateDir, createJudge, now, options);
}
