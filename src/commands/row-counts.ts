import type { BatchRecord, Environment, JournalStore } from "../journal/store.ts";
import type { RowState } from "../journal/state.ts";
import { summed } from "../metrics.ts";
import type { RowCount } from "../metrics.ts";

/** States that somebody, or the next run, may still change. */
const OPEN: ReadonlySet<string> = new Set<RowState>(["ready", "sending", "unknown", "held", "not_sent"]);

interface Known {
  readonly counts: readonly RowCount[];
  readonly isOpen: boolean;
}

/** Rows and amounts of the whole journal. A batch that has come to its end is counted once, not at every look. */
export class RowCounts {
  readonly #environment: Environment;
  readonly #known = new Map<string, Known>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** As of the last `read`. */
  get all(): readonly RowCount[] {
    return summed([...this.#known.values()].flatMap(({ counts }) => counts));
  }

  /** Something happens to this batch. */
  touch(batchId: string): void {
    this.#known.delete(batchId);
  }

  async read(journal: JournalStore): Promise<void> {
    const batches = (await journal.batches()).filter((batch) => batch.environment === this.#environment);
    for (const batch of batches) {
      if (this.#known.get(batch.id)?.isOpen === false) continue;
      this.#known.set(batch.id, await countIn(journal, batch));
    }
    const ids = new Set(batches.map((batch) => batch.id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }
}

async function countIn(journal: JournalStore, { id, phase }: BatchRecord): Promise<Known> {
  const names = new Set((await journal.operations(id)).map(({ operation }) => operation));
  const [first = "none"] = names;
  const operation = names.size > 1 ? "mixed" : first;
  const tallies = Object.entries(await journal.tallies(id));
  const counts = tallies.map(([state, { rows, amount }]) => ({ operation, state, rows, amount }));
  return { counts, isOpen: phase === "recording" || counts.some(({ state }) => OPEN.has(state)) };
}
