import type { Cell, Row } from "./row.ts";
import { cellAt, type SheetEntry } from "./workbook-cells.ts";
import { attributesOf, LIMITS, readElements, type Parts } from "./workbook-parts.ts";

/** Cells that are shown as one: what stands in the first holds for all that it covers. */
interface Merged {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** What stands around the rows of a sheet: merged cells, from the top, and the columns that nobody sees. */
export async function readAround(parts: Parts, { part }: SheetEntry) {
  const merged: Merged[] = [];
  const hidden: (readonly [from: number, to: number])[] = [];
  const places = ["worksheet/cols/col", "worksheet/mergeCells/mergeCell"];
  for await (const page of readElements(parts, part, places, LIMITS.book, "sheetData")) {
    for (const element of page) {
      const { ref = "", min, max, hidden: said, width } = attributesOf(element);
      if (element.name === "col") {
        const isHidden = said === "1" || said === "true" || Number(width ?? 1) === 0;
        if (isHidden) hidden.push([Number(min) - 1, Number(max) - 1]);
        continue;
      }
      const [first, last = first] = ref.split(":").map(cellAt);
      if (!first || !last) throw parts.refuse("workbook_damaged");
      merged.push({ left: first.column, right: last.column, top: first.row, bottom: last.row });
    }
  }
  merged.sort((one, other) => one.top - other.top);
  return { merged, isHidden: (at: number) => hidden.some(([from, to]) => from <= at && at <= to) };
}

/**
 * Makes what gives each row, in their order, the values of the merged cells that cover it. `headerRow`: what is merged with
 * the header says nothing of the rows.
 */
export function createCover(all: readonly Merged[], headerRow: number, columns: number) {
  const below = all.filter(({ top, left }) => top > headerRow && left < columns);
  let next = 0;
  let open: { readonly of: Merged; readonly value: Cell | undefined }[] = [];
  return (number: number, cells: Cell[]): Pick<Row, "merged"> => {
    if (next === below.length && open.length === 0) return {};
    open = open.filter(({ of }) => of.bottom >= number);
    for (let of = below[next]; of && of.top <= number; of = below[++next]) {
      // a row that is not there has nothing in it
      if (of.bottom >= number) open.push({ of, value: of.top === number ? cells[of.left] : undefined });
    }
    const merged = new Map<number, "rows" | "columns">();
    // cells that are merged cover no other ones: there are not more than columns
    for (const { of, value } of open.slice(0, columns)) {
      if (value === undefined || value === "") continue;
      for (let at = of.left; at <= Math.min(of.right, columns - 1); at += 1) {
        cells[at] = value;
        if (at > of.left) merged.set(at, "columns");
        else if (of.bottom > of.top) merged.set(at, "rows");
      }
    }
    return merged.size > 0 ? { merged } : {};
  };
}
