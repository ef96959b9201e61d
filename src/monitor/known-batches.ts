import type { BatchRecord, Environment, JournalStore } from "../journal/store.ts";

/** What metrics count of a batch. */
export type KnownBatch = Pick<BatchRecord, "label" | "tallies">;

/** Rows in these may move without anybody's act. */
const MOVING = ["ready", "held", "unknown", "not_sent", "settled_not_done"] as const;
/** Clocks of hosts may differ by less than this. */
const SKEW_MS = 3_600_000;

/** All batches are read once; from then on only those that something happened to since, or of which rows may move. */
export class KnownBatches {
  readonly #environment: Environment;
  readonly #known = new Map<string, KnownBatch>();
  #lookedAt: number | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async look(store: Pick<JournalStore, "batches" | "now">): Promise<readonly KnownBatch[]> {
    const [environment, since, now] = [this.#environment, this.#lookedAt, store.now()];
    if (since === undefined) this.#take(await store.batches({ environment }));
    else {
      const changed = await store.batches({ environment, since: since - SKEW_MS });
      const moving = await store.batches({ environment, states: MOVING });
      const fresh = new Set([...changed, ...moving].map(({ id }) => id));
      const moved = [...this.#known].filter(
        ([id, { tallies }]) => !fresh.has(id) && MOVING.some((state) => tallies[state]),
      );
      for (const [id] of moved) this.#take(await store.batches({ id }));
      this.#take([...changed, ...moving]);
    }
    this.#lookedAt = now;
    return [...this.#known.values()];
  }

  #take(batches: readonly BatchRecord[]): void {
    for (const { id, label, tallies } of batches) this.#known.set(id, { label, tallies });
  }
}
