import { NO_PAYMENTS } from "./row-faults.ts";
import { counted, type Facts, type Sentence } from "./sentence.ts";

const SAVE_AS_TABLE = 'Save the table itself as "Excel Workbook (.xlsx)" or "CSV UTF-8".';
const OPEN_AND_SAVE = 'Open it in Excel, choose "Save as", then "Excel Workbook (.xlsx)" or "CSV UTF-8".';
const UNPACK = "Unpack it, and use the file that comes out.";
const WRAPPER = '{"operation": "…", "period": "…", "control": {"rows": …, "total": "…"}, "rows": […]}';

/** What a file is, and what to do about it. */
const KINDS: Readonly<Record<string, readonly [is: string, todo: string]>> = {
  zip: ["a workbook (.xlsx) or a packed file", "Give a workbook a name that ends in .xlsx. Anything else: unpack it."],
  packed: ["a packed file", UNPACK],
  picture: ["a picture", SAVE_AS_TABLE],
  page: ["a web page or XML", OPEN_AND_SAVE],
  document: ["a document", SAVE_AS_TABLE],
  encrypted: ["an encrypted file", "Decrypt it, and use the file that comes out."],
  bank: ["a file for a bank's own program", SAVE_AS_TABLE],
  json: ["JSON", "Give it a name that ends in .json or, with one object on each line, in .jsonl."],
  text: ["a text file (perhaps CSV)", OPEN_AND_SAVE],
  workbook: ["a workbook of another kind", OPEN_AND_SAVE],
  xls: ["a workbook of Excel 97 (.xls), or one with a password", `Remove its password. ${OPEN_AND_SAVE}`],
};
const isOf = ({ is }: Facts): string => KINDS[String(is)]?.[0] ?? "another file";
const todoOf = ({ is }: Facts): string => KINDS[String(is)]?.[1] ?? SAVE_AS_TABLE;

