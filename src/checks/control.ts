import { formatUnits, unitsOf } from "../amount.ts";
import type { FileFault } from "../errors.ts";
import { CONTROL_MISSING, sayDiffering } from "./control-words.ts";
import type { CheckedRow } from "./instruction.ts";

/** What somebody said the file would hold. */
export interface ExpectedControl {
  /** Who said so, as a message names it: `--expect-total`, `payroll.csv.control`. */
  readonly source: string;
  readonly rows?: number;
  /** Plain decimal text with at most four decimals: whoever read it saw to that. */
  readonly total?: string;
}

/** What the file holds: all rows, and the exact sum of all amounts that can be read, of invalid rows too. */
export interface ControlTotals {
  readonly rows: number;
  readonly total: string;
  /** Rows whose amount cannot be read: their money is not in the total. */
  readonly unreadable: number;
}

export interface ControlCounter {
  add(rows: readonly CheckedRow[]): void;
  totals(): ControlTotals;
}

/** Adds up row by row, without rounding. */
export function createControlCounter(): ControlCounter {
  let rows = 0;
  let unreadable = 0;
  let units = 0n;
  return {
    add(checked) {
      rows += checked.length;
      for (const row of checked) {
        const amount = row.instruction ? row.instruction.amount : row.amount;
        if (amount === undefined) unreadable += 1;
        else units += unitsOf(amount);
      }
    },
    totals: () => ({ rows, total: formatUnits(units), unreadable }),
  };
}

/**
 * A fault for every source that says otherwise: `control_rows_differ`, `control_total_differs`; `control_missing` where one is required (`require_control`) and nobody said anything.
 */
export function compareControl(
  expected: readonly ExpectedControl[],
  actual: ControlTotals,
  isRequired: boolean,
): readonly FileFault[] {
  const said = expected.filter(({ rows, total }) => rows !== undefined || total !== undefined);
  if (said.length === 0) return isRequired ? [CONTROL_MISSING] : [];
  return said.flatMap((one) => [...compareRows(one, actual), ...compareTotal(one, actual)]);
}

function compareRows({ source, rows }: ExpectedControl, actual: ControlTotals): readonly FileFault[] {
  if (rows === undefined || rows === actual.rows) return [];
  return [
    sayDiffering("control_rows_differ", {
      source,
      stated: String(rows),
      found: String(actual.rows),
      difference: String(Math.abs(rows - actual.rows)),
      way: rows > actual.rows ? "less" : "more",
    }),
  ];
}

function compareTotal({ source, total }: ExpectedControl, actual: ControlTotals): readonly FileFault[] {
  if (total === undefined) return [];
  const difference = unitsOf(total) - unitsOf(actual.total);
  if (difference === 0n) return [];
  return [
    sayDiffering("control_total_differs", {
      source,
      stated: total,
      found: actual.total,
      difference: formatUnits(difference > 0n ? difference : -difference),
      way: difference > 0n ? "less" : "more",
      unreadable: actual.unreadable,
    }),
  ];
}
