import type { DatabaseSync } from "node:sqlite";
import { Meta, META_PREFIX } from "./meta.ts";
import type { HeldInbox, InboxHold } from "../place-calls.ts";

/** Inboxes of which nothing goes until a person says so. Outlives every process. */
export class InboxHolds {
  readonly #meta: Meta;

  constructor(database: DatabaseSync) {
    this.#meta = new Meta(database);
  }

  /** Every inbox that is held. */
  all(): HeldInbox[] {
    // the keys of lifted holds begin in the same way
    return this.#meta
      .under(META_PREFIX.inboxHold, META_PREFIX.holdLifted)
      .map(({ name, value }) => ({ folder: name, ...(JSON.parse(String(value)) as InboxHold) }));
  }

  /** Called inside a transaction of its caller. The first reason stands. */
  set(folder: string, hold: InboxHold): void {
    this.#meta.putIfAbsent([keyOf(folder), JSON.stringify(hold)]);
  }

  /** Gives the hold that stood. Who lifted it, and when, is kept. */
  lift(folder: string, by: string, nowMs: number): InboxHold | undefined {
    const hold = this.#of(folder);
    if (!hold) return undefined;
    this.#meta.remove(keyOf(folder));
    this.#meta.put(`${META_PREFIX.holdLifted}${nowMs} ${folder}`, JSON.stringify({ ...hold, by }));
    return hold;
  }

  #of(folder: string): InboxHold | undefined {
    const hold = this.#meta.get(keyOf(folder));
    return hold === undefined ? undefined : (JSON.parse(String(hold)) as InboxHold);
  }
}

function keyOf(folder: string): string {
  return META_PREFIX.inboxHold + folder;
}
