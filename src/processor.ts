/**
 * The story of a batch, and the only place where the stages meet:
 * intake → reader → checks → journal → submission → results.
 */
import { basename, dirname, join, resolve } from "node:path";
import pLimit, { type LimitFunction } from "p-limit";
import { createJudge, type JudgeRules } from "./checks/duplicates.ts";
import { meet } from "./checks/same-bytes.ts";
import { createSender } from "./client/sender.ts";
import { conceal } from "./config/conceal.ts";
import type { Config } from "./config/config.ts";
import { PaydropError } from "./errors.ts";
import type { AccountTotals, BatchReport, RunEvent, Stop } from "./events.ts";
import { faultPoint } from "./fault-point.ts";
import { guessPeriod } from "./intake/period.ts";
import { removeTemporaries, takeSnapshot, verifySnapshot, type Snapshot } from "./intake/snapshot.ts";
import { identityText } from "./intake/source-file.ts";
import { keepBallast } from "./journal/ballast.ts";
import { batchIdOf } from "./journal/batch-id.ts";
import { takeInstanceLock } from "./journal/lock.ts";
import { assertRoomForFile, assertRoomForRows } from "./journal/room.ts";
import { openSqliteJournal } from "./journal/sqlite-journal.ts";
import type { BatchPhase, BatchRecord, JournalStore, Tally } from "./journal/store.ts";
import { openThreadedJournal } from "./journal/threaded.ts";
import { watchPhase } from "./journal/watch-phase.ts";
import { labelOf } from "./operations/label.ts";
import { exitCodeOfTotals } from "./results/exit-code.ts";
import { FolderMarks, markedFirst } from "./results/folder-marks.ts";
import type { MarkKeeper } from "./results/keep-mark.ts";
import { modeOf } from "./results/mode-of.ts";
import { debitFieldOf, ownCell } from "./results/own-cell.ts";
import { collectReport, type Report } from "./results/report/report.ts";
import { writeResults } from "./results/write-results.ts";
import type { StopSignal } from "./stop-signal.ts";
import { Turns } from "./turns.ts";
import { Pace } from "./submission/pace.ts";
import { excerptOf } from "./submission/excerpt.ts";
import { RESUMABLE_REFUSALS } from "./submission/reason.ts";
import { RETRY_LIMITS } from "./submission/retry.ts";
import { sendableRows } from "./submission/sendable-rows.ts";
import { STOPS } from "./submission/stop-rules.ts";
import { submit, type Submitted } from "./submission/submit.ts";
import {
  compareToday,
  judgeRulesOf,
  mappingSaid,
  openInput,
  openSnapshot,
  readingOf,
  recordRows,
  refused,
  understand,
  type InputFile,
  type OpenedSnapshot,
} from "./take-in.ts";

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
    processFile: (path, settledSha256) => work.together(() => work.processFile(path, settledSha256)),
    goOn: (batchId) => work.together(() => work.goOn(batchId)),
    takeUp: (batchId) => work.together(() => work.takeUp(batchId)),
    unfinished: (folders) => work.journal.unfinished(folders, RESUMABLE_REFUSALS),
    writeResultsAgain: (batchId) => work.writeResultsAgain(batchId),
    report: (batchId) => work.report(batchId),
    handedOver: () => work.handedOver(),
    keepInbox: (folder) => work.marks.keepInbox(folder),
    close: async () => {
      await work.journal.close();
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
    return openThreadedJournal(JOURNAL_THREAD, { stateDir, options: { ...options, keepsBallast } });
  }
  const ballast = keepsBallast ? { ballast: keepBallast(stateDir) } : {};
  return openSqliteJournal(stateDir, createJudge, now, { ...options, ...ballast });
}

const JOURNAL_THREAD = new URL(
  import.meta.url.endsWith(".ts") ? "./journal-thread.ts" : "./journal-thread.js",
  import.meta.url,
);

