import type { BatchRecord, Environment } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import type { RowState } from "../../journal/state.ts";
import { summed, type RowCount } from "../monitoring/metrics.ts";

/** States that somebody, or the next run, may still change. */
const OPEN: ReadonlySet<string> = new Set<RowState>(["ready", "sending", "unknown", "held", "not_sent"]);

interface Known {
  readonly operation: string;
  readonly counts: readonly RowCount[];
  readonly isOpen: boolean;
}

/**
 * Rows and amounts of the whole journal. A batch that has come to its end is counted once, not at every look: again only
 * when somebody did something, perhaps in another process.
 */
export class RowCounts {
  readonly #environment: Environment;
  readonly #known = new Map<string, Known>();
  /** The last act that was seen: nothing but a person's act changes a batch that has come to its end. */
  #lastAct = 0;

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
    const { lastAct } = await journal.handedOver(this.#lastAct);
    for (const batch of batches) {
      const known = this.#known.get(batch.id);
      if (known?.isOpen === false && lastAct === this.#lastAct) continue;
      this.#known.set(batch.id, await countIn(journal, batch, known?.operation));
    }
    this.#lastAct = lastAct;
    const ids = new Set(batches.map((batch) => batch.id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }
}

/** `known`: the batch's operation as it was found before; it never changes, and finding it reads every row. */
async function countIn(journal: JournalStore, { id, phase }: BatchRecord, known?: string): Promise<Known> {
  const operation = known ?? (await operationOf(journal, id));
  const tallies = Object.entries(await journal.tallies(id));
  const counts = tallies.map(([state, { rows, amount }]) => ({ operation, state, rows, amount }));
  return { operation, counts, isOpen: phase === "recording" || counts.some(({ state }) => OPEN.has(state)) };
}

async function operationOf(journal: JournalStore, id: string): Promise<string> {
  const names = new Set((await journal.operations(id)).map(({ operation }) => operation));
  const [first = "none"] = names;
  return names.size > 1 ? "mixed" : first;
}
