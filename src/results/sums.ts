import { formatUnits, unitsOf } from "../amount.ts";
import type { BatchRecord, ByStatus, Tally } from "../journal/batch-record.ts";
import type { ResultStatus } from "../journal/state.ts";
import { RESULT_STATUSES } from "./words/status.ts";

/** Rows, and their amounts in ten-thousandths. */
export interface Sum {
  rows: number;
  units: bigint;
}

export type Sums = Map<ResultStatus, Sum>;

/** Adds the sums of one account to those of all. */
export function addInto(all: Sums, sums: Sums): void {
  for (const [status, { rows, units }] of sums) {
    const sum = all.get(status);
    all.set(status, { rows: rows + (sum?.rows ?? 0), units: units + (sum?.units ?? 0n) });
  }
}

/** Over all statuses. */
export function totalOf(sums: Sums): Sum {
  const total: Sum = { rows: 0, units: 0n };
  for (const { rows, units } of sums.values()) {
    total.rows += rows;
    total.units += units;
  }
  return total;
}

export function tally({ rows, units }: Sum): Tally {
  return { rows, amount: formatUnits(units) };
}

/** In the order of the statuses; none for a status that no row has. */
export function tallies(sums: Sums): ByStatus {
  const byStatus: Partial<Record<ResultStatus, Tally>> = {};
  for (const status of RESULT_STATUSES) {
    const sum = sums.get(status);
    if (sum) byStatus[status] = tally(sum);
  }
  return byStatus;
}

/** Rows and exact sum of several tallies, of those that are there. */
export function addedUp(all: readonly (Tally | undefined)[]): Tally {
  const total: Sum = { rows: 0, units: 0n };
  for (const { rows, amount } of all.filter((one) => one !== undefined)) {
    total.rows += rows;
    total.units += unitsOf(amount);
  }
  return tally(total);
}

/** What the file holds: its control totals. */
export function inTheFile({ rows, total }: Pick<BatchRecord, "rows" | "total">): Tally {
  return { rows, amount: total };
}

export const NO_ROWS: Tally = { rows: 0, amount: "0.00" };
