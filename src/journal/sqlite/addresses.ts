import type { DatabaseSync, StatementSync } from "node:sqlite";
import { wasOpened } from "./batch-columns.ts";
import type { Environment } from "../batch-record.ts";
import { Meta, META_PREFIX } from "./meta.ts";

/** The environment of a base URL, by what was sent there: a setting that says otherwise would forget all of it. */
export class Addresses {
  readonly #meta: Meta;
  readonly #first: StatementSync;

  constructor(database: DatabaseSync) {
    this.#meta = new Meta(database);
    this.#first = database.prepare(
      `SELECT environment FROM batch WHERE destination = ? AND ${wasOpened("batch")} ORDER BY seq LIMIT 1`,
    );
  }

  /** What a person said last, or else the environment of the first batch that was sent there. */
  environmentAt(destination: string): Environment | undefined {
    const said = this.#meta.get(keyOf(destination)) ?? this.#first.get(destination)?.["environment"];
    return said as Environment | undefined;
  }

  /** Called inside a transaction of its caller. */
  set(destination: string, environment: Environment): void {
    this.#meta.put(keyOf(destination), environment);
  }
}

function keyOf(destination: string): string {
  return META_PREFIX.environment + destination;
}
