import type { DatabaseSync } from "node:sqlite";
import { Meta, META_PREFIX } from "./meta.ts";
import type { Mark } from "../place-calls.ts";

/** What folders remember of this journal, compared with what it remembers itself (I12). */
export class Marks {
  readonly #database: DatabaseSync;
  readonly #meta: Meta;
  readonly #stateId: string;

  constructor(database: DatabaseSync, stateId: string) {
    this.#database = database;
    this.#meta = new Meta(database);
    this.#stateId = stateId;
  }

  now(): Mark {
    const last = this.#database.prepare("SELECT id, started_at FROM attempt ORDER BY id DESC LIMIT 1").get() as
      { id: number; started_at: number } | undefined;
    return { stateId: this.#stateId, lastAttempt: last?.id ?? 0, lastAttemptAt: last?.started_at ?? 0 };
  }

  /** Compares number and time: a journal restored from a backup soon reaches the same number, with another attempt. */
  knows(mark: Mark, place: string): boolean {
    return (
      (mark.stateId === this.#stateId && this.#hasAttempt(mark)) || mark.lastAttempt <= this.#accepted(mark, place)
    );
  }

  /** Called inside a transaction of its caller. */
  accept(mark: Mark, place: string): void {
    this.#meta.put(keyOf(mark, place), Math.max(mark.lastAttempt, this.#accepted(mark, place)));
  }

  #hasAttempt({ lastAttempt, lastAttemptAt }: Mark): boolean {
    if (lastAttempt === 0) return true;
    const attempt = this.#database.prepare("SELECT started_at FROM attempt WHERE id = ?").get(lastAttempt);
    return attempt?.["started_at"] === lastAttemptAt;
  }

  /** Up to which attempt a person accepted the loss, for this place only. */
  #accepted(mark: Mark, place: string): number {
    return (this.#meta.get(keyOf(mark, place)) as number | undefined) ?? -1;
  }
}

/** With the time: a journal that is lost again soon reaches the same numbers, with attempts that nobody accepted. */
function keyOf({ stateId, lastAttemptAt }: Mark, place: string): string {
  return `${META_PREFIX.markAccepted}${stateId} ${lastAttemptAt} ${place}`;
}
