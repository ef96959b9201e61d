import { damaged, WorkbookError } from "./fault.ts";
import type { SharedStrings } from "./strings.ts";
import type { Style } from "./styles.ts";
import { cellText } from "./text.ts";
import { columnOf, dateOf, decimalOf, isoDateOf, percentageOf, roundedBy, type SheetCell } from "./value.ts";
import { attributesOf, type XmlHandler } from "./xml.ts";

/** A row that the sheet writes down; one without cells that hold anything has none. */
export interface SheetRow {
  /** As the spreadsheet shows it. */
  readonly number: number;
  readonly isHidden: boolean;
  /** From column A to the last one that holds something; empty text where nothing is. */
  readonly cells: readonly SheetCell[];
}

/** Cells that are one: `B5:D5`. Rows as shown, columns counted from 0. */
export interface Range {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** What a sheet says about itself before and behind its rows: complete when the rows have ended. */
export interface SheetFacts {
  readonly hiddenColumns: Range[];
  readonly merged: Range[];
  isFiltered: boolean;
}

/** What the cells of a workbook are read by. */
export interface CellContext {
  readonly strings: SharedStrings | undefined;
  /** By the number of a style. */
  readonly styles: readonly Style[];
  readonly is1904: boolean;
  readonly columnsMax: number;
}

const ROWS_MAX = 1_048_576;
const CELL_CHARACTERS_MAX = 32_767;
const RANGES_MAX = 100_000;
/** How nearly every program writes a cell. */
const USUAL_CELL = /^ r="([A-Z]{1,3})([0-9]{1,7})"(?: s="([0-9]{1,6})")?(?: t="([a-zA-Z]{1,9})")?$/;

/** Takes the rows out of a sheet's XML; those that are whole wait in `rows`. */
export class SheetHandler implements XmlHandler {
  readonly facts: SheetFacts = { hiddenColumns: [], merged: [], isFiltered: false };
  readonly #context: CellContext;
  #rows: SheetRow[] = [];
  #isInData = false;
  #isInRow = false;
  #row = 0;
  #isHidden = false;
  #cells: SheetCell[] = [];
  #column = -1;
  #isInCell = false;
  #style = 0;
  #type = "n";
  #hasFormula = false;
  #hasValue = false;
  #taken: "value" | "text" | undefined;
  #aids = 0;
  #raw = "";

  constructor(context: CellContext) {
    this.#context = context;
  }

