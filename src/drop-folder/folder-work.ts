import { defined } from "../defined.ts";
import type { BatchReport } from "../events.ts";
import type { ReadyFile } from "../intake/two-looks.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Processor } from "../processor.ts";
import type { BatchQueue } from "./batch-queue.ts";
import type { FileMemory } from "./file-memory.ts";
import type { FileQueue } from "./file-queue.ts";
import type { FolderEnds } from "./folder-ends.ts";
import type { Outage } from "./outage.ts";

interface WorkParts {
  readonly processor: Processor;
  /** Goes on for ever: tries by itself what refused rows. */
  readonly isWatching: boolean;
  readonly files: FileQueue;
  readonly batches: BatchQueue;
  readonly outage: Outage;
  readonly ends: FolderEnds;
  readonly memory: FileMemory;
}

/** A piece of work: a file that is taken in, or a batch that goes on. */
type Piece = FilePiece | BatchPiece;

interface FilePiece {
  readonly file: ReadyFile;
  readonly batch?: never;
  readonly tries?: never;
}

interface BatchPiece {
  readonly batch: string;
  /** The endpoint of this operation refused what went there: this batch finds out whether it still does. */
  readonly tries?: OperationName;
  readonly file?: never;
}

/** The work of one inbox: takes the next piece, knows what is on its way, and notes how it ended. */
export class FolderWork {
  readonly #parts: WorkParts;
  readonly #pieces = new Set<Piece>();
  /** Files that were done while a sweep was on its way: what it saw of them is true no more. */
  readonly #finished = new Set<string>();
  #lookedBeside: Promise<unknown> = Promise.resolve();

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#pieces.size === 0;
  }

  /** Whether a batch is finding out if an endpoint takes rows again. */
  get isTrying(): boolean {
    return [...this.#pieces].some(({ tries }) => tries !== undefined);
  }

  sweepBegins(): void {
    this.#finished.clear();
  }

  /** Whether the file is on its way, or was since the sweep began. */
  has(path: string): boolean {
    return [...this.#pieces].some((piece) => piece.file?.path === path) || this.#finished.has(path);
  }

  /** Takes the next piece, where one may go. `small`: only a file that is done soon, beside a large one on its way. */
  next(which: "any" | "small"): Piece | undefined {
    const { outage, files } = this.#parts;
    // one alone finds out whether the service is back
    if (outage.isAway && ((outage.retryInMs ?? 0) > 0 || which === "small")) return undefined;
    const batch = which === "any" ? this.#nextBatch() : undefined;
    if (batch) return batch;
    const file = files.next(which);
    return file && { file };
  }

  /** First, when it is due, a batch that finds out if an endpoint takes rows again: one row goes, or all that waits. */
  #nextBatch(): BatchPiece | undefined {
    const { processor, isWatching, outage, batches } = this.#parts;
    const trial = isWatching ? outage.nextTrial() : undefined;
    if (trial) processor.tryAgain(trial.tries);
    const batch = trial ? undefined : batches.next();
    return batch === undefined ? trial : { batch };
  }

  /** Carries a piece to its end, whatever that is. Throws what keeps the whole folder from going on. */
  async carryOut(piece: Piece): Promise<void> {
    const { processor, outage, batches, ends } = this.#parts;
    this.#pieces.add(piece);
    const isTry = outage.isAway;
    let refusalKey = "";
    try {
      // together: what begins before this end is noted is stopped by what stopped this one
      await processor.together(async () => {
        if (piece.file) refusalKey = await this.#lookBeside(piece.file);
        const report = await this.#process(piece);
        const end = await batches.noteEnd(report);
        const tried = { isTry, ...defined({ tries: piece.tries }) };
        if (await ends.ended(report, { ...tried, ...end })) batches.putFirst(report.batch);
        batches.add(outage.takeFreed());
      });
    } catch (error) {
      await ends.failed(piece.file && { ...piece.file, refusalKey }, error, piece.batch);
    } finally {
      this.#pieces.delete(piece);
      if (piece.file) this.#finished.add(piece.file.path);
    }
  }

  #process({ file, batch }: Piece): Promise<BatchReport> {
    const { processor } = this.#parts;
    return file ? processor.processFile(file.path, file.sha256) : processor.takeUp(batch);
  }

  /**
   * Gives what a refusal of the file is remembered by: the file, and what lies beside it, before anything of it is
   * read, so that what comes beside it meanwhile is seen. Of two that are begun together the older one is read first.
   */
  async #lookBeside({ path, identity }: ReadyFile): Promise<string> {
    const earlier = this.#lookedBeside;
    const key = this.#parts.memory.refusalKey(path, identity);
    this.#lookedBeside = Promise.allSettled([earlier, key]).then(() => undefined);
    const [, refusalKey] = await Promise.all([earlier, key]);
    return refusalKey;
  }
}
