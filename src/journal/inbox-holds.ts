import type { DatabaseSync } from "node:sqlite";
import type { HeldInbox, InboxHold } from "./store.ts";

/** Inboxes of which nothing goes until a person says so. Outlives every process. */
export class InboxHolds {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Every inbox that is held. */
  all(): HeldInbox[] {
    const rows = this.#database.prepare(
      "SELECT key, value FROM meta WHERE key LIKE ?1 || '%' AND key NOT LIKE ?2 || '%' ORDER BY key",
    );
    return rows.all(keyOf(""), LIFTED).map(({ key, value }) => ({
      folder: String(key).slice(keyOf("").length),
      ...(JSON.parse(String(value)) as InboxHold),
    }));
  }

  /** Called inside a transaction of its caller. The first reason stands. */
  set(folder: string, hold: InboxHold): void {
    this.#database
      .prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)")
      .run(keyOf(folder), JSON.stringify(hold));
  }

  /** Gives the hold that stood. Who lifted it, and when, is kept. */
  lift(folder: string, by: string, nowMs: number): InboxHold | undefined {
    const hold = this.#of(folder);
    if (!hold) return undefined;
    this.#database.prepare("DELETE FROM meta WHERE key = ?").run(keyOf(folder));
    this.#database
      .prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")
      .run(`${LIFTED}${nowMs} ${folder}`, JSON.stringify({ ...hold, by }));
    return hold;
  }

  #of(folder: string): InboxHold | undefined {
    const row = this.#database.prepare("SELECT value FROM meta WHERE key = ?").get(keyOf(folder));
    return row === undefined ? undefined : (JSON.parse(String(row["value"])) as InboxHold);
  }
}

/** What was lifted is kept under the same beginning. */
const LIFTED = "inbox hold lifted ";

function keyOf(folder: string): string {
  return `inbox hold ${folder}`;
}
