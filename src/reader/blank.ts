import { counted } from "../text/counted.ts";
import type { SheetCell } from "../workbook/value.ts";

/** Whether a cell of a workbook holds nothing, or only white space. */
export function isBlank(cell: SheetCell): boolean {
  return typeof cell === "string" && (cell === "" || cell.trim() === "");
}

const REMARKS_MAX = 5;

/** Blank rows are passed over, but never silently: those in the middle are named, those at the end counted. */
export class BlankRows {
  readonly #remarks: string[] = [];
  #gaps = 0;
  #first = 0;
  #last = 0;

  /** Notes that `row` is blank, or all rows from `row` to `last`. To be called in the order of the rows. */
  add(row: number, last = row): void {
    if (this.#first === 0) this.#first = row;
    this.#last = last;
  }

  /** Notes that the next row is not blank: the blank rows before it were not the end. */
  pass(): void {
    if (this.#first === 0) return;
    this.#gaps += 1;
    if (this.#gaps <= REMARKS_MAX) {
      const isOne = this.#first === this.#last;
      const which = isOne ? `row ${this.#first} is` : `rows ${this.#first} to ${this.#last} are`;
      this.#remarks.push(`${which} blank and ${isOne ? "was" : "were"} passed over`);
    }
    this.#first = 0;
  }

  /** To be called at the end of the file. */
  remarks(): string[] {
    const remarks = [...this.#remarks];
    if (this.#gaps > REMARKS_MAX) remarks.push(`blank rows stand in ${this.#gaps - REMARKS_MAX} more places`);
    if (this.#first > 0) {
      const count = this.#last - this.#first + 1;
      remarks.push(`${counted(count, "blank row")} at the end ${count === 1 ? "was" : "were"} passed over`);
    }
    return remarks;
  }
}
