import { chmodSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { giveToOwner } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { judgingPath, lockPath } from "../state-dir.ts";
import { makePrivate, SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB, sqliteCodeOf, sqliteKindOf } from "./database.ts";

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

/**
 * Whether a process has it. It is read, and not taken: pages ask every few seconds, and a process that begins at that very
 * moment must not be refused for it, but for the moment of a read. Who may not read it takes it so.
 */
export function isLocked(stateDir: string): boolean {
  const path = lockPath(stateDir);
  // it must not be made beside those who work without it
  if (!existsSync(path)) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0, readOnly: true });
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch {
    return true;
  } finally {
    database?.close();
  }
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
  while (performance.now() - began < JUDGING_WAIT_MS) {
    const lock = take(path);
    if (lock) return lock;
    await sleep(JUDGING_POLL_MS);
  }
  throw new PaydropError("judging_busy", { path });
}

/** A connection that nobody refers to is closed some day, and its lock would be free. */
const HELD = new Set<DatabaseSync>();

/**
 * An exclusive transaction on a small database of its own: the kernel frees it when its holder dies, a stopped holder
 * keeps it, and age never matters. undefined: somebody has it.
 */
function take(path: string): InstanceLock | undefined {
  let database: DatabaseSync | undefined;
  try {
    const held = (database = new DatabaseSync(path, { timeout: 0 }));
    // before SQLite makes a second file beside it, which gets the same rights
    chmodSync(path, 0o600);
    giveToOwner(path);
    held.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
    HELD.add(held);
    return {
      release: () => {
        HELD.delete(held);
        held.close();
      },
    };
  } catch (error) {
    database?.close();
    const code = sqliteCodeOf(error);
    if (code === SQLITE_BUSY) return undefined;
    const givesNone = code === SQLITE_IOERR_RDLOCK || code === SQLITE_IOERR_LOCK;
    const isDamaged = sqliteKindOf(error) === SQLITE_NOTADB || sqliteKindOf(error) === SQLITE_CORRUPT;
    const facts = { folder: dirname(path), path, found: messageOf(error), isDamaged: Number(isDamaged) };
    throw new PaydropError(givesNone ? "no_locks" : "lock_unusable", facts, { cause: error });
  }
}
