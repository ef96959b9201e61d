import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Environment } from "./batch-record.ts";

/** The environment of a base URL, by what was sent there: a setting that says otherwise would forget all of it. */
export class Addresses {
  readonly #said: StatementSync;
  readonly #first: StatementSync;
  readonly #set: StatementSync;

  constructor(database: DatabaseSync) {
    this.#said = database.prepare("SELECT value FROM meta WHERE key = ?");
    this.#first = database.prepare(
      "SELECT environment FROM batch WHERE destination = ? AND phase <> 'recording' ORDER BY seq LIMIT 1",
    );
    this.#set = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
  }

  /** What a person said last, or else what its first batch was. */
  environmentAt(destination: string): Environment | undefined {
    const said = this.#said.get(keyOf(destination))?.["value"] ?? this.#first.get(destination)?.["environment"];
    return said as Environment | undefined;
  }

  /** Called inside a transaction of its caller. */
  set(destination: string, environment: Environment): void {
    this.#set.run(keyOf(destination), environment);
  }
}

function keyOf(destination: string): string {
  return `environment of ${destination}`;
}
