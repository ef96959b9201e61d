/**
 * The story of a batch: intake → reader → checks → journal → submission → results. What it stands on, and where the
 * stages meet, is in `take-in.ts` and `batch/`.
 */
import { basename, join, resolve } from "node:path";
import { BatchReporting, WRITE_TIMES_MAX } from "./batch/report.ts";
import { BatchSending, NOTHING_TOLD } from "./batch/send.ts";
import { BatchTaking } from "./batch/take.ts";
import { Ground } from "./batch/ground.ts";
import { createJudge } from "./checks/duplicates.ts";
import type { Config } from "./config/config.ts";
import { PaydropError } from "./errors.ts";
import type { BatchReport, RunEvent } from "./events.ts";
import { faultPoint } from "./fault-point.ts";
import { removeTemporaries, takeSnapshot } from "./intake/snapshot.ts";
import { identityText } from "./intake/source-file.ts";
import { keepBallast } from "./journal/ballast.ts";
import { takeInstanceLock } from "./journal/lock.ts";
import { openSqliteJournal } from "./journal/sqlite-journal.ts";
import type { JournalStore } from "./journal/store.ts";
import { openThreadedJournal } from "./journal/threaded.ts";
import type { Report } from "./results/report/report.ts";
import type { StopSignal } from "./stop-signal.ts";
import { RESUMABLE_REFUSALS } from "./submission/reason.ts";
import { Turns } from "./turns.ts";

export interface Services {
  readonly config: Config;
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: StopSignal;
  /** The service is the sandbox inside this process: its address changes from run to run and says nothing. */
  readonly sandbox?: boolean;
  /** Many rows are expected: the journal gets a thread of its own. */
  readonly isLarge?: boolean;
  readonly now?: () => number;
}

export interface Processor {
  readonly journal: JournalStore;
  /**
   * Checks, sends and writes the results of one file. Throws PaydropError; a refused file is FileRefusedError.
   * `settledSha256`: what the file held when it was found complete; `stopped` when it holds something else by now.
   */
  processFile(path: string, settledSha256?: string): Promise<BatchReport>;
  /** Sends what is ready of a known batch, after a release, a retry or a resume, and writes its results again. */
  goOn(batchId: string): Promise<BatchReport>;
  /** As the same file again would: rows that were not sent, or were refused for the key or the address, go as well. */
  takeUp(batchId: string): Promise<BatchReport>;
  /** Batches of files in these folders that `takeUp` has something to send of, or to report after a crash. */
  unfinished(folders: readonly string[]): Promise<readonly string[]>;
  /** Writes results, retry file and summary again from journal and snapshot (I11). Sends nothing. */
  writeResultsAgain(batchId: string): Promise<BatchReport>;
  /** What journal and snapshot say of a batch, added up for people to read. Sends and writes nothing. */
  report(batchId: string): Promise<Report>;
  /**
   * Batches whose rows people let go, and left to this process or to one that crashed, since it was last asked: `goOn`
   * sends them. Not those that were stopped since.
   */
  handedOver(): Promise<readonly string[]>;
  /** I9, I12: puts this journal's mark into an inbox, refused where another's is, and renews it every second. */
  keepInbox(folder: string): Promise<{ close(): Promise<void> }>;
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
      await journal.recover();
      faultPoint("recovery.done");
      await removeTemporaries(join(config.stateDir, "snapshots")).catch(() => undefined);
    }
  } catch (error) {
    await journal?.close();
    lock?.release();
    throw error;
  }
  const work = new BatchWork(services, journal, lock !== undefined);
  return {
    journal,
    processFile: (path, settledSha256) => work.processFile(path, settledSha256),
    goOn: (batchId) => work.goOn(batchId),
    takeUp: (batchId) => work.takeUp(batchId),
    unfinished: (folders) => journal.unfinished(folders, RESUMABLE_REFUSALS),
    writeResultsAgain: (batchId) => work.writeResultsAgain(batchId),
    report: (batchId) => work.report(batchId),
    handedOver: () => work.handedOver(),
    keepInbox: (folder) => work.ground.marks.keepInbox(folder),
    close: async () => {
      await work.close();
      await journal.close();
      lock?.release();
    },
  };
}

/** In a thread of its own where that pays: for a few rows it would only cost the time to start it. */
async function openJournal(services: Services, isChecked: boolean): Promise<JournalStore> {
  const { config, now, sandbox = false, isLarge = false } = services;
  const { stateDir, acceptLostJournal, by } = config;
  const options = { isChecked, ...(acceptLostJournal && by !== undefined ? { lossAcceptedBy: by } : {}) };
  const keepsBallast = isChecked && !sandbox;
  if (isLarge && now === undefined) {
    return openThreadedJournal({ stateDir, options: { ...options, keepsBallast } });
  }
  const ballast = keepsBallast ? { ballast: keepBallast(stateDir) } : {};
  return openSqliteJournal(stateDir, createJudge, now, { ...options, ...ballast });
}

