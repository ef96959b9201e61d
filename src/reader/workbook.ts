import { lettersOf, normalizeName } from "../column-name.ts";
import type { Fault } from "../messages/sentence.ts";
import { quotedNames } from "../printable.ts";
import { knownColumns, OUR_NAMES } from "./columns.ts";
import { assertHeader, guardsOf, headerAmong, HEADER_ROWS_MAX, KNOWN_NAMES_MIN, withoutGuard } from "./lines.ts";
import { RECORD_CHARACTERS_MAX, type Cell, type Row, type Source, type Table } from "./row.ts";
import { readBook, readSheet, type Book, type SheetEntry } from "./workbook-cells.ts";
import { createCover, readAround } from "./workbook-cover.ts";
import { openParts, type Parts } from "./workbook-parts.ts";

/** A row of a sheet that may be its header. */
interface Header {
  readonly entry: SheetEntry;
  readonly names: readonly string[];
  readonly row: number;
  readonly known: number;
  readonly isUnderTitle: boolean;
  readonly hasRows: boolean;
}

const HIDDEN_LOOKED_AT = 50;

/** Finds the sheet and its header; `rows` then reads the sheet from its beginning, each time it is called. */
export async function openWorkbook(source: Source): Promise<Table> {
  const { path, refuse } = source;
  const parts = await openParts(path, refuse);
  try {
    const book = await readBook(parts);
    const { header, others, unseen } = await chooseSheet(parts, book, source);
    const { entry, names, row, isUnderTitle } = header;
    assertHeader(names, row, refuse);
    const around = await readAround(parts, entry);
    const known = new Set(knownColumns(names).map(({ at }) => at));
    const columns = names.filter((_, at) => known.has(at) && around.isHidden(at));
    const remarks: Fault[] = [
      ...(others === "" ? [] : [{ code: "sheet_read", facts: { sheet: quotedNames([entry.name]), others } }]),
      ...(unseen === "" ? [] : [{ code: "sheets_hidden", facts: { sheets: unseen, isRead: Number(entry.isHidden) } }]),
      ...(columns.length === 0 ? [] : [{ code: "columns_hidden", facts: { columns: quotedNames(columns) } }]),
      ...(isUnderTitle ? [{ code: "title_above", facts: { header: row } }] : []),
    ];
    const before = remarks.length;
    const remark = (more: readonly Fault[]): unknown => remarks.splice(before, 1, ...more);
    const reading = { format: "xlsx", sheet: entry.name, headerRow: row } as const;
    return { reading, header: names, remarks, rows: () => readRows(source, header, { book, around, remark }) };
  } finally {
    parts.zip.close();
  }
}

function namesOf(headers: readonly Header[]): string {
  return quotedNames(headers.map(({ entry }) => entry.name));
}

/**
 * The sheet that was asked for, else the only one that has our columns, else the only one that is not empty; with the
 * names of the others, which are not read. Where two could be meant, such as October and November, the file is refused:
 * a guess would pay a month twice.
 */
async function chooseSheet(parts: Parts, book: Book, { sheet, headerRow, refuse }: Source) {
  const { sheets } = book;
  // capitals and spaces around its name make no difference, unless there is one that is named exactly so
  const loose = (text = ""): string => text.trim().toLowerCase();
  const wanted = sheets.find(({ name }) => name === sheet) ?? sheets.find(({ name }) => loose(name) === loose(sheet));
  if (sheet !== undefined && !wanted) {
    throw refuse("sheet_missing", { sheet: quotedNames([sheet]), sheets: quotedNames(sheets.map(({ name }) => name)) });
  }
  const filled: Header[] = [];
  const hidden: Header[] = [];
  for (const entry of wanted ? [wanted] : sheets) {
    if (entry.isHidden && entry !== wanted && hidden.length === HIDDEN_LOOKED_AT) continue;
    const header = await findHeader(parts, entry, book, headerRow);
    if (header) (entry.isHidden && entry !== wanted ? hidden : filled).push(header);
  }
  const most = Math.max(...filled.map(({ known }) => known));
  const meant = filled.filter(({ known }) => most < KNOWN_NAMES_MIN || known * 2 > most);
  const unseen = hidden.filter(({ known, hasRows }) => hasRows && known >= KNOWN_NAMES_MIN && known * 2 > most);
  // what is shown has no payments
  if (unseen.length > 0 && !(most >= KNOWN_NAMES_MIN)) throw refuse("sheet_is_hidden", { sheets: namesOf(unseen) });
  const [header, ...rivals] = meant;
  if (!header) throw refuse("file_blank");
  if (rivals.length > 0) throw refuse("sheet_ambiguous", { sheets: namesOf(meant) });
  return {
    header,
    others: namesOf(filled.filter((one) => one !== header)),
    unseen: namesOf(wanted?.isHidden ? filled : unseen),
  };
}

