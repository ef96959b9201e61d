import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf, PaydropError } from "../errors.ts";
import { migrate } from "./schema.ts";

/** SQLite before 3.51.3 can corrupt a WAL when it is reset. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;
const BUSY_TIMEOUT_MS = 10_000;

/** Opens (or makes) the journal in a private directory, with every pragma set, whatever the defaults are (I2). */
export function openJournalFile(stateDir: string): DatabaseSync {
  makePrivate(stateDir);
  const path = join(stateDir, "journal.db");
  try {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    refuseOldSqlite(database);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    chmodSync(path, 0o600);
    migrate(database);
    return database;
  } catch (error) {
    if (error instanceof PaydropError) throw error;
    throw new PaydropError(
      "journal",
      `the journal ${path} cannot be used: ${messageOf(error)}`,
      "nothing was sent; check the disk, or restore the journal from a backup",
      { cause: error },
    );
  }
}

/** 32 random bytes that key the hashes of payments, and the id of this state directory: made once, kept in the journal. */
export function readIdentity(database: DatabaseSync): { stateId: string; hashKey: Uint8Array } {
  const insert = database.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)");
  const select = database.prepare("SELECT value FROM meta WHERE key = ?");
  if (!select.get("state_id")) {
    insert.run("state_id", randomBytes(8).toString("hex"));
    insert.run("hash_key", randomBytes(32));
  }
  return {
    stateId: (select.get("state_id") as { value: string }).value,
    hashKey: (select.get("hash_key") as { value: Uint8Array }).value,
  };
}

/** A private directory (0700); one that others can write is refused, since whoever can write it can make rows go twice. */
export function makePrivate(directory: string): void {
  try {
    if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 });
    const stat = statSync(directory);
    if (!stat.isDirectory()) throw new Error("it is not a directory");
    if ((stat.mode & 0o022) !== 0) {
      throw new PaydropError(
        "config",
        `the state directory ${directory} can be written by others (mode ${(stat.mode & 0o777).toString(8)})`,
        `make it private: chmod 700 ${directory}`,
      );
    }
    if ((stat.mode & 0o077) !== 0) chmodSync(directory, 0o700);
  } catch (error) {
    if (error instanceof PaydropError) throw error;
    throw new PaydropError(
      "journal",
      `the state directory ${directory} cannot be used: ${messageOf(error)}`,
      "name another one with --state-dir, or mend this one; nothing was sent",
      { cause: error },
    );
  }
}

function refuseOldSqlite(database: DatabaseSync): void {
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  const found = version.split(".").map(Number);
  for (const [place, needed] of SQLITE_VERSION_MIN.entries()) {
    const part = found[place] ?? 0;
    if (part > needed) return;
    if (part < needed) {
      throw new PaydropError(
        "journal",
        `this Node carries SQLite ${version}, which can damage a journal; ${SQLITE_VERSION_MIN.join(".")} or newer is needed`,
        "use Node 24.15 or newer from nodejs.org",
      );
    }
  }
}
