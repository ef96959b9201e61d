import type { FileFormat } from "../format.ts";
import { normalizeName } from "../text/names.ts";
import { printableTable } from "../text/printable.ts";
import type { Cell, Row, Wrapper } from "../reader/row.ts";
import { WorkbookPieces, type OutCell } from "../workbook/write.ts";
import { guardCell } from "./cell.ts";

/** One value of ours. Numbers stay numbers in JSON and in workbooks, `null` is an empty cell. */
type OurValue = string | number | null;

/** A row out: columns of ours before and after the row's own. */
export interface TableRow {
  readonly before: readonly OurValue[];
  readonly row: Row;
  readonly after: readonly OurValue[];
}

interface TableShape {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Columns of ours that hold an amount as plain decimal text. */
  readonly amounts?: readonly string[];
  /** The name of a workbook's sheet. */
  readonly sheetName?: string;
  /** Own columns that are left out. */
  readonly isDropped?: (column: string) => boolean;
  /** It is read again as an input: its cells are the very characters of the file. */
  readonly isInput?: true;
}

/** A table in the format of the file in, piece by piece. */
export interface Table {
  begin(): string | Uint8Array;
  rows(rows: readonly TableRow[]): string | Uint8Array;
  end(): string | Uint8Array;
}

/** `header`: of a table, as in the file. `wrapper`: is written around JSON rows again, so that they are read alike. */
export function tableIn(format: FileFormat, shape: TableShape, header: readonly string[], wrapper?: Wrapper): Table {
  if (format === "csv") return csvTable(shape, header);
  if (format === "xlsx") return workbookTable(shape, header);
  return format === "jsonl" ? jsonLinesTable(shape) : jsonTable(shape, wrapper);
}

/** UTF-8 with a byte order mark, by which Excel knows it; CRLF; comma. */
function csvTable(shape: TableShape, header: readonly string[]): Table {
  const kept = keptIndexes(header, shape);
  const shown = (text: string): string => (shape.isInput ? text : printableTable(text));
  return {
    begin() {
      const own = ownNames(header, shape);
      const names = [...shape.before, ...kept.map((index) => guardCell(own[index] ?? "")), ...shape.after];
      return `\uFEFF${shown(names.map(quoted).join(","))}\r\n`;
    },
    rows(rows) {
      let text = "";
      for (const row of rows) text += csvLine(row, kept);
      return shown(text);
    },
    end: () => "",
  };
}

/** RFC 4180. Written by hand because csv-stringify takes 6 µs for a line like ours; a test holds it to what that writes. */
function csvLine({ before, row, after }: TableRow, kept: readonly number[]): string {
  let line = "";
  for (const value of before) line += `${quoted(csvValue(value))},`;
  for (const index of kept) line += `${quoted(guardCell(textOf(row.cells[index] ?? "")))},`;
  for (const value of after) line += `${quoted(csvValue(value))},`;
  return `${line.slice(0, -1)}\r\n`;
}

const NEEDS_QUOTES = /[",\r\n]/;

function quoted(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function csvValue(value: OurValue): string {
  if (typeof value === "string") return guardCell(value);
  return value === null ? "" : String(value);
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.source;
}

/** Cells that nothing damages (`workbook/write.ts`): no `'` is needed before what looks like a formula. */
function workbookTable(shape: TableShape, header: readonly string[]): Table {
  const kept = keptIndexes(header, shape);
  const own = ownNames(header, shape);
  const names = [...shape.before, ...kept.map((index) => own[index] ?? ""), ...shape.after];
  const widths = names.map((name) => WIDE.get(name) ?? Math.min(Math.max(name.length + 3, WIDTH_MIN), WIDTH_MAX));
  const pieces = new WorkbookPieces([{ name: shape.sheetName ?? "results", header: names, widths }]);
  const isAmount = shape.after.map((name) => shape.amounts?.includes(name) === true);
  const record = ({ before, row, after }: TableRow): OutCell[] => [
    ...before,
    ...kept.map((index) => sheetCell(row.cells[index] ?? "")),
    ...after.map((value, index) => (isAmount[index] && typeof value === "string" ? { amount: value } : value)),
  ];
  return {
    begin: () => pieces.beginSheet(),
    rows: (rows) => pieces.rows(rows.map(record)),
    end: () => Buffer.concat([pieces.endSheet(), pieces.end()]),
  };
}

const WIDTH_MIN = 12;
const WIDTH_MAX = 30;
const WIDE = new Map([
  ["result_message", 50],
  ["result_action", 40],
  ["result_sent_at", 26],
  ["result_response", 40],
  ["retry_message", 70],
]);

function sheetCell(cell: Cell): OutCell {
  if (typeof cell === "string") return cell;
  return "stored" in cell ? cell : cell.source;
}

/** An array of objects, one per line. */
function jsonTable(shape: TableShape, wrapper: Wrapper | undefined): Table {
  const object = jsonObjectOf(shape);
  const said = wrapperText(wrapper);
  let isFirst = true;
  return {
    begin: () => `${said ? `{${said},"rows":` : ""}[`,
    rows(rows) {
      let text = "";
      for (const row of rows) {
        text += `${isFirst ? "\n" : ",\n"}${object(row)}`;
        isFirst = false;
      }
      return text;
    },
    end: () => `\n]${said ? "}" : ""}\n`,
  };
}

function jsonLinesTable(shape: TableShape): Table {
  const object = jsonObjectOf(shape);
  return {
    begin: () => "",
    rows(rows) {
      let text = "";
      for (const row of rows) text += `${object(row)}\n`;
      return text;
    },
    end: () => "",
  };
}

function wrapperText(wrapper: Wrapper | undefined): string {
  const said = { operation: wrapper?.operation, period: wrapper?.period };
  return JSON.stringify(said).slice(1, -1);
}

/** Rows of one file mostly share their columns: what is the same for all of them is made once. */
function jsonObjectOf(shape: TableShape): (row: TableRow) => string {
  const before = shape.before.map((name) => `${JSON.stringify(name)}:`);
  const after = shape.after.map((name) => `${JSON.stringify(name)}:`);
  let columns: readonly string[] | undefined;
  let kept: readonly number[] = [];
  let own: readonly string[] = [];
  return (row) => {
    if (row.row.columns !== columns) {
      columns = row.row.columns;
      kept = keptIndexes(columns, shape);
      own = ownNames(columns, shape).map((name) => `${JSON.stringify(name)}:`);
    }
    const members: string[] = [];
    row.before.forEach((value, index) => members.push(`${before[index] ?? ""}${JSON.stringify(value)}`));
    for (const index of kept) members.push(`${own[index] ?? ""}${jsonCell(row.row.cells[index] ?? "")}`);
    row.after.forEach((value, index) => members.push(`${after[index] ?? ""}${JSON.stringify(value)}`));
    return `{${members.join(",")}}`;
  };
}

/** What was not text keeps its very characters, on one line: a line break in JSON stands only between tokens. */
function jsonCell(cell: Cell): string {
  return typeof cell === "string" ? JSON.stringify(cell) : cell.source.replace(/[\r\n]+/g, " ");
}

/** A column of the file with one of our names gets another: who reads by name must find what became of the row. */
function ownNames(columns: readonly string[], { before, after }: TableShape): readonly string[] {
  const ours = new Set([...before, ...after].map(normalizeName));
  return columns.map((name) => (ours.has(normalizeName(name)) ? `input_${name}` : name));
}

function keptIndexes(columns: readonly string[], shape: TableShape): readonly number[] {
  return columns.flatMap((column, index) => (shape.isDropped?.(column) ? [] : [index]));
}
