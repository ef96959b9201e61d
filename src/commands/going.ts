import { formatUnits, unitsOf } from "../amount.ts";
import { counted } from "../counted.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { RowState } from "../journal/state.ts";
import type { JournalStore } from "../journal/store.ts";
import { rowsNamed } from "../results/row-ranges.ts";
import { rowsIn } from "../results/status.ts";

/** A row that is let go, and why it may go: `not sent`, `settled as not done by asha`. */
export interface GoingRow {
  readonly number: number;
  readonly amount?: string | undefined;
  readonly why: string;
}

/**
 * What will be sent, before it is: `1 row goes: row 164, 39500.00, settled as not done by asha.` Several reasons stand
 * on a line each.
 */
export function goingText(rows: readonly GoingRow[]): string {
  const byReason = Map.groupBy(rows, (row) => row.why);
  const groups = [...byReason].map(([why, group]) => ({ why, which: whichRows(group), sum: sumOf(group) }));
  const goes = `${counted(rows.length)} ${rows.length === 1 ? "goes" : "go"}`;
  const [only] = groups;
  if (!only) return "No row goes.";
  if (groups.length === 1) return `${goes}: ${only.which}, ${only.sum}, ${only.why}.`;
  const lines = groups.map(({ which, sum, why }) => `  ${which}, ${sum}, ${why}`);
  return [`${goes}, ${sumOf(rows)} in all:`, ...lines].join("\n");
}

const STAY_WORDS: readonly (readonly [states: readonly RowState[], word: string])[] = [
  [["accepted"], "accepted"],
  [["settled_done"], "settled as done"],
  [["rejected", "invalid"], "refused or invalid (need a corrected file)"],
  [["sending"], "being sent"],
  [["settled_not_done"], "settled as not done (retry sends it)"],
  [["not_sent", "ready"], "not sent"],
  [["held"], "held (a release sends it)"],
  [["duplicate"], "duplicate"],
];

/** `Stay: 235 accepted, 3 refused …, 1 unknown (row 91: paydrop settle …)`: what does not go with these rows. */
export async function staysText(
  journal: JournalStore,
  batch: BatchRecord,
  going: readonly RowRecord[],
): Promise<string[]> {
  const tallies = await journal.tallies(batch.id);
  const parts = STAY_WORDS.flatMap(([states, word]) => {
    const count = rowsIn(tallies, ...states) - going.filter((row) => states.includes(row.state)).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  const unknown = await journal.rowsIn(batch.id, ["unknown"]);
  if (unknown.length > 0) {
    parts.push(`${unknown.length} unknown (${whichRows(unknown)}: look up, then paydrop settle ${batch.id})`);
  }
  return parts.length > 0 ? [`Stay: ${parts.join(", ")}`] : [];
}

/** Exact sum of the amounts, as text. */
export function sumOf(rows: readonly Pick<GoingRow, "amount">[]): string {
  return formatUnits(rows.reduce((sum, { amount }) => sum + (amount === undefined ? 0n : unitsOf(amount)), 0n));
}

/** `row 91`, `rows 61, 62, 64-92`; a very long list is cut, since its count stands beside it. */
export function whichRows(rows: readonly { readonly number: number }[]): string {
  return rowsNamed(
    rows.map((row) => row.number),
    RANGES_SHOWN_MAX,
  );
}

const RANGES_SHOWN_MAX = 40;
