import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "../batch.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import { Inbox, inboxFolders, stopFilesIn, type LookedFile } from "../intake/inbox.ts";
import { mayGiveWork } from "../intake/names.ts";
import type { BatchRecord } from "../journal/store.ts";
import { printable } from "../printable.ts";
import { clearStaleAnswers } from "../results/answers.ts";
import { fileOf, FolderWork, shown, standOf } from "./folder-work.ts";
import type { FolderListener, Hold, Worked } from "./folder-work.ts";

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
/** A STOP, and the end of a hold, are looked for so often while rows are on their way. */
const STOP_LOOK_MS = 500;
/** A file that waits longer than this gets an answer. */
const ANSWER_AFTER_MS = 120_000;
/** Polling, a file must lie still for so many times as long; a single run waits so long for it. */
const PATIENCE_TIMES = 3;
/** So many things are done at a time; only one of them may be a large file, or a batch that goes on. */
const AT_ONCE = 3;
const SMALL_BYTES_MAX = 512n * 1024n;
/** The wait for what is away doubles up to this. */
const RETRY_MAX_MS = 750_000;

/** A file, or the batch that goes on. */
interface Piece {
  readonly path: string;
  readonly isLarge: boolean;
  carryOut(): Promise<Worked | undefined>;
}

/** When something is tried again. */
interface Waits {
  readonly waitMs: number;
  readonly dueMs: number;
}

/**
 * Looks into the folder again and again, and begins what may go. While the service is away nothing goes but one piece
 * that tries it; what concerns one operation, or the place of results, only keeps its own batch waiting.
 */
