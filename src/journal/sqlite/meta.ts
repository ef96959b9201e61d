import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

/** Keys of the table `meta`. Journals on disk hold these texts: what is named otherwise is not found again. */
export const META_KEY = {
  /** 32 random bytes that key the hashes of payments: without them no payment is known again. */
  hashKey: "hash_key",
  /** The id of this state directory, which follows from the hash key (I12). */
  stateId: "state_id",
  /** The start of the machine in which a process that sends opened the journal; gone when that process closed it. */
  openInBoot: "open in boot",
  /** 1: rows may have keys of a build that compared references, or ids, as they were written. */
  earlierKeys: "keys of an earlier build",
  /** JSON: what the process sends that has the instance lock, or had it last. */
  lockHolder: "lock holder",
} as const;

/** Beginnings of keys of which there are many; beside each, what follows in the key. */
export const META_PREFIX = {
  /** Id of a batch whose results are behind the journal; the value is empty. */
  resultsOwed: "results owed ",
  /** A base URL; the value is its environment, as a person said it. */
  environment: "environment of ",
  /** Folder of a held inbox; the value is the hold as JSON. */
  inboxHold: "inbox hold ",
  /** When a hold was lifted, milliseconds since 1970, and its folder; the value is the hold with who lifted it. */
  holdLifted: "inbox hold lifted ",
  /** Random; the value says when, who and why a person accepted that the journal was lost. */
  loss: "loss ",
  /** State id and time of a mark, and the place that has it; the value is the last attempt that is accepted as lost. */
  markAccepted: "loss accepted ",
} as const;

/** The table `meta`: what the journal remembers beside batches and rows, one value for each key. */
export class Meta {
  readonly #database: DatabaseSync;
  readonly #table: string;

  /** `schema`: `main`, or the name under which another journal is attached. */
  constructor(database: DatabaseSync, schema = "main") {
    this.#database = database;
    this.#table = `${schema}.meta`;
  }

  /** undefined: nothing stands under that key. */
  get(key: string): SQLOutputValue | undefined {
    return this.#database.prepare(`SELECT value FROM ${this.#table} WHERE key = ?`).get(key)?.["value"];
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Replaces what stands under that key. */
  put(key: string, value: SQLInputValue): void {
    this.#database.prepare(`INSERT OR REPLACE INTO ${this.#table} (key, value) VALUES (?, ?)`).run(key, value);
  }

  /** What stands there already stays. In one statement: also without a transaction all are written, or none. */
  putIfAbsent(...entries: readonly (readonly [key: string, value: SQLInputValue])[]): void {
    const values = entries.map(() => "(?, ?)").join(", ");
    this.#database.prepare(`INSERT OR IGNORE INTO ${this.#table} (key, value) VALUES ${values}`).run(...entries.flat());
  }

  remove(key: string): void {
    this.#database.prepare(`DELETE FROM ${this.#table} WHERE key = ?`).run(key);
  }

  /** What follows `prefix` in each key that begins with it, and not with `except`, and its value; by rising keys. */
  under(prefix: string, except: string): { readonly name: string; readonly value: SQLOutputValue }[] {
    const found = this.#database
      .prepare(`SELECT key, value FROM ${this.#table} WHERE key LIKE ?1 || '%' AND key NOT LIKE ?2 || '%' ORDER BY key`)
      .all(prefix, except) as { key: string; value: SQLOutputValue }[];
    return found.map(({ key, value }) => ({ name: key.slice(prefix.length), value }));
  }
}
