import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { JournalStore } from "../journal/store.ts";
import type { RowState } from "../journal/state.ts";
import { rowsIn } from "../results/status.ts";
import { whichRows } from "./going.ts";

const WORDS: readonly (readonly [states: readonly RowState[], word: string])[] = [
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
  const parts = WORDS.flatMap(([states, word]) => {
    const count = rowsIn(tallies, ...states) - going.filter((row) => states.includes(row.state)).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  const unknown = await journal.rowsIn(batch.id, ["unknown"]);
  if (unknown.length > 0) {
    parts.push(`${unknown.length} unknown (${whichRows(unknown)}: look up, then paydrop settle ${batch.id})`);
  }
  return parts.length > 0 ? [`Stay: ${parts.join(", ")}`] : [];
}
