import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { PaydropError } from "../../../errors.ts";
import { wasOpened } from "../batch-columns.ts";

const SQLITE_ERROR = 1;
const SQLITE_IOERR = 10;
const SQLITE_IOERR_SHORT_READ = 522;
const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/**
 * Up to this size every start checks everything, indexes against tables too (0.6 s for 32 MB, 120,000 rows). SQLite
 * checks a larger journal only where the machine may have gone down on it, 10 s for a gigabyte: with five million rows
 * a start must take less than a second. Other damage in it is found when SQLite reads the page, and stops everything.
 */
const CHECKED_BYTES_MAX = 32 * 1024 * 1024;

/** A copy that is made while rows are sent can tear apart only what was written last: so many attempts. */
const RECENT_ATTEMPTS = 20_000;

/** The bytes of the journal are not what was written. */
export class DamageError extends Error {}

/** Whether there is a journal; an empty file is none. */
export function hasJournal(stateDir: string): boolean {
  return (statSync(join(stateDir, "journal.db"), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Whether the memory of what was sent has gone while copies of files that were taken are still there. */
export function isLost(stateDir: string): boolean {
  if (hasJournal(stateDir)) return false;
  return ["snapshots", "archive"]
    .map((name) => join(stateDir, name))
    .some((folder) => existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith(".")));
}

/**
 * Runs SQLite's own checks and ours. `isDoubtful`: the journal was not closed, and the machine may have gone down
 * since. Throws DamageError.
 */
export function assertSound(database: DatabaseSync, path: string, isDoubtful: boolean): void {
  const small = statSync(path).size <= CHECKED_BYTES_MAX;
  if (small) assertPassed(database.prepare("PRAGMA integrity_check(1)").all());
  else if (isDoubtful) assertPassed(database.prepare("PRAGMA quick_check(1)").all());
  assertRowsKnowAttempts(database, small ? Number.MAX_SAFE_INTEGER : RECENT_ATTEMPTS);
  if (!small) return;
  assertNoOrphans(database);
  assertNothingForgotten(database);
}

function assertPassed(findings: readonly Record<string, unknown>[]): void {
  const [finding] = findings.flatMap((one) => Object.values(one)).map(String);
  if (finding === "ok") return;
  // a disk that does not answer is no damage: nobody may be told to give up a journal that is whole
  const refused = Number(/unable to get the page\. error code=(\d+)/.exec(finding ?? "")?.[1]);
  if ((refused & 0xff) === SQLITE_IOERR && refused !== SQLITE_IOERR_SHORT_READ) throw new Error("disk I/O error");
  throw new DamageError(finding?.replace("*** in database main ***\n", "") ?? "SQLite's check gave no answer");
}

/**
 * Attempts and rows stand on different pages. A copy of the directory that was made while rows were sent, or a disk
 * that lost a write, can hold an attempt and the row as it was before it: the row would be ready, and go again (I1).
 */
function assertRowsKnowAttempts(database: DatabaseSync, recent: number): void {
  const forgotten = database.prepare(
    `SELECT 1 FROM attempt a LEFT JOIN row r ON r.batch = a.batch AND r.number = a.row
     WHERE a.id > (SELECT max(id) FROM attempt) - ? AND (r.last_attempt IS NULL OR r.last_attempt < a.id
       OR (r.last_attempt = a.id AND (r.state = 'sending') <> (a.outcome IS NULL))) LIMIT 1`,
  );
  if (forgotten.get(recent)) throw new DamageError("attempts were made of rows that know nothing of them");
}

function assertNoOrphans(database: DatabaseSync): void {
  if (database.prepare("PRAGMA foreign_key_check").get()) throw new DamageError("rows or attempts have no batch");
}

/** Throws where the key of a row cannot be found any more: its payment could go again. */
function assertNothingForgotten(database: DatabaseSync): void {
  const forgotten = database
    .prepare(
      `SELECT 1 FROM row r JOIN batch b ON b.seq = r.batch, (SELECT 'core' AS which UNION ALL SELECT 'reference') k
       WHERE ${wasOpened("b")} AND r.core_key IS NOT NULL AND (k.which = 'core' OR r.reference_key IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM seen s WHERE s.batch = r.batch AND s.number = r.number
         AND s.key = CASE k.which WHEN 'core' THEN r.core_key ELSE r.reference_key END)`,
    )
    .get();
  if (forgotten) throw new DamageError("the keys of rows are missing from what was seen");
}

/** Whether an error says that the file is damaged, and not that the disk is full or the file may not be read. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamageError) return true;
  const code = sqliteCodeOf(error);
  return code !== undefined && [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(code & 0xff);
}

/** SQLite's number of an error: the last eight bits say its kind. undefined: it is no error of SQLite. */
export function sqliteCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code : undefined;
}

/** Keeps the damaged files under another name: a person may still find in them what was sent. */
export function setAside(path: string): void {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.lost-${stamp}${suffix}`);
  }
}

export function lostError(stateDir: string): PaydropError {
  return new PaydropError(
    "journal",
    `the journal is missing from ${stateDir}, but files were sent from there: what was sent is not known any more`,
    LOST_HINT,
  );
}

export const LOST_HINT =
  "nothing was sent; restore the state directory from a backup; or, once a person has looked up in the service's " +
  "dashboard what went out, begin anew with --accept-lost-journal --by NAME";
