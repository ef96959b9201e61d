import { counted } from "../text/counted.ts";
import { guardsOf } from "../text/spreadsheet-text.ts";
import { WorkbookError } from "../workbook/fault.ts";
import type { Range, SheetFacts } from "../workbook/sheet-facts.ts";
import type { SheetRow } from "../workbook/sheet-rows.ts";
import { lettersOf, type SheetCell } from "../workbook/value.ts";
import { Workbook } from "../workbook/workbook.ts";
import { BlankRows, isBlank } from "./blank.ts";
import { chooseTable, type TableFound } from "./choose-table.ts";
import { checkHeader, quotedName } from "./header.ts";
import { NotedRows } from "./noted-rows.ts";
import { unclearMerge } from "./merged.ts";
import type { Row, Sheet } from "./row.ts";
import type { SheetSource } from "./source.ts";

/** Finds the sheet and its header; `rows` then reads the sheet from its beginning, each time it is called. */
export async function openXlsx(source: SheetSource): Promise<Sheet> {
  try {
    const workbook = await Workbook.open(source.path);
    const table = await chooseTable(workbook, source);
    checkHeader(table.columns, table.headerRow, source.limits.columnsMax, source.refuse);
    const remarks = [...table.remarks];
    return {
      format: "xlsx",
      header: table.columns,
      headerRow: table.headerRow,
      sheetName: table.entry.name,
      remarks,
      rows: () => readRows(workbook, table, source, remarks),
    };
  } catch (error) {
    throw refusalOf(error, source);
  }
}

function refusalOf(error: unknown, source: SheetSource): unknown {
  if (!(error instanceof WorkbookError)) return error;
  const { code, found, row } = error;
  return source.refuse(code, { found, ...(row === undefined ? {} : { row }) });
}

async function* readRows(
  workbook: Workbook,
  table: TableFound,
  source: SheetSource,
  remarks: string[],
): AsyncGenerator<readonly Row[]> {
  const { columnsMax } = source.limits;
  const taker = new RowTaker(table, source);
  let facts: SheetFacts | undefined;
  try {
    for await (const chunk of workbook.rows(table.entry, { columnsMax, facts: (found) => (facts = found) })) {
      const rows = taker.take(chunk);
      if (rows.length > 0) yield rows;
    }
  } catch (error) {
    throw refusalOf(error, source);
  }
  if (taker.count === 0) throw source.refuse("no_rows", { found: "the sheet has a header and no rows below it" });
  const touching = facts?.merged.filter((range) => taker.touches(range)) ?? [];
  const merged = await unclearMerge(touching, table.headerRow, () => workbook.rows(table.entry, { columnsMax }));
  if (merged) throw source.refuse("cells_merged", { row: merged.firstRow, found: rangeText(merged) });
  remarks.splice(0, remarks.length, ...table.remarks, ...taker.remarks(facts));
}

/** Makes our rows of those below the sheet's header. Leaves out blank ones, and notes what a person is to be told. */
class RowTaker {
  readonly #table: TableFound;
  readonly #source: SheetSource;
  readonly #blank = new BlankRows();
  readonly #hidden = new NotedRows();
  readonly #calculated = new NotedRows();
  readonly #withoutGuard: (text: string) => string;
  #last: number;
  count = 0;

  constructor(table: TableFound, source: SheetSource) {
    this.#table = table;
    this.#source = source;
    this.#last = table.headerRow;
    this.#withoutGuard = guardsOf(table.columns);
  }

  take(chunk: readonly SheetRow[]): Row[] {
    const rows: Row[] = [];
    for (const { number, isHidden, isCalculated, cells } of chunk) {
      if (number <= this.#table.headerRow || cells.every(isBlank)) continue;
      if (number > this.#last + 1) this.#blank.add(this.#last + 1, number - 1);
      this.#blank.pass();
      this.#last = number;
      if (isCalculated && this.#source.passesFormulas) {
        this.#calculated.add(number);
        continue;
      }
      if (isHidden) this.#hidden.add(number);
      rows.push({ number, columns: this.#table.columns, cells: this.#fitted(cells, number) });
    }
    this.count += rows.length;
    return rows;
  }

  /** Whether merged cells overlap the table, from its header to its last row. */
  touches({ firstRow, lastRow, firstColumn }: Range): boolean {
    return firstColumn < this.#table.columns.length && lastRow >= this.#table.headerRow && firstRow <= this.#last;
  }

  remarks(facts: SheetFacts | undefined): string[] {
    const columns = this.#table.columns.flatMap((name, index) => {
      const isHidden = facts?.hiddenColumns.some((one) => one.firstColumn <= index && index <= one.lastColumn);
      return isHidden && name.trim() !== "" ? [`${lettersOf(index)} (${quotedName(name)})`] : [];
    });
    const [are, were] = columns.length === 1 ? ["column", "is hidden; it was"] : ["columns", "are hidden; they were"];
    return [
      ...this.#hidden.hidden(facts?.isFiltered === true),
      ...this.#calculated.calculated(),
      ...(columns.length === 0 ? [] : [`${are} ${columns.join(", ")} ${were} read all the same`]),
      ...this.#blank.remarks(),
    ];
  }

  #fitted(cells: readonly SheetCell[], row: number): SheetCell[] {
    const { columns } = this.#table;
    const { recordCharactersMax } = this.#source.limits;
    const fitted: SheetCell[] = [];
    let characters = 0;
    for (let index = 0; index < Math.max(columns.length, cells.length); index += 1) {
      const found = cells[index] ?? "";
      const cell = typeof found === "string" ? this.#withoutGuard(found) : found;
      if ((columns[index] ?? "").trim() === "" && !isBlank(cell)) throw this.#nameless(row, index);
      if (index < columns.length) fitted.push(cell);
      if (typeof cell === "string") characters += cell.length;
    }
    if (characters <= recordCharactersMax) return fitted;
    throw this.#source.refuse("record_too_long", { row, found: counted(recordCharactersMax, "character") });
  }

  #nameless(row: number, index: number): Error {
    const found = `cell ${lettersOf(index)}${row} holds a value, but the header gives its column no name`;
    return this.#source.refuse("cell_without_header", { row, found });
  }
}

function rangeText({ firstRow, lastRow, firstColumn, lastColumn }: Range): string {
  return `${lettersOf(firstColumn)}${firstRow}:${lettersOf(lastColumn)}${lastRow}`;
}
