import { randomFillSync } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { giveToOwner } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { faultPoint } from "../fault-point.ts";
import { assertHere, MOVED } from "./schema.ts";
import { createByName } from "../journal/states.ts";
import { ballastPath, journalPath, lockPath } from "../state-dir.ts";
import { openDatabase, SQLITE_BUSY, SQLITE_FULL, sqliteCodeOf, sqliteKindOf, type OpenOptions } from "./database.ts";

export type Columns = Readonly<Record<string, SQLOutputValue>>;

interface InArrays {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/** Enough for the outcomes of 80 rows in flight: about three pages of the journal each. */
const BALLAST_BYTES = 1024 * 1024;

/**
 * The open journal: statements, and transactions of which each is one fsync. The first failure of a write ends it for
 * good: an fsync that failed once may "succeed" later although its pages are gone. Only where the disk is full, and
 * nothing was synced, are outcomes of rows in flight still written, into the room of the ballast.
 */
export class Journal {
  readonly database: DatabaseSync;
  /** Whether the call that is carried out comes from inside `judging` (I14). */
  isJudging = false;
  readonly #stateDir: string;
  readonly #isSender: boolean;
  readonly #isMoving: boolean;
  readonly #isThrownAway: boolean;
  readonly #inPlace: string;
  readonly #statements = new Map<string, StatementSync>();
  readonly #prepared = new Map<string, InArrays>();
  readonly #inserts = new Map<readonly string[], string>();
  #failure: PaydropError | undefined;

