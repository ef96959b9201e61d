import type { FileRefusedError } from "../errors.ts";
import type { FileFormat } from "../file-format.ts";
import type { FILE_FAULTS } from "../messages/faults.ts";
import type { Facts, Fault } from "../messages/sentence.ts";

/** A JSON value or workbook cell that is not text, with the very characters of the file. */
export interface Token {
  readonly token: "number" | "boolean" | "null" | "nested" | "date" | "error";
  /** Of a date `2026-11-27`, `2026-11-27 10:30:00` or, where the cell shows no day, `2026-11`. */
  readonly source: string;
  /** Workbooks: the number format of the cell, where it shows something else than the number in rupees. */
  readonly shown?: string;
}

/** One cell: text, or what a JSON row or a workbook's cell held instead of text. */
export type Cell = string | Token;

/** What the file said, untrusted. */
export interface Row {
  /** As a spreadsheet shows it (header = 1); in JSON the rows are counted from 1. */
  readonly number: number;
  /** The row's own column names, one shared array for all rows that have the same ones. */
  readonly columns: readonly string[];
  readonly cells: readonly Cell[];
  /** Workbooks: cells whose value is that of one merged over several rows, or over other columns before it. */
  readonly merged?: ReadonlyMap<number, "rows" | "columns">;
  /** JSON only: a key that stands twice in this row. */
  readonly repeatedKey?: string;
}

export interface Wrapper {
  readonly operation?: string;
  readonly period?: string;
  readonly control?: { readonly rows?: number; readonly total?: string };
}

/** How a file was read, so that it is read the same way again. Plain data: the journal keeps it as JSON. */
export interface Reading {
  readonly format: FileFormat;
  /** CSV: `utf-8`, `utf-16le`, `windows-1252` …, and the sign between cells. */
  readonly encoding?: string;
  readonly delimiter?: string;
  /** Workbooks: the sheet, and the row of its header. */
  readonly sheet?: string;
  readonly headerRow?: number;
}

/** A readable file: what can be known before its rows, and the rows in pages, in order. */
export interface Table {
  readonly reading: Reading;
  /** CSV and workbooks: the header as written. */
  readonly header?: readonly string[];
  readonly wrapper?: Wrapper;
  /** What is to be pointed out of the file as a whole. Complete when `rows` has ended. */
  readonly remarks: readonly Fault[];
  /**
   * From the first row, at each call. Throws FileRefusedError for the first thing that breaks the file. `only`: of a file that
   * was checked before; others may be left out.
   */
  rows(only?: ReadonlySet<number>): AsyncIterable<readonly Row[]>;
}

/** Gives the error that refuses the file whole, to be thrown. The facts never hold a cell's text. */
export type Refuse = (
  code: keyof typeof FILE_FAULTS,
  facts?: Facts,
  place?: Pick<Fault, "row" | "column">,
) => FileRefusedError;

/** How a new file is to be read; or how it was read, to read it again exactly so. */
export type Asked = { readonly [Key in keyof Reading]?: Reading[Key] | undefined };

/** A file to be read, with everything that reading needs to know. */
export interface Source extends Asked {
  readonly path: string;
  /** Of a file without a byte order mark. */
  readonly encoding: string;
  readonly refuse: Refuse;
}

/** What the reader takes at most. A file that goes beyond is refused before memory grows. */
export const RECORD_CHARACTERS_MAX = 64 * 1024;
export const COLUMNS_MAX = 1000;
export const PAGE_ROWS_MAX = 1000;
