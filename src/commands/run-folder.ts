import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "../batch.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import { Inbox, inboxFolders, stopFilesIn, type LookedFile } from "../intake/inbox.ts";
import { mayGiveWork } from "../intake/names.ts";
import { printable } from "../printable.ts";
import { clearStaleAnswers } from "../results/answers.ts";
import { FolderQueue } from "./folder-queue.ts";
import { FolderWork, shown, type FolderListener, type Hold } from "./folder-work.ts";

/** Everything that is complete, once; or for ever, with events as hints, or without: network shares give none. */
export type FolderMode = "once" | "watch" | "poll";

/**
 * Works through an inbox, once or until `signals.soft`. Gives the gravest exit code: of all that was done once, of each
 * batch its last one; of a watch 0, but 7 or 4 for what it cut off at its end. Throws PaydropError where it cannot go on,
 * after what is at work has come to its end.
 */
export async function runFolder(work: Work, path: string, listener: FolderListener, mode: FolderMode): Promise<number> {
  const folder = resolve(path);
  const loop = new FolderLoop(work, folder, listener, mode);
  const hints = mode === "watch" ? await listen(folder, () => loop.hint()) : undefined;
  work.signals.soft.addEventListener("abort", loop.ring);
  try {
    return await loop.run();
  } finally {
    work.signals.soft.removeEventListener("abort", loop.ring);
    await hints?.close();
  }
}

/** Events are hints: they only make the next look come sooner. What we write there ourselves gives none. */
async function listen(folder: string, hint: () => void): Promise<{ close(): Promise<void> }> {
  const { watch } = await import("chokidar");
  const ignored = (path: string): boolean => path !== folder && !mayGiveWork(basename(path));
  const options = { depth: 1, ignoreInitial: true, followSymlinks: false, ignored };
  return watch(folder, options).on("all", hint).on("error", hint);
}

/** The folder is looked at as often as a file must lie still, within these bounds. */
const [SWEEP_MIN_MS, SWEEP_MAX_MS] = [250, 5_000];
const LOOK_MIN_MS = 20;
/** So soon after an event: what comes by the thousand is looked at together. */
const HINT_MS = 200;
/** A STOP is looked for so often while rows are on their way. */
const STOP_LOOK_MS = 500;
/** A file that waits longer than this gets an answer. */
const ANSWER_AFTER_MS = 120_000;
/** Polling, a file must lie still for so many times as long; a single run waits so long for it. */
const PATIENCE_TIMES = 3;

/** Looks into the folder again and again, and begins what may go. */
class FolderLoop {
  readonly #folder: string;
  readonly #isOnce: boolean;
  readonly #signal: AbortSignal;
  readonly #sweepMs: number;
  /** A single run waits so long for files that are not complete. */
  readonly #patienceMs: number;
  readonly #work: FolderWork;
  readonly #inbox: Inbox;
  readonly #queue: FolderQueue;
  #notReady: readonly LookedFile[] = [];
  #held: Hold | undefined;
  #unreadable: string | undefined;
  #sweepAtMs = 0;
  #rests = new AbortController();

