import { lettersOf, normalizeName } from "../column-name.ts";
import type { Fault } from "../messages/sentence.ts";
import { quotedNames } from "../printable.ts";
import { completeOperations, FIELD_NAMES } from "./columns.ts";
import type { Cell, Row, Table } from "./row.ts";
import { assertHeader, blankRemark, guardsOf, RECORD_CHARACTERS_MAX, withoutGuard } from "./source.ts";
import type { Source } from "./source.ts";
import { readBook, type Book, type SheetEntry } from "./workbook-cells.ts";
import { openParts, type Parts } from "./workbook-parts.ts";
import { readSheet, type SheetRow } from "./workbook-sheet.ts";

/** A sheet and its header, as far as it was looked at. */
interface Look {
  readonly entry: SheetEntry;
  readonly names: readonly string[];
  readonly headerRow: number;
  readonly isUnderTitle: boolean;
  /** How many names are ours. */
  readonly known: number;
}

/** A title and a few lines may stand above a header. */
const HEADER_ROWS_MAX = 20;
/** A sheet without any value in its first rows counts as empty. */
const LOOKED_AT_ROWS_MAX = 5000;
/** One name alone, such as `amount`, stands on many a sheet. */
const KNOWN_NAMES_MIN = 2;
const KNOWN = new Set(FIELD_NAMES.map(normalizeName));

/** Finds the sheet and its header; `rows` then reads the sheet from its beginning, each time it is called. */
export async function openWorkbook(source: Source): Promise<Table> {
  const { path, refuse } = source;
  const parts = await openParts(path, refuse);
  try {
    const book = await readBook(parts);
    const { best, others } = await chooseSheet(parts, book, source);
    const { entry, names, headerRow, isUnderTitle } = best;
    assertHeader(names, headerRow, refuse);
    const facts = { sheet: quotedNames([entry.name]), others: namesOf(others) };
    const found: readonly Fault[] = [
      ...(others.length === 0 ? [] : [{ code: "sheet_read", facts }]),
      ...(isUnderTitle ? [{ code: "title_above", facts: { header: headerRow } }] : []),
    ];
    const remarks = [...found];
    const remark = (more: readonly Fault[]): unknown => remarks.splice(0, remarks.length, ...found, ...more);
    const reading = { format: "xlsx", sheet: entry.name, headerRow } as const;
    return { reading, header: names, remarks, rows: () => readRows(source, best, book, remark) };
  } finally {
    parts.zip.close();
  }
}

function namesOf(entries: readonly SheetEntry[]): string {
  return quotedNames(entries.map(({ name }) => name));
}

/**
 * The sheet that was asked for, else the one that has our columns, else the first that is not empty; with the others,
 * which are not read. Where two could be meant, such as October and November, the file is refused: a guess would pay a
 * month twice.
 */
async function chooseSheet(
  parts: Parts,
  book: Book,
  { sheet, headerRow, refuse }: Source,
): Promise<{ readonly best: Look; readonly others: readonly SheetEntry[] }> {
  const { sheets } = book;
  // capitals and spaces around its name make no difference, unless there is one that is named exactly so
  const loose = (text = ""): string => text.trim().toLowerCase();
  const wanted = sheets.find(({ name }) => name === sheet) ?? sheets.find(({ name }) => loose(name) === loose(sheet));
  if (sheet !== undefined && !wanted) {
    throw refuse("sheet_missing", { sheet: quotedNames([sheet]), sheets: namesOf(sheets) });
  }
  const filled: Look[] = [];
  for (const entry of wanted ? [wanted] : sheets.filter((one) => !one.isHidden)) {
    const look = await lookAt(parts, entry, book, headerRow);
    if (look) filled.push(look);
  }
  const known = filled.toSorted((left, right) => right.known - left.known)[0];
  const best = known && known.known >= KNOWN_NAMES_MIN ? known : filled[0];
  if (!best) throw refuse("file_blank");
  const rivals = filled.filter((look) => look !== best && isRival(look, best)).map(({ entry }) => entry);
  if (rivals.length > 0) throw refuse("sheet_ambiguous", { sheets: namesOf([best.entry, ...rivals]) });
  const isOther = (one: SheetEntry): boolean => one.isHidden || filled.some(({ entry }) => entry === one);
  return { best, others: wanted ? [] : sheets.filter((one) => one !== best.entry && isOther(one)) };
}

