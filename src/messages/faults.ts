import { OPERATION_FOLDERS } from "../operations/index.ts";
import { LIST_FAULTS } from "./acts.ts";
import { flag, led, typed } from "./commands.ts";
import { HOLDS } from "./holds.ts";
import { INTAKE_FAULTS } from "./intake.ts";
import { NEWS_REMARKS, RESULTS_REMARKS } from "./results.ts";
import { inWords, POINTED_OUT, ROW_FAULTS } from "./row-faults.ts";
import { STATEMENT_FAULTS } from "./statements.ts";
import { listed, told, type Catalogue, type Facts, type Fault, type Told } from "./sentence.ts";

const SAVE_AS_TABLE = 'Save the table itself as "Excel Workbook (.xlsx)" or "CSV UTF-8".';
const OPEN_AND_SAVE = 'Open it in Excel, choose "Save as", then "Excel Workbook (.xlsx)" or "CSV UTF-8".';
const UNPACK = "Unpack it, and use the file that comes out.";
const WRAPPER = '{"operation": "…", "period": "…", "control": {"rows": …, "total": "…"}, "rows": […]}';
const TITLE_ABOVE = "If a title stands above the names of the columns, delete it.";
const MISSING_LINE_END = "Look for a quote or a line end that is missing here.";

/** What a file is (the fact `is`), and what to do about it. */
const KINDS: Catalogue = {
  zip: "a workbook (.xlsx) or a packed file → Give a workbook a name that ends in .xlsx. Anything else: unpack it.",
  packed: `a packed file → ${UNPACK}`,
  picture: `a picture → ${SAVE_AS_TABLE}`,
  page: `a web page or XML → ${OPEN_AND_SAVE}`,
  document: `a document → ${SAVE_AS_TABLE}`,
  encrypted: "an encrypted file → Decrypt it, and use the file that comes out.",
  spaced: "a table, but a space stands at the end of its name → Delete that space from the name.",
  bank: `a file for a bank's own program → ${SAVE_AS_TABLE}`,
  json: "JSON → Give it a name that ends in .json or, with one object on each line, in .jsonl.",
  text: `a text file (perhaps CSV) → ${OPEN_AND_SAVE}`,
  workbook: `a workbook of another kind → ${OPEN_AND_SAVE}`,
  xls: `a workbook of Excel 97 (.xls), or one with a password → Remove its password. ${OPEN_AND_SAVE}`,
};

function ofKind(before: string, { is }: Facts, after = ""): string {
  const { text, todo } = told(KINDS[String(is)] ?? `another file → ${SAVE_AS_TABLE}`);
  return `${before} ${text}${after} → ${todo}`;
}

/** A person confirms how columns of another system are read. */
const map = typed("map", {}, "FILE");
const ofAnotherSystem = led("A file of another system", map);
const orSayOperation = led("Or say it", flag({ operation: "OPERATION" }));

const BY_WHOM: Readonly<Record<string, string>> = {
  flag: "--operation says",
  wrapper: '"operation" in the file says',
  folder: "the folder is for",
};

