import type { DatabaseSync } from "node:sqlite";
import { PaydropError } from "../../../errors.ts";

/** SQLite before 3.51.3 can corrupt a WAL when it is reset, or when two processes open it (DESIGN §5). */
export const SQLITE_VERSION_MIN = "3.51.3";

/** Throws PaydropError `journal` where this Node carries an older one. */
export function refuseOldSqlite(database: DatabaseSync): void {
  const { version, isOld } = sqliteOf(database);
  if (!isOld) return;
  throw new PaydropError(
    "journal",
    `this Node carries SQLite ${version}, which can damage a journal; ${SQLITE_VERSION_MIN} or newer is needed`,
    "use Node 24.15 or newer from nodejs.org",
  );
}

/** The SQLite that this Node carries. */
export function sqliteOf(database: DatabaseSync): { readonly version: string; readonly isOld: boolean } {
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  const needed = SQLITE_VERSION_MIN.split(".").map(Number);
  const found = version.split(".").map(Number);
  const difference = needed.map((part, place) => (found[place] ?? 0) - part).find((part) => part !== 0) ?? 0;
  return { version, isOld: difference < 0 };
}
