import { readCell, type CellContext, type StoredCell } from "./cell.ts";
import { damaged, WorkbookError } from "./fault.ts";
import { noteFact, ROWS_MAX, type SheetFacts } from "./sheet-facts.ts";
import { columnOf, type SheetCell } from "./value.ts";
import { attributesOf, isTrue, type XmlHandler } from "./xml.ts";

/** A row that the sheet writes down; a row without cells that hold anything is not among them. */
export interface SheetRow {
  /** As the spreadsheet shows it. */
  readonly number: number;
  readonly isHidden: boolean;
  /** The row has nothing but formulas that give 0 or nothing: somebody dragged them down past the table. */
  readonly isCalculated: boolean;
  /** From column A to the last one that holds something; empty text where nothing is. */
  readonly cells: readonly SheetCell[];
}

const CELL_CHARACTERS_MAX = 32_767;
/** A zero as a formula gives it, whatever its format shows. */
const ZERO = /^\s*0(?:\.0*)?\s*$/;
/** How nearly every program writes a cell. */
const USUAL_CELL = /^ r="([A-Z]{1,3})([0-9]{1,7})"(?: s="([0-9]{1,6})")?(?: t="([a-zA-Z]{1,9})")?$/;

/** Takes the rows out of a sheet's XML; rows that are complete wait in `rows`. */
export class SheetHandler implements XmlHandler {
  readonly facts: SheetFacts = { hiddenColumns: [], merged: [], isFiltered: false };
  readonly #context: CellContext;
  #rows: SheetRow[] = [];
  #isInData = false;
  #isInRow = false;
  #row = 0;
  #isHidden = false;
  #isCalculated = true;
  #cells: SheetCell[] = [];
  #column = -1;
  #isInCell = false;
  #isInline = false;
  /** One object for all cells: there are millions. */
  readonly #cell: StoredCell = { type: "n", style: 0, hasFormula: false, hasValue: false, raw: "" };
  #taken: "value" | "text" | undefined;
  #aids = 0;

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
    else if (name === "f") this.#cell.hasFormula = true;
    else if (name === "is") this.#openInline();
    else if (name === "t" && this.#aids === 0) this.#openText();
    else if (name === "rPh") this.#aids += 1;
  }

  text(raw: string): void {
    if (this.#taken !== undefined) this.#cell.raw = this.#cell.raw === "" ? raw : this.#cell.raw + raw;
  }

  close(name: string): void {
    if (!this.#isInData) return;
    if (name === "v" || name === "t") this.#taken = undefined;
    else if (name === "c" && this.#isInCell) this.#endCell();
    else if (name === "is") this.#isInline = false;
    else if (name === "row" && this.#isInRow) this.#endRow();
    else if (name === "rPh") this.#aids -= 1;
    else if (name === "sheetData") this.#isInData = false;
  }

  #openAround(name: string, attributes: string): void {
    if (name === "sheetData") this.#isInData = true;
    else noteFact(this.facts, name, attributes);
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
    this.#isCalculated = true;
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
    this.#cell.style = Number(style);
    this.#cell.type = type;
    this.#cell.hasFormula = false;
    this.#cell.hasValue = false;
    this.#cell.raw = "";
  }

  #openValue(): void {
    this.#assertOneValue();
    this.#taken = "value";
    this.#cell.hasValue = true;
  }

  #openInline(): void {
    this.#assertOneValue();
    this.#isInline = true;
  }

  /** Begins a text, perhaps one of several runs of the same inline text. */
  #openText(): void {
    if (!this.#isInline) throw damaged(`a cell in row ${this.#row} holds a text that is not its value`);
    this.#taken = "text";
  }

  /** Two values in a cell would be read as one: 5 and 7 as 57. */
  #assertOneValue(): void {
    if (this.#isInline || this.#cell.raw !== "") throw damaged(`a cell in row ${this.#row} holds two values`);
  }

  #endCell(): void {
    this.#isInCell = false;
    this.#isInline = false;
    this.#taken = undefined;
    this.#aids = 0;
    const cell = readCell(this.#cell, this.#context);
    if (cell === undefined) throw damaged(`a cell in row ${this.#row} holds what its type cannot be`);
    if (cell === "") return;
    if (this.#isCalculated) this.#isCalculated = this.#isNothing(cell);
    if (typeof cell === "string" && cell.length > CELL_CHARACTERS_MAX) {
      throw new WorkbookError("record_too_long", `${CELL_CHARACTERS_MAX} characters in one cell`, this.#row);
    }
    if (this.#column >= this.#context.columnsMax) {
      throw new WorkbookError("too_many_columns", this.#context.columnsMax.toString(), this.#row);
    }
    while (this.#cells.length < this.#column) this.#cells.push("");
    this.#cells.push(cell);
  }

  #isNothing(cell: SheetCell): boolean {
    if (typeof cell === "string") return cell.trim() === "";
    return this.#cell.hasFormula && this.#cell.type === "n" && ZERO.test(this.#cell.raw);
  }

  #endRow(): void {
    this.#isInRow = false;
    this.#rows.push({
      number: this.#row,
      isHidden: this.#isHidden,
      isCalculated: this.#isCalculated,
      cells: this.#cells,
    });
  }
}

/** What `USUAL_CELL` gives, from attributes in any order; no letters where the cell does not say its place. */
function unusualCell(raw: string): readonly (string | undefined)[] {
  const attributes = attributesOf(raw);
  const stated = attributes.get("r");
  const [, letters, row] = /^([A-Z]{1,3})([0-9]{1,7})$/.exec(stated ?? "") ?? [];
  if (stated !== undefined && letters === undefined) throw damaged("one of its cells has no place");
  return [raw, letters, row, attributes.get("s"), attributes.get("t")];
}
