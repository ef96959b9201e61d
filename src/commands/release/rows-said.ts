import { PaydropError } from "../../errors.ts";

const ROWS_MAX = 1_000_000;

/** `--row 91 164`, `--row 91,164`, `--row 91-99`: row numbers as a spreadsheet shows them, in order, each once. */
export function rowsSaid(value: unknown): readonly number[] {
  const words = (Array.isArray(value) ? value : [value]).flatMap((word) => String(word).split(/[\s,]+/));
  const rows = new Set<number>();
  for (const word of words.filter((text) => text !== "")) for (const row of rangeSaid(word)) rows.add(row);
  return [...rows].sort((a, b) => a - b);
}

function rangeSaid(word: string): readonly number[] {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(word);
  const first = Number(match?.[1] ?? 0);
  const last = Number(match?.[2] ?? first);
  if (first < 1 || last < first || last - first >= ROWS_MAX) {
    throw new PaydropError(
      "usage",
      `--row: ${JSON.stringify(word)} is not a row number`,
      "write numbers as the results file shows them in result_row, such as --row 91 164-170",
    );
  }
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
