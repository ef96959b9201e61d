import type { DatabaseSync } from "node:sqlite";
import { messageOf, PaydropError } from "../../errors.ts";
import { faultPoint } from "../../fault-point.ts";
import type { Ballast } from "./database/ballast.ts";
import { SQLITE_FULL, sqliteCodeOf } from "./database/damage.ts";

interface Waiting {
  /** It may still be written after the disk was found full. */
  readonly isOutcome: boolean;
  readonly apply: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Many changes share one commit, and so one fsync: whatever is asked for in one turn of the event loop is applied in
 * that order in one transaction, and every promise resolves after the commit returned (I2).
 *
 * The first failure ends it for good: an fsync that failed once may "succeed" later although its pages are gone. Only
 * when the disk is full, and nothing was synced, are outcomes of rows in flight written into the room of the ballast.
 */
export class CommitGroup {
  readonly #database: DatabaseSync;
  readonly #ballast: Ballast | undefined;
  #waiting: Waiting[] = [];
  #failure: PaydropError | undefined;
  #savesOutcomes = false;
  #transactions = 0;

  constructor(database: DatabaseSync, ballast?: Ballast) {
    this.#database = database;
    this.#ballast = ballast;
  }

  /** The number of the transaction that is being written. */
  get transaction(): number {
    return this.#transactions;
  }

  run<T>(apply: () => T): Promise<T> {
    return this.#add(apply, false);
  }

  /** For outcomes: they are still written when others are refused because the disk is full. */
  runToTheLast<T>(apply: () => T): Promise<T> {
    return this.#add(apply, true);
  }

  /** Resolves when whatever was asked for has its end. */
  async settled(): Promise<void> {
    while (this.#waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  #add<T>(apply: () => T, isOutcome: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ isOutcome, apply, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      if (this.#failure && !this.#savesOutcomes) throw this.#failure;
      this.#write(this.#failure ? this.#onlyOutcomes(group, this.#failure) : group);
    } catch (error) {
      this.#rollBack();
      const failure = (this.#failure ??= asJournalError(error));
      this.#savesOutcomes = sqliteCodeOf(error) === SQLITE_FULL && this.#ballast?.free() === true;
      if (this.#savesOutcomes) this.#waiting = this.#onlyOutcomes(group, failure);
      else for (const { reject } of group) reject(failure);
      if (this.#waiting.length > 0) setImmediate(() => this.#commit());
    }
  }

  #write(group: readonly Waiting[]): void {
    const settled: (() => void)[] = [];
    this.#transactions += 1;
    this.#database.exec("BEGIN IMMEDIATE");
    for (const waiting of group) settled.push(applyOne(waiting));
    faultPoint("commit.before");
    this.#database.exec("COMMIT");
    faultPoint("commit.after");
    for (const settle of settled) settle();
  }

  #onlyOutcomes(group: readonly Waiting[], failure: PaydropError): Waiting[] {
    for (const { isOutcome, reject } of group) if (!isOutcome) reject(failure);
    return group.filter((waiting) => waiting.isOutcome);
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // the first error is the one to tell; what is left to undo is rolled back when the journal is opened again
    }
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
