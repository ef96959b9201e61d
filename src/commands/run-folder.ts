import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "../batch.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import { Inbox, inboxFolders, stopFilesIn, type LookedFile } from "../intake/inbox.ts";
import { mayGiveWork } from "../intake/names.ts";
import { printable } from "../printable.ts";
import { clearStaleAnswers, waitingAnswer } from "../results/answers.ts";
import { shown, type FolderAnswers, type FolderListener, type Hold } from "./folder-answers.ts";
import { FolderQueue } from "./folder-queue.ts";
import { FolderWork } from "./folder-work.ts";

export interface FolderOptions {
  /** Everything that is complete, once; else for ever. */
  readonly isOnce: boolean;
  /** Waits for no events: network shares give none. */
  readonly isPolling: boolean;
}

/**
 * Works through an inbox, once or until `signals.soft`. Gives the gravest exit code: of all that was done once, of each
 * batch its last one; of a watch 0, but 7 or 4 for what it cut off at its end. Throws PaydropError where it cannot go on,
 * after what is at work has come to its end.
 */
export async function runFolder(
  work: Work,
  folder: string,
  listener: FolderListener,
  options: FolderOptions,
): Promise<number> {
  const loop = new FolderLoop(work, resolve(folder), listener, options);
  const hints = options.isOnce || options.isPolling ? undefined : await listen(resolve(folder), loop);
  work.signals.soft.addEventListener("abort", loop.ring);
  try {
    return await loop.run();
  } finally {
    work.signals.soft.removeEventListener("abort", loop.ring);
    await hints?.close();
  }
}

/** Events are hints: they only make the next look come sooner. What we write there ourselves gives none. */
async function listen(folder: string, loop: FolderLoop): Promise<{ close(): Promise<void> }> {
  const { watch } = await import("chokidar");
  const ignored = (path: string): boolean => path !== folder && !mayGiveWork(basename(path));
  return watch(folder, { depth: 1, ignoreInitial: true, followSymlinks: false, ignored })
    .on("all", () => loop.hint())
    .on("error", () => undefined);
}

/** The folder is looked at as often as a file must lie still, within these bounds. */
const [SWEEP_MIN_MS, SWEEP_MAX_MS] = [250, 5_000];
const LOOK_MIN_MS = 20;
/** A STOP, and the end of a hold, are looked for so often while rows are on their way. */
const STOP_LOOK_MS = 500;
/** After a look the folder rests for so many times as long: one of many thousand files must leave time to send. */
const REST_TIMES = 4;
const REST_MAX_MS = 2_000;
/** A file that waits longer than this gets an answer. */
const ANSWER_AFTER_MS = 120_000;
/** Polling, a file must lie still for so many times as long; a single run waits so long for it. */
const PATIENCE_TIMES = 3;

/** Looks into the folder again and again, and begins what may go. */
class FolderLoop {
  readonly #folder: string;
  readonly #options: FolderOptions;
  readonly #signal: AbortSignal;
  readonly #settleMs: number;
  readonly #sweepMs: number;
  readonly #listener: FolderListener;
  readonly #work: FolderWork;
  readonly #answers: FolderAnswers;
  readonly #inbox: Inbox;
  readonly #queue: FolderQueue;
  #notReady: readonly LookedFile[] = [];
  /** What each waiting file was told last. */
  #answered: ReadonlyMap<string, string> = new Map();
  #held: Hold | undefined;
  #isStopAnswered = false;
  #unreadable: string | undefined;
  #sweepAtMs = 0;
  #stopLookAtMs = 0;
  #bell = Promise.withResolvers<undefined>();

