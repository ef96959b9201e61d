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
  /** As a spreadsheet shows it (header = 1); in JSON the rows are counted from 1. */
  readonly number: number;
  /** The row's own column names, one shared array for all rows that have the same ones. */
  readonly columns: readonly string[];
  /** As many as `columns`. */
  readonly cells: readonly Cell[];
  /** CSV only: `by` cells more than the header has, all of them empty, were left out. */
  readonly wasLonger?: { readonly by: number; readonly delimiter: string };
  /** JSON only: a key that stands twice in this row. */
  readonly repeatedKey?: string;
  /** Only of a row that was read by a column mapping: `columns` are our fields, and this says where they came from. */
  readonly mapped?: Mapped;
}

/** The row of the file behind a mapped one, and what the mapping could not make of it. */
export interface Mapped {
  readonly from: Row;
  /** For each of our cells its position in the file's row; -1 for a constant. */
  readonly at: readonly number[];
  /** For each of our cells the lookup table in which its value stands, by the name of its file; undefined for others. */
  readonly tables: readonly (string | undefined)[];
  /** The unit of the amount as it stands in the file: the checks convert the amount after they read it. */
  readonly amountUnit: AmountUnit;
  /** Faults by the position of our cell. */
  readonly faults: ReadonlyMap<number, MappedFault>;
  /** Positions in the file's row of columns whose values the mapping lists. */
  readonly guarded: readonly number[];
  /** Faults in columns of the file that fill no field. `at`: position in the file's row; -1 where it has none. */
  readonly others: readonly { readonly at: number; readonly column: string; readonly fault: MappedFault }[];
}

/** What a mapping could not do with a value. The sentences for it are in `checks/row-sentences.ts`. */
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
   * Throws FileRefusedError for the first thing that breaks the file; a bad row is not such a thing. `fromRow`, only
   * for a file that was read to its end before: rows before it may be left out, and are not looked through again.
   */
  rows(fromRow?: number): AsyncIterable<readonly Row[]>;
}
