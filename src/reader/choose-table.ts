import { normalizeName } from "../text/names.ts";
import { withoutGuard } from "../text/spreadsheet-text.ts";
import type { SheetRow } from "../workbook/sheet-rows.ts";
import type { SheetCell } from "../workbook/value.ts";
import type { SheetEntry } from "../workbook/contents.ts";
import type { Workbook } from "../workbook/workbook.ts";
import { quotedName } from "./header.ts";
import { isEncodedTwice } from "./other-format.ts";
import type { SheetSource } from "./source.ts";

/** The table of a workbook: which sheet, and where in it. */
export interface TableFound {
  readonly entry: SheetEntry;
  /** The header as written, without empty cells behind its last name. */
  readonly columns: readonly string[];
  readonly headerRow: number;
  readonly remarks: readonly string[];
}

/** What was seen at the beginning of a sheet. */
interface SheetLook {
  readonly entry: SheetEntry;
  /** undefined: nothing stands in the sheet, as far as it was looked at. */
  readonly header?: { readonly row: number; readonly columns: readonly string[]; readonly above: number };
  readonly knownCount: number;
  /** The sheet has rows, and all columns that the rows of some operation need. */
  readonly isPayable?: boolean;
}

/** A title and a few lines may stand above a header. */
const HEADER_ROWS_MAX = 20;
/** A sheet without any value in its first rows counts as empty, unless it is the one that was asked for. */
const LOOKED_AT_ROWS_MAX = 5000;
/** One name alone, such as `amount`, stands on many a sheet. */
const KNOWN_NAMES_MIN = 2;
const NAMES_SHOWN_MAX = 5;

/**
 * The sheet that was asked for by its name, else the one sheet that has our columns, else the first that is not empty.
 * Where two sheets could be meant, such as October and November, the file is refused: a guess would pay a month twice.
 */
export async function chooseTable(workbook: Workbook, source: SheetSource): Promise<TableFound> {
  if (source.sheetName !== undefined) {
    const entry = named(workbook.sheets, source.sheetName);
    if (!entry) throw missingSheet(workbook, source);
    return tableOf(await lookAt(workbook, entry, source, Number.MAX_SAFE_INTEGER), [], source);
  }
  const looks: SheetLook[] = [];
  for (const entry of workbook.sheets) {
    if (!entry.isHidden) looks.push(await lookAt(workbook, entry, source, LOOKED_AT_ROWS_MAX));
  }
  const filled = looks.filter((look) => look.header);
  const best = bestOf(filled);
  if (!best) throw emptyWorkbook(workbook, source);
  const rivals = filled.filter((look) => look !== best && isRival(look, best));
  if (rivals.length > 0) {
    throw source.refuse("sheet_ambiguous", { found: namesOf([best, ...rivals].map(({ entry }) => entry)) });
  }
  return tableOf(best, remarksOf(workbook, best, filled), source);
}

/** The sheet with this name on its tab; where none has it, capitals and spaces around it make no difference. */
function named(sheets: readonly SheetEntry[], name: string): SheetEntry | undefined {
  const loose = (text: string): string => text.trim().toLowerCase();
  return sheets.find((one) => one.name === name) ?? sheets.find((one) => loose(one.name) === loose(name));
}

function bestOf(filled: readonly SheetLook[]): SheetLook | undefined {
  const best = filled.toSorted((a, b) => b.knownCount - a.knownCount)[0];
  return best && best.knownCount >= KNOWN_NAMES_MIN ? best : filled[0];
}

/** Whether a sheet has the very same header, more than half as many of our columns, or rows that could be paid. */
function isRival(look: SheetLook, best: SheetLook): boolean {
  if (look.isPayable) return true;
  if (look.knownCount >= KNOWN_NAMES_MIN && look.knownCount * 2 > best.knownCount) return true;
  const headerText = ({ header }: SheetLook): string => (header?.columns ?? []).map(normalizeName).join("\0");
  return headerText(look) === headerText(best);
}

