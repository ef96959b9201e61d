import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { inboxFolders, stopFilesIn } from "../intake/inbox-folders.ts";
import { Inbox, type Sweep } from "../intake/inbox.ts";
import type { Processor } from "../processor.ts";
import { notYetAnswer, type Answer } from "../results/answers/answers.ts";
import { isRetryAsWritten } from "../results/disk/own.ts";
import { BatchQueue } from "./batch-queue.ts";
import { FileMemory } from "./file-memory.ts";
import { FileQueue, type InboxCount } from "./file-queue.ts";
import { FolderAnswers } from "./folder-answers.ts";
import { FolderEnds } from "./folder-ends.ts";
import { FolderHold } from "./folder-hold.ts";
import type { FolderListener } from "./folder-listener.ts";
import { FolderWork } from "./folder-work.ts";
import { Outage } from "./outage.ts";

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
  /** Lets rows go again: nothing holds the folder, or a person said resume. */
  readonly letSend: () => void;
}

/** So many small files go beside whatever else is on its way: while one waits for the disk, another uses the processor. */
export const SMALL_BESIDE = 2;

/** One inbox: what was found in it, what is done with it and in which order, and what is answered in the folder. */
export class DropFolder {
  readonly folder: string;
  readonly #parts: DropFolderParts;
  readonly #inbox: Inbox;
  readonly #files = new FileQueue();
  readonly #batches: BatchQueue;
  readonly #hold: FolderHold;
  readonly #outage: Outage;
  readonly #answers: FolderAnswers;
  readonly #ends: FolderEnds;
  readonly #work: FolderWork;
  #folders: readonly string[];
  #folderAway = false;

