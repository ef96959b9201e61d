import { constants, crc32, deflateRawSync } from "node:zlib";
import { lettersOf } from "../column-name.ts";
import { DAY_MS, EXCEL_EPOCH_MS } from "../day.ts";
import type { Cell, Token } from "../reader/row.ts";

/**
 * One cell to write. Text is always text, in a cell formatted as Text: no program that opens the file computes, rounds
 * or runs it. `amount` is plain decimal text, and becomes a number where a spreadsheet can hold it exactly.
 */
export type OutCell = Cell | number | null | { readonly amount: string };

export interface SheetShape {
  /** At most 31 characters are kept, and none of `[]:*?/\`. */
  readonly name: string;
  /** The first row: in bold, and always in sight. */
  readonly header: readonly string[];
  /** In characters, for each column; 14 where it is left out. */
  readonly widths?: readonly number[];
}

const PIECE_CHARACTERS = 1024 * 1024;
const DIGITS_MAX = 15;

/**
 * A workbook of one sheet, piece by piece: every call gives the bytes that come next. Memory is flat, and the same rows
 * give the same bytes, however they were cut into calls (I11).
 */
export class WorkbookPieces {
  readonly #zip = new ZipPieces();
  readonly #shape: SheetShape;
  readonly #letters: readonly string[];
  #row = 0;
  #text = "";

  constructor(shape: SheetShape) {
    this.#shape = shape;
    this.#letters = shape.header.map((_, at) => lettersOf(at));
  }