class BatchWork {
  readonly ground: Ground;
  readonly #taking: BatchTaking;
  readonly #sending: BatchSending;
  readonly #reporting: BatchReporting;
  readonly #turns = new Turns();
  /** From the beginning: what was left to a process that crashed goes with the next one. */
  #lastAct = 0;

  constructor(services: Services, journal: JournalStore, hasLock: boolean) {
    this.ground = new Ground(services, journal, hasLock);
    this.#taking = new BatchTaking(this.ground);
    this.#sending = new BatchSending(this.ground);
    this.#reporting = new BatchReporting(this.ground);
  }

  processFile(path: string, settledSha256?: string): Promise<BatchReport> {
    return this.#sending.together(() => this.#processFile(path, settledSha256));
  }

  async #processFile(path: string, settledSha256?: string): Promise<BatchReport> {
    const startedAt = this.ground.now();
    const file = resolve(path);
    const snapshot = await takeSnapshot(path, this.ground.snapshots);
    faultPoint("snapshot.taken");
    if (settledSha256 !== undefined && settledSha256 !== snapshot.sha256) throw notSettled(file);
    const losses = await this.ground.marks.compare(file);
    // two files may hold the same payments, or be the same: the second one must find what became of the first
    const { batch, resumed, told } = await this.#turns.take("", () => this.#taking.take(file, snapshot));
    return this.#turns.take(batch.id, async () => {
      await this.ground.marks.note(batch, losses);
      // results that lie there already would say what is not true any more, were this cut off
      if (resumed) await this.ground.journal.oweResults(batch.id, true);
      if (resumed) await this.#wake(batch.id);
      const submitted = await this.#sending.send(batch, resumed, told, file);
      const report = await this.#reporting.write(batch, submitted, startedAt, file);
      // in one commit
      await Promise.all([
        this.ground.journal.noteSource(file, identityText(snapshot.identity), batch.id),
        this.ground.journal.keepTallies(batch.id),
        ...(resumed ? [this.ground.journal.oweResults(batch.id, false)] : []),
      ]);
      return report;
    });
  }

  async takeUp(batchId: string): Promise<BatchReport> {
    const { id } = await this.ground.known(batchId);
    return this.#sending.together(() =>
      this.#turns.take(id, async () => {
        await this.#wake(id);
        return this.#goOn(id);
      }),
    );
  }

  async #wake(batchId: string): Promise<void> {
    await this.ground.journal.makeReady(batchId, "all", ["not_sent", "rejected"], RESUMABLE_REFUSALS);
    await this.ground.journal.judgeAgain(batchId, this.ground.rules);
  }

  async goOn(batchId: string): Promise<BatchReport> {
    const { id } = await this.ground.known(batchId);
    return this.#sending.together(() => this.#turns.take(id, () => this.#goOn(id)));
  }

  async #goOn(batchId: string): Promise<BatchReport> {
    const startedAt = this.ground.now();
    const batch = await this.ground.known(batchId);
    const file = join(batch.folder, batch.fileName);
    await this.ground.marks.note(batch, await this.ground.marks.compare(file));
    await this.ground.verifySnapshot(batch);
    await this.ground.journal.oweResults(batch.id, true);
    const submitted = await this.#sending.send(batch, true, NOTHING_TOLD, file);
    const report = await this.#reporting.write(batch, submitted, startedAt, file);
    await Promise.all([this.ground.journal.oweResults(batch.id, false), this.ground.journal.keepTallies(batch.id)]);
    return report;
  }

  async writeResultsAgain(batchId: string): Promise<BatchReport> {
    const batch = await this.ground.known(batchId);
    const file = join(batch.folder, batch.fileName);
    await this.ground.marks.note(batch, await this.ground.marks.compare(file));
    await this.ground.verifySnapshot(batch);
    // another process may be sending this batch: it writes them once more at its end
    for (let times = 1; ; times += 1) {
      const before = await this.ground.journal.tallies(batch.id);
      const report = await this.#reporting.write(batch, { requests: 0 }, this.ground.now(), file);
      const isSame = JSON.stringify(before) === JSON.stringify(await this.ground.journal.tallies(batch.id));
      if (!isSame && times < WRITE_TIMES_MAX) continue;
      await this.ground.journal.keepTallies(batch.id);
      return report;
    }
  }

  async handedOver(): Promise<readonly string[]> {
    const { lastAct, batches } = await this.ground.journal.handedOver(this.#lastAct);
    this.#lastAct = lastAct;
    const known = await Promise.all(batches.map((batch) => this.ground.known(batch)));
    return known.filter(({ environment }) => environment === this.ground.config.environment).map(({ id }) => id);
  }

  report(batchId: string): Promise<Report> {
    return this.#reporting.collect(batchId);
  }

  close(): Promise<void> {
    return this.#sending.close();
  }
}

function notSettled(file: string): PaydropError {
  return new PaydropError(
    "stopped",
    `${basename(file)}: the file was changed just now`,
    "it is taken when it lies still again; nothing was sent",
  );
}
