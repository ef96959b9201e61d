import { normalizeName } from "../names.ts";

/** The marks of our own results file, under whatever name it comes back (DESIGN §6). */
const MARKS = ["result_row", "result_status"].map(normalizeName);

/** `header`: the column names of a CSV file, or of a JSON file's first row. */
export function isOwnHeader(header: readonly string[]): boolean {
  const names = new Set(header.map(normalizeName));
  return MARKS.every((mark) => names.has(mark));
}
