import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "../batch.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import { createInbox, inboxFolders, stopFilesIn, type LookedFile } from "../intake/inbox.ts";
import { assertMark } from "../intake/mark.ts";
import { mayGiveWork } from "../intake/names.ts";
import { printable } from "../printable.ts";
import { clearStaleAnswers, errorAnswer } from "../results/answers.ts";
import { Beside, type Blocked } from "./beside.ts";
import { Carrier } from "./carry-out.ts";
import { Folder, shown, type FolderListener, type FolderStop } from "./folder.ts";
import { Queue } from "./queue.ts";

/** Everything that is complete, once; or for ever, with events as hints, or without: network shares give none. */
export type FolderMode = "once" | "watch" | "poll";

/** The folder is looked at as often as a file must lie still, within these bounds. */
const [SWEEP_MIN_MS, SWEEP_MAX_MS] = [250, 5_000];
const LOOK_MIN_MS = 20;
/** So soon after an event: what comes by the thousand is looked at together. */
const HINT_MS = 200;
/** A STOP is looked for so often while rows are on their way. */
const STOP_LOOK_MS = 500;
const AWAY_TOLD_MS = 2_000;
/** A file that waits longer than this gets an answer. */
const ANSWER_AFTER_MS = 120_000;
/** Polling, a file must lie still for so many times as long; a single run waits so long for it. */
const PATIENCE_TIMES = 3;

/** Throws PaydropError `usage` for what is no folder. `mayCome`: one that is not there is waited for. */
export async function assertFolder(path: string, { mayCome = true } = {}): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() || (!stats && mayCome)) return;
  const found = stats ? "it is a file" : "it is not there";
  throw new PaydropError("folder_unreadable", { folder: printable(path), found });
}

/**
 * Works through an inbox, once or until `signals.soft`. Gives the gravest exit code: of all that was done once, of each
 * batch its last one; of a watch 0, but 7 or 4 for what it cut off at its end. Throws PaydropError where it cannot go on,
 * after what is at work has come to its end.
 */
export function runFolder(work: Work, path: string, listener: FolderListener, mode: FolderMode): Promise<number> {
  return new FolderRun(work, resolve(path), listener, mode).run();
}

class FolderRun {
  readonly #mode: FolderMode;
  readonly #isOnce: boolean;
  /** Asks it to end. */
  readonly #signal: AbortSignal;
  readonly #sweepMs: number;
  readonly #patienceMs: number;
  readonly #folder: Folder;
  readonly #beside: Beside;
  readonly #carrier: Carrier;
  readonly #queue: Queue;
  readonly #inbox: ReturnType<typeof createInbox>;
  /** Aborted: whatever rests looks at once. */
  #rings = new AbortController();
  #sweepAtMs = 0;
  #toldAway = Promise.resolve();
  /** Files that are not complete yet. */
  #notReady: readonly LookedFile[] = [];
  #stop: FolderStop | undefined;
  #unreadable: string | undefined;

