import { basename } from "node:path";
import type { Layout } from "../config/statement.ts";
import { FileRefusedError } from "../errors.ts";
import { binaryOfBytes } from "../file-format.ts";
import type { FILE_FAULTS } from "../messages/faults.ts";
import type { Facts, Fault } from "../messages/sentence.ts";
import type { STATEMENT_FAULTS } from "../messages/statements.ts";
import { printable, quotedNames } from "../printable.ts";
import { DELIMITERS, readRecords } from "../reader/csv.ts";
import { looksLikeValues } from "../reader/lines.ts";
import { assertEncoding, LOOKED_AT_BYTES } from "../reader/open-table.ts";
import { COLUMNS_MAX, type Cell } from "../reader/row.ts";
import { beginningOf, markOf } from "../reader/text.ts";
import { readBook, readSheet, type Book, type SheetEntry } from "../reader/workbook-cells.ts";
import { openParts } from "../reader/workbook-parts.ts";
import { BANKS, headerIn, knownNames, type Header } from "./layouts.ts";

/** A line of a text, or a row of a sheet, with its number as a spreadsheet shows it. */
export interface SheetRow {
  readonly line: number;
  readonly cells: readonly Cell[];
}

/** The table of a statement: its header, what stands above it, and what stands below. */
export interface StatementSheet {
  readonly header: Header;
  readonly above: readonly string[];
  /** Of a text: its lines were cut at this sign, and an amount with that sign in it, too. */
  readonly delimiter: string | undefined;
  /** The header that another line would be. */
  headerIn(cells: readonly string[]): Header | undefined;
  rows(): AsyncIterable<readonly SheetRow[]>;
}

/** Gives the error that refuses the statement whole, to be thrown. The facts never hold a cell's text. */
export type RefuseStatement = (
  code: keyof typeof FILE_FAULTS | keyof typeof STATEMENT_FAULTS,
  facts?: Facts,
  place?: Pick<Fault, "row" | "column">,
) => FileRefusedError;

/** Name, address, account, from and to stand above the header. */
export const HEADER_LINES_MAX = 40;
const NAMES_SHOWN_MAX = 20;
const ABOVE_CHARACTERS_MAX = 300;

type Pages = () => AsyncIterable<readonly SheetRow[]>;

/** A file whose format nobody knows yet. */
export interface Source {
  readonly path: string;
  readonly encoding: string;
  readonly refuse: RefuseStatement;
}

/** One way to take the file as a table: a text that is cut at one sign, or a sheet. */
interface Taken {
  readonly head: readonly SheetRow[];
  readonly pages: Pages;
  readonly delimiter?: string;
  readonly sheet?: string;
}

/** Finds the table in a file, by what is in it whatever its name says. `own`: layouts beside those of known banks. Throws FileRefusedError. */
export async function openStatement(source: Source, own: readonly Layout[]): Promise<StatementSheet> {
  const { refuse } = source;
  const { ways, refused } = await waysToTake(source, HEADER_LINES_MAX);
  const found = ways.flatMap((way) => statementIn(way, own) ?? []);
  const [first, ...others] = found;
  if (!first) throw ways.length > 0 ? unknown(ways, own, source) : (refused ?? unknown([], own, source));
  const sheets = found.flatMap(({ sheet = "" }) => sheet);
  if (first.sheet !== undefined && others.length > 0) throw refuse("statement_sheets", { sheets: quotedNames(sheets) });
  return first;
}

/**
 * The first `lines` lines of the file, for each way in which it may be a table. `refused`: why it is none where there is no
 * way. Throws FileRefusedError for what is neither text nor workbook.
 */
export async function waysToTake(
  source: Source,
  lines: number,
): Promise<{ readonly ways: readonly Taken[]; readonly refused?: FileRefusedError }> {
  const { path, encoding, refuse } = source;
  const beginning = await beginningOf(path, LOOKED_AT_BYTES);
  if (beginning.length === 0) throw refuse("file_empty");
  const is = binaryOfBytes(beginning);
  if (is === "zip") return { ways: await sheetsOf(source, lines) };
  const text = new TextDecoder(markOf(beginning)?.encoding ?? "latin1").decode(beginning);
  // banks call a web page .xls
  if (is !== undefined || text.trimStart().startsWith("<")) throw refuse("format_unknown", { is: is ?? "page" });
  assertEncoding(beginning, encoding, refuse);
  return cutsOf(source, lines);
}

