import type { LookedFile } from "../intake/inbox.ts";
import type { BatchRecord } from "../journal/store.ts";
import { fileOf, leftOf, type FolderWork, type Worked } from "./folder-work.ts";

/** So many things are done at a time; only one of them may be a large file, or a batch that goes on. */
const AT_ONCE = 3;
const SMALL_BYTES_MAX = 512n * 1024n;
/** The wait doubles up to so many times the first one. */
const RETRY_TIMES_MAX = 150;

/** A file, or the batch that goes on. */
interface Piece {
  readonly path: string;
  readonly isLarge: boolean;
  carryOut(): Promise<Worked | undefined>;
}

interface Waits {
  readonly code: string;
  readonly tries: number;
  readonly dueMs: number;
}

/**
 * What is to be done in a folder, in which order, and what waits. While the service is away nothing goes but one piece
 * that tries it; what concerns one operation, or the place of results, only keeps its own batch waiting.
 */
export class FolderQueue {
  /** Complete files that wait for their turn, the oldest first. */
  files: LookedFile[] = [];
  failure: { readonly error: unknown } | undefined;
  #batches: BatchRecord[] = [];
  #away: Waits | undefined;
  readonly #work: FolderWork;
  readonly #retryMs: number;
  readonly #pieceEnded: () => void;
  readonly #working = new Map<Piece, Promise<void>>();
  /** How a batch ended, and with how many rows left: when there are others, a person let them go. */
  readonly #ended = new Map<string, { readonly left: number; readonly waits: Waits | undefined }>();

  /** `retryMs`: after so long what is away is tried again; Infinity: not by this run. */
  constructor(work: FolderWork, retryMs: number, pieceEnded: () => void) {
    this.#work = work;
    this.#retryMs = retryMs;
    this.#pieceEnded = pieceEnded;
  }

  /** What waits for its turn. */
  get length(): number {
    return this.files.length + this.#batches.length;
  }

  get isWorking(): boolean {
    return this.#working.size > 0;
  }

  get isAway(): boolean {
    return this.#away !== undefined;
  }

  /** When something is to be tried again, by `performance.now()`; what is due already waits for something to try it with. */
  get dueMs(): number {
    const due = [this.#away, ...Array.from(this.#ended.values(), ({ waits }) => waits)];
    return Math.min(...due.map((waits) => waits?.dueMs ?? Infinity).filter((ms) => ms > performance.now()));
  }

  isAtWork(path: string): boolean {
    return [...this.#working.keys()].some((piece) => piece.path === path);
  }

  /** What a sweep found; batches that go on, once more when they ended so and a person let more of their rows go. */
  async refill(files: LookedFile[]): Promise<void> {
    // what ends while the journal is asked is not to be taken up at once
    const working = new Set(Array.from(this.#working.keys(), ({ path }) => path));
    const batches = await this.#work.unfinished();
    this.files = files;
    this.#batches = batches.filter((batch) => {
      const { left, waits } = this.#ended.get(batch.id) ?? {};
      const isDue = (waits?.dueMs ?? Infinity) <= performance.now();
      return !working.has(fileOf(batch)) && (left !== leftOf(batch) || isDue);
    });
  }

  /** A person let the folder go on: all that was left may go. */
  forget(): void {
    this.#ended.clear();
    this.#away = undefined;
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.#work.failed();
  }

  /** Begins all that may go now. */
  begin(): void {
    for (let piece; this.failure === undefined && (piece = this.#next());) {
      this.#working.set(piece, this.#carryOut(piece));
    }
  }

  async untilDone(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  /** First what was begun before, then files, the oldest first; beside a large one small ones. */
  #next(): Piece | undefined {
    if (this.#working.size >= AT_ONCE) return undefined;
    // one alone finds out whether the service is back
    if (this.#away && (this.isWorking || this.#away.dueMs > performance.now())) return undefined;
    const mayBeLarge = ![...this.#working.keys()].some(({ isLarge }) => isLarge);
    const batch = mayBeLarge ? this.#batches.shift() : undefined;
    if (batch) return { path: fileOf(batch), isLarge: true, carryOut: () => this.#work.goOn(batch) };
    const at = this.files.findIndex(({ stats }) => mayBeLarge || stats.size <= SMALL_BYTES_MAX);
    const [file] = at < 0 ? [] : this.files.splice(at, 1);
    const isLarge = file !== undefined && file.stats.size > SMALL_BYTES_MAX;
    return file && { path: file.path, isLarge, carryOut: () => this.#work.process(file) };
  }

  async #carryOut(piece: Piece): Promise<void> {
    const isTrial = this.isAway;
    try {
      const worked = await piece.carryOut();
      if (worked) await this.#note(worked, isTrial);
    } catch (error) {
      this.fail(error);
    }
    this.#working.delete(piece);
    this.#pieceEnded();
  }

  async #note({ batch, left, requests, trouble }: Worked, isTrial: boolean): Promise<void> {
    const { code, isOfAll, needsPerson } = trouble ?? {};
    if (isTrial && !isOfAll && requests > 0) {
      this.#work.answers.tell("takes_again");
      this.#away = undefined;
    }
    if (isOfAll && code !== undefined) this.#noteAway(code, isTrial);
    // when the service is back each goes on at once
    const waits = code === undefined || needsPerson ? undefined : this.#later(code, this.#ended.get(batch)?.waits);
    this.#ended.set(batch, { left, waits: waits && isOfAll ? { ...waits, dueMs: 0 } : waits });
    // a single run sends nothing more; a watch would try for ever
    if (needsPerson && this.#retryMs < Infinity) await this.#work.hold(code ?? "");
  }

  /** A batch that was on its way before tells of the same outage, and is no reason to wait longer. */
  #noteAway(code: string, isTrial: boolean): void {
    if (this.#away?.code !== code && this.#retryMs < Infinity) this.#work.answers.tell("waits", { code });
    if (isTrial || !this.#away) this.#away = this.#later(code, this.#away);
  }

  #later(code: string, before: Waits | undefined): Waits {
    const tries = before ? before.tries + 1 : 0;
    const waitMs = this.#retryMs * Math.min(2 ** tries, RETRY_TIMES_MAX) * (0.5 + Math.random() / 2);
    return { code, tries, dueMs: performance.now() + waitMs };
  }
}
