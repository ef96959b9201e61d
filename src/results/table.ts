import { normalizeName } from "../column-name.ts";
import type { FileFormat } from "../file-format.ts";
import { printableTable } from "../printable.ts";
import type { Cell, Row, Wrapper } from "../reader/row.ts";
import { WorkbookPieces, type OutCell } from "./workbook.ts";

export interface OutRow {
  readonly before: readonly OutCell[];
  readonly row: Row;
  readonly after: readonly OutCell[];
}

export interface TableShape {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** How wide columns of ours are in a workbook, in characters, and the name of its sheet. */
  readonly widths: Readonly<Record<string, number>>;
  readonly sheet: string;
  /** Own columns that are left out, as `normalizeName` gives them. */
  readonly dropped?: readonly string[];
  /** It is read again as an input: its cells are the very characters of the file. */
  readonly isInput?: true;
}

type Piece = string | Uint8Array;

/** A table in the format of the file in, piece by piece. */
export interface OutTable {
  begin(): Piece;
  rows(rows: readonly OutRow[]): Piece;
  end(): Piece;
}

/** `header`: of a table, as in the file. `wrapper`: is written around JSON rows again, so that they are read alike. */
export function tableIn(format: FileFormat, shape: TableShape, header: readonly string[], wrapper?: Wrapper): OutTable {
  const layout = layoutOf(header, shape);
  if (format === "csv") return csvTable(layout, shape.isInput === true);
  if (format === "xlsx") {
    const { names, cellsOf } = layout;
    const widths = names.map((name) => shape.widths[name] ?? Math.min(Math.max(name.length + 3, 12), 30));
    const pieces = new WorkbookPieces({ name: shape.sheet, header: names, widths });
    return { begin: () => pieces.begin(), rows: (rows) => pieces.rows(rows.map(cellsOf)), end: () => pieces.end() };
  }
  const object = jsonObjectIn(shape);
  if (format === "jsonl") {
    return { begin: () => "", rows: (rows) => rows.map((row) => `${object(row)}\n`).join(""), end: () => "" };
  }
  // an array of objects, one per line
  const said = JSON.stringify({ operation: wrapper?.operation, period: wrapper?.period }).slice(1, -1);
  let lead = "\n";
  return {
    begin: () => `${said && `{${said},"rows":`}[`,
    rows(rows) {
      const text = lead + rows.map(object).join(",\n");
      lead = ",\n";
      return text;
    },
    end: () => `\n]${said && "}"}\n`,
  };
}

/**
 * Which columns of the file are kept, and under which names: one with a name of ours gets another, for who reads by name
 * must find what became of the row.
 */
function layoutOf(columns: readonly string[], { before, after, dropped = [] }: TableShape) {
  const ours = new Set([...before, ...after].map(normalizeName));
  const kept = [...columns.keys()].filter((index) => !dropped.includes(normalizeName(columns[index] ?? "")));
  const own = kept.map((index) => columns[index] ?? "");
  const names = own.map((name) => (ours.has(normalizeName(name)) ? `input_${name}` : name));
  const cellsOf = ({ before: first, row, after: last }: OutRow): OutCell[] => {
    const cells = [...first];
    for (const index of kept) cells.push(row.cells[index] ?? "");
    cells.push(...last);
    return cells;
  };
  return { names: [...before, ...names, ...after], cellsOf };
}

export function textOf(cell: Cell | { readonly amount: string }): string {
  if (typeof cell === "string") return cell;
  return "amount" in cell ? cell.amount : cell.source;
}

const RUNS_FIRST = new Set(["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]);
/** A plain number or a phone number: a spreadsheet computes nothing with it, and a `'` would only be in the way. */
const SIGNED_DIGITS = /^[+-][0-9]+(?:\.[0-9]+)?$/;
/** What a spreadsheet may take for the end of a cell, though it is none here: many split a file at `;` or at tabs. */
const MAY_END = /[;\t\r\n]/;
const RUNS_BEHIND_AN_END = /([;\t\r\n] *)(?='*[=+\-@＝＋－＠])(?![+-][0-9]+(?:\.[0-9]+)?(?:[;\t\r\n]|$))/g;

/**
 * Guards a cell of a CSV file, so that no spreadsheet runs it: with a leading `'` where one would (README §9), and with
 * one in the middle where a spreadsheet would that takes `;` for the end of a cell. The reader takes off a `'` before
 * any of these characters, so that text read from a CSV file comes back as it was; in the middle only in a retry file.
 */
export function guardCell(text: string): string {
  const inside = MAY_END.test(text) ? text.replace(RUNS_BEHIND_AN_END, "$1'") : text;
  return RUNS_FIRST.has(text.charAt(0)) && !SIGNED_DIGITS.test(text) ? `'${inside}` : inside;
}

const NEEDS_QUOTES = /[",\r\n]/;
/** What most cells are: nothing in it runs, and nothing ends it. */
const PLAIN_CELL = /^[A-Za-z0-9][^;",\t\r\n]*$/;
/** By this mark Excel knows UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** RFC 4180. By hand because csv-stringify takes 6 µs for a line of results; a test holds it to what that writes. */
function csvCell(cell: OutCell): string {
  if (cell === null || typeof cell === "number") return `${cell ?? ""}`;
  const written = textOf(cell);
  if (written === "" || PLAIN_CELL.test(written)) return written;
  const text = guardCell(written);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** UTF-8 with a byte order mark; CRLF; comma. */
function csvTable({ names, cellsOf }: ReturnType<typeof layoutOf>, isInput: boolean): OutTable {
  const line = (cells: readonly OutCell[]): string => `${cells.map(csvCell).join(",")}\r\n`;
  // what acts on a terminal or turns text round is shown, not done
  const shown = isInput ? (text: string): string => text : printableTable;
  return {
    begin: () => BYTE_ORDER_MARK + shown(line(names)),
    rows: (rows) => shown(rows.map((row) => line(cellsOf(row))).join("")),
    end: () => "",
  };
}

/** Rows of one file mostly share their columns: what is the same for all of them is made once. */
function jsonObjectIn(shape: TableShape): (row: OutRow) => string {
  let columns: readonly string[] | undefined;
  let keys: readonly string[] = [];
  let { cellsOf } = layoutOf([], shape);
  return (row) => {
    if (row.row.columns !== columns) {
      columns = row.row.columns;
      const layout = layoutOf(columns, shape);
      keys = layout.names.map((name) => `${JSON.stringify(name)}:`);
      cellsOf = layout.cellsOf;
    }
    const members = cellsOf(row).map((cell, at) => `${keys[at]}${jsonValue(cell)}`);
    return `{${members.join(",")}}`;
  };
}

/** What was not text keeps its very characters, on one line: a line break in JSON stands only between tokens. */
function jsonValue(cell: OutCell): string {
  const isToken = typeof cell === "object" && cell !== null && "token" in cell;
  if (isToken) return cell.source.replace(/[\r\n]+/g, " ");
  return JSON.stringify(typeof cell === "object" && cell !== null ? cell.amount : cell);
}
