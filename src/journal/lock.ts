import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf, PaydropError } from "../errors.ts";
import { sqliteCodeOf } from "./damage.ts";
import { makePrivate } from "./state-folder.ts";

export interface InstanceLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * I9: one process sends per state directory. An exclusive transaction on a small database of its own: the kernel frees
 * it when its holder dies, a stopped holder keeps it, and age never matters.
 */
export function takeInstanceLock(stateDir: string): InstanceLock {
  makePrivate(stateDir);
  const path = join(stateDir, "lock.db");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // before a second file is laid beside it, which gets the same rights
    chmodSync(path, 0o600);
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
  } catch (error) {
    database?.close();
    if (sqliteCodeOf(error) !== SQLITE_BUSY) throw unusable(path, error);
    throw new PaydropError(
      "locked",
      `another paydrop is working with the state directory ${stateDir}`,
      "nothing was done; the other one goes on, or run this again when it has ended",
    );
  }
  const held = database;
  return { release: () => held.close() };
}

function unusable(path: string, error: unknown): PaydropError {
  return new PaydropError(
    "journal",
    `the lock file ${path} cannot be used: ${messageOf(error)}`,
    "nothing was sent; check the disk. Nothing is kept in the lock file: when no paydrop is running, delete it",
    { cause: error },
  );
}
