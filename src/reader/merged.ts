import type { Range } from "../workbook/sheet-facts.ts";
import type { SheetRow } from "../workbook/sheet-rows.ts";
import { isBlank } from "./blank.ts";

/**
 * The first merged cells that leave open which row a value belongs to, or that hide a value. Merged cells within one
 * row below the header that hide nothing, such as a total or a line for signatures, change nothing.
 */
export async function unclearMerge(
  ranges: readonly Range[],
  headerRow: number,
  read: () => AsyncIterable<readonly SheetRow[]>,
): Promise<Range | undefined> {
  const unclear = ranges.find(({ firstRow, lastRow }) => firstRow < lastRow || firstRow === headerRow);
  if (unclear || ranges.length === 0) return unclear;
  const byRow = Map.groupBy(ranges, ({ firstRow }) => firstRow);
  for await (const rows of read()) {
    for (const { number, cells } of rows) {
      const hiding = byRow
        .get(number)
        ?.find(({ firstColumn, lastColumn }) =>
          cells.slice(firstColumn + 1, lastColumn + 1).some((cell) => !isBlank(cell)),
        );
      if (hiding) return hiding;
    }
  }
  return undefined;
}