/** The first row that holds something or, under a title, the one with the most names of ours. */
async function findHeader(parts: Parts, entry: SheetEntry, book: Book, headerRow: number | undefined) {
  const rows: Omit<Header, "isUnderTitle" | "hasRows">[] = [];
  for await (const page of readSheet(parts, entry.part, book)) {
    for (const { number, cells } of page) {
      const names = cells.map((cell) => withoutGuard(typeof cell === "string" ? cell : cell.source));
      while (names.at(-1)?.trim() === "") names.pop();
      const known = new Set(names.map(normalizeName)).intersection(OUR_NAMES).size;
      if (names.length > 0) rows.push({ entry, names, row: number, known });
    }
    if (rows.length >= HEADER_ROWS_MAX) break;
  }
  const [first] = rows;
  const header = rows.find(({ row }) => row === headerRow) ?? headerAmong(rows);
  return header && { ...header, isUnderTitle: header !== first, hasRows: header !== rows.at(-1) };
}

const ROWS_SHOWN = 8;

/** What reading the rows of a sheet takes. `remark`: is told at the end. */
interface Reading {
  readonly book: Book;
  readonly around: Awaited<ReturnType<typeof readAround>>;
  readonly remark: (more: readonly Fault[]) => unknown;
}

async function* readRows(source: Source, header: Header, { book, around, remark }: Reading) {
  const { entry, names: columns, row: headerRow } = header;
  const parts = await openParts(source.path, source.refuse);
  const guard = guardsOf(columns);
  const cover = createCover(around.merged, headerRow, columns.length);
  const hidden: number[] = [];
  let isEmpty = true;
  try {
    for await (const page of readSheet(parts, entry.part, book)) {
      const rows: Row[] = [];
      for (const { number, isHidden, isBlank, cells } of page) {
        if (number <= headerRow || isBlank) continue;
        const guarded = cells.map((cell) => (typeof cell === "string" ? guard(cell) : cell));
        const fit = fitted(guarded, columns, number, source);
        rows.push({ number, columns, cells: fit, ...cover(number, fit) });
        if (isHidden) hidden.push(number);
      }
      isEmpty &&= rows.length === 0;
      if (rows.length > 0) yield rows;
    }
  } finally {
    parts.zip.close();
  }
  if (isEmpty) throw source.refuse("no_rows");
  const which = `${hidden.slice(0, ROWS_SHOWN).join(", ")}${hidden.length > ROWS_SHOWN ? " …" : ""}`;
  remark(hidden.length > 0 ? [{ code: "rows_hidden", facts: { rows: hidden.length, which } }] : []);
}

function fitted(cells: readonly Cell[], columns: readonly string[], row: number, { refuse }: Source): Cell[] {
  let characters = 0;
  for (const [at, cell] of cells.entries()) {
    if (typeof cell === "string") characters += cell.length;
    const isNameless = (columns[at] ?? "").trim() === "" && (typeof cell !== "string" || cell.trim() !== "");
    if (isNameless) throw refuse("cell_without_header", { cell: `cell ${lettersOf(at)}${row}` }, { row });
  }
  if (characters > RECORD_CHARACTERS_MAX) throw refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, { row });
  return columns.map((_, at) => cells[at] ?? "");
}