async function lookAt(workbook: Workbook, entry: SheetEntry, source: SheetSource, rowsMax: number): Promise<SheetLook> {
  const known = new Set(source.knownNames.map(normalizeName));
  const countKnown = (row: SheetRow): number =>
    new Set(row.cells.map((cell) => normalizeName(nameOf(cell))).filter((name) => known.has(name))).size;
  const filled = await filledAtTop(workbook, entry, source, rowsMax);
  const row = headerOf(filled, countKnown, source);
  if (!row) return { entry, knownCount: 0 };
  const columns = row.cells.map(nameOf);
  while (columns.at(-1)?.trim() === "") columns.pop();
  return {
    entry,
    header: { row: row.number, columns, above: filled.indexOf(row) },
    knownCount: countKnown(row),
    isPayable: row !== filled.at(-1) && source.isComplete?.(columns) === true,
  };
}

/** The rows among which the header is to be looked for: those at the top that are not blank. */
async function filledAtTop(
  workbook: Workbook,
  entry: SheetEntry,
  { headerRow, limits }: SheetSource,
  rowsMax: number,
): Promise<SheetRow[]> {
  const filled: SheetRow[] = [];
  const isFound = (): boolean =>
    headerRow === undefined ? filled.length >= HEADER_ROWS_MAX : (filled.at(-1)?.number ?? 0) >= headerRow;
  let rowsSeen = 0;
  for await (const rows of workbook.rows(entry, { columnsMax: limits.columnsMax })) {
    for (const row of rows) {
      rowsSeen += 1;
      if (row.cells.some((cell) => nameOf(cell).trim() !== "")) filled.push(row);
      if (isFound() || rowsSeen >= rowsMax) return filled;
    }
  }
  return filled;
}

/**
 * The first row that is not blank, unless a row soon below it has several of our names, and more than the first has:
 * `Period` and `Reference` stand in many a title. A first row that names all that an operation needs is the header,
 * whatever comes below it.
 */
function headerOf(
  filled: readonly SheetRow[],
  countKnown: (row: SheetRow) => number,
  { headerRow, isComplete }: SheetSource,
): SheetRow | undefined {
  if (headerRow !== undefined) return filled.find((row) => row.number === headerRow);
  const [first] = filled;
  if (!first || isComplete?.(first.cells.map(nameOf)) === true) return first;
  const knownMin = Math.max(KNOWN_NAMES_MIN, countKnown(first) + 1);
  return filled.find((row) => countKnown(row) >= knownMin) ?? first;
}

function nameOf(cell: SheetCell): string {
  return typeof cell === "string" ? withoutGuard(cell) : cell.source;
}

function tableOf({ entry, header }: SheetLook, remarks: readonly string[], source: SheetSource): TableFound {
  if (!header) throw source.refuse("file_blank", { found: `nothing in the sheet ${quotedName(entry.name)}` });
  const { row, columns, above } = header;
  // a workbook that was taken before is read as it was then: its `headerRow` is known
  const isNew = source.headerRow === undefined;
  if (isNew && columns.some(isEncodedTwice)) throw source.refuse("encoded_twice", { row });
  const title = `the header is row ${row}; ${above === 1 ? "what stands" : `${above} rows that stand`} above it ${above > 1 ? "were" : "was"} not read`;
  return { entry, columns, headerRow: row, remarks: [...remarks, ...(above > 0 ? [title] : [])] };
}

function remarksOf(workbook: Workbook, best: SheetLook, filled: readonly SheetLook[]): string[] {
  const others = filled.filter((look) => look !== best).map(({ entry }) => entry);
  const hidden = workbook.sheets.filter((one) => one.isHidden);
  const read = `the sheet ${quotedName(best.entry.name)} was read`;
  return [
    ...(others.length === 0 ? [] : [`${read}, not ${namesOf(others)}`]),
    ...(hidden.length === 0 ? [] : [`${read}, not what is hidden: ${namesOf(hidden)}`]),
  ];
}

function namesOf(entries: readonly SheetEntry[]): string {
  const shown = entries.slice(0, NAMES_SHOWN_MAX).map(({ name }) => quotedName(name));
  const more = entries.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function missingSheet(workbook: Workbook, source: SheetSource): Error {
  const found = `${quotedName(source.sheetName ?? "")}; it has ${namesOf(workbook.sheets)}`;
  return source.refuse("sheet_missing", { found });
}

function emptyWorkbook(workbook: Workbook, source: SheetSource): Error {
  const hidden = workbook.sheets.some((one) => one.isHidden);
  return source.refuse("file_blank", { found: hidden ? "nothing but hidden sheets" : "nothing but empty cells" });
}
