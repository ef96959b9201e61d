import { formatUnits, unitsOf } from "../amount.ts";
import { counted, listed } from "../text/counted.ts";
import type { FileFault } from "../errors.ts";
import type { CheckedRow } from "./instruction.ts";

/** What somebody said the file would hold. */
export interface ExpectedControl {
  /** Who said so, as a message names it: `--expect-total`, `payroll.csv.control`. */
  readonly source: string;
  readonly rows?: number;
  /** Plain decimal text with at most four decimals; not checked again. */
  readonly total?: string;
}

/** What the file holds: all rows, and the exact sum of all amounts that can be read, of invalid rows too. */
export interface ControlTotals {
  readonly rows: number;
  readonly total: string;
  /** Number of rows whose amount cannot be read: it is not in the total. A totals row has no amount of its own. */
  readonly unreadable: number;
}

/** Rows that were found to be no payments: nobody counts them who counts payments. */
export interface NoPayments {
  readonly rows: number;
  /** The first of them, in the order of the file. */
  readonly first: readonly { readonly row: number; readonly code: NoPaymentCode }[];
}

type NoPaymentCode = keyof typeof NO_PAYMENT;

/** What such a row is, to follow its number. */
const NO_PAYMENT = { totals_row: "sums up others", header_again: "repeats the header" } as const;

interface ControlCounter {
  add(rows: readonly CheckedRow[]): void;
  totals(): ControlTotals;
  noPayments(): NoPayments;
  /** What a person should look at: a last row of sums may look like a payment in everything but its amount. */
  remarks(): readonly string[];
}

/** A last row counts as a sum only behind so many rows: behind one row it may be the same payment once more. */
const ROWS_ADDED_UP_MIN = 2;
const NO_PAYMENTS_SHOWN = 5;

/** Adds up row by row, without rounding. */
export function createControlCounter(): ControlCounter {
  let rows = 0;
  let unreadable = 0;
  let units = 0n;
  let last: { readonly number: number; readonly units: bigint } | undefined;
  let others = 0;
  const firstOthers: NoPayments["first"][number][] = [];
  return {
    add(checked) {
      rows += checked.length;
      for (const row of checked) {
        const amount = row.instruction ? row.instruction.amount : row.amount;
        const code = row.faults?.[0]?.code;
        if (amount !== undefined) units += unitsOf(amount);
        else if (code !== "totals_row") unreadable += 1;
        if (code !== "totals_row" && code !== "header_again") continue;
        others += 1;
        if (others <= NO_PAYMENTS_SHOWN) firstOthers.push({ row: row.row.number, code });
      }
      const at = checked.at(-1);
      if (at) last = at.instruction && { number: at.row.number, units: unitsOf(at.instruction.amount) };
    },
    totals: () => ({ rows, total: formatUnits(units), unreadable }),
    noPayments: () => ({ rows: others, first: firstOthers }),
    remarks: () =>
      last && rows > ROWS_ADDED_UP_MIN && last.units * 2n === units ? [sumRemark(last.number, last.units)] : [],
  };
}

function sumRemark(row: number, units: bigint): string {
  const amount = formatUnits(units);
  return `row ${row}, the last one, has the sum of all rows before it, ${amount}: make sure that it is a payment of its own`;
}

/**
 * A fault for every source that says something else: `control_rows_differ`, `control_total_differs`; `control_missing`
 * where totals are required (`require_control`) and nobody said any. `misnamed`: a file beside the input that was meant
 * to say them. `noPayments`: they may explain why the file has more rows.
 */
export function compareControl(
  expected: readonly ExpectedControl[],
  actual: ControlTotals,
  isRequired: boolean,
  { misnamed, noPayments }: { readonly misnamed?: string | undefined; readonly noPayments?: NoPayments } = {},
): readonly FileFault[] {
  const said = expected.filter(({ rows, total }) => rows !== undefined || total !== undefined);
  if (said.length === 0) return isRequired ? [missing(misnamed)] : [];
  return said.flatMap((one) => [...compareRows(one, actual, noPayments), ...compareTotal(one, actual)]);
}

function compareRows(
  { source, rows }: ExpectedControl,
  actual: ControlTotals,
  noPayments: NoPayments = { rows: 0, first: [] },
): readonly FileFault[] {
  if (rows === undefined || rows === actual.rows) return [];
  const surplus = actual.rows - rows;
  const difference = `${Math.abs(surplus)} ${surplus < 0 ? "too few" : "too many"}`;
  const message = `${source} says ${counted(rows)}, the file has ${actual.rows}: ${difference}`;
  const hint = "Copy the file again completely, or correct the number of rows.";
  const words = surplus > 0 && noPayments.rows > 0 ? besideOf(message, surplus, noPayments) : { message, hint };
  return [{ code: "control_rows_differ", ...words }];
}

/** The words for a file that has more rows, and among them some that are no payments. */
function besideOf(message: string, surplus: number, { rows, first }: NoPayments): Pick<FileFault, "message" | "hint"> {
  const more = rows > first.length ? [`${counted(rows - first.length, "more row")} like these`] : [];
  const which = listed([...first.map(({ row, code }) => `row ${row} ${NO_PAYMENT[code]}`), ...more], "and");
  const shown = listed([...first.map(({ row }) => String(row)), ...more], "and");
  const then = rows === surplus ? "" : ", then compare the number of rows again";
  const hint = `Delete ${rows === 1 ? "row" : "the rows"} ${shown}: no payment stands there. Save the file again${then}.`;
  return { message: `${message}; ${which}`, hint };
}

function compareTotal({ source, total }: ExpectedControl, actual: ControlTotals): readonly FileFault[] {
  if (total === undefined) return [];
  const missing = unitsOf(total) - unitsOf(actual.total);
  if (missing === 0n) return [];
  const difference = missing > 0n ? `${formatUnits(missing)} less` : `${formatUnits(-missing)} more`;
  const unreadable =
    actual.unreadable === 0
      ? ""
      : `; there ${actual.unreadable === 1 ? "is" : "are"} ${counted(actual.unreadable)} whose amount cannot be read`;
  const message = `${source} says ${total}, the amounts of the file add up to ${actual.total}, ${difference}${unreadable}`;
  const hint = "Look for a row that is missing, repeated or changed, or correct the total.";
  return [{ code: "control_total_differs", message, hint }];
}

function missing(misnamed: string | undefined): FileFault {
  return {
    code: "control_missing",
    message: "nobody said how many rows the file has or what its amounts add up to, and the configuration requires it",
    hint:
      misnamed === undefined
        ? "Give --expect-rows or --expect-total, or a file beside it with .control after its name: rows=240, total=11087750.50."
        : `Rename ${misnamed}, which lies beside it: the whole name of the file, then .control.`,
  };
}
