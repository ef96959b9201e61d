/** What the journal knows of a row that is corrected, and of the row that this one corrects in its turn. */
import { wasEmptyIn } from "../checks/cells/not-mended.ts";
import type { RowName } from "../checks/correction.ts";
import type { JournalStore } from "../journal/store.ts";
import type { OperationName } from "../operations/operation.ts";

/** What is asked of the journal; a batch by its whole id. */
export type EarlierBatches = Pick<JournalStore, "batch" | "row">;

/** The fault of a row that corrects one of another operation. */
export const OTHER_OPERATION = "retry_of_operation";

/** The operation that a row was taken in as. Of one that was refused for that alone: of the row that it corrects. */
export async function operationTaken(
  earlier: EarlierBatches,
  { batch, row }: RowName,
): Promise<OperationName | undefined> {
  const known = await earlier.row(batch, row);
  const isRefusedForIt = known?.faults?.some(({ code }) => code === OTHER_OPERATION) ?? false;
  return isRefusedForIt && known?.correction ? operationTaken(earlier, known.correction.of) : known?.operation;
}

/** Whether nothing was wrong with a row when it was taken in: what stands in each column of it is what belongs there. */
export async function wasValid(earlier: EarlierBatches, { batch, row }: RowName): Promise<boolean> {
  const known = await earlier.row(batch, row);
  return known !== undefined && known.state !== "invalid" && (known.faults ?? []).length === 0;
}

/**
 * Whether a row was refused because these columns were empty, and so was the row that it corrects: then it had no payee
 * that could have changed. A row that went with an empty cell, by the rules of then, was for somebody.
 */
export async function hadNoPayee(
  earlier: EarlierBatches,
  { batch, row }: RowName,
  columns: readonly string[],
): Promise<boolean> {
  const known = await earlier.row(batch, row);
  const told = [...(known?.faults ?? []), ...(known?.warnings ?? [])];
  if (known?.state !== "invalid" || !wasEmptyIn(told, columns)) return false;
  return known.correction ? hadNoPayee(earlier, known.correction.of, columns) : true;
}
