import type { DatabaseSync } from "node:sqlite";
import { messageOf, PaydropError } from "../errors.ts";
import { faultPoint } from "../fault-point.ts";

interface Waiting {
  readonly apply: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Many changes share one commit, and so one fsync: whatever is asked for in one turn of the event loop is applied in
 * that order in one transaction, and every promise resolves after the commit returned (I2).
 *
 * The first failure ends it for good: an fsync that failed once may "succeed" later although its pages are gone.
 */
export class CommitGroup {
  readonly #database: DatabaseSync;
  #waiting: Waiting[] = [];
  #failure: PaydropError | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run<T>(apply: () => T): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ apply, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    const settled: (() => void)[] = [];
    try {
      if (this.#failure) throw this.#failure;
      this.#database.exec("BEGIN IMMEDIATE");
      for (const waiting of group) settled.push(applyOne(waiting));
      faultPoint("commit.before");
      this.#database.exec("COMMIT");
      faultPoint("commit.after");
    } catch (error) {
      this.#failure ??= asJournalError(error);
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      for (const { reject } of group) reject(this.#failure);
      return;
    }
    for (const settle of settled) settle();
  }
}

/** A refusal (PaydropError) is thrown before anything was changed and concerns its own caller only. */
function applyOne({ apply, resolve, reject }: Waiting): () => void {
  try {
    const value = apply();
    return () => resolve(value);
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    return () => reject(error);
  }
}

export function asJournalError(error: unknown): PaydropError {
  if (error instanceof PaydropError) return error;
  return new PaydropError(
    "journal",
    `the journal failed: ${messageOf(error)}`,
    "sending has stopped; check the disk (space, health), then run again: what was in flight is shown as unknown",
    { cause: error },
  );
}
