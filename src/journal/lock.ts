import { randomBytes } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { giveToOwner } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { judgingPath, lockPath } from "../state-dir.ts";
import { makePrivate, SQLITE_BUSY, sqliteCodeOf } from "./database.ts";

export interface InstanceLock {
  release(): void;
}

const SQLITE_IOERR_RDLOCK = 2314;
const SQLITE_IOERR_LOCK = 3850;

/**
 * I9: one process sends per state directory. Throws PaydropError `locked` where another process has it, `journal` where it
 * cannot be taken.
 */
export function takeInstanceLock(stateDir: string): InstanceLock {
  makePrivate(stateDir);
  const lock = take(lockPath(stateDir));
  if (!lock) throw new PaydropError("locked", { folder: stateDir });
  return lock;
}

const JUDGING_POLL_MS = 10;
const JUDGING_WAIT_MS = 10 * 60_000;

/**
 * I14: waits until no other process judges, and takes its place. The wait has an end: a process that was stopped while it
 * judged keeps its place. Throws PaydropError `journal`.
 */
export async function takeJudgingLock(stateDir: string): Promise<InstanceLock> {
  const path = judgingPath(stateDir);
  const began = performance.now();
  for (let asksWhy = true; performance.now() - began < JUDGING_WAIT_MS; asksWhy = false) {
    const lock = take(path, asksWhy);
    if (lock) return lock;
    await sleep(JUDGING_POLL_MS);
  }
  throw new PaydropError("judging_busy", { path });
}

/** A connection that nobody refers to is closed some day, and its lock would be free. */
const HELD = new Set<DatabaseSync>();

/**
 * An exclusive transaction on a small database of its own: the kernel frees it when its holder dies, a stopped holder
 * keeps it, and age never matters. undefined: somebody has it. `asksWhy`: whether the system gives locks at all.
 */
function take(path: string, asksWhy = true): InstanceLock | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // before SQLite makes a second file beside it, which gets the same rights
    chmodSync(path, 0o600);
    giveToOwner(path);
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
    HELD.add(database);
    const held = database;
    return {
      release: () => {
        HELD.delete(held);
        held.close();
      },
    };
  } catch (error) {
    database?.close();
    const givesNone = [SQLITE_IOERR_RDLOCK, SQLITE_IOERR_LOCK].includes(sqliteCodeOf(error) ?? 0);
    if (givesNone || (isBusy(error) && asksWhy && !givesLocks(dirname(path)))) {
      throw new PaydropError("no_locks", { folder: dirname(path) }, { cause: error });
    }
    if (isBusy(error)) return undefined;
    throw new PaydropError("lock_unusable", { path, found: messageOf(error) }, { cause: error });
  }
}

function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === SQLITE_BUSY;
}

/**
 * Whether a lock can be had on a file that was made just now, and that nobody else has. SQLite says "busy" also where
 * the system has no locks to give (ENOLCK): taken for another paydrop, nothing would ever go, and 75 alarms nobody.
 */
function givesLocks(folder: string): boolean {
  const path = join(folder, `.lock-${randomBytes(8).toString("hex")}`);
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
