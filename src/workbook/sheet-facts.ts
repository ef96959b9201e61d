import { damaged, WorkbookError } from "./fault.ts";
import { columnOf } from "./value.ts";
import { attributesOf, isTrue } from "./xml.ts";

export const ROWS_MAX = 1_048_576;
const RANGES_MAX = 100_000;

/** Cells that are merged into one: `B5:D5`. Rows as shown, columns counted from 0. */
export interface Range {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** What a sheet says about itself before and behind its rows: complete when the rows have ended. */
export interface SheetFacts {
  readonly hiddenColumns: Range[];
  readonly merged: Range[];
  isFiltered: boolean;
}

/** Notes what an element before or behind the rows says. */
export function noteFact(facts: SheetFacts, name: string, raw: string): void {
  if (name === "col") {
    const attributes = attributesOf(raw);
    if (!isTrue(attributes.get("hidden"))) return;
    const [firstColumn, lastColumn] = [Number(attributes.get("min")) - 1, Number(attributes.get("max")) - 1];
    noteRange(facts.hiddenColumns, { firstRow: 1, lastRow: ROWS_MAX, firstColumn, lastColumn });
  } else if (name === "mergeCell") {
    const range = rangeOf(attributesOf(raw).get("ref") ?? "");
    if (!range) throw damaged("it merges cells that cannot be");
    noteRange(facts.merged, range);
  } else if (name === "filterColumn") {
    facts.isFiltered = true;
  }
}

function noteRange(ranges: Range[], range: Range): void {
  if (ranges.length === RANGES_MAX) throw new WorkbookError("workbook_too_large", "too many merged cells");
  ranges.push(range);
}

function rangeOf(text: string): Range | undefined {
  const [, left = "", top, right = left, bottom = top] =
    /^([A-Z]{1,3})([0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?$/.exec(text) ?? [];
  if (left === "") return undefined;
  return {
    firstRow: Number(top),
    lastRow: Number(bottom),
    firstColumn: columnOf(left),
    lastColumn: columnOf(right),
  };
}
