import { basename, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { FileRefusedError, messageOf, PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { Inbox, type ReadyFile, type Sweep } from "../intake/inbox.ts";
import type { InboxCount } from "../metrics.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import { printable } from "../printable.ts";
import type { Processor } from "../processor.ts";
import { heldAnswer, notYetAnswer, openAnswer, refusedAnswer, troubleAnswer, workbookAnswer } from "../results/answers.ts"; // prettier-ignore
import type { Answer } from "../results/answers.ts";
import { FolderAnswers } from "./folder-answers.ts";
import { FolderHold } from "./folder-hold.ts";
import type { FolderListener } from "./folder-listener.ts";
import { Away, kindOfStop, mendingOf } from "./service-away.ts";
import { Standing } from "./standing.ts";
import { resumeCommand } from "./stop-file.ts";

export interface DropFolderParts {
  readonly config: Config;
  readonly processor: Processor;
  readonly listener: FolderListener;
  readonly folder: string;
  readonly settleMs: number;
  /** Goes on for ever: waits for the service, and holds the inbox where a person must look. */
  readonly isWatching: boolean;
  /** Ends the sending of the batch that is on its way, after its rows in flight. */
  readonly stopSending: () => void;
  /** A file that waits longer than this gets an answer in the folder. */
  readonly answerAfterMs?: number;
}

const ANSWER_AFTER_MS = 120_000;
const RETRY_MAX_TIMES = 20;
/** A file of up to some thousand rows need not wait until a large one has ended. */
const SMALL_BYTES_MAX = 512 * 1024;

/** One inbox: what was found in it, what is done with it and in which order, and what is answered in the folder. */
export class DropFolder {
  readonly folder: string;
  /** Exit codes of all that was done. */
  readonly codes: number[] = [];
  readonly #parts: DropFolderParts;
  readonly #inbox: Inbox;
  readonly #away: Away;
  readonly #answers: FolderAnswers;
  readonly #standing: Standing;
  readonly #hold: FolderHold;
  readonly #told = new Set<string>();
  /** Files and batches of which nothing goes until somebody acts. */
  readonly #left = new Set<string>();
  #ready: ReadyFile[] = [];
  #waiting: Sweep["waiting"] = [];
  #folders: readonly string[];
  #batches: string[] = [];
  /** Batches that a signal stopped before their end. */
  readonly #cutOff = new Set<string>();
  #folderAway = false;
  readonly #jobs = new Set<Job>();
  /** Batches with rows that may have been held for one that went beside them. */
  readonly #heldBeside = new Set<string>();
  /** Files that were worked off while a sweep was on its way. */
  readonly #finished = new Set<string>();

  constructor(parts: DropFolderParts) {
    this.#parts = parts;
    this.folder = resolve(parts.folder);
    this.#folders = [this.folder, ...OPERATIONS.map((operation) => join(this.folder, operation.folder))];
    const firstMs = parts.config.watchRetryMs;
    this.#away = new Away({ firstMs, maxMs: firstMs * RETRY_MAX_TIMES });
    const { journal } = parts.processor;
    this.#hold = new FolderHold({
      folder: this.folder,
      processor: parts.processor,
      say: (text) => this.#say(text),
      mention: (text) => parts.listener.mention(text),
      isWorking: () => this.isWorking,
      unfinished: () => this.#unfinished(),
    });
    this.#standing = new Standing(journal, parts.config);
    this.#answers = new FolderAnswers({
      afterMs: parts.answerAfterMs ?? ANSWER_AFTER_MS,
      blocked: (path) => (this.isBlocked ? this.#blockedAnswer(path) : undefined),
      say: (text) => this.#say(text),
    });
    this.#inbox = new Inbox({
      folder: this.folder,
      settleMs: parts.settleMs,
      standing: (path, identity) => this.#standing.of(path, identity),
      written: (path) => journal.written(path),
    });
  }

  /** What an earlier process left: a hold, and batches that it did not finish. */
  async open(): Promise<void> {
    await this.#hold.open();
    this.#batches = [...(await this.#unfinished())];
    await this.#answers.clearStale(this.#folders);
  }

  /** Nothing goes from here for now. */
  get isBlocked(): boolean {
    return this.isHeld || this.#away.isAway;
  }

  /** A person has to say resume. */
  get isHeld(): boolean {
    return this.#hold.now !== undefined;
  }

  /** A batch was stopped by a signal before its end. */
  get wasCutOff(): boolean {
    return this.#cutOff.size > 0;
  }

  /** Files that are not complete, in words. */
  get notReady(): readonly string[] {
    return this.#waiting.map(({ path, why }) => `${printable(basename(path))} (${NOT_READY[why]})`);
  }

  /** What waits here now: a file that is not complete since it was seen, the others since they were written. */
  get count(): InboxCount {
    const since = [
      ...this.#waiting.map(({ forMs }) => Date.now() - forMs),
      ...this.#ready.map(({ identity }) => Number(BigInt(identity.mtimeNs) / 1_000_000n)),
    ];
    return {
      files: since.length,
      ...(since.length > 0 ? { oldestSince: since.reduce((a, b) => Math.min(a, b)) } : {}),
    };
  }

  get waitsForSomething(): boolean {
    return this.#ready.length + this.#waiting.length + this.#batches.length > 0;
  }

  /** That a person has to say resume, in words. */
  get heldText(): string | undefined {
    return this.#hold.text;
  }

  /** Rows are on their way. */
  get isWorking(): boolean {
    return this.#jobs.size > 0;
  }

  /** The service is away, and is being asked whether it is back. */
  get isTrying(): boolean {
    return this.isWorking && this.#away.isAway;
  }

  /** How long until the service is tried again. */
  get retryInMs(): number | undefined {
    return this.#away.retryInMs;
  }

  /** Looks at the folder, sees a STOP and its end, answers what waits. */
  async sweep(): Promise<Sweep> {
    this.#finished.clear();
    const sweep = await this.#inbox.sweep();
    this.#noteAway(sweep.away);
    if (sweep.away !== undefined) {
      [this.#ready, this.#waiting] = [[], []];
      return sweep;
    }
    if (sweep.folders.length > 0) this.#folders = [...new Set([...this.#folders, ...sweep.folders])];
    for (const { path, why, isWorkbook } of sweep.oddities) {
      this.#parts.listener.mention(`${printable(basename(path))} ${why}`);
      if (isWorkbook) await this.#answers.put(path, workbookAnswer(path));
    }
    if (sweep.stops.length > 0) await this.#stopAsked();
    await this.#compareHold();
    this.#ready = sweep.ready.filter((file) => !this.#left.has(keyOf(file)) && !this.#isInWork(file.path));
    this.#waiting = sweep.waiting;
    await this.#answers.afterSweep(sweep, this.#ready);
    return sweep;
  }

  /**
   * Does the next piece of work, if there is one. `small`: only a file that is done soon, beside a large one that is on
   * its way.
   */
  async workOne(which: "any" | "small" = "any"): Promise<boolean> {
    await this.#compareHold();
    if (this.isHeld) return false;
    // what people let go goes first: they look at it
    if (which === "any") this.#batches.unshift(...(await this.#handedOver()));
    if (this.#away.isAway && ((this.#away.retryInMs ?? 0) > 0 || which === "small")) return false;
    const batch = which === "any" ? this.#batches.shift() : undefined;
    if (batch !== undefined) {
      await this.#work({}, () => this.#parts.processor.takeUp(batch));
      return true;
    }
    const file = this.#nextReady(which);
    if (!file) return false;
    await this.#work({ file }, () => this.#parts.processor.processFile(file.path, file.sha256));
    return true;
  }

  /** At the end of a one-shot run: every file that was not ready is answered too. */
  async answerNotReady(): Promise<void> {
    const { isBlocked } = this;
    for (const { path, why } of this.#waiting) {
      await this.#answers.put(path, isBlocked ? this.#blockedAnswer(path) : notYetAnswer(path, why));
    }
    if (isBlocked) for (const { path } of this.#ready) await this.#answers.put(path, this.#blockedAnswer(path));
  }

  #nextReady(which: "any" | "small"): ReadyFile | undefined {
    const isWanted = ({ identity }: ReadyFile): boolean =>
      which === "any" || Number(identity.sizeBytes) <= SMALL_BYTES_MAX;
    const index = this.#ready.findIndex(isWanted);
    return index < 0 ? undefined : this.#ready.splice(index, 1)[0];
  }

  #isInWork(path: string): boolean {
    return [...this.#jobs].some((job) => job.file?.path === path) || this.#finished.has(path);
  }

  async #work(job: Job, work: () => Promise<BatchReport>): Promise<void> {
    for (const other of this.#jobs) other.isBeside = true;
    if (this.#jobs.size > 0) job.isBeside = true;
    this.#jobs.add(job);
    try {
      const report = await work();
      if (job.isBeside && report.byStatus.held) this.#heldBeside.add(report.batch);
      this.codes.push(report.exitCode);
      this.#parts.listener.ended(report, !(this.#away.isAway && this.#away.code === troubleOf(report)));
      await this.#afterwards(report);
    } catch (error) {
      await this.#failed(job.file, error);
    } finally {
      this.#jobs.delete(job);
      if (this.#jobs.size === 0) this.#lookAgain();
      if (job.file) {
        this.#finished.add(job.file.path);
        this.#inbox.forget(job.file.path);
      }
      await this.#hold.answerStop();
    }
  }

  /** What a row waited for may have an end now: that file is gone through once more. */
  #lookAgain(): void {
    this.#batches.push(...this.#heldBeside);
    this.#heldBeside.clear();
  }

  async #afterwards(report: BatchReport): Promise<void> {
    const { stop } = report;
    const code = troubleOf(report);
    const kind = code === undefined ? undefined : kindOfStop(code);
    if (kind === "signal") this.#cutOff.add(report.batch);
    else this.#cutOff.delete(report.batch);
    if (kind === undefined && this.#away.isAway && report.requests > 0) {
      this.#say("the service takes rows again");
      this.#away.isBack();
    }
    if (kind === "service" || kind === "signal") this.#batches.unshift(report.batch);
    if (kind === "service" && code !== undefined) this.#serviceFailed(code, stop?.message ?? "the service could not be reached"); // prettier-ignore
    if (kind === "person" && stop) await this.#holdFor(stop.code, stop.message);
    await this.#answers.put(report.file, this.#answerOf(report));
  }

  #answerOf(report: BatchReport): Answer | undefined {
    const hold = this.#hold.now;
    const isRest = (report.byStatus.not_sent?.rows ?? 0) > 0;
    const isLooked = (report.byStatus.unknown?.rows ?? 0) + (report.byStatus.held?.rows ?? 0) > 0;
    if (hold && isRest && !isLooked) return heldAnswer(report.file, hold, resumeCommand(this.folder));
    return openAnswer(report);
  }

  /** What one file did wrong does not keep the others waiting; a failing disk, or what nobody foresaw, ends it all. */
  async #failed(file: ReadyFile | undefined, error: unknown): Promise<void> {
    const code = exitCodeOf(error);
    const path = file?.path;
    if (error instanceof FileRefusedError && file) {
      this.codes.push(code);
      this.#parts.listener.failed(error);
      await this.#standing.noteRefused(file.path, file.identity);
      await this.#answers.put(file.path, refusedAnswer(file.path, error.faults));
    } else if (error instanceof PaydropError && (error.code === "config" || error.code === "destination")) {
      this.codes.push(code);
      this.#failedOnce(error);
      if (file) this.#left.add(keyOf(file));
      if (path !== undefined) await this.#answers.put(path, troubleAnswer(path, "", error.message, error.hint));
    } else if (
      error instanceof PaydropError &&
      (error.code === "stopped" || error.code === "usage") &&
      path !== undefined
    ) {
      // it was changed, exchanged or taken away just now: the next sweep sees what is there
      this.#parts.listener.mention(error.message);
    } else {
      if (path !== undefined) await this.#answers.put(path, troubleAnswer(path, "", messageOf(error), "ask IT"));
      throw error;
    }
  }

  #serviceFailed(code: string, message: string): void {
    const isNews = this.#away.failed(code);
    if (!this.#parts.isWatching || !isNews) return;
    const mending = mendingOf(code);
    this.#say(
      `everything waits: ${message}; it is tried again by itself${mending === undefined ? "" : `\n  → ${mending}`}`,
    );
  }

  async #holdFor(code: string, message: string): Promise<void> {
    if (!this.#parts.isWatching) {
      this.#away.failed(code);
      return;
    }
    await this.#hold.forPerson(code, message);
  }

  async #stopAsked(): Promise<void> {
    if (await this.#hold.stopAsked()) this.#parts.stopSending();
  }

  async #compareHold(): Promise<void> {
    if (await this.#hold.compare()) this.#batches = [...(await this.#unfinished())];
  }

  async #handedOver(): Promise<readonly string[]> {
    const batches = await this.#parts.processor.handedOver();
    return batches.filter((batch) => !this.#batches.includes(batch));
  }

  #blockedAnswer(path: string): Answer {
    const hold = this.#hold.now;
    if (hold) return heldAnswer(path, hold, resumeCommand(this.folder));
    return troubleAnswer(path, this.#away.code, "the service does not take rows for now", "Ask IT");
  }

  #noteAway(why: string | undefined): void {
    const isAway = why !== undefined;
    if (isAway && !this.#folderAway) this.#say(`${this.folder}: ${why}; it is waited for`);
    if (!isAway && this.#folderAway) this.#say(`${this.folder} is back`);
    this.#folderAway = isAway;
  }

  #unfinished(): Promise<readonly string[]> {
    return this.#parts.processor.unfinished(this.#folders);
  }

  #say(text: string): void {
    this.#parts.listener.say(text);
  }

  #failedOnce(error: PaydropError): void {
    if (this.#told.has(error.message)) return;
    this.#told.add(error.message);
    this.#parts.listener.failed(error);
  }
}

interface Job {
  readonly file?: ReadyFile;
  /** Another one was worked on at the same time. */
  isBeside?: true;
}

/** Why rows of it did not go. Fewer than it takes to stop a run were not sent all the same. */
function troubleOf({ stop, byStatus }: BatchReport): string | undefined {
  return stop?.code ?? (byStatus.not_sent ? "unreachable" : undefined);
}

function keyOf({ path, sha256 }: ReadyFile): string {
  return `${path} ${sha256}`;
}

const NOT_READY = {
  being_written: "still being written",
  zeros: "still being copied",
  open: "open in a spreadsheet program",
  unreadable: "may not be read",
};
