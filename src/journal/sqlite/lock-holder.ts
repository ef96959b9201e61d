import type { DatabaseSync } from "node:sqlite";
import type { LockHolder } from "../place-calls.ts";
import { Meta, META_KEY } from "./meta.ts";

/** What the process that has the instance lock sends, or the last one that had it: others leave rows to it. */
export class LockHolders {
  readonly #meta: Meta;

  constructor(database: DatabaseSync) {
    this.#meta = new Meta(database);
  }

  /** undefined: only an earlier build, which did not say, has had the lock. */
  last(): LockHolder | undefined {
    const said = this.#meta.get(META_KEY.lockHolder);
    return typeof said === "string" ? (JSON.parse(said) as LockHolder) : undefined;
  }

  /** Called inside a transaction of its caller. */
  set(holder: LockHolder): void {
    this.#meta.put(META_KEY.lockHolder, JSON.stringify(holder));
  }
}
