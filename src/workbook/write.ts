import { commonParts, sheetBeginning, sheetEnd, STYLE, type SheetShape } from "./parts.ts";
import { escaped } from "./text.ts";
import { lettersOf, type SheetValue } from "./value.ts";
import { ZipPieces } from "./zip-pieces.ts";

/**
 * One cell to write. Text is always text, in a cell formatted as Text: no program that opens the file computes, rounds
 * or runs it. A number is one of which nothing can be lost; `amount` is plain decimal text, and becomes a number with
 * two decimals at least where a spreadsheet can hold it exactly.
 */
export type OutCell = string | number | null | { readonly amount: string } | SheetValue;

/** A whole sheet, for small ones. */
export interface SmallSheet extends SheetShape {
  readonly rows: readonly (readonly OutCell[])[];
}

const PIECE_CHARACTERS = 1024 * 1024;
/** Digits that a spreadsheet's number keeps. */
const DIGITS_MAX = 15;

/** The bytes of a workbook; equal sheets give equal bytes. For tables of many rows use `WorkbookPieces`. */
export function workbookOf(sheets: readonly SmallSheet[]): Buffer {
  const writer = new WorkbookPieces(sheets);
  const pieces = sheets.flatMap((sheet) => [writer.beginSheet(), writer.rows(sheet.rows), writer.endSheet()]);
  return Buffer.concat([...pieces, writer.end()]);
}

/**
 * A workbook piece by piece, sheet after sheet: every call gives the bytes that come next. Memory is flat, and the bytes
 * do not depend on how the rows were cut into calls.
 */
export class WorkbookPieces {
  readonly #zip = new ZipPieces();
  readonly #sheets: readonly SheetShape[];
  #sheet = -1;
  #row = 0;
  #text = "";

  constructor(sheets: readonly SheetShape[]) {
    this.#sheets = sheets;
  }

  beginSheet(): Buffer {
    this.#sheet += 1;
    this.#row = 0;
    const shape = this.#shape();
    const common = this.#sheet === 0 ? commonParts(this.#sheets.map(({ name }) => name)) : [];
    const before = common.map(([part, xml]) => this.#zip.whole(part, xml));
    const begun = this.#zip.begin(`xl/worksheets/sheet${this.#sheet + 1}.xml`);
    this.#text = sheetBeginning(shape);
    this.#append(shape.header, STYLE.header);
    return Buffer.concat([...before, begun]);
  }

  rows(rows: readonly (readonly OutCell[])[]): Buffer {
    const pieces: Buffer[] = [];
    for (const row of rows) {
      this.#append(row, STYLE.text);
      if (this.#text.length < PIECE_CHARACTERS) continue;
      pieces.push(this.#zip.data(this.#text));
      this.#text = "";
    }
    return Buffer.concat(pieces);
  }

  endSheet(): Buffer {
    const { header } = this.#shape();
    this.#text += sheetEnd(header.length, this.#row);
    return Buffer.concat([this.#zip.data(this.#text, true), this.#zip.end()]);
  }

  end(): Buffer {
    return this.#zip.directory();
  }

  #shape(): SheetShape {
    const shape = this.#sheets[this.#sheet];
    if (!shape) throw new Error("there is no sheet of that number");
    return shape;
  }

  #append(cells: readonly OutCell[], style: number): void {
    this.#row += 1;
    let text = `<row r="${this.#row}">`;
    for (let index = 0; index < cells.length; index += 1) {
      text += cellXml(cells[index] ?? null, `${lettersOf(index)}${this.#row}`, style);
    }
    this.#text += `${text}</row>`;
  }
}

function cellXml(cell: OutCell, place: string, style: number): string {
  if (cell === null || cell === "") return "";
  if (typeof cell === "string") {
    const kept = /^\s|\s$|\n/.test(cell) ? ' xml:space="preserve"' : "";
    return `<c r="${place}" s="${style}" t="inlineStr"><is><t${kept}>${escaped(cell)}</t></is></c>`;
  }
  if (typeof cell === "number") return `<c r="${place}" s="${STYLE.general}"><v>${cell}</v></c>`;
  if ("amount" in cell) {
    return isExact(cell.amount)
      ? `<c r="${place}" s="${STYLE.amount}"><v>${cell.amount}</v></c>`
      : cellXml(cell.amount, place, style);
  }
  return valueXml(cell, place, style);
}

/** What a cell of another workbook held, of the same kind as it was there, so that it is read again as the same. */
function valueXml({ token, stored }: SheetValue, place: string, style: number): string {
  switch (token) {
    case "cell_number":
      // the format is for a person who types over the value: what is typed into a cell of text stays text
      return `<c r="${place}" s="${style}"><v>${escaped(stored)}</v></c>`;
    case "cell_percentage":
      return `<c r="${place}" s="${STYLE.percentage}"><v>${escaped(stored)}</v></c>`;
    case "cell_date":
      return `<c r="${place}" s="${stored.includes(".") ? STYLE.dateTime : STYLE.date}"><v>${escaped(stored)}</v></c>`;
    case "cell_boolean":
      return `<c r="${place}" s="${style}" t="b"><v>${escaped(stored)}</v></c>`;
    case "cell_error":
    case "cell_uncalculated":
      return `<c r="${place}" s="${style}" t="e"><v>${escaped(stored)}</v></c>`;
    default:
      return token satisfies never;
  }
}

function isExact(amount: string): boolean {
  return /^-?[0-9]+(?:\.[0-9]+)?$/.test(amount) && amount.replace(/[^0-9]/g, "").length <= DIGITS_MAX;
}
