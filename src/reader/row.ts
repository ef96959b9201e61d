import type { FileFormat } from "../format.ts";

/** A JSON value that is not a string, with the very characters of the file. */
export interface JsonToken {
  readonly token: "number" | "boolean" | "null" | "nested";
  readonly source: string;
}

/** One cell: text (CSV, or a JSON string), or what a JSON row said instead of text. */
export type Cell = string | JsonToken;

/** What the file said, untrusted. */
export interface Row {
  /** As a spreadsheet shows it (header = 1); in JSON the how-manieth row, beginning with 1. */
  readonly number: number;
  /** The row's own column names, one shared array for all rows that have the same ones. */
  readonly columns: readonly string[];
  /** As many as `columns`. */
  readonly cells: readonly Cell[];
  /** JSON only: a key that stands twice in this row. */
  readonly repeatedKey?: string;
}

export type { FileFormat };

/** What a JSON wrapper said beside its rows (DESIGN §6). */
export interface Wrapper {
  readonly operation?: string;
  readonly period?: string;
  readonly control?: { readonly rows?: number; readonly total?: string };
}

/** A readable file: what can be known before its rows, and the rows in chunks, in order. */
export interface Sheet {
  readonly format: FileFormat;
  /** CSV only: the header as written, without the byte order mark. */
  readonly header?: readonly string[];
  readonly wrapper?: Wrapper;
  /** The reader's remarks for a person: ignored blank rows, a missing final newline. Complete when `rows` has ended. */
  readonly remarks: readonly string[];
  /** Throws FileRefusedError for the first thing that breaks the file; a bad row is not such a thing. */
  rows(): AsyncIterable<readonly Row[]>;
}
