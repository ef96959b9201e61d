/** `61, 62, 64-92`: row numbers in order, three or more in a row as a range; of a long list only the first of it. */
export function rowRanges(rows: readonly number[], partsMax = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let first = 0;
  while (first < rows.length && parts.length <= partsMax) {
    let last = first;
    while (rows[last + 1] === (rows[last] ?? 0) + 1) last++;
    const [from, to] = [rows[first] ?? 0, rows[last] ?? 0];
    if (last - first >= 2) parts.push(`${from}-${to}`);
    else parts.push(...rows.slice(first, last + 1).map(String));
    first = last + 1;
  }
  return parts.length > partsMax ? `${parts.slice(0, partsMax).join(", ")}, …` : parts.join(", ");
}

const PARTS_MAX = 20;

/** The same where the list may be long. */
export function rowRangesCut(rows: readonly number[]): string {
  return rowRanges(rows, PARTS_MAX);
}

/** `row 91`, `rows 61, 62, 64-92`; a very long list is cut. */
export function rowsNamed(rows: readonly number[], partsMax = PARTS_MAX): string {
  return `${rows.length === 1 ? "row" : "rows"} ${rowRanges(rows, partsMax)}`;
}