class BatchWork {
  readonly journal: JournalStore;
  readonly marks: FolderMarks;
  readonly #services: Services;
  readonly #config: Config;
  readonly #rules: JudgeRules;
  readonly #now: () => number;
  readonly #hasLock: boolean;
  /** What all batches share that are worked on at the same time. */
  readonly #lanes: LimitFunction;
  readonly #pace: Pace;
  readonly #alone: LimitFunction = pLimit(1);
  #working = 0;
  #stopOfAll: Stop | undefined;
  readonly #turns = new Turns();
  /** From the beginning: what was left to a process that crashed goes with the next one. */
  #lastAct = 0;

  constructor(services: Services, journal: JournalStore, hasLock: boolean) {
    this.#hasLock = hasLock;
    this.journal = journal;
    this.marks = new FolderMarks(journal, services.config, services.sandbox === true);
    this.#services = services;
    this.#config = services.config;
    this.#rules = judgeRulesOf(services.config);
    this.#now = services.now ?? Date.now;
    this.#lanes = pLimit({ concurrency: services.config.concurrency, rejectOnClear: true });
    this.#pace = new Pace(services.config.rate);
  }

  /** What the service said to one batch stops those beside it, until nothing is worked on any more. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      if (this.#working === 0) this.#stopOfAll = undefined;
    }
  }

  async processFile(path: string, settledSha256?: string): Promise<BatchReport> {
    const startedAt = this.#now();
    const file = resolve(path);
    const snapshot = await takeSnapshot(path, this.#snapshots());
    faultPoint("snapshot.taken");
    if (settledSha256 !== undefined && settledSha256 !== snapshot.sha256) throw notSettled(file);
    const losses = await this.marks.compare(file);
    // two files may hold the same payments, or be the same: the second one must find what became of the first
    const { batch, resumed, accounts } = await this.#turns.take("", () => this.#takeBatch(file, snapshot));
    return this.#turns.take(batch.id, async () => {
      await this.marks.note(batch, losses);
      // results that lie there already would say what is not true any more, were this cut off
      if (resumed) await this.journal.oweResults(batch.id, true);
      if (resumed) await this.#wake(batch.id);
      const submitted = await this.#send(batch, resumed, accounts, file);
      const report = await this.#report(batch, submitted, startedAt, file);
      // in one commit
      await Promise.all([
        this.journal.noteSource(file, identityText(snapshot.identity), batch.id),
        this.journal.keepTallies(batch.id),
        ...(resumed ? [this.journal.oweResults(batch.id, false)] : []),
      ]);
      return report;
    });
  }

  async takeUp(batchId: string): Promise<BatchReport> {
    const { id } = await this.#known(batchId);
    return this.#turns.take(id, async () => {
      await this.#wake(id);
      return this.#goOn(id);
    });
  }

  async #wake(batchId: string): Promise<void> {
    await this.journal.makeReady(batchId, "all", ["not_sent", "rejected"], RESUMABLE_REFUSALS);
    await this.journal.judgeAgain(batchId, this.#rules);
  }

  async goOn(batchId: string): Promise<BatchReport> {
    const { id } = await this.#known(batchId);
    return this.#turns.take(id, () => this.#goOn(id));
  }

  async #goOn(batchId: string): Promise<BatchReport> {
    const startedAt = this.#now();
    const batch = await this.#known(batchId);
    const file = join(batch.folder, batch.fileName);
    await this.marks.note(batch, await this.marks.compare(file));
    await this.#verifySnapshot(batch);
    await this.journal.oweResults(batch.id, true);
    const submitted = await this.#send(batch, true, [], file);
    const report = await this.#report(batch, submitted, startedAt, file);
    await Promise.all([this.journal.oweResults(batch.id, false), this.journal.keepTallies(batch.id)]);
    return report;
  }

  async writeResultsAgain(batchId: string): Promise<BatchReport> {
    const batch = await this.#known(batchId);
    const file = join(batch.folder, batch.fileName);
    await this.marks.note(batch, await this.marks.compare(file));
    await this.#verifySnapshot(batch);
    // another process may be sending this batch: it writes them once more at its end
    for (let times = 1; ; times += 1) {
      const before = await this.journal.tallies(batch.id);
      const report = await this.#report(batch, { requests: 0 }, this.#now(), file);
      const isSame = JSON.stringify(before) === JSON.stringify(await this.journal.tallies(batch.id));
      if (!isSame && times < WRITE_TIMES_MAX) continue;
      await this.journal.keepTallies(batch.id);
      return report;
    }
  }

  async report(batchId: string): Promise<Report> {
    const batch = await this.#known(batchId);
    await this.#verifySnapshot(batch);
    const opened = await this.#open(batch);
    return collectReport({
      ...{ batch, sheet: opened.sheet, view: opened.view },
      operation: labelOf(await this.journal.operations(batch.id)).label,
      records: this.journal.rows(batch.id),
      history: await this.journal.history(batch.id),
      ...(await mappingSaid(opened)),
    });
  }

  async handedOver(): Promise<readonly string[]> {
    const { lastAct, batches } = await this.journal.handedOver(this.#lastAct);
    this.#lastAct = lastAct;
    const known = await Promise.all(batches.map((batch) => this.#known(batch)));
    return known.filter(({ environment }) => environment === this.#config.environment).map(({ id }) => id);
  }

  async #verifySnapshot(batch: BatchRecord): Promise<void> {
    const snapshot = join(this.#snapshots(), readingOf(batch).snapshot);
    if (!(await verifySnapshot(snapshot, batch.sha256))) throw snapshotGone(batch);
  }

  /** The batch that these bytes are: one that is known, or a new one, read and checked to its last row (DESIGN §7). */
  async #takeBatch(file: string, snapshot: Snapshot): Promise<Taken> {
    const fileName = basename(file);
    const input = await openInput(file, snapshot, this.#services);
    const isUntouched = (await this.journal.written(file)) === snapshot.sha256;
    if (isUntouched && !(await this.#isMappedAnew(input))) throw refused(fileName, "retry_not_corrected");
    const period = this.#config.period ?? input.sheet.wrapper?.period;
    const guessedPeriod = guessPeriod(fileName);
    const sheet = input.sheet.sheetName;
    // another sheet of the same workbook is another payroll
    const known = (await this.journal.batchesOfBytes(snapshot.sha256, this.#config.environment)).filter(
      (one) => readingOf(one).sheet === sheet,
    );
    const lyingThere = await this.journal.sourceBatch(file, identityText(snapshot.identity));
    const days = this.#config.duplicateDays;
    const meeting = meet(known, { period, guessedPeriod, lyingThere }, this.#now(), days);
    const waiting = period === undefined ? [] : await this.#waitingWhole(known);
    if (meeting.kind === "same") {
      await this.#supersede(waiting, meeting.batch);
      return { batch: meeting.batch, resumed: true, accounts: [] };
    }

    // not before: a known batch is read as it was, whatever the settings say of such a file by now
    const opened = await understand(input, this.#services);
    await assertRoomForFile(this.#config.stateDir, snapshot.sizeBytes);
    const times = known.filter((one) => one.period === period).length;
    const { environment } = this.#config;
    const id = batchIdOf({ sha256: snapshot.sha256, environment, period, sheet }, times);
    await this.journal.createBatch({
      id,
      environment,
      destination: this.#destination(),
      fileName,
      folder: dirname(file),
      format: opened.sheet.format,
      sha256: snapshot.sha256,
      sizeBytes: snapshot.sizeBytes,
      ...(period === undefined ? {} : { period }),
      ...(guessedPeriod === undefined ? {} : { guessedPeriod }),
      choices: JSON.stringify(opened.reading),
      createdAt: this.#now(),
    });
    try {
      const rules =
        meeting.kind === "again"
          ? { ...this.#rules, holdsWholeFile: true }
          : { ...this.#rules, replaces: waiting.map((one) => one.id) };
      const totals = await recordRows(this.journal, id, opened, period, rules, this.#config, this.#now());
      const batch = await this.#known(id);
      await this.#supersede(waiting, batch);
      return { batch, resumed: false, accounts: totals.accounts };
    } catch (error) {
      await this.journal.dropBatch(id);
      throw error;
    }
  }

  /**
   * Our own retry file, just as it was written, may go where the mapping or a lookup table was corrected instead: its
   * rows were judged by another one.
   */
  async #isMappedAnew(input: InputFile): Promise<boolean> {
    const origin = /^([0-9A-Z]+):/.exec((await firstCell(input, "retry_of")) ?? "")?.[1];
    const batch = origin === undefined ? undefined : await this.journal.batch(origin);
    const before = batch && readingOf(batch).mapping?.sha256;
    if (before === undefined) return false;
    return (await understand(input, this.#services)).reading.mapping?.sha256 !== before;
  }

  /** Batches of the same bytes, without a stated period, of which nothing goes until a person decides. */
  async #waitingWhole(known: readonly BatchRecord[]): Promise<BatchRecord[]> {
    const waiting: BatchRecord[] = [];
    for (const batch of known) {
      if (batch.phase !== "open" || batch.period !== undefined) continue;
      const { held = NOTHING, invalid = NOTHING, duplicate = NOTHING } = await this.journal.tallies(batch.id);
      if (held.rows > 0 && held.rows + invalid.rows + duplicate.rows === batch.rows) waiting.push(batch);
    }
    return waiting;
  }

  /** A person stated the period of a file that waited whole: the copy without one must not go as well. */
  async #supersede(waiting: readonly BatchRecord[], by: BatchRecord): Promise<void> {
    for (const batch of waiting) {
      // one that came later waits for a decision of its own
      if (batch.createdAt > by.createdAt) continue;
      const note = `the same file goes as batch ${by.id}, with its period stated`;
      await this.journal.setPhase(batch.id, "cancelled", { by: "paydrop", kind: "cancel", note });
    }
  }

  async #compareDestination(batch: BatchRecord): Promise<void> {
    const destination = this.#destination();
    if (batch.destination === destination || batch.destination === "") return;
    if (!this.#config.acceptDestination) {
      throw new PaydropError(
        "destination",
        `batch ${batch.id} began with ${batch.destination}, now it would go to ${destination}`,
        "if both are the same service, run it again with --accept-destination; nothing was sent",
      );
    }
    const act = {
      by: this.#config.by ?? "paydrop",
      kind: "destination",
      note: `${batch.destination} → ${destination}`,
    };
    await this.journal.setDestination(batch.id, destination, act);
  }

  /** Rows that people let go meanwhile go in the same run: every pass takes all ready rows to another state, or stops. */
  async #send(
    batch: BatchRecord,
    resumed: boolean,
    accounts: readonly AccountTotals[],
    file: string,
  ): Promise<Submitted> {
    let sent = await this.#sendReady(batch, resumed, accounts, file);
    while (!sent.stop && (await this.#hasReady(batch.id))) {
      const more = await this.#sendReady(await this.#known(batch.id), true, [], file);
      sent = { ...more, requests: sent.requests + more.requests };
    }
    return sent;
  }

  async #hasReady(batchId: string): Promise<boolean> {
    for await (const page of this.journal.readyRows(batchId)) return page.length > 0;
    return false;
  }

  /** Every ready row, attempt durable first (I2). */
  async #sendReady(
    batch: BatchRecord,
    resumed: boolean,
    accounts: readonly AccountTotals[],
    file: string,
  ): Promise<Submitted> {
    const { journal } = this;
    const stop = stopOfPhase(batch.phase);
    if (stop) return { requests: 0, stop };
    await this.#compareDestination(batch);
    const toSend = (await journal.tallies(batch.id)).ready?.rows ?? 0;
    const opened = toSend > 0 ? await this.#openVerified(batch) : undefined;
    const { label, needsEnvelope } = labelOf(await journal.operations(batch.id));
    this.#tell({
      type: "start",
      batch: batch.id,
      file: batch.fileName,
      operation: label,
      destination: this.#destination(),
      ...(opened ? await mappingSaid(opened) : {}),
      rows: batch.rows,
      total: batch.total,
      accounts,
      toSend,
      resumed,
    });
    if (!opened) return { requests: 0 };
    await assertRoomForRows(this.#config.stateDir, toSend);
    const overCap = await this.#compareToday(batch);
    if (overCap) return this.#noteStop(batch, { requests: 0, stop: overCap });
    // first: without its keys nothing begins, and nothing beside the file may say that it did
    const sender = createSender(this.#config, needsEnvelope);
    const phase = watchPhase(journal, batch.id);
    let mark: MarkKeeper | undefined;
    try {
      mark = await this.marks.keepBeside(file, batch, this.#now(), await modeOf(file));
      const submitted = await submit(
        {
          rows: sendableRows(opened.sheet, opened.checker, journal.readyRows(batch.id)),
          begin: markedFirst(mark, (row) => journal.begin(batch.id, row.number, this.#rules)),
          end: (attempt, end) => journal.end(attempt, end),
          again: async (row) => {
            await journal.makeReady(batch.id, [row.number], ["not_sent"]);
          },
          send: (row, signal) => sender.send(row.operation, row.payload, signal),
          excerpt: (row, body) => excerptOf(body, row.payload, row.operation, conceal),
          onOutcome: (row, sent) =>
            this.#tell({
              type: "row",
              batch: batch.id,
              row: row.number,
              status: sent.state,
              reason: sent.reason,
              amount: row.amount,
              attempts: sent.ordinal,
              sentAt: sent.sentAt,
              durationMs: Math.round(sent.durationMs),
              alone: sent.alone,
              ...(sent.httpStatus === undefined ? {} : { httpStatus: sent.httpStatus }),
            }),
          onWait: (reason, waitMs) => this.#tell({ type: "waiting", batch: batch.id, reason, waitMs }),
          stopAsked: () => stopOfPhase(phase.phase()) ?? this.#stopOfAll,
          // it is the same service for whoever sends beside; what a service says of one file is about that file
          onStop: (stop) => {
            if (stop.code !== STOPS.same_refusal.code) this.#stopOfAll ??= stop;
          },
        },
        {
          lanes: this.#lanes,
          pace: this.#pace,
          alone: this.#alone,
          retry429: this.#config.choices.retry429,
          limits: { ...RETRY_LIMITS, unreachableMs: this.#config.retryForMs },
          soft: this.#services.signal?.soft ?? NEVER,
          hard: this.#services.signal?.hard ?? NEVER,
          random: Math.random,
        },
      );
      return await this.#noteStop(batch, submitted);
    } finally {
      phase.close();
      await mark?.close();
      await sender.close();
    }
  }

  /**
   * People let rows go that were not counted when the file was taken in: held ones, or those that were not sent the
   * day before. By the rules of now, since it is about the day and not about the file.
   */
  async #compareToday(batch: BatchRecord): Promise<Stop | undefined> {
    const { rules } = this.#config.choices;
    const { refused } = await compareToday(this.journal, rules, this.#config, this.#now(), batch.id);
    return refused[0] && { ...STOPS.day_over_cap, message: refused[0].message };
  }

  /** A run that was asked to stop after its last row had gone did not stop early. */
  async #noteStop(batch: BatchRecord, submitted: Submitted): Promise<Submitted> {
    const { stop, requests } = submitted;
    if (!stop) return submitted;
    const { ready = NOTHING, not_sent: unsent = NOTHING } = await this.journal.tallies(batch.id);
    const remaining = ready.rows + unsent.rows;
    if (remaining === 0 && stop.code === STOPS.signal.code) return { requests };
    await this.journal.note(batch.id, {
      by: "paydrop",
      kind: "stop",
      note: `${stop.message}; ${remaining} rows remain`,
    });
    this.#tell({ type: "stopped", batch: batch.id, stop, remaining });
    return submitted;
  }

  /** People act while results are written, and write results themselves: the last one to write must have seen it all. */
  async #report(known: BatchRecord, submitted: Submitted, startedAt: number, file: string): Promise<BatchReport> {
    for (let times = 1; ; times += 1) {
      const batch = await this.#known(known.id);
      const acts = (await this.journal.history(batch.id)).length;
      const report = await this.#writeReport(batch, submitted, startedAt, file);
      if (times === WRITE_TIMES_MAX || (await this.journal.history(batch.id)).length === acts) return report;
    }
  }

  /** Results, retry file and summary, from journal and snapshot (I11); what they add up to. */
  async #writeReport(batch: BatchRecord, submitted: Submitted, startedAt: number, file: string): Promise<BatchReport> {
    const { sheet, view } = await this.#open(batch);
    const { label } = labelOf(await this.journal.operations(batch.id));
    const endedAt = this.#now();
    const { stop, requests } = submitted;
    const mark = batch.destination === SANDBOX ? {} : { mark: await this.journal.mark() };
    const run = { operation: label, requests, startedAt, endedAt, ...(stop ? { stop } : {}), ...mark };
    const { files, totals, exitCode } = await writeResults({
      batch,
      sheet,
      records: () => this.journal.rows(batch.id),
      target: { folder: dirname(file), fileName: basename(file) },
      hasLock: this.#hasLock,
      fallbackFolder: join(this.#config.stateDir, "results"),
      mode: await modeOf(file),
      debitAccountOf: (row, record) => ownCell(view(row), debitFieldOf(record)),
      referenceOf: (row) => ownCell(view(row), "reference"),
      run,
      exitCode: (totalsOut, isElsewhere) => exitCodeOfTotals(totalsOut, stop, isElsewhere),
      written: (path) => this.journal.written(path),
      noteWritten: (path, sha256) => this.journal.noteWritten(path, sha256),
    });
    return {
      batch: batch.id,
      file,
      operation: label,
      destination: batch.destination,
      total: totals.total,
      byStatus: totals.byStatus,
      accounts: totals.accounts,
      requests,
      startedAt,
      durationMs: endedAt - startedAt,
      ...(stop ? { stop } : {}),
      files,
      remarks: [...batch.remarks, ...totals.remarks],
      rowsToLookAt: totals.rowsToLookAt,
      exitCode,
    };
  }

  async #known(batchId: string): Promise<BatchRecord> {
    const batch = await this.journal.batch(batchId);
    if (!batch) throw new PaydropError("usage", `there is no batch ${batchId}`, "`paydrop status` lists them");
    return batch;
  }

  #destination(): string {
    return this.#services.sandbox ? SANDBOX : (this.#config.baseUrl ?? "");
  }

  async #openVerified(batch: BatchRecord): Promise<OpenedSnapshot> {
    await this.#verifySnapshot(batch);
    return this.#open(batch);
  }

  #open(batch: BatchRecord): Promise<OpenedSnapshot> {
    return openSnapshot(batch, readingOf(batch), this.#snapshots());
  }

  #snapshots(): string {
    return join(this.#config.stateDir, "snapshots");
  }

  #tell(event: RunEvent): void {
    this.#services.onEvent?.(event);
  }
}

interface Taken {
  readonly batch: BatchRecord;
  readonly resumed: boolean;
  readonly accounts: readonly AccountTotals[];
}

async function firstCell({ sheet }: InputFile, column: string): Promise<string | undefined> {
  for await (const rows of sheet.rows()) if (rows[0]) return ownCell(rows[0], column);
  return undefined;
}

function stopOfPhase(phase: BatchPhase): Stop | undefined {
  return phase === "paused" || phase === "cancelled" ? STOPS[phase] : undefined;
}

function notSettled(file: string): PaydropError {
  return new PaydropError(
    "stopped",
    `${basename(file)}: the file was changed just now`,
    "it is taken when it lies still again; nothing was sent",
  );
}

function snapshotGone(batch: BatchRecord): PaydropError {
  return new PaydropError(
    "journal",
    `the private copy of ${batch.fileName} (batch ${batch.id}) is missing or damaged`,
    "restore the state directory from a backup; nothing was sent",
  );
}

/** The destination of what was only tried: no mark is kept for it. */
const SANDBOX = "sandbox";
const NOTHING: Tally = { rows: 0, amount: "0.00" };
const WRITE_TIMES_MAX = 5;
const NEVER: AbortSignal = new AbortController().signal;
