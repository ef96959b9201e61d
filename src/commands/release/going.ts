import { formatUnits, unitsOf } from "../../amount.ts";
import { counted } from "../../text/counted.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { RowState } from "../../journal/state.ts";
import type { JournalStore } from "../../journal/store.ts";
import { rowsNamed } from "../../results/row-ranges.ts";
import { rowsIn, STATE_WORDS } from "../../results/words/status.ts";

/** A row that is let go, and why it may go: `not sent`, `settled as not done by asha`. */
export interface GoingRow {
  readonly number: number;
  readonly amount?: string | undefined;
  readonly why: string;
}

/** Rows that go for the same reason. */
interface Group {
  readonly numbers: number[];
  units: bigint;
}

/**
 * What will be sent, added up row by row; of a large file only what is told of it is kept in memory. `isListed`: every
 * row is told, as with `--json`.
 */
export class Going {
  readonly numbers: number[] = [];
  readonly listed: { readonly row: number; readonly amount: string | undefined; readonly why: string }[] = [];
  readonly #isListed: boolean;
  readonly #byReason = new Map<string, Group>();
  /** Rows whose reason gets no line of its own. */
  readonly #others: Group = { numbers: [], units: 0n };
  #units = 0n;

  constructor(isListed: boolean) {
    this.#isListed = isListed;
  }

  add({ number, amount, why }: GoingRow): void {
    const units = amount === undefined ? 0n : unitsOf(amount);
    this.numbers.push(number);
    this.#units += units;
    const group = this.#groupOf(why);
    group.numbers.push(number);
    group.units += units;
    if (this.#isListed) this.listed.push({ row: number, amount, why });
  }

  #groupOf(why: string): Group {
    const known = this.#byReason.get(why);
    if (known) return known;
    if (this.#byReason.size === REASONS_SHOWN_MAX) return this.#others;
    const group = { numbers: [], units: 0n };
    this.#byReason.set(why, group);
    return group;
  }

  /** Exact sum of the amounts. */
  get sum(): string {
    return formatUnits(this.#units);
  }

  /** Before they go: `1 row goes: row 164, 39500.00, settled as not done by asha.` Several reasons stand on a line each. */
  text(): string {
    const { length } = this.numbers;
    if (length === 0) return "No row goes.";
    const goes = `${counted(length)} ${length === 1 ? "goes" : "go"}`;
    const told = [...this.#byReason].map(([why, group]) => groupText(group, why));
    if (this.#others.numbers.length > 0)
      told.push(groupText(this.#others, "each for another reason (see the results file)"));
    if (told.length === 1) return `${goes}: ${told.join("")}.`;
    return [`${goes}, ${this.sum} in all:`, ...told.map((line) => `  ${line}`)].join("\n");
  }
}

const REASONS_SHOWN_MAX = 100;

function groupText({ numbers, units }: Group, why: string): string {
  return `${whichRows(numbers)}, ${formatUnits(units)}, ${why}`;
}

const STAY_WORDS: readonly (readonly [states: readonly RowState[], word: string])[] = [
  [["accepted"], STATE_WORDS.accepted],
  [["settled_done"], STATE_WORDS.settled_done],
  [["rejected", "invalid"], "refused or invalid (need a corrected file)"],
  [["sending"], STATE_WORDS.sending],
  [["settled_not_done"], `${STATE_WORDS.settled_not_done} (retry sends it)`],
  [["not_sent", "ready"], STATE_WORDS.not_sent],
  [["held"], `${STATE_WORDS.held} (a release sends it)`],
  [["duplicate"], STATE_WORDS.duplicate],
];

/** `Stay: 235 accepted, 3 refused …, 1 unknown (row 91: paydrop settle …)`. `going`: how many rows of each state go. */
export async function staysText(
  journal: JournalStore,
  batch: BatchRecord,
  going: ReadonlyMap<RowState, number>,
): Promise<string[]> {
  const tallies = await journal.tallies(batch.id);
  const parts = STAY_WORDS.flatMap(([states, word]) => {
    const count = states.reduce((sum, state) => sum - (going.get(state) ?? 0), rowsIn(tallies, ...states));
    return count > 0 ? [`${count} ${word}`] : [];
  });
  const unknown = await numbersIn(journal, batch, "unknown");
  if (unknown.length > 0) {
    parts.push(`${unknown.length} unknown (${whichRows(unknown)}: look up, then paydrop settle ${batch.id})`);
  }
  return parts.length > 0 ? [`Stay: ${parts.join(", ")}`] : [];
}

/** Numbers of the rows in this state, in input order. */
export async function numbersIn(journal: JournalStore, { id }: BatchRecord, state: RowState): Promise<number[]> {
  const numbers: number[] = [];
  for await (const rows of journal.rowsIn(id, [state])) for (const { number } of rows) numbers.push(number);
  return numbers;
}

/** `row 91`, `rows 61, 62, 64-92`; a very long list is cut, since its count stands beside it. */
export function whichRows(rows: readonly number[]): string {
  return rowsNamed(rows, RANGES_SHOWN_MAX);
}

const RANGES_SHOWN_MAX = 40;
