import type { Cell } from "./row.ts";
import { COLUMNS_MAX } from "./source.ts";
import { readCell, type Book, type StoredCell } from "./workbook-cells.ts";
import { attributesOf, isTrue, scanXml, type Parts, type XmlHandler } from "./workbook-parts.ts";

/** A row that the sheet writes down. */
export interface SheetRow {
  /** As the spreadsheet shows it. */
  readonly number: number;
  readonly isHidden: boolean;
  /** Nothing, or formulas that give 0 or nothing: somebody dragged them down past the table. */
  isBlank: boolean;
  /** From column A to the last one that holds something; empty text where nothing is. */
  readonly cells: Cell[];
}

const ROWS_MAX = 1_048_576;
const CELL_CHARACTERS_MAX = 32_767;

/** The rows of a sheet in order, in pages; memory is flat. Throws FileRefusedError. */
export async function* readSheet(parts: Parts, part: string, book: Book): AsyncGenerator<readonly SheetRow[]> {
  for await (const { rows } of scanXml(parts, part, sheetHandler(parts, book))) {
    const page = rows.splice(0);
    if (page.length > 0) yield page;
  }
}

/** How nearly every program writes a cell. */
const USUAL_CELL = /^ r="([A-Z]+[0-9]+)"(?: s="([0-9]+)")?(?: t="([a-zA-Z]+)")?$/;
/** A zero as a formula gives it, whatever its format shows. */
const ZERO = /^0(?:\.0*)?$/;

/** Takes the rows out of a sheet's XML; those that are whole stand in `rows`. */
function sheetHandler({ refuse }: Parts, book: Book): XmlHandler & { rows: SheetRow[] } {
  const rows: SheetRow[] = [];
  let inside: "around" | "data" | "row" | "cell" = "around";
  let row: SheetRow = { number: 0, isHidden: false, isBlank: true, cells: [] };
  let column = -1;
  // one object for all cells: there are millions
  const cell: StoredCell = { type: "n", style: 0, hasFormula: false, hasValue: false, raw: "" };
  let isTaken = false;

  function openRow(raw: string): void {
    const { r = String(row.number + 1), hidden } = attributesOf(raw);
    const number = Number(r);
    if (!(number > row.number && number <= ROWS_MAX)) throw refuse("workbook_damaged");
    row = { number, isHidden: isTrue(hidden), isBlank: true, cells: [] };
    column = -1;
    inside = "row";
  }

  function openCell(raw: string): void {
    const usual = USUAL_CELL.exec(raw);
    const { r = "", s = "0", t = "n" } = usual ? { r: usual[1], s: usual[2], t: usual[3] } : attributesOf(raw);
    const number = String(row.number);
    const next = r === "" ? column + 1 : columnOf(r.endsWith(number) ? r.slice(0, -number.length) : "");
    if (!(next > column)) throw refuse("workbook_damaged", {}, { row: row.number });
    column = next;
    inside = "cell";
    Object.assign(cell, { style: Number(s), type: t, hasFormula: false, hasValue: false, raw: "" });
  }

  function openInCell(name: string): void {
    if (name === "f") cell.hasFormula = true;
    isTaken = name === "v" || name === "t";
    if (name !== "v" && name !== "is") return;
    // two values in a cell would be read as one: 5 and 7 as 57
    if (cell.hasValue) throw refuse("workbook_damaged", {}, { row: row.number });
    cell.hasValue = true;
  }

  function closeCell(): void {
    inside = "row";
    const place = { row: row.number };
    const value = readCell(cell, book);
    if (value === undefined) throw refuse("workbook_damaged", {}, place);
    if (value === "") return;
    const isText = typeof value === "string";
    row.isBlank &&= isText ? value.trim() === "" : cell.hasFormula && ZERO.test(value.source);
    if (isText && value.length > CELL_CHARACTERS_MAX) {
      throw refuse("record_too_long", { most: CELL_CHARACTERS_MAX }, place);
    }
    if (column >= COLUMNS_MAX) throw refuse("too_many_columns", { most: COLUMNS_MAX }, place);
    while (row.cells.length < column) row.cells.push("");
    row.cells.push(value);
  }

  return {
    rows,
    open(name, raw) {
      if (inside === "cell") openInCell(name);
      else if (name === "c" && inside === "row") openCell(raw);
      else if (name === "row" && inside === "data") openRow(raw);
      else if (name === "sheetData") inside = "data";
    },
    text(raw) {
      if (isTaken) cell.raw += raw;
    },
    close(name) {
      isTaken = false;
      if (name === "c" && inside === "cell") closeCell();
      else if (name === "sheetData") inside = "around";
      else if (name === "row" && inside === "row") {
        inside = "data";
        rows.push(row);
      }
    },
  };
}

/** The column, counted from 0, of one to three letters in capitals; NaN for anything else. */
function columnOf(letters: string): number {
  if (!/^[A-Z]{1,3}$/.test(letters)) return Number.NaN;
  return Array.from(letters).reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
