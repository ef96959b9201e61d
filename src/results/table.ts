import { normalizeName } from "../column-name.ts";
import type { FileFormat } from "../file-format.ts";
import { printableTable } from "../printable.ts";
import type { Cell, Row, Wrapper } from "../reader/row.ts";
import { WorkbookPieces, type OutCell } from "./workbook.ts";

/** One value of ours. Numbers stay numbers in JSON and in workbooks, `null` is an empty cell. */
export type OurValue = string | number | null;

/** A row out: columns of ours before and after the row's own. */
export interface OutRow {
  readonly before: readonly OurValue[];
  readonly row: Row;
  readonly after: readonly OurValue[];
}

export interface TableShape {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Columns of ours that hold an amount as plain decimal text. */
  readonly amounts?: readonly string[];
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
  if (format === "csv") return csvTable(shape, header);
  if (format === "xlsx") return workbookTable(shape, header);
  const object = jsonObjectOf(shape);
  const linesOf = (rows: readonly OutRow[], between: string): string => rows.map(object).join(between);
  if (format === "jsonl") return { begin: () => "", rows: (rows) => `${linesOf(rows, "\n")}\n`, end: () => "" };
  // an array of objects, one per line
  const said = JSON.stringify({ operation: wrapper?.operation, period: wrapper?.period }).slice(1, -1);
  let lead = "\n";
  return {
    begin: () => `${said && `{${said},"rows":`}[`,
    rows(rows) {
      const text = lead + linesOf(rows, ",\n");
      lead = ",\n";
      return text;
    },
    end: () => `\n]${said && "}"}\n`,
  };
}

const RUNS_FIRST = new Set(["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]);
/** A plain number or a phone number: a spreadsheet computes nothing with it, and a `'` would only be in the way. */
const SIGNED_DIGITS = /^[+-][0-9]+(?:\.[0-9]+)?$/;
/** What a spreadsheet may take for the end of a cell, though it is none here: many split a file at `;` or at tabs. */
const MAY_END = /[;\t\r\n]/;
const RUNS_BEHIND_AN_END = /([;\t\r\n] *)(?='*[=+\-@＝＋－＠])(?![+-][0-9]+(?:\.[0-9]+)?(?:[;\t\r\n]|$))/g;

/**
 * Guards a cell of a CSV file, so that no spreadsheet runs it: with a leading `'` where one would (DESIGN §9), and with
 * one in the middle where a spreadsheet would that takes `;` for the end of a cell. The reader takes off a `'` before
 * any of these characters, so that text read from a CSV file comes back as it was; in the middle only in a retry file.
 */
export function guardCell(text: string): string {
  const inside = MAY_END.test(text) ? text.replace(RUNS_BEHIND_AN_END, "$1'") : text;
  return RUNS_FIRST.has(text.charAt(0)) && !SIGNED_DIGITS.test(text) ? `'${inside}` : inside;
}

const NEEDS_QUOTES = /[",\r\n]/;

/** RFC 4180. By hand because csv-stringify takes 6 µs for a line of results; a test holds it to what that writes. */
function quoted(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** By this mark Excel knows UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** UTF-8 with a byte order mark; CRLF; comma. */
function csvTable(shape: TableShape, header: readonly string[]): OutTable {
  const { kept, names } = ownColumns(header, shape);
  // what acts on a terminal or turns text round is shown, not done
  const shown = shape.isInput ? (text: string): string => text : printableTable;
  const valueOf = (value: OurValue): string =>
    typeof value === "string" ? quoted(guardCell(value)) : `${value ?? ""}`;
  const lineOf = ({ before, row, after }: OutRow): string => {
    const cells = before.map(valueOf);
    for (const index of kept) cells.push(quoted(guardCell(textOf(row.cells[index] ?? ""))));
    for (const value of after) cells.push(valueOf(value));
    return `${cells.join(",")}\r\n`;
  };
  const all = [...shape.before, ...names.map(guardCell), ...shape.after].map(quoted).join(",");
  return {
    begin: () => `${BYTE_ORDER_MARK}${shown(all)}\r\n`,
    rows: (rows) => shown(rows.map(lineOf).join("")),
    end: () => "",
  };
}

export function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.source;
}

/** Cells that nothing damages: no `'` is needed before what looks like a formula. */
function workbookTable(shape: TableShape, header: readonly string[]): OutTable {
  const { kept, names } = ownColumns(header, shape);
  const all = [...shape.before, ...names, ...shape.after];
  const widths = all.map((name) => shape.widths[name] ?? Math.min(Math.max(name.length + 3, 12), 30));
  const pieces = new WorkbookPieces({ name: shape.sheet, header: all, widths });
  const isAmount = shape.after.map((name) => shape.amounts?.includes(name) === true);
  const record = ({ before, row, after }: OutRow): OutCell[] => [
    ...before,
    ...kept.map((index) => row.cells[index] ?? ""),
    ...after.map((value, index) => (isAmount[index] && typeof value === "string" ? { amount: value } : value)),
  ];
  return {
    begin: () => pieces.begin(),
    rows: (rows) => pieces.rows(rows.map(record)),
    end: () => pieces.end(),
  };
}

/** Rows of one file mostly share their columns: what is the same for all of them is made once. */
function jsonObjectOf(shape: TableShape): (row: OutRow) => string {
  let columns: readonly string[] | undefined;
  let kept: readonly number[] = [];
  let keys: readonly string[] = [];
  return ({ before, row, after }) => {
    if (row.columns !== columns) {
      columns = row.columns;
      const own = ownColumns(columns, shape);
      kept = own.kept;
      keys = [...shape.before, ...own.names, ...shape.after].map((name) => `${JSON.stringify(name)}:`);
    }
    const cells = kept.map((index) => jsonCell(row.cells[index] ?? ""));
    const values = [...before.map(jsonValue), ...cells, ...after.map(jsonValue)];
    return `{${values.map((value, at) => `${keys[at]}${value}`).join(",")}}`;
  };
}

function jsonValue(value: OurValue): string {
  return JSON.stringify(value);
}

/** What was not text keeps its very characters, on one line: a line break in JSON stands only between tokens. */
function jsonCell(cell: Cell): string {
  return typeof cell === "string" ? JSON.stringify(cell) : cell.source.replace(/[\r\n]+/g, " ");
}

/**
 * Which columns of the file are kept, and under which names: one with a name of ours gets another, for who reads by name
 * must find what became of the row.
 */
function ownColumns(columns: readonly string[], { before, after, dropped = [] }: TableShape) {
  const ours = new Set([...before, ...after].map(normalizeName));
  const kept = [...columns.keys()].filter((index) => !dropped.includes(normalizeName(columns[index] ?? "")));
  const named = (name: string): string => (ours.has(normalizeName(name)) ? `input_${name}` : name);
  return { kept, names: kept.map((index) => named(columns[index] ?? "")) };
}
