import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Files in folders that the journal knows: those that were taken in, and those that paydrop wrote. */
export class KnownFiles {
  readonly #source: StatementSync;
  readonly #taken: StatementSync;
  readonly #sourcesOf: StatementSync;
  readonly #noteSource: StatementSync;
  readonly #written: StatementSync;
  readonly #wrote: StatementSync;
  readonly #noteWritten: StatementSync;
  readonly #noteWrote: StatementSync;

  constructor(database: DatabaseSync) {
    this.#source = database.prepare("SELECT batch FROM source WHERE path = ? AND identity = ?");
    this.#taken = database.prepare(
      "SELECT batch, identity, created_at FROM source JOIN batch ON batch.id = source.batch WHERE path = ?",
    );
    this.#sourcesOf = database.prepare("SELECT path FROM source WHERE batch = ? ORDER BY path");
    this.#noteSource = database.prepare("INSERT OR REPLACE INTO source (path, identity, batch) VALUES (?, ?, ?)");
    this.#written = database.prepare("SELECT sha256 FROM written WHERE path = ?");
    this.#wrote = database.prepare("SELECT 1 FROM wrote WHERE sha256 = ?");
    this.#noteWritten = database.prepare("INSERT OR REPLACE INTO written (path, sha256) VALUES (?, ?)");
    this.#noteWrote = database.prepare("INSERT OR IGNORE INTO wrote (sha256) VALUES (?)");
  }

  /** The batch that a file at this path, with this identity on disk, was taken as. */
  sourceBatch(path: string, identity: string): string | undefined {
    return this.#source.get(path, identity)?.["batch"] as string | undefined;
  }

  /**
   * The batch that a file at this path was taken as, where that file had the same size and time, but another number on
   * its disk: a share that is mounted anew numbers its files anew. The caller compares the bytes. `changedMs`: when the
   * system says that the file was last put there or changed: a later one than the batch was dropped once more.
   */
  sourceRenumbered(path: string, sizeAndTime: string, changedMs: number): string | undefined {
    const taken = this.#taken.get(path);
    if (!taken || changedMs > Number(taken["created_at"])) return undefined;
    const [, , ...known] = String(taken["identity"]).split(" ");
    return known.join(" ") === sizeAndTime ? String(taken["batch"]) : undefined;
  }

  /** Paths of the files that were taken as this batch. */
  sourcesOf(batchId: string): string[] {
    return this.#sourcesOf.all(batchId).map(({ path }) => String(path));
  }

  /** Called, like `noteWritten`, inside a transaction of the caller. */
  noteSource(path: string, identity: string, batchId: string): void {
    this.#noteSource.run(path, identity, batchId);
  }

  /** The hash of what paydrop wrote there last. */
  written(path: string): string | undefined {
    return this.#written.get(path)?.["sha256"] as string | undefined;
  }

  /** Whether paydrop ever wrote these bytes, wherever: a folder is moved, restored or mounted again, a file copied. */
  wrote(sha256: string): boolean {
    return this.#wrote.get(sha256) !== undefined;
  }

  noteWritten(path: string, sha256: string): void {
    this.#noteWritten.run(path, sha256);
    this.#noteWrote.run(sha256);
  }
}