/** Whether a sheet has the very same header, or more than half as many of our columns. */
function isRival(look: Look, best: Look): boolean {
  if (look.known >= KNOWN_NAMES_MIN && look.known * 2 > best.known) return true;
  const textOf = ({ names }: Look): string => names.map(normalizeName).join("\0");
  return textOf(look) === textOf(best);
}

async function lookAt(
  parts: Parts,
  entry: SheetEntry,
  book: Book,
  headerRow: number | undefined,
): Promise<Look | undefined> {
  const rows: { readonly number: number; readonly names: readonly string[]; readonly known: number }[] = [];
  const last = headerRow ?? LOOKED_AT_ROWS_MAX;
  for await (const page of readSheet(parts, entry.part, book)) {
    for (const { number, cells } of page) {
      const names = cells.map((cell) => withoutGuard(typeof cell === "string" ? cell : cell.source));
      while (names.at(-1)?.trim() === "") names.pop();
      const known = new Set(names.map(normalizeName).filter((name) => KNOWN.has(name))).size;
      if (names.length > 0 && number <= last) rows.push({ number, names, known });
    }
    if ((page.at(-1)?.number ?? 0) >= last || (headerRow === undefined && rows.length >= HEADER_ROWS_MAX)) break;
  }
  if (headerRow === undefined) rows.splice(HEADER_ROWS_MAX);
  const [first] = rows;
  const isComplete = completeOperations(first?.names ?? []).length > 0;
  // `Period` and `Reference` stand in many a title; a first row that names all that is needed is the header
  const min = Math.max(KNOWN_NAMES_MIN, (first?.known ?? 0) + 1);
  const better = isComplete ? undefined : rows.find(({ known }) => known >= min);
  const header = headerRow === undefined ? (better ?? first) : rows.find(({ number }) => number === headerRow);
  if (!header) return undefined;
  const { number, names, known } = header;
  const isUnderTitle = header !== first && headerRow === undefined;
  return { entry, names, headerRow: number, isUnderTitle, known };
}

async function* readRows(
  source: Source,
  { entry, names: columns, headerRow }: Look,
  book: Book,
  remark: (more: readonly Fault[]) => unknown,
): AsyncGenerator<readonly Row[]> {
  const { refuse } = source;
  const parts = await openParts(source.path, refuse);
  const guard = guardsOf(columns);
  const hidden: number[] = [];
  let [last, blank, firstBlank] = [headerRow, 0, 0];
  let isEmpty = true;
  try {
    for await (const page of readSheet(parts, entry.part, book)) {
      const rows: Row[] = [];
      for (const { number, isHidden, isBlank, cells } of page) {
        if (number <= headerRow || isBlank) continue;
        if (number > last + 1) firstBlank ||= last + 1;
        blank += number - last - 1;
        last = number;
        rows.push({ number, columns, cells: fitted(cells, columns, number, guard, source) });
        if (isHidden) hidden.push(number);
      }
      isEmpty &&= rows.length === 0;
      if (rows.length > 0) yield rows;
    }
  } finally {
    parts.zip.close();
  }
  if (isEmpty) throw refuse("no_rows");
  const which = `${hidden.slice(0, ROWS_SHOWN).join(", ")}${hidden.length > ROWS_SHOWN ? " …" : ""}`;
  const isHiding: Fault[] = hidden.length > 0 ? [{ code: "rows_hidden", facts: { rows: hidden.length, which } }] : [];
  remark([...isHiding, ...blankRemark(blank, firstBlank)]);
}

const ROWS_SHOWN = 8;

function fitted(
  cells: SheetRow["cells"],
  columns: readonly string[],
  row: number,
  guard: (text: string) => string,
  { refuse }: Source,
): Cell[] {
  const guarded = cells.map((cell) => (typeof cell === "string" ? guard(cell) : cell));
  const nameless = guarded.findIndex((cell, at) => {
    return (columns[at] ?? "").trim() === "" && (typeof cell !== "string" || cell.trim() !== "");
  });
  if (nameless >= 0) throw refuse("cell_without_header", { cell: `cell ${lettersOf(nameless)}${row}` }, { row });
  const characters = guarded.reduce((sum, cell) => sum + (typeof cell === "string" ? cell.length : 0), 0);
  if (characters > RECORD_CHARACTERS_MAX) throw refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, { row });
  return columns.map((_, at) => guarded[at] ?? "");
}