  constructor(parts: DropFolderParts) {
    const { config, processor, listener, isWatching } = parts;
    const { watchRetryMs } = config;
    this.#parts = parts;
    this.folder = resolve(parts.folder);
    this.#folders = [this.folder];
    this.#batches = new BatchQueue(processor, watchRetryMs, config.timeZone);
    this.#hold = new FolderHold({
      ...{ folder: this.folder, processor, listener },
      isWorking: () => this.isWorking,
      unfinished: () => this.#unfinished(),
    });
    this.#outage = new Outage({ listener, isWatching, watchRetryMs });
    const memory = new FileMemory(processor.journal, config);
    const blocked = (path: string): Answer | undefined => this.#blockedAnswer(path);
    this.#answers = new FolderAnswers(listener, blocked, ({ path, sha256 }) => memory.hasEnd(path, sha256));
    const shared = { isWatching, outage: this.#outage, memory };
    this.#ends = new FolderEnds({ ...shared, listener, answers: this.#answers, hold: this.#hold });
    this.#work = new FolderWork({ ...shared, processor, files: this.#files, batches: this.#batches, ends: this.#ends });
    this.#inbox = new Inbox({
      folder: this.folder,
      settleMs: parts.settleMs,
      standing: (path, identity) => memory.standingOf(path, identity),
      isAsWritten: (path, sha256) => isRetryAsWritten(path, sha256, processor.journal),
    });
  }

  /** What an earlier process left: a hold, and batches that it did not finish. */
  async open(): Promise<void> {
    this.#folders = await inboxFolders(this.folder);
    await this.#hold.open();
    // looked for before the first sweep of a large folder ends: rows that an earlier process left may go before that
    await this.lookForStop();
    this.#batches.add(await this.#unfinished());
    await this.#batches.lookAgainIn(this.#folders);
    await this.#answers.clearStale(this.#folders);
  }

  /** Exit codes of all that was done since this was last asked: of each batch and file its last one. */
  takeCodes(): readonly number[] {
    return this.#ends.takeCodes();
  }

  /** A batch was stopped by a signal before its end. */
  get wasCutOff(): boolean {
    return this.#ends.wasCutOff;
  }

  /** Nothing goes from here for now. */
  get isBlocked(): boolean {
    return this.isHeld || this.#outage.isAway;
  }

  /** A person has to say resume. */
  get isHeld(): boolean {
    return this.#hold.isHeld;
  }

  /** Files that are not complete, in words. */
  get notReady(): readonly string[] {
    return this.#files.notReadyTexts;
  }

  /** What waits here now. */
  get count(): InboxCount {
    return this.#files.count;
  }

  get waitsForSomething(): boolean {
    return this.#files.length + this.#batches.length > 0;
  }

  /** That a person has to say resume, in words. */
  get heldText(): string | undefined {
    return this.#hold.text;
  }

  /** Rows are on their way. */
  get isWorking(): boolean {
    return !this.#work.isEmpty;
  }

  /** The service or one of its endpoints is away, and is being asked whether it is back. */
  get isTrying(): boolean {
    return (this.isWorking && this.#outage.isAway) || this.#work.isTrying;
  }

  /** How long until the service, or one of its endpoints, is tried again. */
  get retryInMs(): number | undefined {
    return this.#outage.retryInMs;
  }

  /** Looks at the folder, sees a STOP and its end, answers what waits. */
  async sweep(): Promise<Sweep> {
    this.#work.sweepBegins();
    const sweep = await this.#inbox.sweep();
    this.#noteAway(sweep.away);
    if (sweep.away !== undefined) {
      this.#files.replace([], []);
      return sweep;
    }
    if (sweep.folders.length > 0) this.#folders = [...new Set([...this.#folders, ...sweep.folders])];
    this.#batches.addUndelivered(sweep.folders);
    this.#batches.addOfNewDay();
    // people cancel, settle and release while nothing is on its way
    await this.#lookAgain();
    for (const oddity of sweep.oddities) await this.#ends.neverTaken(oddity);
    // a look takes its time: a STOP that a person's resume has taken away since holds nothing any more
    if (sweep.stops.length > 0) await this.lookForStop();
    await this.#compareHold();
    const open = sweep.ready.filter((file) => !this.#ends.isLeft(file) && !this.#work.has(file.path));
    this.#files.replace(open, sweep.waiting);
    await this.#answers.afterSweep(sweep, this.#files.ready);
    return sweep;
  }

  /** Between sweeps: people say stop while rows are on their way. */
  async lookForStop(): Promise<void> {
    if ((await stopFilesIn(this.#folders)).length === 0 || !(await this.#hold.stopAsked())) return;
    // known as held before sending stops: who sees sending stopped, and nothing held, would let it go on
    await this.#compareHold();
    this.#parts.stopSending();
  }

  /**
   * Does the next piece of work, if there is one. `small`: only a file that is done soon, beside a large one that is on
   * its way.
   */
  async workOne(which: "any" | "small" = "any"): Promise<boolean> {
    await this.#compareHold();
    if (which === "any" && !this.isHeld) await this.#batches.addHandedOver();
    // asked only now: work beside this may have ended meanwhile, and have held the inbox
    if (this.isHeld) return false;
    // here, and not where the resume is seen: another that saw it first would begin with sending still stopped
    this.#parts.letSend();
    const piece = this.#work.next(which);
    if (!piece) return false;
    try {
      await this.#work.carryOut(piece);
    } finally {
      if (piece.file) this.#inbox.forget(piece.file.path);
      await this.#hold.answerStop();
      await this.#lookAgain();
    }
    return true;
  }

  /** At the end of a one-shot run: every file that was not ready is answered too. */
  async answerNotReady(): Promise<void> {
    for (const file of this.#files.notReady) {
      await this.#answers.putWaiting(file, this.#blockedAnswer(file.path) ?? notYetAnswer(file.path, file.why));
    }
    for (const file of this.#files.ready) {
      const answer = this.#blockedAnswer(file.path);
      if (answer) await this.#answers.putWaiting(file, answer);
    }
  }

  /** For a file that waits: why nothing goes from here for now. undefined: it goes. */
  #blockedAnswer(path: string): Answer | undefined {
    return this.#hold.answer(path) ?? this.#outage.answer(path);
  }

  /** At the end of the last piece of work: each of them may be what others wait for. */
  async #lookAgain(): Promise<void> {
    if (!this.isWorking) await this.#batches.lookAgain(this.#folders);
  }

  async #compareHold(): Promise<void> {
    if (await this.#hold.compare()) this.#batches.add(await this.#unfinished());
  }

  #noteAway(why: string | undefined): void {
    const isAway = why !== undefined;
    // a single run tells it at its end, and waits for nothing
    if (isAway && !this.#folderAway && this.#parts.isWatching)
      this.#parts.listener.say(`${this.folder}: ${why}; it is waited for`);
    if (!isAway && this.#folderAway) this.#parts.listener.say(`${this.folder} is back`);
    this.#folderAway = isAway;
  }

  #unfinished(): Promise<readonly string[]> {
    return this.#parts.processor.unfinished(this.#folders);
  }
}
