import type { LookedFile } from "../intake/inbox.ts";
import type { BatchRecord } from "../journal/store.ts";
import type { Carrier } from "./carry-out.ts";
import type { Folder } from "./folder.ts";
import { fileOf, standOf, type Worked } from "./worked.ts";

/** So many things are done at a time; only one of them may be a large file, or a batch that goes on. */
const AT_ONCE = 3;
const SMALL_BYTES_MAX = 512n * 1024n;
const RETRY_MAX_MS = 750_000;

type Piece = Readonly<{ path: string; isLarge: boolean; carryOut: () => Promise<Worked | undefined> }>;
type Waits = Readonly<{ waitMs: number; dueMs: number }>;
type Away = Waits & Readonly<{ code: string }>;

interface QueueOptions {
  /** After so long what is away is tried again; Infinity: not by this run. */
  readonly retryMs: number;
  readonly pieceEnded: () => void;
}

/**
 * What is to be done in a folder, in which order, and what waits. While the service is away nothing goes but one piece
 * that tries it; what concerns one operation, or the place of results, only keeps its own batch waiting.
 */
export class Queue {
  readonly #folder: Folder;
  readonly #carrier: Carrier;
  readonly #options: QueueOptions;
  #files: LookedFile[] = [];
  #batches: BatchRecord[] = [];
  readonly #working = new Map<Piece, Promise<void>>();
  readonly #ended = new Map<string, { readonly stand: string; readonly waits: Waits | undefined }>();
  #failure: { readonly error: unknown } | undefined;
  #away: Away | undefined;

  constructor(folder: Folder, carrier: Carrier, options: QueueOptions) {
    this.#folder = folder;
    this.#carrier = carrier;
    this.#options = options;
  }

  /** Complete files that wait for their turn, the oldest first. */
  get files(): readonly LookedFile[] {
    return this.#files;
  }

  get length(): number {
    return this.#files.length + this.#batches.length;
  }

  get isWorking(): boolean {
    return this.#working.size > 0;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** The service is. */
  get away(): Away | undefined {
    return this.#away;
  }

  isAtWork(path: string): boolean {
    return this.#working.keys().some((piece) => piece.path === path);
  }

  /** One that has ended goes on when its wait is over, or a person has let it go on. */
  async refill(complete: LookedFile[]): Promise<void> {
    // what ends while the journal is asked is not to be taken up at once
    const atWork = new Set(this.#working.keys().map(({ path }) => path));
    const unfinished = await this.#folder.unfinished();
    this.#files = complete;
    this.#batches = unfinished.filter((batch) => {
      const { stand, waits } = this.#ended.get(batch.id) ?? {};
      const isDue = waits !== undefined && waits.dueMs <= performance.now();
      return !atWork.has(fileOf(batch)) && (stand !== standOf(batch) || isDue);
    });
  }

  begin(): void {
    for (let piece; !this.hasFailed && (piece = this.#next());) this.#working.set(piece, this.#carryOut(piece));
  }

  /** First what was begun before, then files, the oldest first; beside a large one small ones. */
  #next(): Piece | undefined {
    if (this.#working.size >= AT_ONCE) return undefined;
    // one alone finds out whether the service is back
    if (this.#away && (this.isWorking || this.#away.dueMs > performance.now())) return undefined;
    const mayBeLarge = !this.#working.keys().some(({ isLarge }) => isLarge);
    const batch = mayBeLarge ? this.#batches.shift() : undefined;
    if (batch) return { path: fileOf(batch), isLarge: true, carryOut: () => this.#carrier.goOn(batch) };
    const at = this.#files.findIndex(({ stats }) => mayBeLarge || stats.size <= SMALL_BYTES_MAX);
    const [file] = at < 0 ? [] : this.#files.splice(at, 1);
    const isLarge = file !== undefined && file.stats.size > SMALL_BYTES_MAX;
    return file && { path: file.path, isLarge, carryOut: () => this.#carrier.takeUp(file) };
  }

  async #carryOut(piece: Piece): Promise<void> {
    const isProbe = this.#away !== undefined;
    try {
      // what stopped it stops the others until it is noted: nothing that begins meanwhile tries the service, too
      await this.#folder.work.shared.together(async () => {
        const worked = await piece.carryOut();
        if (worked) this.#note(worked, isProbe);
      });
    } catch (error) {
      this.fail(error);
    }
    this.#working.delete(piece);
    this.#options.pieceEnded();
  }

  /** `isProbe`: it was to find out whether the service is back. */
  #note({ batch, stand, requests, trouble }: Worked, isProbe: boolean): void {
    const isAway = trouble?.isOfAll === true;
    if (isProbe && !isAway && requests > 0) {
      this.#folder.tell("takes_again");
      this.#away = undefined;
    }
    if (isAway && !this.#away && this.#options.retryMs < Infinity) this.#folder.tell("waits", { code: trouble.code });
    // a batch that was on its way before tells of the same outage, and is no reason to wait longer
    if (isAway && (isProbe || !this.#away)) this.#away = { ...this.#later(this.#away), code: trouble.code };
    const own = trouble && this.#later(this.#ended.get(batch)?.waits);
    // when the service is back each goes on at once
    this.#ended.set(batch, { stand, waits: own && isAway ? { ...own, dueMs: 0 } : own });
  }

  #later(before: Waits | undefined): Waits {
    const waitMs = before ? Math.min(2 * before.waitMs, RETRY_MAX_MS) : this.#options.retryMs;
    return { waitMs, dueMs: performance.now() + waitMs };
  }

  /** A person let the folder go on: all that was left may go. */
  forget(): void {
    this.#ended.clear();
    this.#away = undefined;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#folder.failure.abort("work_failed");
  }

  async untilDone(): Promise<void> {
    await Promise.all(this.#working.values());
    if (this.#failure) throw this.#failure.error;
  }
}