  constructor(work: Work, folder: string, listener: FolderListener, options: FolderOptions) {
    const { settle } = work.config;
    const { isOnce, isPolling } = options;
    this.#folder = folder;
    this.#options = options;
    this.#signal = work.signals.soft;
    this.#settleMs = settle;
    this.#sweepMs = Math.min(SWEEP_MAX_MS, Math.max(SWEEP_MIN_MS, settle));
    this.#listener = listener;
    this.#work = new FolderWork(work, folder, listener, isOnce);
    this.#answers = this.#work.answers;
    this.#queue = new FolderQueue(this.#work, isOnce ? Infinity : this.#sweepMs, () => this.#pieceEnded());
    this.#inbox = new Inbox(folder, settle * (isPolling ? PATIENCE_TIMES : 1), async (file) =>
      this.#queue.isAtWork(file.path) ? "refused" : this.#work.isKnown(file),
    );
  }

  readonly ring = (): void => this.#bell.resolve(undefined);

  hint(): void {
    this.#sweepAtMs = Math.min(this.#sweepAtMs, performance.now() + 10 * LOOK_MIN_MS);
    this.ring();
  }

  async run(): Promise<number> {
    const { isOnce } = this.#options;
    if (!isOnce) this.#answers.tell("watching");
    try {
      await this.#turn();
      const untilMs = performance.now() + PATIENCE_TIMES * this.#settleMs + LOOK_MIN_MS;
      while (!this.#isEnding && !(isOnce && this.#isDone(untilMs))) {
        await this.#rest();
        await this.#turn();
      }
    } catch (error) {
      this.#queue.fail(error);
    }
    await this.#queue.untilDone();
    if (this.#queue.failure) throw this.#queue.failure.error;
    await this.#compareHold();
    if (!isOnce) return gravest([...this.#work.codes.values()].filter((code) => [4, 7, 74].includes(code)));
    if (!this.#signal.aborted) await this.#answerWaiting(0);
    return this.#codeOfOnce();
  }

  #codeOfOnce(): number {
    const { codes, answers } = this.#work;
    const isCutOff = this.#queue.length + this.#notReady.length > 0 && (this.#isBlocked || this.#signal.aborted);
    const [files, names] = [this.#notReady.length, this.#notReady.map(({ path }) => shown(path)).join(", ")];
    if (this.#unreadable !== undefined) {
      throw new PaydropError("folder_unreadable", { folder: printable(this.#folder), found: this.#unreadable });
    }
    if (files > 0) answers.tell("not_ready", { files, names });
    else if (codes.size === 0 && !isCutOff) answers.tell("nothing_new");
    return gravest([...codes.values(), ...(isCutOff ? [7] : [])]);
  }

  #pieceEnded(): void {
    this.#stopLookAtMs = 0;
    this.#sweepAtMs = Math.min(this.#sweepAtMs, this.#queue.dueMs);
    this.ring();
  }

  get #isEnding(): boolean {
    return this.#signal.aborted || this.#queue.failure !== undefined;
  }

  get #isBlocked(): boolean {
    return this.#held !== undefined || this.#queue.isAway;
  }

  /** Nothing can go any more, and no file becomes complete in the time that one must lie still. */
  #isDone(untilMs: number): boolean {
    const isStill = this.#inbox.looks.nextLookMs === undefined || performance.now() > untilMs;
    return !this.#queue.isWorking && (this.#isBlocked || isStill);
  }

  async #rest(): Promise<void> {
    const ms = Math.min(this.#sweepAtMs - performance.now(), this.#queue.isWorking ? STOP_LOOK_MS : Infinity);
    const timer = new AbortController();
    await Promise.race([this.#bell.promise, sleep(Math.max(LOOK_MIN_MS, ms), undefined, { signal: timer.signal })]);
    timer.abort();
    this.#bell = Promise.withResolvers();
  }

  async #turn(): Promise<void> {
    const isLookDue = performance.now() >= Math.min(this.#sweepAtMs, this.#stopLookAtMs);
    if (isLookDue || !this.#queue.isWorking) await this.#lookForStop();
    if (performance.now() >= this.#sweepAtMs) await this.#sweep();
    if (!this.#held && !this.#isEnding) this.#queue.begin();
  }

  async #lookForStop(): Promise<void> {
    const isStopped = !this.#held && (await stopFilesIn(this.#folder)).length > 0;
    if (isStopped) await this.#work.hold("stop_file");
    await this.#compareHold();
    this.#stopLookAtMs = performance.now() + STOP_LOOK_MS;
  }

  /** Another process lifts a hold. A STOP is answered once the rows in flight have their end. */
  async #compareHold(): Promise<void> {
    const held = await this.#work.holdOf();
    if (held && !this.#held) this.#answers.tell("folder_held", { code: held.reason });
    if (!held && this.#held) {
      this.#answers.tell("folder_resumed");
      this.#queue.forget();
      this.#sweepAtMs = 0;
      this.#isStopAnswered = false;
      await this.#work.answerStop(undefined);
    }
    this.#held = held;
    if (held?.reason !== "stop_file" || this.#isStopAnswered || this.#queue.isWorking) return;
    this.#isStopAnswered = true;
    await this.#work.answerStop(held);
  }

  async #sweep(): Promise<void> {
    const startedMs = performance.now();
    const folders = await inboxFolders(this.#folder);
    const { unreadable, files } = await this.#inbox.sweep();
    if (unreadable !== this.#unreadable) {
      this.#answers.tell(unreadable === undefined ? "folder_back" : "folder_away", { found: unreadable });
    }
    this.#unreadable = unreadable;
    if (unreadable === undefined) await this.#work.assertMarks(folders);
    for (const folder of folders) await clearStaleAnswers(folder);
    const complete = files.filter(({ waits }) => waits === undefined);
    for (const file of complete) if (file.fault) await this.#work.refuse(file);
    this.#notReady = files.filter(({ waits }) => waits !== undefined);
    await this.#queue.refill(complete.filter(({ fault }) => !fault));
    const waiting = [...this.#queue.files, ...this.#notReady].map(({ forMs }) => forMs);
    const oldest = waiting.length > 0 ? { oldestSince: Date.now() - Math.max(...waiting) } : {};
    this.#listener.saw?.({ files: waiting.length, ...oldest });
    await this.#answerWaiting(ANSWER_AFTER_MS);
    await this.#answers.putGoing(this.#sweepMs);
    const restMs = this.#options.isOnce ? 0 : Math.min(REST_MAX_MS, (performance.now() - startedMs) * REST_TIMES);
    const nextMs = Math.min(this.#sweepMs, this.#inbox.looks.nextLookMs ?? Infinity);
    const sweepAtMs = performance.now() + Math.max(LOOK_MIN_MS, restMs, nextMs);
    this.#sweepAtMs = Math.min(sweepAtMs, this.#queue.dueMs);
  }

  /** Each answer is written once; it goes when its file goes. */
  async #answerWaiting(afterMs: number): Promise<void> {
    const blocked = this.#held ? "held" : this.#queue.isAway ? "away" : undefined;
    const answered = new Map<string, string>();
    for (const { path, waits, forMs } of [...this.#queue.files, ...this.#notReady]) {
      if (forMs < afterMs && (waits !== undefined || !blocked)) continue;
      const because = waits ?? blocked ?? "its_turn";
      const isNew = this.#answered.get(path) !== because;
      if (isNew && because !== "held") await this.#answers.put(path, waitingAnswer(path, because));
      else if (isNew && this.#held) await this.#answers.putHeld(path, this.#held);
      answered.set(path, because);
    }
    this.#answered = answered;
  }
}