export const FILE_FAULTS = {
  // the reader
  format_unknown: (facts) =>
    facts["is"] === undefined
      ? `the name does not end in .csv, .tsv, .txt, .xlsx, .json, .jsonl or .ndjson → ${SAVE_AS_TABLE}`
      : ofKind("this looks like", facts),
  format_differs: (facts) => ofKind("this is", facts, ", not what its name says"),
  file_empty: "the file is empty (0 bytes) → Save the file again, or wait until it has been copied.",
  file_blank: "the file holds nothing but white space or empty cells → Save it again with a header line and its rows.",
  no_rows: "the file has no rows of payments → Add the rows and drop the file again.",
  not_utf8: ({ sensible }) => {
    const setting = sensible ? ' If an old program makes such files, set encoding = "{sensible}" in paydrop.toml.' : "";
    return `the text is not valid {encoding} → Save the file as "CSV UTF-8".${setting}`;
  },
  encoding_differs: `all of its text is UTF-8, and the settings say encoding = "{encoding}"
    → Save it as "CSV UTF-8" with a byte order mark, or remove encoding from paydrop.toml.`,
  nul_bytes: `the file holds NUL bytes: it was not copied completely, or is UTF-16 without a byte order mark
    → Copy the file again completely, or save it as "CSV UTF-8".`,
  delimiter_unknown: `the first line asks for the delimiter {delimiter}; comma, semicolon, tab and | can be read
    → Save the file with commas between the columns.`,
  quote_unclosed: 'a double quote is never closed → Close it at the end of its cell. A quote inside is written "".',
  quote_stray: 'a double quote stands in the middle of a cell → Put the cell in quotes, with "" for the one inside.',
  quote_after_space: "a space stands between the {sign} and the quote → Delete the spaces after the {sign}s.",
  row_ragged: ({ cells, columns, cut, isFirst, why }) => {
    if (why === "cut") return "the file ends in the middle of this row → Copy it again completely.";
    if (why === "quoted")
      return "the whole row stands in one pair of quotes → Save the file again, each cell by itself.";
    const taken = cut ? '; "{cut}" was taken for several cells' : "";
    const found = `the row has {cells:cell}, the header has {columns:column}${taken}`;
    if (Number(cells) < Number(columns)) {
      return `${found} → Look for a missing cell. Excel leaves out empty cells at the end of a row: save the file as "Excel Workbook (.xlsx)" instead.`;
    }
    const look = cut === undefined && (isFirst || columns === 1) ? `${TITLE_ABOVE} Otherwise look` : "Look";
    return `${found} → ${look} for an extra cell. A cell with the comma (or ;) in it that separates the columns stands in double quotes: "52,000.00".`;
  },
  line_under_table: "this line is {what} → Delete the line.",
  lines_above_header: "the header is line {header} → Delete the lines above it, and drop the file again.",
  bank_own_line: [
    "the first line is a bank's own ({word}), not column names → Put a line with the names of its columns in its place.",
    led("How such files are read", map),
  ],
  cell_without_header: `{cell} stands in a column without a name → Name the column, or empty the cell. ${TITLE_ABOVE}`,
  record_too_long: `the row is longer than {most:character} → ${MISSING_LINE_END}`,
  too_many_columns: `the row has more than {most:column} → ${MISSING_LINE_END}`,
  header_duplicate: ({ first, second, onItsSide }) =>
    `the header names ${first === second ? "{first} twice" : "one column as {first} and {second}"}
      → ${onItsSide ? "Names of columns belong into the first row: does the table lie on its side? If not, remove" : "Remove"} or rename one of the two columns. Capitals, spaces, _ and - make no difference.`,
  header_missing: [
    `this looks like a row of values where the names of the columns should stand
      → Put a line with the names of the columns above it.`,
    led("Which these are", typed("template")),
  ],
  columns_change: `names of the columns stand here once more, not in the order of the header: another table begins below them
    → Save each table as a file of its own.`,
  workbook_damaged: "this workbook is damaged or not complete → Open it in Excel, save it, and copy it completely.",
  workbook_too_large: "this workbook is too large → Copy the rows into a new one, or save as CSV UTF-8.",
  sheet_missing: "there is no sheet {sheet}; it has {sheets} → Write the name as it stands on the sheet's tab.",
  sheet_is_hidden: [
    "the payments stand on a hidden sheet, {sheets} → Unhide it in Excel and look at it.",
    led("Or name it", flag({ sheet: "NAME" })),
  ],
  sheet_ambiguous: [
    "more than one sheet could be meant: {sheets} → Hide the others.",
    led("Or name it", flag({ sheet: "NAME" })),
  ],
  json_malformed: "this is not valid JSON → Let the program write it again. One object on each line is a file .jsonl.",
  json_truncated: "the JSON ends in the middle → The file was probably not copied completely. Copy it again.",
  json_not_objects: "the row is not an object → Write each row as an object in braces: { … }.",
  json_wrapper: `{found} → Write ${WRAPPER}, each at most once.`,
  json_beside_rows: `{name} stands beside the rows, and nobody can say what it was meant to do
    → Take it out. ${WRAPPER} is all that may stand there.`,
  mapping_ambiguous: ({ unit }) => [
    unit
      ? "these are paydrop's own columns, and the mapping {names} reads their amounts as {unit} → Say which is meant."
      : "these columns fit the mappings {names} → Say which is meant.",
    led("By its name, or none", flag({ mapping: "NAME" })),
  ],
  mapping_differs: ({ missing, added }) => {
    const changes = [missing && "without {missing}", added && "with {added} beside them"].filter(Boolean).join(" and ");
    return [
      `these are nearly the columns of the mapping {name}, but ${changes}
        → See what changed in the system that made the file, then let its columns be confirmed.`,
      led("To confirm them", map),
      led("To read it by paydrop's own column names", flag({ mapping: "none" })),
    ];
  },
  mapping_unconfirmed: [
    "this looks like a file for {title}, and nobody confirmed how to read it → Confirm it once.",
    led("A proposal, which sends nothing", map),
  ],
  mapping_unit: `these are the columns of {title}; the mapping {name} says {said}, {factor}
    → Write amount_unit = "{unit}" in [mapping.{name}], after you compared one amount with its payslip.`,

  // what the file is
  operation_unknown: ({ said }) => [
    `${said === undefined ? "no column tells what the rows are" : '"operation" in the file says "{said}"'}
      → Put the file into a folder named ${listed(OPERATION_FOLDERS, "or")}.`,
    orSayOperation,
    ofAnotherSystem,
  ],
  operation_ambiguous: ["these columns could be {looks} → Move the file to its own folder.", orSayOperation],
  operation_mismatch: ({ by }) => [
    `these columns are for {looks}; ${BY_WHOM[String(by)] ?? ""} {said} → Move the file to the folder {looks}.`,
    led("Or say it", ({ other }) => ({ flags: { operation: String(other) } })),
  ],
  pay_or_collect: ({ columns }) => [
    `this file has UPI ids${columns === undefined ? " and is for {said}" : ", and {columns} beside them"}; paydrop can take money from UPI ids, not pay them
      → To pay, use account and IFSC. To collect, move the file to the folder collections.`,
    led("To read account and IFSC from other columns", map),
    led("To say that it collects", flag({ operation: "collection" })),
  ],
  column_misspelt: `the column "{name}" looks like a misspelt {meant}, and there is no column {meant}
    → Rename it to {meant}. If it is a column of your own: own_columns = ["{name}"] in paydrop.toml.`,
  column_missing: ({ maybe }) => [
    `columns are missing for a {operation}: {missing}${maybe === undefined ? "" : "; {maybe}"}
      → ${maybe === undefined ? "Add them to the header and fill them in." : "Name them so, or add them and fill them in."}`,
    led("Columns of another system", map),
  ],
  period_unclear: ({ by }) =>
    `${by === "flag" ? "--period" : '"period" in the file'} says "{said}", which is no period
      → Write a month (2026-11), a week (2026-W47) or a day (2026-11-27).`,

  two_columns: [
    `"{value}" stands here, and "{said}" in {own}, which is what goes out; {rows:row differs|rows differ} so
      → If {own} is right, take the column {name} out, or write own_columns = ["{name}"] in paydrop.toml.`,
    led("If {name} is right, let it be read", map),
  ],
  periods_several: [
    `the rows are of several periods: {periods}
      → If a spreadsheet counted up while it was filled down, write the one period in every row.`,
    led("If each row is right", typed("run", { period: "each" }, "FILE")),
  ],

  // control totals and caps
  control_malformed: `the file of control totals is not read: it has other lines than rows=240 and total=11087750.50, or is no file
    → Write one line rows=… and one line total=… with plain digits, or remove the file.`,
  control_missing: [
    `nobody said how many rows the file has or what its amounts add up to, and the settings require it
      → Give a file beside it with .control after its name: rows=240, total=11087750.50.`,
    led("Or say it", flag({ expect_rows: "240", expect_total: "11087750.50" })),
  ],
  control_rows_differ: ({ others }) =>
    `{source} says {said:row}, the file has {found}
      → ${others === "" ? "Copy the file again completely, or correct the number of rows." : "Delete what is no payment (row {others}), then compare again."}`,
  control_total_differs: ({ unreadable }) =>
    `{source} says {said}, the amounts add up to {found}, a difference of {difference}
      → ${unreadable === 0 ? "Look for a row that is missing, repeated or changed, or correct the total." : "Correct the {unreadable:amount} that cannot be read first."}`,
  file_over_cap: `the {operation} of this file add up to {sum}, {over} more than max_per_file ({most})
    → Look for an amount that is wrong. If all are right, have max_per_file raised in paydrop.toml.`,
} as const satisfies Catalogue;

const ALL: Catalogue = {
  ...LIST_FAULTS,
  ...HOLDS,
  // a row that is held because a column says so is told with that column
  ...ROW_FAULTS,
  ...FILE_FAULTS,
  ...INTAKE_FAULTS,
  ...POINTED_OUT,
  ...RESULTS_REMARKS,
  ...NEWS_REMARKS,
  ...STATEMENT_FAULTS,
};

export function wordsOf({ code, facts = {} }: Fault): Told {
  const sentence = ALL[code];
  if (sentence === undefined) return { text: code, todo: "", commands: [] };
  return told(typeof sentence === "function" ? sentence(facts) : sentence, { ...facts, ...inWords(facts) });
}

/** `row 14, column ifsc_code (G14): …` and what to do. */
export function tellFault(fault: Fault): Told {
  const words = wordsOf(fault);
  const cell = fault.cell === undefined ? "" : ` (${fault.cell})`;
  const column = fault.column === undefined ? "" : `column ${fault.column}${cell}`;
  const place = [fault.row === undefined ? "" : `row ${fault.row}`, column].filter(Boolean).join(", ");
  return place === "" ? words : { ...words, text: `${place}: ${words.text}` };
}