/** Cut by each sign: the one that gives a header is meant. A line `sep=` says nothing that this would not find. */
async function cutsOf(source: Source, lines: number): ReturnType<typeof waysToTake> {
  const ways: Taken[] = [];
  let refused: FileRefusedError | undefined;
  for (const delimiter of Object.keys(DELIMITERS)) {
    const pages: Pages = () => recordsOf(source, delimiter);
    try {
      ways.push({ head: await headOf(pages, lines), pages, delimiter });
    } catch (error) {
      if (!(error instanceof FileRefusedError)) throw error;
      // a quote that is right for one sign is wrong for the others: the one that came furthest is meant
      if (!refused || (error.faults[0]?.row ?? 0) > (refused.faults[0]?.row ?? 0)) refused = error;
    }
  }
  return { ways, ...(refused && { refused }) };
}

async function* recordsOf({ path, encoding, refuse }: Source, delimiter: string): AsyncGenerator<SheetRow[]> {
  let line = 0;
  for await (const { records } of readRecords({ path, encoding, refuse, delimiter }))
    yield records.map((cells) => ({ line: ++line, cells }));
}

/** The sheets that are shown. */
async function sheetsOf({ path, refuse }: Source, lines: number): Promise<readonly Taken[]> {
  const parts = await openParts(path, refuse);
  try {
    const book = await readBook(parts);
    const ways: Taken[] = [];
    for (const entry of book.sheets.filter(({ isHidden }) => !isHidden)) {
      const head = await headOf(() => rowsOf(parts, entry, book), lines);
      ways.push({ head, pages: () => rowsOnceMore(path, refuse, entry, book), sheet: entry.name });
    }
    return ways;
  } finally {
    parts.zip.close();
  }
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function* rowsOf(parts: Parts, { part }: SheetEntry, book: Book): AsyncGenerator<SheetRow[]> {
  for await (const page of readSheet(parts, part, book))
    yield page.map(({ number, cells }) => ({ line: number, cells }));
}

async function* rowsOnceMore(path: string, refuse: RefuseStatement, entry: SheetEntry, book: Book) {
  const parts = await openParts(path, refuse);
  try {
    yield* rowsOf(parts, entry, book);
  } finally {
    parts.zip.close();
  }
}

async function headOf(pages: Pages, most: number): Promise<readonly SheetRow[]> {
  const head: SheetRow[] = [];
  for await (const page of pages()) {
    for (const { line, cells } of page) if (line <= most) head.push({ line, cells: cells.slice(0, COLUMNS_MAX) });
    if ((page.at(-1)?.line ?? 0) >= most) break;
  }
  return head;
}

function statementIn(
  { head, pages, delimiter, sheet }: Taken,
  own: readonly Layout[],
): (StatementSheet & Pick<Taken, "sheet">) | undefined {
  const headerOf = (cells: readonly string[]): Header | undefined => headerIn(cells, own);
  for (const [at, { line, cells }] of head.entries()) {
    const header = headerOf(cells.map(textOf));
    if (!header) continue;
    const above = head.slice(0, at).map((row) => row.cells.map(textOf).join(" ").slice(0, ABOVE_CHARACTERS_MAX));
    const rows = (): ReturnType<Pages> => below(line, pages());
    return { header, above, delimiter, headerIn: headerOf, rows, ...(sheet !== undefined && { sheet }) };
  }
  return undefined;
}

async function* below(header: number, pages: AsyncIterable<readonly SheetRow[]>): AsyncGenerator<readonly SheetRow[]> {
  for await (const page of pages) yield page.filter(({ line }) => line > header);
}

export function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return "";
  return (typeof cell === "string" ? cell : cell.source).trim();
}

/** Names the columns of the line that is most like a header; never a line of values (I10). */
function unknown(ways: readonly Taken[], own: readonly Layout[], { path, refuse }: Source): FileRefusedError {
  const lines = ways.flatMap(({ head }) =>
    head.map(({ line, cells }) => ({ line, names: cells.map(textOf).filter(Boolean) })),
  );
  const liked = lines.map((one) => ({ ...one, known: one.names.length > 1 ? knownNames(one.names) : 0 }));
  const [best] = liked.sort((one, other) => other.known - one.known);
  const facts = { file: printable(basename(path)), banks: [...own.map(({ bank }) => bank), ...BANKS].join(", ") };
  if (!best || best.known < 2 || looksLikeValues(best.names)) return refuse("statement_unknown", facts);
  const columns = quotedNames(best.names.slice(0, NAMES_SHOWN_MAX));
  return refuse("statement_unknown", { ...facts, columns }, { row: best.line });
}