  constructor(work: Work, path: string, listener: FolderListener, mode: FolderMode) {
    const { settle } = work.config;
    this.#mode = mode;
    this.#isOnce = mode === "once";
    this.#signal = work.signals.soft;
    this.#sweepMs = Math.min(SWEEP_MAX_MS, Math.max(SWEEP_MIN_MS, settle));
    this.#patienceMs = PATIENCE_TIMES * settle;
    this.#folder = new Folder(work, path, listener, { isOnce: this.#isOnce });
    this.#beside = new Beside(this.#folder);
    this.#carrier = new Carrier(this.#folder, this.#beside);
    const retryMs = this.#isOnce ? Infinity : this.#sweepMs;
    this.#queue = new Queue(this.#folder, this.#carrier, { retryMs, pieceEnded: () => this.#ring() });
    this.#inbox = createInbox(path, mode === "poll" ? this.#patienceMs : settle, async (file) =>
      this.#queue.isAtWork(file.path) ? "refused" : this.#carrier.isKnown(file),
    );
  }

  async run(): Promise<number> {
    await this.#workThrough();
    await this.#queue.untilDone();
    await this.#lookForStop();
    if (this.#isOnce) return this.#endOfOne();
    return gravest(this.#carrier.codes().filter((code) => [4, 7, 74].includes(code)));
  }

  /** What fails here ends what is at work, and is thrown when that is done. */
  async #workThrough(): Promise<void> {
    const tellingAway = setInterval(() => this.#tellAway(), AWAY_TOLD_MS).unref();
    const hints = this.#mode === "watch" ? await listen(this.#folder.path, () => this.#hint()) : undefined;
    this.#signal.addEventListener("abort", () => this.#ring(), { once: true });
    if (!this.#isOnce) this.#folder.tell("watching");
    try {
      await this.#turn();
      const untilMs = performance.now() + this.#patienceMs + LOOK_MIN_MS;
      while (!this.#isEnding() && !(this.#isOnce && this.#isDone(untilMs))) {
        await this.#rest();
        await this.#turn();
      }
    } catch (error) {
      this.#queue.fail(error);
    } finally {
      clearInterval(tellingAway);
      await hints?.close();
    }
  }

  async #turn(): Promise<void> {
    await this.#lookForStop();
    await this.#toldAway;
    await this.#beside.clearAway();
    if (performance.now() >= this.#sweepAtMs) await this.#sweep();
    if (!this.#stop && !this.#isEnding()) this.#queue.begin();
  }

  /** Another process lifts a stop. A STOP is answered once the rows in flight have their end. */
  async #lookForStop(): Promise<void> {
    const folder = this.#folder;
    // stopped since before this process began: that is no new one
    if (!this.#stop && (await stopFilesIn(folder.path)).length > 0 && !(await folder.stopped()))
      await folder.stop("stop_file");
    const found = await folder.stopped();
    if (found && !this.#stop) folder.tell("folder_held", { code: found.reason, at: found.at });
    if (!found && this.#stop) {
      this.#queue.forget();
      this.#sweepAtMs = 0;
      folder.tell("folder_resumed");
      await this.#beside.answerStop(undefined);
    }
    this.#stop = found;
    if (found?.reason === "stop_file" && !this.#queue.isWorking) await this.#beside.answerStop(found);
  }

  async #sweep(): Promise<void> {
    const folders = await inboxFolders(this.#folder.path);
    const { files, unreadable } = await this.#inbox.sweep();
    if (unreadable !== this.#unreadable)
      this.#folder.tell(unreadable === undefined ? "folder_back" : "folder_away", { found: unreadable });
    this.#unreadable = unreadable;
    if (unreadable === undefined) await this.#assertMarks(folders, files);
    for (const one of folders) await clearStaleAnswers(one);
    const complete = files.filter(({ waits }) => waits === undefined);
    for (const file of complete) if (file.fault) await this.#carrier.takeUp(file);
    this.#notReady = files.filter(({ waits }) => waits !== undefined);
    await this.#queue.refill(complete.filter(({ fault }) => !fault));
    this.#folder.saw(this.#waiting(), unreadable === undefined);
    await this.#beside.answerWaiting(this.#waiting(), this.#blocked(), ANSWER_AFTER_MS);
    const nextMs = Math.min(this.#sweepMs, this.#inbox.looks.nextLookMs() ?? Infinity);
    this.#sweepAtMs = performance.now() + Math.max(LOOK_MIN_MS, nextMs);
  }

  /** I12. A person's word is taken, and noted, where a batch begins. */
  async #assertMarks(folders: readonly string[], files: readonly LookedFile[]): Promise<void> {
    const { isTrial, config, store } = this.#folder.work;
    if (isTrial || config.accept_lost_journal) return;
    try {
      for (const one of folders) await assertMark(one, store);
    } catch (error) {
      const { again } = this.#folder.listener;
      for (const { path } of files) await this.#beside.put(path, errorAnswer(path, error as PaydropError, again));
      throw error;
    }
  }

  /** While the journal's server is away every look stands still. */
  #tellAway(): void {
    this.#toldAway = this.#toldAway.then(async () => {
      const since = this.#folder.work.sight?.awaySince;
      if (since === undefined) return;
      await this.#beside.answerAway([...this.#waiting(), ...(await this.#inbox.arrived())], since);
    });
  }

  #waiting(): readonly LookedFile[] {
    return [...this.#queue.files, ...this.#notReady];
  }

  #blocked(): Blocked | undefined {
    return this.#stop ?? this.#queue.away;
  }

  #isEnding(): boolean {
    return this.#signal.aborted || this.#queue.hasFailed;
  }

  /** Nothing can go any more, and no file becomes complete in the time that one must lie still. */
  #isDone(untilMs: number): boolean {
    const isStill = this.#inbox.looks.nextLookMs() === undefined || performance.now() > untilMs;
    return !this.#queue.isWorking && (this.#blocked() !== undefined || isStill);
  }

  /** Until something is due, or it is rung. */
  async #rest(): Promise<void> {
    const ms = Math.min(this.#sweepAtMs - performance.now(), this.#queue.isWorking ? STOP_LOOK_MS : Infinity);
    await sleep(Math.max(LOOK_MIN_MS, ms), undefined, { signal: this.#rings.signal }).catch(() => undefined);
    this.#rings = new AbortController();
  }

  #ring(): void {
    this.#rings.abort();
  }

  #hint(): void {
    this.#sweepAtMs = Math.min(this.#sweepAtMs, performance.now() + HINT_MS);
    this.#ring();
  }

  /** What is left is told, and answered beside each file. */
  async #endOfOne(): Promise<number> {
    const isBlocked = this.#blocked() !== undefined;
    if (!this.#signal.aborted) await this.#beside.answerWaiting(this.#waiting(), this.#blocked(), 0);
    const isLeft = this.#notReady.length + this.#queue.length > 0;
    const isCutOff = isLeft && (isBlocked || this.#signal.aborted);
    if (this.#unreadable !== undefined) {
      throw new PaydropError("folder_unreadable", { folder: printable(this.#folder.path), found: this.#unreadable });
    }
    const codes = this.#carrier.codes();
    const names = this.#notReady.map(({ path }) => shown(path)).join(", ");
    if (this.#notReady.length > 0 && !this.#stop)
      this.#folder.tell("not_ready", { files: this.#notReady.length, names });
    else if (codes.length === 0 && !isCutOff) this.#folder.tell("nothing_new");
    return gravest([...codes, ...(isCutOff ? [7] : [])]);
  }
}

/** Events are hints: they only make the next look come sooner. What we write there ourselves gives none. */
async function listen(folder: string, hint: () => void): Promise<{ close(): Promise<void> }> {
  const { watch } = await import("chokidar");
  const ignored = (path: string): boolean => path !== folder && !mayGiveWork(basename(path));
  const options = { depth: 1, ignoreInitial: true, followSymlinks: false, ignored };
  return watch(folder, options).on("all", hint).on("error", hint);
}