  constructor(work: Work, folder: string, listener: FolderListener, mode: FolderMode) {
    const { settle } = work.config;
    this.#folder = folder;
    this.#isOnce = mode === "once";
    this.#signal = work.signals.soft;
    this.#sweepMs = Math.min(SWEEP_MAX_MS, Math.max(SWEEP_MIN_MS, settle));
    this.#patienceMs = PATIENCE_TIMES * settle;
    this.#work = new FolderWork(work, folder, listener, this.#isOnce);
    this.#queue = new FolderQueue(this.#work, this.#isOnce ? Infinity : this.#sweepMs, this.ring);
    this.#inbox = new Inbox(folder, mode === "poll" ? this.#patienceMs : settle, async (file) =>
      this.#queue.pathsAtWork.has(file.path) ? "refused" : this.#work.isKnown(file),
    );
  }

  readonly ring = (): void => this.#rests.abort();

  hint(): void {
    this.#sweepAtMs = Math.min(this.#sweepAtMs, performance.now() + HINT_MS);
    this.ring();
  }

  async run(): Promise<number> {
    if (!this.#isOnce) this.#work.tell("watching");
    try {
      await this.#turn();
      const untilMs = performance.now() + this.#patienceMs + LOOK_MIN_MS;
      while (!this.#isEnding && !(this.#isOnce && this.#isDone(untilMs))) {
        await this.#rest();
        await this.#turn();
      }
    } catch (error) {
      this.#queue.fail(error);
    }
    await this.#queue.untilDone();
    await this.#lookForStop();
    const codes = [...this.#work.codes.values()];
    if (!this.#isOnce) return gravest(codes.filter((code) => [4, 7, 74].includes(code)));
    if (!this.#signal.aborted) await this.#work.answerWaiting(this.#waiting, this.#blocked, 0);
    const isLeft = this.#notReady.length + this.#queue.length > 0;
    const isCutOff = isLeft && (this.#blocked !== undefined || this.#signal.aborted);
    const [files, names] = [this.#notReady.length, this.#notReady.map(({ path }) => shown(path)).join(", ")];
    if (this.#unreadable !== undefined) {
      throw new PaydropError("folder_unreadable", { folder: printable(this.#folder), found: this.#unreadable });
    }
    if (files > 0) this.#work.tell("not_ready", { files, names });
    else if (codes.length === 0 && !isCutOff) this.#work.tell("nothing_new");
    return gravest([...codes, ...(isCutOff ? [7] : [])]);
  }

  get #isEnding(): boolean {
    return this.#signal.aborted || this.#queue.failure !== undefined;
  }

  /** Why no file goes now. */
  get #blocked(): Hold | "away" | undefined {
    return this.#held ?? (this.#queue.isAway ? "away" : undefined);
  }

  get #waiting(): readonly LookedFile[] {
    return [...this.#queue.files, ...this.#notReady];
  }

  /** Nothing can go any more, and no file becomes complete in the time that one must lie still. */
  #isDone(untilMs: number): boolean {
    const isStill = this.#inbox.looks.nextLookMs === undefined || performance.now() > untilMs;
    return !this.#queue.isWorking && (this.#blocked !== undefined || isStill);
  }

  /** Until something is due, or it is rung. */
  async #rest(): Promise<void> {
    const ms = Math.min(this.#sweepAtMs - performance.now(), this.#queue.isWorking ? STOP_LOOK_MS : Infinity);
    await sleep(Math.max(LOOK_MIN_MS, ms), undefined, { signal: this.#rests.signal }).catch(() => undefined);
    this.#rests = new AbortController();
  }

  async #turn(): Promise<void> {
    await this.#lookForStop();
    if (performance.now() >= this.#sweepAtMs) await this.#sweep();
    if (!this.#held && !this.#isEnding) this.#queue.begin();
  }

  /** Another process lifts a hold. A STOP is answered once the rows in flight have their end. */
  async #lookForStop(): Promise<void> {
    if (!this.#held && (await stopFilesIn(this.#folder)).length > 0) await this.#work.hold("stop_file");
    const held = await this.#work.holdOf();
    if (held && !this.#held) this.#work.tell("folder_held", { code: held.reason });
    if (!held && this.#held) {
      this.#queue.forget();
      this.#sweepAtMs = 0;
      this.#work.tell("folder_resumed");
      await this.#work.answerStop(undefined);
    }
    this.#held = held;
    if (held?.reason === "stop_file" && !this.#queue.isWorking) await this.#work.answerStop(held);
  }

  async #sweep(): Promise<void> {
    const folders = await inboxFolders(this.#folder);
    const { unreadable, files } = await this.#inbox.sweep();
    if (unreadable !== this.#unreadable) {
      this.#work.tell(unreadable === undefined ? "folder_back" : "folder_away", { found: unreadable });
    }
    this.#unreadable = unreadable;
    if (unreadable === undefined) await this.#work.assertMarks(folders);
    for (const folder of folders) await clearStaleAnswers(folder);
    const complete = files.filter(({ waits }) => waits === undefined);
    for (const file of complete) if (file.fault) await this.#work.process(file);
    this.#notReady = files.filter(({ waits }) => waits !== undefined);
    await this.#queue.refill(complete.filter(({ fault }) => !fault));
    this.#work.saw(this.#waiting);
    await this.#work.answerWaiting(this.#waiting, this.#blocked, ANSWER_AFTER_MS);
    const nextMs = Math.min(this.#sweepMs, this.#inbox.looks.nextLookMs ?? Infinity);
    this.#sweepAtMs = performance.now() + Math.max(LOOK_MIN_MS, nextMs);
  }
}
