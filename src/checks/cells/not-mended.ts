import { normalizeName } from "../../text/names.ts";
import type { FieldInFile, RowName } from "../correction.ts";
import type { Fault } from "../fault.ts";

/** A row whose amount was cut is mended by a new amount, one with cells moved aside by any change. */
const BY_THE_AMOUNT = "amount_cut";
/** Faults that a retry file does not show: it has no cells behind those of the header, and no key that stands twice. */
const LOST_IN_RETRY_FILE: readonly string[] = [BY_THE_AMOUNT, "cells_shifted", "key_repeated"];
/** What a workbook made of an id; saved as CSV it looks like any other. It is mended by a change of its own cell. */
const DIGITS_LOST = "number_digits_lost";
const NUMBER_NOT_TEXT = "number_not_text";

const SINCE = "; this is not mended since ";
const AS_IT_STANDS = " If the row is right as it stands, empty its cell of retry_of.";

/** How the cells of a row that corrects another one differ from those of that row. */
export interface CellsChanged {
  /** Fields that are not as they were written. */
  readonly rewritten: readonly FieldInFile[];
  /** Fields of the same value in which a person put text for a number: only in a workbook is that somebody's doing. */
  readonly madeText: readonly FieldInFile[];
}

/**
 * The fault that a row has from the row that it corrects: its own cells do not show the fault any more, and nothing
 * that could mend it was changed. Faults by the settings are left out: they may be right by now. `before`: the faults
 * of the corrected row.
 */
export function notMended(before: readonly Fault[], changed: CellsChanged, of: RowName): Fault | undefined {
  const fault = before.find((one) => isUnmended(one, changed));
  if (!fault) return undefined;
  const { code, column, message, hint } = fault;
  return {
    code,
    ...(column === undefined ? {} : { column }),
    message: `${partBefore(message, SINCE)}${SINCE}row ${of.row} of batch ${of.batch}, which it corrects`,
    hint: partBefore(hint, AS_IT_STANDS) + AS_IT_STANDS,
  };
}

function isUnmended({ code, column }: Fault, { rewritten, madeText }: CellsChanged): boolean {
  const isOfFault = (field: FieldInFile): boolean => normalizeName(field.column) === normalizeName(column ?? "");
  if (code === BY_THE_AMOUNT) return !rewritten.some(({ name }) => name === "amount");
  if (code === DIGITS_LOST) return !rewritten.some(isOfFault);
  if (code === NUMBER_NOT_TEXT) return ![...rewritten, ...madeText].some(isOfFault);
  return LOST_IN_RETRY_FILE.includes(code) && rewritten.length === 0;
}

/**
 * Whether a row with these faults was refused because nothing stood in these columns. Not a row whose cells were moved,
 * or had values that got lost: what is missing may have stood elsewhere.
 */
export function wasEmptyIn(faults: readonly Fault[], columns: readonly string[]): boolean {
  if (faults.some(({ code }) => LOST_IN_RETRY_FILE.includes(code))) return false;
  const missing = faults.filter(({ code }) => code === "value_missing").map(({ column }) => column);
  return faults.some(({ code }) => code === "option_neither") || columns.every((column) => missing.includes(column));
}

/** The text before `end`: for a row that was left unmended twice, what was said the first time. */
function partBefore(text: string, end: string): string {
  const at = text.indexOf(end);
  return at < 0 ? text : text.slice(0, at);
}
