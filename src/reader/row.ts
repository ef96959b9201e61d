import type { AmountUnit } from "../config/mapping.ts";
import type { FileFormat } from "../format.ts";
import type { SheetValue } from "../workbook/value.ts";

/** A JSON value that is not a string, with the very characters of the file. */
export interface JsonToken {
  readonly token: "number" | "boolean" | "null" | "nested";
  readonly source: string;
}

/** One cell: text, or what a JSON row or a workbook's cell held instead of text. */
export type Cell = string | JsonToken | SheetValue;

/** What the file said, untrusted. */
export interface Row {
  /** As a spreadsheet shows it (header = 1); in JSON the how-manieth row, beginning with 1. */
  readonly number: number;
  /** The row's own column names, one shared array for all rows that have the same ones. */
  readonly columns: readonly string[];
  /** As many as `columns`. */
  readonly cells: readonly Cell[];
  /** CSV only: so many cells behind those of the header, all of them empty, were left out. */
  readonly wasLonger?: { readonly by: number; readonly delimiter: string };
  /** JSON only: a key that stands twice in this row. */
  readonly repeatedKey?: string;
  /** Of a row that was read by a column mapping: `columns` are our fields, and this is where they came from. */
  readonly mapped?: Mapped;
}

/** The row of the file behind a mapped one, and what the mapping could not make of it. */
export interface Mapped {
  readonly from: Row;
  /** For each of our cells its position in the file's row; -1 for a constant. */
  readonly at: readonly number[];
  /** Of the amount as it stands in the file: the checks convert it, after they read it. */
  readonly amountUnit: AmountUnit;
  /** By the position of our cell. */
  readonly faults: ReadonlyMap<number, MappedFault>;
  /** Positions in the file's row of columns whose values the mapping lists. */
  readonly guarded: readonly number[];
  /** Of columns of the file that fill no field. `at`: -1 where the row lacks the column. */
  readonly others: readonly { readonly at: number; readonly column: string; readonly fault: MappedFault }[];
}

/** The checks have the sentences (`checks/row-sentences.ts`). */
export interface MappedFault {
  readonly code:
    "value_not_mapped" | "value_not_taken" | "lookup_missing" | "lookup_ambiguous" | "column_not_confirmed";
  readonly found?: string;
}

/** What a JSON wrapper said beside its rows (DESIGN §6). */
export interface Wrapper {
  readonly operation?: string;
  readonly period?: string;
  readonly control?: { readonly rows?: number; readonly total?: string };
}

/** A readable file: what can be known before its rows, and the rows in chunks, in order. */
export interface Sheet {
  readonly format: FileFormat;
  /** Tables only (CSV, workbook): the header as written, without the byte order mark. */
  readonly header?: readonly string[];
  /** Workbooks only: the sheet that is read, and the row of its header. */
  readonly sheetName?: string;
  readonly headerRow?: number;
  readonly wrapper?: Wrapper;
  /** The reader's remarks for a person: ignored blank rows, a missing final newline. Complete when `rows` has ended. */
  readonly remarks: readonly string[];
  /**
   * Throws FileRefusedError for the first thing that breaks the file; a bad row is not such a thing. `fromRow`: rows
   * before it, of a file that was read to its end before, may be left out, and nothing is looked for in them.
   */
  rows(fromRow?: number): AsyncIterable<readonly Row[]>;
}
