import { randomBytes } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf, PaydropError } from "../../../errors.ts";
import { sqliteCodeOf } from "./damage.ts";
import { makePrivate } from "./state-folder.ts";

export interface InstanceLock {
  release(): void;
}

export const SQLITE_BUSY = 5;
const SQLITE_IOERR_RDLOCK = 2314;
const SQLITE_IOERR_LOCK = 3850;

/**
 * I9: one process sends per state directory. The lock is an exclusive transaction on a small database of its own: the
 * kernel frees it when its holder dies, a stopped holder keeps it, and age never matters. Throws PaydropError `locked`
 * where another process has it, `journal` where it cannot be taken.
 */
export function takeInstanceLock(stateDir: string): InstanceLock {
  makePrivate(stateDir);
  const path = join(stateDir, "lock.db");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // before SQLite makes a second file beside it, which gets the same rights
    chmodSync(path, 0o600);
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
  } catch (error) {
    database?.close();
    if (saysNoLocks(error) || (isBusy(error) && !givesLocks(stateDir))) throw withoutLocks(stateDir, error);
    if (!isBusy(error)) throw unusable(path, error);
    throw new PaydropError(
      "locked",
      `another paydrop is working with the state directory ${stateDir}`,
      "nothing was done; the other one goes on, or run this again when it has ended",
    );
  }
  const held = database;
  return { release: () => held.close() };
}

function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === SQLITE_BUSY;
}

function saysNoLocks(error: unknown): boolean {
  return [SQLITE_IOERR_RDLOCK, SQLITE_IOERR_LOCK].includes(sqliteCodeOf(error) ?? 0);
}

/**
 * Whether a lock can be had on a file that was made just now, and that nobody else has. SQLite says "busy" also where
 * the system has no locks to give (ENOLCK): taken for another paydrop, nothing would ever go, and 75 alarms nobody.
 */
function givesLocks(stateDir: string): boolean {
  const path = join(stateDir, `.lock-${randomBytes(8).toString("hex")}`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    return !isBusy(error);
  } finally {
    database?.close();
    rmSync(path, { force: true });
  }
}

function withoutLocks(stateDir: string, cause: unknown): PaydropError {
  return new PaydropError(
    "journal",
    `the file system of the state directory ${stateDir} gives no locks: two paydrops could send the same rows`,
    "nothing was sent; keep the state directory on a disk of this machine, or mend the locks of that file system",
    { cause },
  );
}

function unusable(path: string, error: unknown): PaydropError {
  return new PaydropError(
    "journal",
    `the lock file ${path} cannot be used: ${messageOf(error)}`,
    "nothing was sent; check the disk. Nothing is kept in the lock file: when no paydrop is running, delete it",
    { cause: error },
  );
}