  constructor(stateDir: string, options: OpenOptions) {
    this.database = openDatabase(stateDir, options);
    this.#stateDir = stateDir;
    this.#isSender = options.isSender ?? false;
    this.#isMoving = options.isMoving ?? false;
    this.#isThrownAway = options.isThrownAway ?? false;
    this.#inPlace = this.#filesInPlace();
    if (this.#isSender) this.#keepBallast();
  }

  get path(): string {
    return journalPath(this.#stateDir);
  }

  all(sql: string, ...values: readonly SQLInputValue[]): Columns[] {
    return this.#statement(sql).all(...values);
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Columns | undefined {
    return this.#statement(sql).get(...values);
  }

  /** Gives the number of rows that it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** Columns that are named as the properties of T: what is null is left out, lists and objects are read from JSON. */
  records<T>(sql: string, ...values: readonly SQLInputValue[]): T[] {
    return recordsOf(this.lists(sql, ...values));
  }

  /** The same, as SQLite gives them. */
  lists<T>(sql: string, ...values: readonly SQLInputValue[]): Lists<T> {
    const { statement, columns } = this.#inArrays(sql);
    return { columns, rows: statement.all(...values) as unknown as Lists<T>["rows"] };
  }

  /** Its rows are arrays: an object of each, which is only read once, takes as long as everything else. */
  #inArrays(sql: string): InArrays {
    let prepared = this.#prepared.get(sql);
    if (!prepared) {
      const statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      const columns = statement.columns().map(({ name }) => name);
      this.#prepared.set(sql, (prepared = { statement, columns }));
    }
    return prepared;
  }

  insert(table: string, names: readonly string[], values: object): void {
    let sql = this.#inserts.get(names);
    if (sql === undefined) {
      sql = `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join()}) VALUES (${names.map(() => "?").join()})`;
      this.#inserts.set(names, sql);
    }
    this.run(sql, ...names.map((name) => columnOf((values as Record<string, unknown>)[name])));
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }

  /** All or nothing; when it returns, it is durable. Throws PaydropError `journal` where it may not be. */
  write<T>(work: () => T): T {
    if (this.#failure) throw this.#failure;
    return this.#transaction(work);
  }

  /** Of outcomes: where the disk is full, `last` saves them before the failure is thrown. */
  writeOutcomes<T>(work: () => T, last: () => void): T {
    if (this.#isThrownAway) throw new Error("no row is let go by a journal that is thrown away (I2)");
    this.#assertInPlace();
    try {
      return this.write(work);
    } catch (error) {
      if (this.#failure && this.#isSender && sqliteKindOf(this.#failure.cause) === SQLITE_FULL) {
        rmSync(ballastPath(this.#stateDir), { force: true });
        this.#transaction(last);
      }
      throw error;
    }
  }

  #transaction<T>(work: () => T): T {
    try {
      this.database.exec("BEGIN IMMEDIATE");
      // it may have been moved since it was opened
      if (!this.#isMoving) assertHere(this.get(MOVED), this.#stateDir);
      const result = work();
      faultPoint("commit.before");
      this.database.exec("COMMIT");
      faultPoint("commit.after");
      return result;
    } catch (error) {
      this.#rollBack();
      if (!mayBeInDoubt(error)) throw error;
      const facts = { path: this.path, found: messageOf(error) };
      throw (this.#failure ??= new PaydropError("journal_failed", facts, { cause: error }));
    }
  }

  #rollBack(): void {
    try {
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
    } catch {
      // the first error is the one to tell; what is left is rolled back when the journal is opened again
    }
  }

  /**
   * A journal that was removed, or replaced by a backup, can still be written without an error, but nobody would ever read
   * that: the next process would send everything again.
   */
  #assertInPlace(): void {
    if (this.#filesInPlace() === this.#inPlace) return;
    throw (this.#failure ??= new PaydropError("journal_replaced", { folder: this.#stateDir }));
  }

  #filesInPlace(): string {
    if (this.database.location() === null) return "";
    const files = [this.path, lockPath(this.#stateDir)].map((path) => statSync(path, { throwIfNoEntry: false }));
    return files.map((stats) => `${stats?.dev} ${stats?.ino}`).join();
  }

  /** Noise: a file system that compresses would keep no space for zeros. */
  #keepBallast(): void {
    const path = ballastPath(this.#stateDir);
    const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    try {
      if (size() === BALLAST_BYTES) return;
      writeFileSync(path, randomFillSync(Buffer.allocUnsafe(BALLAST_BYTES)), { mode: 0o600, flush: true });
      if (size() !== BALLAST_BYTES) throw new Error("no space left");
      giveToOwner(path);
    } catch (error) {
      rmSync(path, { force: true });
      this.database.close();
      throw new PaydropError("disk_full", { folder: this.#stateDir, found: messageOf(error) }, { cause: error });
    }
  }
}

/** Records as lists: between two threads they take half as long. */
export interface Lists<T> {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SQLOutputValue[])[];
  /** What `recordsOf` makes of them. */
  readonly of?: T;
}

export function recordsOf<T>({ columns, rows }: Lists<T>): T[] {
  const read = columns.map((name, at) => ({ name, at, isJson: JSON_COLUMNS.has(name) }));
  return rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (const { name, at, isJson } of read) {
      const value = row[at];
      if (value !== null) record[name] = isJson && typeof value === "string" ? JSON.parse(value) : value;
    }
    return record as T;
  });
}

const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...["faults", "notices", "reasons", "retryOf", "inPlaceOf", "correctedBy", "onItsWay", "remarks", "tallies", "rows"],
  ...["owesResults", "isSame", "isNamed", "isPurged", "isPayeeKnown", "there", "toPerson"],
]);

/** SQL: at most so many rows. A bare `LIMIT ?` may change the plan, so SQLite would make it anew for each value that is bound. */
export const LIMIT = "LIMIT 0 + ?";

/** SQL and its values by name, for each call of the journal: `journal.run(...byName("… = $seq", { seq }))`. */
export const byName = createByName("?");

/** SQL: a column that is read as true or false. */
export const bool = (sql: string): string => `iif(${sql}, 'true', 'false')`;
/** SQL: a column that is read as the name of a row; null where there is none. */
export const rowName = (batch: string, row: string): string =>
  `iif(${batch} IS NULL, NULL, json_object('batch', ${batch}, 'row', ${row}))`;

function columnOf(value: unknown): SQLInputValue {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return null;
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
}

/** What SQLite or the system said; "busy" comes before anything is written. */
function mayBeInDoubt(error: unknown): boolean {
  if (sqliteCodeOf(error) === undefined) return (error as { code?: unknown }).code === "EIO";
  return sqliteKindOf(error) !== SQLITE_BUSY;
}
