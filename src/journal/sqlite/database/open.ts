import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf, PaydropError } from "../../../errors.ts";
import { mayBeTorn, noteOpen } from "./boot.ts";
import {
  assertSound,
  DamageError,
  hasJournal,
  isDamage,
  isLost,
  LOST_HINT,
  lostError,
  setAside,
  SQLITE_FULL,
  sqliteCodeOf,
} from "./damage.ts";
import { readIdentity } from "./identity.ts";
import { type InstanceLock, SQLITE_BUSY, takeInstanceLock } from "./lock.ts";
import { Meta, META_KEY, META_PREFIX } from "../meta.ts";
import { hasSchema, hasTables, isOfEarlierBuild, migrate } from "./schema.ts";
import { refuseOldSqlite } from "./sqlite-version.ts";
import { isThere, makePrivate } from "./state-folder.ts";
import { assertWalWhole } from "./wal.ts";

const BUSY_TIMEOUT_MS = 10_000;

export interface OpenOptions {
  /** For a process that sends, and has the lock: the journal must be sound (I12). */
  readonly isChecked?: boolean;
  /** The person who accepts that the memory of what was sent is gone. A damaged journal is then kept under another name. */
  readonly lossAcceptedBy?: string;
  /** For commands that only ask, or say something about batches: where there is no journal none is made. */
  readonly makesNone?: boolean;
}

/** Opens (or makes) the journal in a private directory, with every pragma set, whatever the defaults are (I2). */
export function openJournalFile(stateDir: string, options: OpenOptions = {}): DatabaseSync {
  const { isChecked = false, lossAcceptedBy, makesNone = false } = options;
  if (makesNone && !isThere(stateDir)) return openNone();
  makePrivate(stateDir);
  const path = join(stateDir, "journal.db");
  const lost = isLost(stateDir);
  if (lost && lossAcceptedBy === undefined) throw lostError(stateDir);
  if (makesNone && !hasJournal(stateDir)) return openNone();
  try {
    const database = openSound(path, isChecked);
    if (lost && lossAcceptedBy !== undefined) noteLoss(database, "it was missing", lossAcceptedBy);
    return database;
  } catch (error) {
    if (error instanceof PaydropError) throw error;
    if (!isDamage(error) || lossAcceptedBy === undefined) throw unusable(path, error);
    setAside(path);
    const database = openSound(path, isChecked);
    noteLoss(database, messageOf(error), lossAcceptedBy);
    return database;
  }
}

/** A journal in memory, which knows nothing. One on the disk would be the asker's: who sends could not open it. */
function openNone(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  migrate(database);
  return database;
}

function openSound(path: string, isChecked: boolean): DatabaseSync {
  assertWalWhole(`${path}-wal`);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    refuseOldSqlite(database);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    chmodSync(path, 0o600);
    bringUp(database, path, isChecked);
    if (!hasSchema(database)) throw new DamageError("its tables are not those that paydrop makes");
    readIdentity(database);
    if (isChecked) {
      sortBeside(database, path);
      assertSound(database, path, mayBeTorn(database));
      noteOpen(database);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Lets SQLite put aside what it sorts, such as the keys of a large file, beside the journal. A temporary folder that is
 * full, or that may not be written, would end the journal halfway, and make unknown what other files have in flight
 * (I8).
 */
function sortBeside(database: DatabaseSync, path: string): void {
  try {
    database.exec(`PRAGMA temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
  } catch (error) {
    // SQLite gives the error number of a wrong statement, which else counts as damage; but the journal is whole
    throw new Error(`its folder cannot be written (${messageOf(error)})`, { cause: error });
  }
}

/**
 * Brings a journal to this version. One of an earlier build is written anew, which takes a while: a process that sends
 * with it could not write down an answer meanwhile, and what is in flight would be unknown. So the lock is taken first.
 */
function bringUp(database: DatabaseSync, path: string, hasLock: boolean): void {
  const lock = !hasLock && isOfEarlierBuild(database) ? takeLockToBringUp(dirname(path)) : undefined;
  try {
    migrate(database);
  } finally {
    lock?.release();
  }
}

function takeLockToBringUp(stateDir: string): InstanceLock {
  try {
    return takeInstanceLock(stateDir);
  } catch (error) {
    if (!(error instanceof PaydropError) || error.code !== "locked") throw error;
    throw new PaydropError(
      "locked",
      `the journal in ${stateDir} is of an earlier paydrop, which is still working with it`,
      "nothing was done; let it end, or stop it, and do this again: the journal is then brought to this version",
    );
  }
}

/**
 * For a process that only reads: brings a journal of an earlier build to this version. No journal is made. Throws
 * PaydropError `journal` where it is lost and nobody accepted that.
 */
export function bringUpJournalFile(stateDir: string, isLossAccepted: boolean): void {
  if (!isLossAccepted && isLost(stateDir)) throw lostError(stateDir);
  const path = join(stateDir, "journal.db");
  if (hasJournal(stateDir) && asked(path, isOfEarlierBuild)) openJournalFile(stateDir).close();
}

/** Whether a journal can be read: one that another process is making at this moment holds nothing yet. */
export function isJournalThere(stateDir: string): boolean {
  const path = join(stateDir, "journal.db");
  return hasJournal(stateDir) && asked(path, isMade);
}

function isMade(database: DatabaseSync): boolean {
  return hasTables(database) && new Meta(database).has(META_KEY.hashKey);
}

function asked(path: string, question: (database: DatabaseSync) => boolean): boolean {
  let database: DatabaseSync | undefined;
  try {
    assertWalWhole(`${path}-wal`);
    database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return question(database);
  } catch (error) {
    throw error instanceof PaydropError ? error : unusable(path, error);
  } finally {
    database?.close();
  }
}

function noteLoss(database: DatabaseSync, why: string, by: string): void {
  const note = `${new Date().toISOString()} ${by} accepted that the journal was lost: ${why}`;
  new Meta(database).put(META_PREFIX.loss + randomBytes(4).toString("hex"), note);
}

function unusable(path: string, error: unknown): PaydropError {
  const said = `the journal ${path} ${isDamage(error) ? "is damaged" : "cannot be used"}: ${messageOf(error)}`;
  const isBusy = ((sqliteCodeOf(error) ?? 0) & 0xff) === SQLITE_BUSY;
  const hint = isDamage(error) ? LOST_HINT : `nothing was sent; ${isBusy ? BUSY_HINT : DISK_HINT}`;
  return new PaydropError("journal", said, hint, { cause: error });
}

const BUSY_HINT =
  "another process keeps it to itself, such as a paydrop that was stopped just as it began, or a program that copies " +
  "it: let that go on to its end, and do this again";
const DISK_HINT = "check the disk and who may read and write there";

/**
 * An error of SQLite while a journal is only read, in our own words: damage that did not show when it was opened, or a
 * disk that does not answer any more. `copyIn`: the folder of a temporary copy, which may be what was read.
 */
export function readFailure(stateDir: string, error: unknown, copyIn?: string): unknown {
  const path = join(stateDir, "journal.db");
  if (isDamage(error)) return unusable(path, error);
  const code = sqliteCodeOf(error);
  // only the copy is written: whoever made it looks at its disk
  if (code === undefined || (code & 0xff) === SQLITE_FULL) return error;
  return unusable(copyIn === undefined ? path : `${path}, or its copy in ${copyIn},`, error);
}
