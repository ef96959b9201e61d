import { defined } from "../defined.ts";
import { FileRefusedError, type FileFault } from "../errors.ts";

/** What each refusal says: `{found}` is what stood in the file. One sentence per code, one thing to do. */
const REFUSALS = {
  format_unknown: {
    sentence: "the name does not end in .csv, .tsv, .txt, .xlsx, .json, .jsonl or .ndjson",
    hint: 'Save it as "Excel Workbook (.xlsx)" or "CSV UTF-8"; if it is one already, give it that ending.',
  },
  format_differs: { sentence: "this is {found} under another name", hint: "Give it the name of what it is." },
  file_empty: {
    sentence: "the file is empty (0 bytes)",
    hint: "Save the file again, or wait until it has been copied completely.",
  },
  file_blank: {
    sentence: "the file holds {found} and no rows",
    hint: "Save the file again with a header line and its rows.",
  },
  no_rows: { sentence: "{found}", hint: "Add the rows and drop the file again; nothing was sent." },
  not_utf8: {
    sentence: "the text is not valid {found}",
    hint: 'Save the file as "CSV UTF-8"; for files of an old program set encoding = "windows-1252" in paydrop.toml.',
  },
  encoded_twice: {
    sentence: 'the file begins with "ï»¿": it was opened in a wrong encoding and saved, so that é is Ã© in it',
    hint: 'Save it from its original as "CSV UTF-8"; a program that makes it should write UTF-8 once.',
  },
  nul_bytes: {
    sentence: "the file holds NUL bytes{found}",
    hint: 'Copy the file again completely, or save it as "CSV UTF-8".',
  },
  delimiter_unknown: {
    sentence: "the first line asks for the delimiter {found}; comma, semicolon, tab and | can be read",
    hint: "Save the file with commas between the columns.",
  },
  quote_unclosed: {
    sentence: "a double quote was opened and is never closed",
    hint: 'Close the quote at the end of its cell, or write a quote inside a cell as "".',
  },
  quote_stray: {
    sentence: "a double quote stands in the middle of a cell",
    hint: 'Put the whole cell in quotes, write a quote inside it as "", and look for a quote that is not closed.',
  },
  row_ragged: {
    sentence: "the row has {found}",
    hint: 'Look for a missing or an extra cell; a cell with the comma (or ;) in it that separates the columns stands in double quotes: "52,000.00".',
  },
  cell_without_header: {
    sentence: "{found}",
    hint: "Give the column a name in the header, or empty the cell. If a title stands above the names of the columns, delete it, so that they stand in row 1.",
  },
  record_too_long: {
    sentence: "the row is longer than {found}",
    hint: "Look for a quote or a line end that is missing here.",
  },
  too_many_columns: {
    sentence: "the row has more than {found} columns",
    hint: "Look for a line end that is missing here.",
  },
  header_duplicate: {
    sentence: "the header names {found} twice",
    hint: "Remove or rename one of the two columns; capitals, spaces, _ and - make no difference.",
  },
  header_missing: {
    sentence: "this looks like a row of values where the names of the columns should stand",
    hint: "Put a line with the names of the columns above it; paydrop template shows them.",
  },
  header_below: {
    sentence: "the names of the columns stand here, below other lines",
    hint: "Delete the lines above them, so that they stand in row 1.",
  },
  header_forbidden: { sentence: "a column must not be called {found}", hint: "Rename the column." },
  workbook_damaged: {
    sentence: "this workbook cannot be read: {found}",
    hint: "Open it in Excel, save it again, and copy it completely.",
  },
  workbook_encrypted: {
    sentence: "this workbook is protected with {found}, so that nothing in it can be read",
    hint: "In Excel choose File > Info > Protect Workbook > Encrypt with Password, empty it, and save the file again.",
  },
  workbook_of_another_kind: {
    sentence: "this is {found}, and only .xlsx workbooks are read",
    hint: 'Open it in Excel, choose "Save as", then "Excel Workbook (.xlsx)" or "CSV UTF-8".',
  },
  workbook_too_large: {
    sentence: "this workbook is larger than any that people make: {found}",
    hint: "Copy the rows into a new workbook and save that, or save the sheet as CSV UTF-8.",
  },
  sheet_missing: { sentence: "there is no sheet {found}", hint: "Write the name as it stands on the sheet's tab." },
  sheet_ambiguous: {
    sentence: "more than one sheet could be meant: {found}",
    hint: "Name the one to be read with --sheet NAME, or delete or hide the others.",
  },
  cells_merged: {
    sentence: "the cells {found} are merged into one",
    hint: "Unmerge them, and give every row its own value.",
  },
  json_malformed: {
    sentence: "this is not valid JSON: {found}",
    hint: "Let the program that made the file write it again.",
  },
  json_truncated: {
    sentence: "the JSON ends in the middle: {found}",
    hint: "The file was probably not copied completely; copy it again.",
  },
  json_too_deep: {
    sentence: "the values are nested deeper than {found} levels",
    hint: "Write each row as a flat object of names and values.",
  },
  json_not_objects: { sentence: "{found}", hint: "Write each row as an object in braces: { … }." },
  json_key_forbidden: { sentence: "a key must not be called {found}", hint: "Rename the key." },
  json_wrapper: {
    sentence: "{found}",
    hint: 'Write {"operation": "…", "period": "…", "control": {"rows": …, "total": "…"}, "rows": […]}, each at most once; a file of one object per line is named .jsonl.',
  },
} as const satisfies Record<string, { sentence: string; hint: string }>;

export type ReaderFaultCode = keyof typeof REFUSALS;

/** Every code that the reader refuses a file with. */
export const READER_FAULT_CODES: readonly ReaderFaultCode[] = Object.keys(REFUSALS) as ReaderFaultCode[];

/** What to tell beside the code. `row` as a spreadsheet shows it; `found` never holds a cell's text. */
export interface RefusalDetail {
  readonly row?: number;
  readonly column?: string;
  readonly found?: string;
  /** Instead of the hint of the code, where more is known. */
  readonly hint?: string;
}

/** Gives the error that refuses the file whole, to be thrown. */
export type Refuse = (code: ReaderFaultCode, detail?: RefusalDetail) => FileRefusedError;

export function refuserOf(fileName: string): Refuse {
  return (code, detail) => new FileRefusedError(fileName, [refusalFault(code, detail)]);
}

export function refusalFault(code: ReaderFaultCode, detail: RefusalDetail = {}): FileFault {
  const { sentence, hint } = REFUSALS[code];
  const { row, column, found = "" } = detail;
  const message = sentence.replace("{found}", () => found);
  return defined({ code, row, column, message, hint: detail.hint ?? hint });
}