  takeRows(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: string): void {
    if (!this.#isInData) this.#openAround(name, attributes);
    else if (!this.#isInRow) this.#openRow(name, attributes);
    else if (!this.#isInCell) this.#openCell(name, attributes);
    else if (name === "v") this.#openValue();
    else if (name === "f") this.#hasFormula = true;
    else if (name === "t" && this.#aids === 0) this.#taken = "text";
    else if (name === "rPh") this.#aids += 1;
  }

  text(raw: string): void {
    if (this.#taken !== undefined) this.#raw = this.#raw === "" ? raw : this.#raw + raw;
  }

  close(name: string): void {
    if (!this.#isInData) return;
    if (name === "v" || name === "t") this.#taken = undefined;
    else if (name === "c" && this.#isInCell) this.#endCell();
    else if (name === "row" && this.#isInRow) this.#endRow();
    else if (name === "rPh") this.#aids -= 1;
    else if (name === "sheetData") this.#isInData = false;
  }

  #openAround(name: string, raw: string): void {
    if (name === "sheetData") {
      this.#isInData = true;
    } else if (name === "col") {
      const attributes = attributesOf(raw);
      if (!isTrue(attributes.get("hidden"))) return;
      const [firstColumn, lastColumn] = [Number(attributes.get("min")) - 1, Number(attributes.get("max")) - 1];
      this.#note(this.facts.hiddenColumns, { firstRow: 1, lastRow: ROWS_MAX, firstColumn, lastColumn });
    } else if (name === "mergeCell") {
      const range = rangeOf(attributesOf(raw).get("ref") ?? "");
      if (!range) throw damaged("it merges cells that cannot be");
      this.#note(this.facts.merged, range);
    } else if (name === "filterColumn") {
      this.facts.isFiltered = true;
    }
  }

  #note(ranges: Range[], range: Range): void {
    if (ranges.length === RANGES_MAX) throw new WorkbookError("workbook_too_large", "too many merged cells");
    ranges.push(range);
  }

  #openRow(name: string, raw: string): void {
    if (name !== "row") return;
    const attributes = attributesOf(raw);
    const stated = attributes.get("r");
    const number = stated === undefined ? this.#row + 1 : Number(stated);
    if (!(number > this.#row && number <= ROWS_MAX)) throw damaged("its rows are not in order");
    this.#isInRow = true;
    this.#row = number;
    this.#isHidden = isTrue(attributes.get("hidden"));
    this.#cells = [];
    this.#column = -1;
  }

  #openCell(name: string, raw: string): void {
    if (name !== "c") return;
    const [, letters = "", row = "", style = "0", type = "n"] = USUAL_CELL.exec(raw) ?? unusualCell(raw);
    const column = letters === "" ? this.#column + 1 : columnOf(letters);
    if (column <= this.#column || (letters !== "" && Number(row) !== this.#row)) {
      throw damaged(`the cells of row ${this.#row} are not in order`);
    }
    this.#column = column;
    this.#isInCell = true;
    this.#style = Number(style);
    this.#type = type;
    this.#hasFormula = false;
    this.#hasValue = false;
    this.#raw = "";
  }

  #openValue(): void {
    this.#taken = "value";
    this.#hasValue = true;
  }

  #endCell(): void {
    this.#isInCell = false;
    this.#taken = undefined;
    this.#aids = 0;
    const cell = this.#cellOf(this.#raw);
    if (cell === "") return;
    if (typeof cell === "string" && cell.length > CELL_CHARACTERS_MAX) {
      throw new WorkbookError("record_too_long", `${CELL_CHARACTERS_MAX} characters in one cell`, this.#row);
    }
    if (this.#column >= this.#context.columnsMax) {
      throw new WorkbookError("too_many_columns", this.#context.columnsMax.toString(), this.#row);
    }
    while (this.#cells.length < this.#column) this.#cells.push("");
    this.#cells.push(cell);
  }

  #endRow(): void {
    this.#isInRow = false;
    this.#rows.push({ number: this.#row, isHidden: this.#isHidden, cells: this.#cells });
  }

  #cellOf(raw: string): SheetCell {
    const type = this.#type;
    // an empty value is one that was calculated
    if (type === "str" && this.#hasFormula && !this.#hasValue) return UNCALCULATED;
    if (type === "inlineStr" || type === "str") return cellText(raw);
    const stored = raw.trim();
    if (stored === "") return this.#hasFormula ? UNCALCULATED : "";
    switch (type) {
      case "s":
        if (!/^[0-9]{1,9}$/.test(stored) || !this.#context.strings) throw this.#wrong();
        return this.#context.strings.get(Number(stored));
      case "n":
        return this.#numberOf(stored);
      case "b":
        return { token: "cell_boolean", source: isTrue(stored) ? "TRUE" : "FALSE", stored: isTrue(stored) ? "1" : "0" };
      case "e":
        return { token: "cell_error", source: cellText(stored), stored: cellText(stored) };
      case "d":
        return isoDateOf(stored) ?? cellText(stored);
      default:
        throw this.#wrong();
    }
  }

  #numberOf(stored: string): SheetCell {
    const { styles, is1904 } = this.#context;
    const style = styles[this.#style];
    const date = style?.shows === "date" ? dateOf(stored, is1904) : undefined;
    if (date) return date;
    const source = decimalOf(stored);
    if (source === undefined) throw this.#wrong();
    if (style?.shows === "percentage") return percentageOf(source, stored);
    if (style?.oddFormat !== undefined) {
      return { token: "cell_number", source, stored, oddFormat: style.oddFormat };
    }
    const shown = style?.rounding && roundedBy(source, style.rounding);
    return shown === undefined
      ? { token: "cell_number", source, stored }
      : { token: "cell_number", source, stored, shown };
  }

  #wrong(): WorkbookError {
    return damaged(`a cell in row ${this.#row} holds what its type cannot be`);
  }
}

/** The same as `USUAL_CELL` gives, of attributes in any order; no letters where the cell does not say its place. */
function unusualCell(raw: string): readonly (string | undefined)[] {
  const attributes = attributesOf(raw);
  const stated = attributes.get("r");
  const [, letters, row] = /^([A-Z]{1,3})([0-9]{1,7})$/.exec(stated ?? "") ?? [];
  if (stated !== undefined && letters === undefined) throw damaged("one of its cells has no place");
  return [raw, letters, row, attributes.get("s"), attributes.get("t")];
}

/** It must never pass for an empty cell, which would be left out in silence. */
const UNCALCULATED: SheetCell = { token: "cell_uncalculated", source: "#N/A", stored: "#N/A" };

function isTrue(said: string | undefined): boolean {
  return said === "1" || said === "true";
}

function rangeOf(text: string): Range | undefined {
  const [, left = "", top, right = left, bottom = top] =
    /^([A-Z]{1,3})([0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?$/.exec(text) ?? [];
  if (left === "") return undefined;
  return {
    firstRow: Number(top),
    lastRow: Number(bottom),
    firstColumn: columnOf(left),
    lastColumn: columnOf(right),
  };
}
