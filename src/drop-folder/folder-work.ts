import type { ReadyFile } from "../intake/two-looks.ts";
import type { OperationName } from "../operations/operation.ts";
import type { FileMemory } from "./file-memory.ts";

/** A piece of work: a file that is taken in, or a batch that goes on. */
export interface Piece {
  readonly file?: ReadyFile;
  readonly batch?: string;
  /** What the file, and what lies beside it, was before it was read: it stays refused for as long as that is so. */
  refusalKey?: string;
  /** The endpoint of this operation refused what went there: it finds out whether it still does. */
  readonly tries?: OperationName;
}

/** The pieces of work of one inbox that are on their way. */
export class FolderWork {
  readonly #memory: FileMemory;
  readonly #pieces = new Set<Piece>();
  /** Files that were worked off while a sweep was on its way: what it saw of them is over. */
  readonly #finished = new Set<string>();
  #lookedBeside: Promise<unknown> = Promise.resolve();

  constructor(memory: FileMemory) {
    this.#memory = memory;
  }

  get isEmpty(): boolean {
    return this.#pieces.size === 0;
  }

  /** It is found out whether an endpoint takes rows again. */
  get isTrying(): boolean {
    return [...this.#pieces].some(({ tries }) => tries !== undefined);
  }

  sweepBegins(): void {
    this.#finished.clear();
  }

  /** A file on its way, or one that was since the sweep began. */
  has(path: string): boolean {
    return [...this.#pieces].some((piece) => piece.file?.path === path) || this.#finished.has(path);
  }

  begin(piece: Piece): void {
    this.#pieces.add(piece);
  }

  end(piece: Piece): void {
    this.#pieces.delete(piece);
    if (piece.file) this.#finished.add(piece.file.path);
  }

  /**
   * As it is before anything of the file is read: what comes beside it meanwhile must be seen. Of two that are begun
   * together the older one is read first.
   */
  async lookBeside(piece: Piece): Promise<void> {
    if (!piece.file) return;
    const earlier = this.#lookedBeside;
    const key = this.#memory.refusalKey(piece.file.path, piece.file.identity);
    this.#lookedBeside = Promise.allSettled([earlier, key]).then(() => undefined);
    [, piece.refusalKey] = await Promise.all([earlier, key]);
  }
}