/** Why a whole file is refused, by code. */
export const FILE_FAULTS = {
  // the reader
  format_unknown: {
    text: (facts) =>
      facts["is"] === undefined
        ? "the name does not end in .csv, .tsv, .txt, .xlsx, .json, .jsonl or .ndjson"
        : `this looks like ${isOf(facts)}`,
    todo: todoOf,
  },
  format_differs: { text: (facts) => `this is ${isOf(facts)}, not what its name says`, todo: todoOf },
  file_empty: { text: "the file is empty (0 bytes)", todo: "Save the file again, or wait until it has been copied." },
  file_blank: {
    text: "the file holds nothing but white space or empty cells",
    todo: "Save the file again with a header line and its rows.",
  },
  no_rows: { text: "the file has no rows of payments", todo: "Add the rows and drop the file again." },
  not_utf8: {
    text: "the text is not valid {encoding}",
    todo: ({ sensible }) =>
      `Save the file as "CSV UTF-8".${sensible ? ` If an old program makes such files, set encoding = "${String(sensible)}" in paydrop.toml.` : ""}`,
  },
  encoding_differs: {
    text: 'all of its text is UTF-8, and the settings say encoding = "{encoding}"',
    todo: 'Save it as "CSV UTF-8" with a byte order mark, or remove encoding from paydrop.toml.',
  },
  nul_bytes: {
    text: "the file holds NUL bytes: it was not copied completely, or is UTF-16 without a byte order mark",
    todo: 'Copy the file again completely, or save it as "CSV UTF-8".',
  },
  delimiter_unknown: {
    text: "the first line asks for the delimiter {delimiter}; comma, semicolon, tab and | can be read",
    todo: "Save the file with commas between the columns.",
  },
  quote_unclosed: {
    text: "a double quote was opened and is never closed",
    todo: 'Close the quote at the end of its cell. A quote inside a cell is written "".',
  },
  quote_stray: {
    text: "a double quote stands in the middle of a cell",
    todo: 'Put the whole cell in quotes, and write a quote inside it as "".',
  },
  quote_after_space: {
    text: "a space stands between the {sign} and the quote",
    todo: "Delete the spaces after the {sign}s.",
  },
  row_ragged: {
    text: ({ cells, columns, cut }) =>
      `the row has ${counted(Number(cells), "cell")}, the header has ${counted(Number(columns), "column")}${cut ? `; "${cut}" was taken for several cells` : ""}`,
    todo: ({ cells, columns, cut, isFirst }) =>
      Number(cells) < Number(columns)
        ? 'Look for a missing cell. Excel leaves out empty cells at the end of a row: save the file as "Excel Workbook (.xlsx)" instead.'
        : `${cut === undefined && (isFirst || columns === 1) ? "If a title stands above the names of the columns, delete it. Otherwise look" : "Look"} for an extra cell. A cell with the comma (or ;) in it that separates the columns stands in double quotes: "52,000.00".`,
  },
  line_under_table: { text: ({ what }) => `this line is ${NO_PAYMENTS[String(what)] ?? ""}`, todo: "Delete the line." },
  bank_own_line: {
    text: "the first line is a bank's own ({word}), not column names",
    todo: "`paydrop map FILE` shows how such files are read.",
  },
  cell_without_header: {
    text: "{cell} holds a value, but the header gives its column no name",
    todo: "Give the column a name in the header, or empty the cell. If a title stands above the names of the columns, delete it.",
  },
  record_too_long: {
    text: "the row is longer than {most:character}",
    todo: "Look for a quote or a line end that is missing here.",
  },
  too_many_columns: {
    text: "the row has more than {most:column}",
    todo: "Look for a line end that is missing here.",
  },
  header_duplicate: {
    text: ({ first, second }) =>
      first === second ? `the header names ${first} twice` : `the header names one column as ${first} and ${second}`,
    todo: "Remove or rename one of the two columns. Capitals, spaces, _ and - make no difference.",
  },
  header_missing: {
    text: "this looks like a row of values where the names of the columns should stand",
    todo: "Put a line with the names of the columns above it. `paydrop template` shows them.",
  },
  columns_change: {
    text: "names of the columns stand here once more, not in the order of the header: another table begins below them",
    todo: "Save each table as a file of its own.",
  },
  workbook_damaged: {
    text: "this workbook cannot be read: it is damaged or not complete",
    todo: "Open it in Excel, save it again, and copy it completely.",
  },
  workbook_too_large: {
    text: "this workbook is larger than any that people make",
    todo: "Copy the rows into a new workbook and save that, or save the sheet as CSV UTF-8.",
  },
  sheet_missing: {
    text: "there is no sheet {sheet}; it has {sheets}",
    todo: "Write the name as it stands on the sheet's tab.",
  },
  sheet_ambiguous: {
    text: "more than one sheet could be meant: {sheets}",
    todo: "Name the one to be read with `--sheet NAME`, or delete or hide the others.",
  },
  json_malformed: {
    text: "this is not valid JSON",
    todo: "Let the program that made the file write it again. One whole object on each line is a file that ends in .jsonl.",
  },
  json_truncated: {
    text: "the JSON ends in the middle",
    todo: "The file was probably not copied completely. Copy it again.",
  },
  json_not_objects: { text: "the row is not an object", todo: "Write each row as an object in braces: { … }." },
  json_wrapper: { text: "{found}", todo: `Write ${WRAPPER}, each at most once.` },
  json_beside_rows: {
    text: "{name} stands beside the rows, and nobody can say what it was meant to do",
    todo: `Take it out. ${WRAPPER} is all that may stand there.`,
  },
  mapping_ambiguous: {
    text: ({ names, unit }) =>
      unit
        ? `these are paydrop's own columns, and the mapping ${names} reads their amounts as ${unit}`
        : `these columns fit the mappings ${names}`,
    todo: "Say which is meant: {flags}.",
  },
  mapping_differs: {
    text: ({ name, missing, added }) =>
      `these are nearly the columns of the mapping ${name}, but ${[missing && `without ${missing}`, added && `with ${added} beside them`].filter(Boolean).join(" and ")}`,
    todo: "See what changed in the system that made the file, then confirm its columns: `paydrop map FILE`. `--mapping none` reads it by paydrop's own column names.",
  },
  mapping_unconfirmed: {
    text: "this looks like a file for {title}, and nobody confirmed how to read it",
    todo: "Confirm it once: `paydrop map FILE` shows a proposal and sends nothing.",
  },
  mapping_unit: {
    text: "these are the columns of {title}; the mapping {name} says {said}, {factor}",
    todo: 'Write amount_unit = "{unit}" in [mapping.{name}], after you compared one amount with its payslip.',
  },

  // what the file is
  operation_unknown: {
    text: ({ said }) =>
      said === undefined ? "no column tells what the rows are" : `"operation" in the file says "${said}"`,
    todo: "Put the file into a folder named payouts, transfers, loans or collections, or say it with --operation. A file of another system: `paydrop map FILE`.",
  },
  operation_ambiguous: {
    text: "these columns could be {looks}",
    todo: "Move the file to the folder of its kind, or say it with --operation.",
  },
  operation_mismatch: {
    text: ({ by, looks, said }) => `these columns are for ${looks}; ${BY_WHOM[String(by)] ?? ""} ${said}`,
    todo: "Move the file to the folder {looks}, or say it: --operation {other}.",
  },
  pay_or_collect: {
    text: ({ columns, said }) =>
      `this file has UPI ids${columns === undefined ? ` and is for ${said}` : `, and ${columns} beside them`}; paydrop can take money from UPI ids, not pay them`,
    todo: "To pay, use account and IFSC (`paydrop map FILE` reads them from other columns). To collect, say it with --operation collection, or move the file to the folder collections.",
  },
  column_misspelt: {
    text: 'the column "{name}" looks like a misspelt {meant}, and there is no column {meant}',
    todo: 'Rename it to {meant}. If it is a column of your own: own_columns = ["{name}"] in paydrop.toml.',
  },
  column_missing: {
    text: "columns are missing for a {operation}: {missing}",
    todo: "Add them to the header and fill them in. Columns of another system: `paydrop map FILE`.",
  },
  period_unclear: {
    text: ({ by, said }) => `${by === "flag" ? "--period" : '"period" in the file'} says "${said}", which is no period`,
    todo: "Write a month (2026-11), a week (2026-W47) or a day (2026-11-27).",
  },

  // control totals and caps
  control_malformed: {
    text: "the file of control totals is not read: it has other lines than rows=240 and total=11087750.50, or is no file",
    todo: "Write one line rows=… and one line total=… with plain digits, or remove the file.",
  },
  control_missing: {
    text: "nobody said how many rows the file has or what its amounts add up to, and the settings require it",
    todo: "Give --expect-rows or --expect-total, or a file beside it with .control after its name: rows=240, total=11087750.50.",
  },
  control_rows_differ: {
    text: "{source} says {said:row}, the file has {found}",
    todo: ({ others }) =>
      others === ""
        ? "Copy the file again completely, or correct the number of rows."
        : `Delete what is no payment (row ${others}), then compare again.`,
  },
  control_total_differs: {
    text: "{source} says {said}, the amounts add up to {found}, a difference of {difference}",
    todo: ({ unreadable }) =>
      unreadable === 0
        ? "Look for a row that is missing, repeated or changed, or correct the total."
        : `Correct the ${counted(Number(unreadable), "amount")} that cannot be read first.`,
  },
  file_over_cap: {
    text: "the {operation} of this file add up to {sum}, {over} more than max_per_file ({most})",
    todo: "Look for an amount that is wrong. If all are right, have max_per_file raised in paydrop.toml.",
  },
} as const satisfies Readonly<Record<string, Sentence>>;

const BY_WHOM: Readonly<Record<string, string>> = {
  flag: "--operation says",
  wrapper: '"operation" in the file says',
  folder: "the folder is for",
};
