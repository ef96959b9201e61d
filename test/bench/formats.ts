import type { Format } from "./payment-files.ts";

/** How a file of rows is written: its beginning, each row, what stands between two, and its end. */
export interface FormatText {
  readonly head: string;
  readonly line: (cells: readonly string[]) => string;
  readonly between: string;
  readonly tail: string;
}

/** `numbers`: the columns that JSON holds without quotes. */
export function formatOf(format: Format, columns: readonly string[], numbers: ReadonlySet<string>): FormatText {
  if (format === "csv") {
    const line = (cells: readonly string[]): string => cells.map(csvCell).join(",");
    return { head: `${columns.join(",")}\r\n`, line, between: "\r\n", tail: "\r\n" };
  }
  const line = (cells: readonly string[]): string =>
    `{${columns.map((column, at) => `"${column}":${jsonValue(cells[at] ?? "", numbers.has(column))}`).join(",")}}`;
  return format === "jsonl"
    ? { head: "", line, between: "\n", tail: "\n" }
    : { head: "[\n", line, between: ",\n", tail: "\n]\n" };
}

function csvCell(cell: string): string {
  return cell.includes(",") ? `"${cell}"` : cell;
}

function jsonValue(cell: string, isNumber: boolean): string {
  return isNumber ? cell : JSON.stringify(cell);
}