  begin(): Buffer {
    const { name, header, widths = [] } = this.#shape;
    const before = commonParts(name).flatMap(([part, xml]) => [this.#zip.begin(part), this.#zip.end(XML + xml)]);
    // the whole column is formatted as Text, so that rows typed below the last one are text too
    const column = (at: number): string =>
      `<col min="${at}" max="${at}" width="${widths[at - 1] ?? 14}" style="${STYLE.text}" customWidth="1"/>`;
    const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
    this.#text =
      `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` +
      `<cols>${header.map((_, at) => column(at + 1)).join("")}</cols><sheetData>`;
    const begun = this.#zip.begin("xl/worksheets/sheet1.xml");
    this.#append(header, STYLE.header);
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

  /** Text that looks like a number is meant: Excel must not offer to make numbers of account numbers. */
  end(): Buffer {
    const range = `A1:${this.#letters.at(-1) ?? "A"}${this.#row}`;
    const ignored = `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
    const rest = this.#zip.end(`${this.#text}</sheetData>${ignored}</worksheet>`);
    return Buffer.concat([rest, this.#zip.directory()]);
  }

  #append(cells: readonly OutCell[], style: number): void {
    this.#row += 1;
    const inner = this.#letters.map((letters, at) => cellXml(cells[at] ?? null, `${letters}${this.#row}`, style));
    this.#text += `<row r="${this.#row}">${inner.join("")}</row>`;
  }
}

function cellXml(cell: OutCell, place: string, style: number): string {
  if (cell === null || cell === "") return "";
  if (typeof cell === "string") {
    const kept = /^\s|\s$|\n/.test(cell) ? ' xml:space="preserve"' : "";
    return `<c r="${place}" s="${style}" t="inlineStr"><is><t${kept}>${escaped(cell)}</t></is></c>`;
  }
  if (typeof cell === "number") return `<c r="${place}" s="${STYLE.general}"><v>${cell}</v></c>`;
  if ("token" in cell) return tokenXml(cell, place, style);
  const { amount } = cell;
  const isExact = /^-?[0-9]+(?:\.[0-9]+)?$/.test(amount) && amount.replace(/[^0-9]/g, "").length <= DIGITS_MAX;
  return isExact ? `<c r="${place}" s="${STYLE.amount}"><v>${amount}</v></c>` : cellXml(amount, place, style);
}

/** What a cell of another file held, of the same kind as it was there, so that it is read again as the same. */
function tokenXml({ token, source }: Token, place: string, style: number): string {
  const value = (text: string, of = style, type = ""): string => `<c r="${place}" s="${of}"${type}><v>${text}</v></c>`;
  if (token === "null") return "";
  if (token === "error") return value(escaped(source), style, ' t="e"');
  if (token === "boolean") return value(/^true$/i.test(source) ? "1" : "0", style, ' t="b"');
  // the format is for a person who types over the value: what is typed into a cell of text stays text
  if (token === "number" && /^-?[0-9.]+$/.test(source)) return value(source);
  const time = source.includes(":") ? "Z" : "";
  const days = token === "date" ? (Date.parse(source.replace(" ", "T") + time) - EXCEL_EPOCH_MS) / DAY_MS : 0;
  if (!(days > 60)) return cellXml(source, place, style);
  if (time !== "") return value(String(days), STYLE.dateTime);
  return value(String(days), source.length < "2026-11-27".length ? STYLE.month : STYLE.date);
}

const TO_ESCAPE =
  /[&<>"]|_(?=x[0-9a-fA-F]{4}_)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const AS_ENTITY: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it stands in a cell or an attribute, so that a reader gives it back, whatever it is. */
function escaped(text: string): string {
  const coded = (one: string): string => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  return text.replace(TO_ESCAPE, (character) => AS_ENTITY[character] ?? coded(character));
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const STYLE = { general: 0, text: 1, header: 2, amount: 3, date: 4, dateTime: 5, month: 6 } as const;
/** In the order of `STYLE`; 49 is Text, 14 and 22 are dates in the order of the reader's country, 17 a month. */
const FORMATS = [0, 49, 49, 164, 14, 22, 17];
const PLAIN = 'fontId="0" fillId="0" borderId="0"';
const STYLES =
  `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0.00##"/></numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  `<cellStyleXfs count="1"><xf numFmtId="0" ${PLAIN}/></cellStyleXfs><cellXfs count="${FORMATS.length}">` +
  `${FORMATS.map(styleXml).join("")}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

function styleXml(format: number, at: number): string {
  const font = at === STYLE.header ? PLAIN.replace('fontId="0"', 'fontId="1" applyFont="1"') : PLAIN;
  return `<xf numFmtId="${format}" ${font} xfId="0" applyNumberFormat="1"/>`;
}

/** The parts around a sheet of this name, each with its own name in the package. */
function commonParts(name: string): readonly (readonly [part: string, xml: string])[] {
  const clean = name.replace(/[[\]:*?/\\]/g, " ");
  const shown = clean.slice(0, 31).trim() || "Sheet1";
  const override = (part: string, type: string): string =>
    `<Override PartName="/xl/${part}" ContentType="${CONTENT}.${type}+xml"/>`;
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
  const relations = (inner: string): string =>
    `<Relationships xmlns="${PACKAGE}/relationships">${inner}</Relationships>`;
  const types =
    `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `<Default Extension="xml" ContentType="application/xml"/>${override("workbook.xml", "sheet.main")}` +
    `${override("styles.xml", "styles")}${override("worksheets/sheet1.xml", "worksheet")}`;
  const sheet = `<sheet name="${escaped(shown)}" sheetId="1" r:id="a"/>`;
  const ofBook = relation("a", "worksheet", "worksheets/sheet1.xml") + relation("b", "styles", "styles.xml");
  return [
    ["[Content_Types].xml", `<Types xmlns="${PACKAGE}/content-types">${types}</Types>`],
    ["_rels/.rels", relations(relation("a", "officeDocument", "xl/workbook.xml"))],
    ["xl/workbook.xml", `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${sheet}</sheets></workbook>`],
    ["xl/_rels/workbook.xml.rels", relations(ofBook)],
    ["xl/styles.xml", STYLES],
  ];
}

/** Version 2.0, sizes behind the packed bytes, names in UTF-8, deflate, midnight of 1 January 1980. */
const COMMON = [20, 0x0808, 8, 0, 0x0021] as const;

/**
 * A zip file for a writer that only ever appends. What one call packs is a whole number of deflate blocks, so that
 * pieces follow one another without a state between them. Throws for one of more than 4 GB.
 */
class ZipPieces {
  readonly #directory: Buffer[] = [];
  #part = { name: Buffer.alloc(0), offset: 0, crc: 0, packed: 0, unpacked: 0 };
  #offset = 0;

  begin(path: string): Buffer {
    const name = Buffer.from(path);
    this.#part = { name, offset: this.#offset, crc: 0, packed: 0, unpacked: 0 };
    return this.#out(numbers("42222244422", 0x0403_4b50, ...COMMON, 0, 0, 0, name.length, 0), name);
  }

  data(text: string, finishFlush = constants.Z_SYNC_FLUSH): Buffer {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes, { finishFlush });
    this.#part.crc = crc32(bytes, this.#part.crc);
    this.#part.unpacked += bytes.length;
    this.#part.packed += packed.length;
    return this.#out(packed);
  }

  end(text: string): Buffer {
    const rest = this.data(text, constants.Z_FINISH);
    const { name, offset, crc, packed, unpacked } = this.#part;
    const sizes = [crc, packed, unpacked] as const;
    const more = [name.length, 0, 0, 0, 0, 0, offset] as const;
    this.#directory.push(numbers("42222224442222244", 0x0201_4b50, 20, ...COMMON, ...sizes, ...more), name);
    return Buffer.concat([rest, this.#out(numbers("4444", 0x0807_4b50, ...sizes))]);
  }

  directory(): Buffer {
    const entries = Buffer.concat(this.#directory);
    const count = this.#directory.length / 2;
    return this.#out(entries, numbers("42222442", 0x0605_4b50, 0, 0, count, count, entries.length, this.#offset, 0));
  }

  #out(...pieces: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(pieces);
    this.#offset += bytes.length;
    return bytes;
  }
}

/** Whole numbers one after the other, the lowest byte first, each as many bytes wide as its digit in `widths` says. */
function numbers(widths: string, ...values: readonly number[]): Buffer {
  const sizes = Array.from(widths, Number);
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [index, size] of sizes.entries()) at = bytes.writeUIntLE(values[index] ?? 0, at, size);
  return bytes;
}
