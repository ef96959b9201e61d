import { escaped } from "./text.ts";
import { lettersOf, type SheetValue } from "./value.ts";
import { ZipPieces } from "./zip-pieces.ts";

/**
 * One cell to write. Text is always text, in a cell formatted as Text: no program that opens the file computes, rounds
 * or runs it. A number is one that nothing can be lost of; `amount` is plain decimal text, and becomes a number with two
 * decimals at least where a spreadsheet can hold it exactly.
 */
export type OutCell = string | number | null | { readonly amount: string } | SheetValue;

interface SheetShape {
  /** At most 31 characters are kept, and none of `[]:*?/\`. */
  readonly name: string;
  /** The first row, in bold, which stays in sight. */
  readonly header: readonly string[];
  /** In characters, for each column; 14 where it is left out. */
  readonly widths?: readonly number[];
}

/** A whole sheet, for small ones. */
export interface SmallSheet extends SheetShape {
  readonly rows: readonly (readonly OutCell[])[];
}

const PIECE_CHARACTERS = 1024 * 1024;
const WIDTH = 14;
const SHEET_NAME_CHARACTERS_MAX = 31;
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
    const before = this.#sheet === 0 ? this.#commonParts() : [];
    const begun = this.#zip.begin(`xl/worksheets/sheet${this.#sheet + 1}.xml`);
    this.#text = sheetBeginning(shape);
    this.#append(shape.header, HEADER_STYLE);
    return Buffer.concat([...before, begun]);
  }

  rows(rows: readonly (readonly OutCell[])[]): Buffer {
    const pieces: Buffer[] = [];
    for (const row of rows) {
      this.#append(row, TEXT_STYLE);
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

  #commonParts(): Buffer[] {
    const names = this.#sheets.map(({ name }) => name);
    return [
      this.#zip.whole("[Content_Types].xml", contentTypes(names.length)),
      this.#zip.whole("_rels/.rels", ROOT_RELATIONS),
      this.#zip.whole("xl/workbook.xml", workbookXml(names)),
      this.#zip.whole("xl/_rels/workbook.xml.rels", relations(names.length)),
      this.#zip.whole("xl/styles.xml", STYLES),
    ];
  }
}

const TEXT_STYLE = 1;
const HEADER_STYLE = 2;
const AMOUNT_STYLE = 3;
const DATE_STYLE = 4;
const DATE_TIME_STYLE = 5;
const PERCENTAGE_STYLE = 6;
const GENERAL_STYLE = 0;

function cellXml(cell: OutCell, place: string, style: number): string {
  if (cell === null || cell === "") return "";
  if (typeof cell === "string") {
    const kept = /^\s|\s$|\n/.test(cell) ? ' xml:space="preserve"' : "";
    return `<c r="${place}" s="${style}" t="inlineStr"><is><t${kept}>${escaped(cell)}</t></is></c>`;
  }
  if (typeof cell === "number") return `<c r="${place}" s="${GENERAL_STYLE}"><v>${cell}</v></c>`;
  if ("amount" in cell) {
    return isExact(cell.amount)
      ? `<c r="${place}" s="${AMOUNT_STYLE}"><v>${cell.amount}</v></c>`
      : cellXml(cell.amount, place, style);
  }
  return valueXml(cell, place, style);
}

/** What another workbook's cell held, of the same kind as it was there, so that it is read again as the same. */
function valueXml({ token, stored }: SheetValue, place: string, style: number): string {
  switch (token) {
    case "cell_number":
      // the format is for whoever types over it: what is typed into a cell of text stays text
      return `<c r="${place}" s="${style}"><v>${escaped(stored)}</v></c>`;
    case "cell_percentage":
      return `<c r="${place}" s="${PERCENTAGE_STYLE}"><v>${escaped(stored)}</v></c>`;
    case "cell_date":
      return `<c r="${place}" s="${stored.includes(".") ? DATE_TIME_STYLE : DATE_STYLE}"><v>${escaped(stored)}</v></c>`;
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

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The whole column is formatted as Text, so that rows typed below the last one are text too. */
function sheetBeginning({ header, widths = [] }: SheetShape): string {
  const columns = header.map((_, index) => {
    const place = `min="${index + 1}" max="${index + 1}"`;
    return `<col ${place} width="${widths[index] ?? WIDTH}" style="${TEXT_STYLE}" customWidth="1"/>`;
  });
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` +
    `${columns.length === 0 ? "" : `<cols>${columns.join("")}</cols>`}<sheetData>`
  );
}

/** Numbers as text are meant: Excel must not offer to make numbers of account numbers. */
function sheetEnd(columns: number, rows: number): string {
  const range = `A1:${lettersOf(Math.max(columns, 1) - 1)}${rows}`;
  const ignored = `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData>${ignored}</worksheet>`;
}

function contentTypes(sheets: number): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/xl/${part}" ContentType="${CONTENT}.${type}+xml"/>`;
  const all = Array.from({ length: sheets }, (_, index) => override(`worksheets/sheet${index + 1}.xml`, "worksheet"));
  return (
    `${XML}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${override("workbook.xml", "sheet.main")}${override("styles.xml", "styles")}${all.join("")}</Types>`
  );
}

const ROOT_RELATIONS =
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
  `<Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

function relations(sheets: number): string {
  const relation = (id: number, type: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
  const all = Array.from({ length: sheets }, (_, index) =>
    relation(index + 1, "worksheet", `worksheets/sheet${index + 1}.xml`),
  );
  const styles = relation(sheets + 1, "styles", "styles.xml");
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}${styles}</Relationships>`;
}

function workbookXml(names: readonly string[]): string {
  const sheets = names.map((name, index) => {
    const shown =
      name
        .replace(/[[\]:*?/\\]/g, " ")
        .slice(0, SHEET_NAME_CHARACTERS_MAX)
        .trim() || `Sheet${index + 1}`;
    return `<sheet name="${escaped(shown)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`;
  });
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${sheets.join("")}</sheets></workbook>`;
}

/** By the numbers of the styles above; 49 is Text, 10 a percentage, 14 and 22 are dates in the order of the reader's country. */
const STYLES =
  `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0.00##"/></numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFE8EDF3"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="10" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
