import type { SheetCell } from "../workbook/value.ts";

/** Nothing, or white space. */
export function isBlank(cell: SheetCell): boolean {
  return typeof cell === "string" && (cell === "" || cell.trim() === "");
}
