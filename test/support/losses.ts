import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { Desk } from "./desk.ts";

/** What the journal itself remembers of the ones that were lost before it: who accepted that, and why it was. */
export function lossesOf({ stateDir }: Pick<Desk, "stateDir">): unknown[] {
  const database = new DatabaseSync(join(stateDir, "journal.db"), { readOnly: true });
  try {
    return database
      .prepare("SELECT value FROM meta WHERE key LIKE 'loss ________'")
      .all()
      .map(({ value }) => value);
  } finally {
    database.close();
  }
}
