import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/**
 * Whether this start of the machine is the one that the journal was last opened in: what a killed process had written
 * then is whole, because the system kept it. Only where the power went may pages be torn. false where nobody can tell.
 */
export function isSameBoot(database: DatabaseSync): boolean {
  const now = bootId();
  return now !== undefined && database.prepare("SELECT value FROM meta WHERE key = 'boot'").get()?.["value"] === now;
}

export function noteBoot(database: DatabaseSync): void {
  const now = bootId();
  if (now !== undefined) database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('boot', ?)").run(now);
}

function bootId(): string | undefined {
  try {
    return readFileSync(BOOT_ID, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
