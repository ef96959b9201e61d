import { join } from "node:path";
import type { Checked } from "../checks/check-file.ts";
import type { CheckedFile } from "../events.ts";
import { approversFor, isUnapproved } from "../journal/approval.ts";
import { batchNamed } from "../journal/circumstances.ts";
import type { Recording } from "../journal/record.ts";
import type { BatchRecord } from "../journal/store.ts";
import type { Fault } from "../messages/sentence.ts";
import { firstHeld } from "./columns.ts";
import { byStatusOf } from "./totals.ts";

/** What was found, and what became of the rows when they were judged. */
export async function toldOf(
  { config, store, destination }: Omit<Recording, "now">,
  found: Checked,
  id: string,
  toldMax?: number,
): Promise<CheckedFile> {
  const batch = await batchNamed(store, id);
  const { environment, tallies } = batch;
  const held = tallies.held ? await firstHeld(store, batch, toldMax) : [];
  const heldCount = tallies.held?.rows ?? 0;
  const approvers = Math.max(batch.approvers, approversFor(config, batch.total));
  const remarks = [...found.remarks, ...approvalRemarks({ ...batch, approvers })];
  return { ...found, remarks, environment, destination, byStatus: byStatusOf(tallies), held, heldCount };
}

/** What is told of a file that was checked in an earlier run. */
export function knownFile(batch: BatchRecord): CheckedFile {
  const { format, label: operation, environment, destination, period, rows, total, tallies } = batch;
  return {
    ...{ file: join(batch.folder, batch.fileName), format, operation, environment, destination },
    ...(period === undefined ? {} : { period }),
    ...{ total: { rows, amount: total }, byStatus: byStatusOf(tallies), accounts: [] },
    remarks: approvalRemarks(batch),
    ...{ invalid: [], invalidCount: tallies.invalid?.rows ?? 0, held: [], heldCount: tallies.held?.rows ?? 0 },
    ...{ pointedOut: [], pointedOutCount: 0, unreadable: 0 },
  };
}

const approvalRemarks = (batch: BatchRecord): Fault[] =>
  isUnapproved(batch) ? [{ code: "needs_approval", facts: { approvers: batch.approvers } }] : [];