class FolderLoop {
  readonly #folder: string;
  readonly #isOnce: boolean;
  readonly #signal: AbortSignal;
  readonly #sweepMs: number;
  /** A single run waits so long for files that are not complete. */
  readonly #patienceMs: number;
  readonly #work: FolderWork;
  readonly #inbox: Inbox;
  /** Complete files that wait for their turn, the oldest first. */
  #files: LookedFile[] = [];
  #notReady: readonly LookedFile[] = [];
  #batches: BatchRecord[] = [];
  readonly #working = new Map<Piece, Promise<void>>();
  readonly #ended = new Map<string, { readonly stand: string; readonly waits: Waits | undefined }>();
  #away: Waits | undefined;
  #held: Hold | undefined;
  #unreadable: string | undefined;
  #failure: { readonly error: unknown } | undefined;
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
    this.#inbox = new Inbox(folder, mode === "poll" ? this.#patienceMs : settle, async (file) =>
      this.#pathsAtWork.has(file.path) ? "refused" : this.#work.isKnown(file),
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
      this.#fail(error);
    }
    await Promise.all(this.#working.values());
    if (this.#failure) throw this.#failure.error;
    await this.#lookForStop();
    const codes = [...this.#work.codes.values()];
    if (!this.#isOnce) return gravest(codes.filter((code) => [4, 7, 74].includes(code)));
    if (!this.#signal.aborted) await this.#answerWaiting(0);
    const isLeft = this.#files.length + this.#batches.length + this.#notReady.length > 0;
    const isCutOff = isLeft && (this.#isBlocked || this.#signal.aborted);
    const [files, names] = [this.#notReady.length, this.#notReady.map(({ path }) => shown(path)).join(", ")];
    if (this.#unreadable !== undefined) {
      throw new PaydropError("folder_unreadable", { folder: printable(this.#folder), found: this.#unreadable });
    }
    if (files > 0) this.#work.tell("not_ready", { files, names });
    else if (codes.length === 0 && !isCutOff) this.#work.tell("nothing_new");
    return gravest([...codes, ...(isCutOff ? [7] : [])]);
  }

  get #isEnding(): boolean {
    return this.#signal.aborted || this.#failure !== undefined;
  }

  get #isBlocked(): boolean {
    return this.#held !== undefined || this.#away !== undefined;
  }

  get #pathsAtWork(): ReadonlySet<string> {
    return new Set(Array.from(this.#working.keys(), ({ path }) => path));
  }

  /** Nothing can go any more, and no file becomes complete in the time that one must lie still. */
  #isDone(untilMs: number): boolean {
    const isStill = this.#inbox.looks.nextLookMs === undefined || performance.now() > untilMs;
    return this.#working.size === 0 && (this.#isBlocked || isStill);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#work.failed();
  }

  /** Until something is due, or it is rung. */
  async #rest(): Promise<void> {
    const ms = Math.min(this.#sweepAtMs - performance.now(), this.#working.size > 0 ? STOP_LOOK_MS : Infinity);
    await sleep(Math.max(LOOK_MIN_MS, ms), undefined, { signal: this.#rests.signal }).catch(() => undefined);
    this.#rests = new AbortController();
  }

  async #turn(): Promise<void> {
    await this.#lookForStop();
    if (performance.now() >= this.#sweepAtMs) await this.#sweep();
    if (!this.#held && !this.#isEnding) this.#begin();
  }

  /** Another process lifts a hold. A STOP is answered once the rows in flight have their end. */
  async #lookForStop(): Promise<void> {
    if (!this.#held && (await stopFilesIn(this.#folder)).length > 0) await this.#work.hold("stop_file");
    const held = await this.#work.holdOf();
    if (held && !this.#held) this.#work.tell("folder_held", { code: held.reason });
    if (!held && this.#held) {
      // all that was left may go
      this.#ended.clear();
      this.#away = undefined;
      this.#sweepAtMs = 0;
      this.#work.tell("folder_resumed");
      await this.#work.answerStop(undefined);
    }
    this.#held = held;
    if (held?.reason === "stop_file" && this.#working.size === 0) await this.#work.answerStop(held);
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
    this.#batches = await this.#batchesToGoOn();
    this.#files = complete.filter(({ fault }) => !fault);
    this.#work.saw([...this.#files, ...this.#notReady]);
    await this.#answerWaiting(ANSWER_AFTER_MS);
    const nextMs = Math.min(this.#sweepMs, this.#inbox.looks.nextLookMs ?? Infinity);
    this.#sweepAtMs = performance.now() + Math.max(LOOK_MIN_MS, nextMs);
  }

  /** One that has ended goes on when its wait is over, or a person has let it go on. */
  async #batchesToGoOn(): Promise<BatchRecord[]> {
    // what ends while the journal is asked is not to be taken up at once
    const working = this.#pathsAtWork;
    return (await this.#work.unfinished()).filter((batch) => {
      const { stand, waits } = this.#ended.get(batch.id) ?? {};
      const isDue = waits !== undefined && waits.dueMs <= performance.now();
      return !working.has(fileOf(batch)) && (stand !== standOf(batch) || isDue);
    });
  }

  async #answerWaiting(afterMs: number): Promise<void> {
    const blocked = this.#held ?? (this.#away && "away");
    await this.#work.answerWaiting([...this.#files, ...this.#notReady], blocked, afterMs);
  }

  /** Begins all that may go now. */
  #begin(): void {
    for (let piece; this.#failure === undefined && (piece = this.#next());) {
      this.#working.set(piece, this.#carryOut(piece));
    }
  }

  /** First what was begun before, then files, the oldest first; beside a large one small ones. */
  #next(): Piece | undefined {
    if (this.#working.size >= AT_ONCE) return undefined;
    // one alone finds out whether the service is back
    if (this.#away && (this.#working.size > 0 || this.#away.dueMs > performance.now())) return undefined;
    const mayBeLarge = ![...this.#working.keys()].some(({ isLarge }) => isLarge);
    const batch = mayBeLarge ? this.#batches.shift() : undefined;
    if (batch) return { path: fileOf(batch), isLarge: true, carryOut: () => this.#work.goOn(batch) };
    const at = this.#files.findIndex(({ stats }) => mayBeLarge || stats.size <= SMALL_BYTES_MAX);
    const [file] = at < 0 ? [] : this.#files.splice(at, 1);
    const isLarge = file !== undefined && file.stats.size > SMALL_BYTES_MAX;
    return file && { path: file.path, isLarge, carryOut: () => this.#work.process(file) };
  }

  async #carryOut(piece: Piece): Promise<void> {
    const isTrial = this.#away !== undefined;
    try {
      const worked = await piece.carryOut();
      if (worked) this.#note(worked, isTrial);
    } catch (error) {
      this.#fail(error);
    }
    this.#working.delete(piece);
    this.ring();
  }

  #note({ batch, stand, requests, trouble }: Worked, isTrial: boolean): void {
    const isAway = trouble?.isOfAll === true;
    if (isTrial && !isAway && requests > 0) {
      this.#work.tell("takes_again");
      this.#away = undefined;
    }
    if (isAway && !this.#away && !this.#isOnce) this.#work.tell("waits", { code: trouble.code });
    // a batch that was on its way before tells of the same outage, and is no reason to wait longer
    if (isAway && (isTrial || !this.#away)) this.#away = this.#later(this.#away);
    const own = trouble && this.#later(this.#ended.get(batch)?.waits);
    // when the service is back each goes on at once
    this.#ended.set(batch, { stand, waits: own && isAway ? { ...own, dueMs: 0 } : own });
  }

  /** A single run does not try again. */
  #later(before: Waits | undefined): Waits {
    const waitMs = before ? Math.min(2 * before.waitMs, RETRY_MAX_MS) : this.#sweepMs;
    return { waitMs, dueMs: this.#isOnce ? Infinity : performance.now() + waitMs };
  }
}
