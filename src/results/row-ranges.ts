/** So many parts of a long list are told. */
const PARTS_MAX = 20;

/** Row numbers as they come, in order: memory grows with the gaps between them, and not beyond what is told. */
export class RowRanges {
  readonly #partsMax: number;
  readonly #ranges: { readonly from: number; to: number }[] = [];

  constructor(partsMax = PARTS_MAX) {
    this.#partsMax = partsMax;
  }

  add(row: number): void {
    const last = this.#ranges.at(-1);
    if (last && (row === last.to || row === last.to + 1)) last.to = row;
    // one more than are told: it shows that there are more
    else if (this.#ranges.length <= this.#partsMax) this.#ranges.push({ from: row, to: row });
  }

  /** `61, 62, 64-92`: three or more in a row as a range; of a long list only the first of it. */
  toString(): string {
    const parts = this.#ranges.flatMap(({ from, to }) => {
      if (to - from >= 2) return [`${from}-${to}`];
      return from === to ? [String(from)] : [String(from), String(to)];
    });
    if (parts.length <= this.#partsMax) return parts.join(", ");
    return `${parts.slice(0, this.#partsMax).join(", ")}, …`;
  }
}

export function rowRanges(rows: readonly number[], partsMax?: number): string {
  const ranges = new RowRanges(partsMax);
  for (const row of rows) ranges.add(row);
  return ranges.toString();
}

/** `row 91`, `rows 61, 62, 64-92`; a very long list is cut. */
export function rowsNamed(rows: readonly number[], partsMax?: number): string {
  return `${rows.length === 1 ? "row" : "rows"} ${rowRanges(rows, partsMax)}`;
}
