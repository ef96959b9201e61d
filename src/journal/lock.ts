import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PaydropError } from "../errors.ts";
import { makePrivate } from "./open.ts";

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
  const database = new DatabaseSync(join(stateDir, "lock.db"), { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new PaydropError(
      "locked",
      `another paydrop is working with the state directory ${stateDir}`,
      "nothing was done; the other one goes on, or run this again when it has ended",
    );
  }
  return { release: () => database.close() };
}
