import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { DAY_MS } from "../../day.ts";
import type { BatchRecord, Tallies } from "../../journal/batch-record.ts";
import type { RowState } from "../../journal/state.ts";
import type { JournalStore } from "../../journal/store.ts";
import { isResumable } from "../../reason.ts";
import { rowsIn } from "../../results/words/status.ts";
import type { BatchStatus } from "../status.ts";

/**
 * The codes of all that is still open. A payment that was settled as not done waits for a retry, unless it was made
 * since. Rows that were refused for the key or the address look answered, but go again when their batch does; results
 * that are owed are written by a further run. Where the folder of the file is gone for good, nobody waits for them.
 */
export async function openCodesOf(
  journal: JournalStore,
  all: readonly BatchStatus[],
  { duplicateDays }: Config,
): Promise<number[]> {
  const notMade = new Set((await journal.notMade(duplicateDays * DAY_MS)).map(({ batch }) => batch));
  const codes = all.flatMap((one) => [...openCodes(one), notMade.has(one.batch.id) ? 7 : 0]);
  for (const { batch, tallies } of all.filter((one) => one.isUnfinished)) {
    if (existsSync(batch.folder)) return [...codes, 7];
    // page by page: every row of a large file may have been refused
    const pages = rowsIn(tallies, "rejected") > 0 ? journal.rows(batch.id) : [];
    for await (const rows of pages) if (rows.some(isResumable)) return [...codes, 7];
  }
  return codes;
}

/** Rows of a batch that were settled as not done, and that nothing has paid since. */
export async function rowsNotMade(
  journal: JournalStore,
  { duplicateDays }: Config,
  batchId: string,
): Promise<number[]> {
  const all = await journal.notMade(duplicateDays * DAY_MS);
  return all.filter(({ batch }) => batch === batchId).map(({ row }) => row);
}

/** Whether the results of an unfinished batch are all that is open: its counts say nothing of it. */
export async function owesOnlyResults(
  journal: JournalStore,
  { id, folder }: BatchRecord,
  tallies: Tallies,
): Promise<boolean> {
  return rowsIn(tallies, "ready", "sending", "not_sent") === 0 && existsSync(folder) && (await journal.owesResults(id));
}

/** What `--check` says of a batch. Rejected and invalid rows are answered: they live on in a corrected file. */
function openCodes({ batch, tallies }: BatchStatus): number[] {
  const states = Object.keys(tallies) as RowState[];
  const codes = states.filter((state) => rowsIn(tallies, state) > 0).map(codeOfState);
  // what a person cancelled is not waiting for anybody, but an unknown row stays one
  return batch.phase === "cancelled" ? codes.filter((code) => code === 4) : codes;
}

export function codeOfState(state: RowState): number {
  switch (state) {
    case "unknown":
      return 4;
    case "held":
      return 6;
    case "ready":
    case "sending":
    case "not_sent":
      return 7;
    case "accepted":
    case "rejected":
    case "invalid":
    case "duplicate":
    case "settled_done":
    case "settled_not_done":
      return 0;
    default:
      return state satisfies never;
  }
}
