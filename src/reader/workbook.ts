import { lettersOf, normalizeName } from "../column-name.ts";
import type { Fault } from "../messages/sentence.ts";
import { quotedNames } from "../printable.ts";
import { OUR_NAMES } from "./columns.ts";
import { assertHeader, withoutGuard } from "./lines.ts";
import { RECORD_CHARACTERS_MAX, type Cell, type Row, type Source, type Table } from "./row.ts";
import { readBook, readSheet, type Book, type SheetEntry } from "./workbook-cells.ts";
import { openParts, type Parts } from "./workbook-parts.ts";

/** A sheet and its header: the first row that holds something. */
interface Header {
  readonly entry: SheetEntry;
  readonly names: readonly string[];
  readonly row: number;
  readonly known: number;
}

/** One name alone, such as `amount`, stands on many a sheet. */
const KNOWN_NAMES_MIN = 2;

/** Finds the sheet and its header; `rows` then reads the sheet from its beginning, each time it is called. */
export async function openWorkbook(source: Source): Promise<Table> {
  const parts = await openParts(source.path, source.refuse);
  try {
    const book = await readBook(parts);
    const { header, others } = await chooseSheet(parts, book, source);
    const { entry, names, row } = header;
    assertHeader(names, row, source.refuse);
    const facts = { sheet: quotedNames([entry.name]), others };
    const remarks: Fault[] = others === "" ? [] : [{ code: "sheet_read", facts }];
    const before = remarks.length;
    const remarkHidden = (hidden: readonly Fault[]): unknown => remarks.splice(before, 1, ...hidden);
    const reading = { format: "xlsx", sheet: entry.name } as const;
    return { reading, header: names, remarks, rows: () => readRows(source, header, book, remarkHidden) };
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
async function chooseSheet(
  parts: Parts,
  book: Book,
  { sheet, refuse }: Source,
): Promise<{ readonly header: Header; readonly others: string }> {
  const { sheets } = book;
  // capitals and spaces around its name make no difference, unless there is one that is named exactly so
  const loose = (text = ""): string => text.trim().toLowerCase();
  const wanted = sheets.find(({ name }) => name === sheet) ?? sheets.find(({ name }) => loose(name) === loose(sheet));
  if (sheet !== undefined && !wanted) {
    throw refuse("sheet_missing", { sheet: quotedNames([sheet]), sheets: quotedNames(sheets.map(({ name }) => name)) });
  }
  const filled: Header[] = [];
  for (const entry of wanted ? [wanted] : sheets.filter((one) => !one.isHidden)) {
    const header = await findHeader(parts, entry, book);
    if (header) filled.push(header);
  }
  const most = Math.max(...filled.map(({ known }) => known));
  const meant = filled.filter(({ known }) => most < KNOWN_NAMES_MIN || known * 2 > most);
  const [header, ...rivals] = meant;
  if (!header) throw refuse("file_blank");
  if (rivals.length > 0) throw refuse("sheet_ambiguous", { sheets: namesOf(meant) });
  return { header, others: namesOf(filled.filter((one) => one !== header)) };
}

async function findHeader(parts: Parts, entry: SheetEntry, book: Book): Promise<Header | undefined> {
  for await (const page of readSheet(parts, entry.part, book)) {
    for (const { number: row, cells } of page) {
      const names = cells.map((cell) => withoutGuard(typeof cell === "string" ? cell : cell.source));
      while (names.at(-1)?.trim() === "") names.pop();
      const known = new Set(names.map(normalizeName)).intersection(OUR_NAMES).size;
      if (names.length > 0) return { entry, names, row, known };
    }
  }
  return undefined;
}

const ROWS_SHOWN = 8;

async function* readRows(
  source: Source,
  { entry, names: columns, row: headerRow }: Header,
  book: Book,
  remarkHidden: (hidden: readonly Fault[]) => unknown,
): AsyncGenerator<readonly Row[]> {
  const parts = await openParts(source.path, source.refuse);
  const hidden: number[] = [];
  let isEmpty = true;
  try {
    for await (const page of readSheet(parts, entry.part, book)) {
      const filled = page.filter(({ number, isBlank }) => number > headerRow && !isBlank);
      hidden.push(...filled.flatMap(({ number, isHidden }) => (isHidden ? [number] : [])));
      if (filled.length === 0) continue;
      isEmpty = false;
      yield filled.map(({ number, cells }) => ({ number, columns, cells: fitted(cells, columns, number, source) }));
    }
  } finally {
    parts.zip.close();
  }
  if (isEmpty) throw source.refuse("no_rows");
  const which = `${hidden.slice(0, ROWS_SHOWN).join(", ")}${hidden.length > ROWS_SHOWN ? " …" : ""}`;
  remarkHidden(hidden.length > 0 ? [{ code: "rows_hidden", facts: { rows: hidden.length, which } }] : []);
}

function fitted(given: readonly Cell[], columns: readonly string[], row: number, { refuse }: Source): Cell[] {
  const cells = given.map((cell) => (typeof cell === "string" ? withoutGuard(cell) : cell));
  let characters = 0;
  for (const [at, cell] of cells.entries()) {
    if (typeof cell === "string") characters += cell.length;
    const isNameless = (columns[at] ?? "").trim() === "" && (typeof cell !== "string" || cell.trim() !== "");
    if (isNameless) throw refuse("cell_without_header", { cell: `cell ${lettersOf(at)}${row}` }, { row });
  }
  if (characters > RECORD_CHARACTERS_MAX) throw refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, { row });
  return columns.map((_, at) => cells[at] ?? "");
}
