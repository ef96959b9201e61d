import { createRequire } from "node:module";
import type * as CsvParse from "csv-parse/sync";
import { normalizeName } from "../column-name.ts";
import type { Fault } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { OUR_NAMES } from "./columns.ts";
import { assertHeader, guardsOf, headerAmong, HEADER_ROWS_MAX, underTable } from "./lines.ts";
import { COLUMNS_MAX, PAGE_ROWS_MAX, RECORD_CHARACTERS_MAX, type Row, type Source, type Table } from "./row.ts";
import { readText } from "./text.ts";

export type CsvSource = Source & { readonly delimiter: string; readonly only?: ReadonlySet<number> | undefined };

/** Reads as far as the header; `rows` then reads the file from its beginning, each time it is called. */
export async function openCsv(given: Source): Promise<Table> {
  const { encoding, delimiter = await findDelimiter(given) } = given;
  const source: CsvSource = { ...given, delimiter };
  const header = await readHeader(source);
  const remarks: Fault[] = [];
  const reading = { format: "csv", encoding, delimiter } as const;
  return { reading, header: header.names, remarks, rows: (only) => readRows({ ...source, only }, header, remarks) };
}

interface Header {
  readonly names: readonly string[];
  /** 1, unless blank rows come before it. */
  readonly row: number;
}

const SEP_LINE = /^"?sep=([^\r\n]?)"?[ ,;\t|]*(?:\r\n|\n|\r|$)/i;
export const DELIMITERS: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "|" };
/** A line end in quotes does not end a record. */
const RECORD = /(?:"[^"]*"|[^"\r\n])+/g;

/**
 * The delimiter that Excel's `sep=` line names, else the one that cuts the header into the most names that are known,
 * else into the most cells. Guessing from the rows is not safe: a comma may be a decimal sign there.
 */
async function findDelimiter(source: Source): Promise<string> {
  let head = "";
  // the first text that is not blank holds the header of any file that is within the limits
  for await (head of readText(source, () => 1)) if (head.trim() !== "") break;
  const said = SEP_LINE.exec(head)?.[1];
  if (said !== undefined) {
    if (said in DELIMITERS) return said;
    throw source.refuse("delimiter_unknown", { delimiter: `"${printable(said)}"` }, { row: 1 });
  }
  const records =
    head
      .match(RECORD)
      ?.filter((one) => /[^\s,;|"]/.test(one))
      .slice(0, HEADER_ROWS_MAX) ?? [];
  const cuts = Object.keys(DELIMITERS).map((delimiter) => {
    // titles may stand above the header
    const known = records.map((record) => {
      const names = record.split(delimiter).map((cell) => normalizeName(cell.replaceAll('"', "")));
      return names.filter((name) => OUR_NAMES.has(name)).length;
    });
    return { delimiter, cells: records[0]?.split(delimiter).length ?? 0, known: Math.max(0, ...known) };
  });
  cuts.sort((left, right) => right.known - left.known || right.cells - left.cells);
  return cuts[0]?.delimiter ?? ",";
}

async function readHeader(source: CsvSource): Promise<Header> {
  let row = 0;
  const rows: Header[] = [];
  for await (const { records } of readRecords(source)) {
    for (const record of records) {
      row += 1;
      if (!isBlank(record) && rows.length < HEADER_ROWS_MAX) rows.push({ names: record.map(guardsOf(record)), row });
    }
    if (rows.length === HEADER_ROWS_MAX) break;
  }
  const [first] = rows;
  if (!first) throw source.refuse("file_blank");
  const header = headerAmong(rows);
  if (header && header !== first) throw source.refuse("lines_above_header", { header: header.row }, { row: first.row });
  assertHeader(first.names, first.row, source.refuse);
  return first;
}

async function* readRows(source: CsvSource, header: Header, remarks: Fault[]): AsyncGenerator<readonly Row[]> {
  const columns = header.names;
  const withoutGuard = guardsOf(columns);
  const nameless = columns.flatMap((name, at) => (name.trim() === "" ? [at] : []));
  let number = 0;
  let first = 0;
  let endsOpen = false;
  for await (const page of readRecords(source)) {
    let rows: Row[] = [];
    for (const cells of page.records) {
      number += 1;
      if (number <= header.row || isBlank(cells)) continue;
      first ||= number;
      const where = page.endsOpen && cells === page.records.at(-1) ? "last" : first === number ? "first" : "among";
      if (cells.length !== columns.length) throw ragged(cells, columns.length, source, number, where);
      // hardly any cell has a guard, and a copy of every record would be made for nothing
      for (let at = 0; at < cells.length; at += 1) cells[at] = withoutGuard(cells[at] ?? "");
      for (const at of nameless) {
        if (cells[at]?.trim()) throw source.refuse("cell_without_header", { cell: `cell ${at + 1}` }, { row: number });
      }
      rows.push({ number, columns, cells });
      if (rows.length < PAGE_ROWS_MAX) continue;
      yield rows;
      rows = [];
    }
    // whoever looks for a few rows may have no more time
    if (rows.length > 0 || source.only) yield rows;
    endsOpen = page.endsOpen && !isBlank(page.records.at(-1) ?? []);
  }
  if (first === 0) throw source.refuse("no_rows");
  // no parser can see that the last amount was cut: `B,25` of `B,2500` is a good row
  remarks.splice(0, remarks.length, ...(endsOpen ? [{ code: "no_line_end", row: number }] : []));
}

function isBlank(record: readonly string[]): boolean {
  const first = record[0] ?? "";
  // nearly every row begins with a visible ASCII character
  if (first !== "" && first.charCodeAt(0) > 32 && first.charCodeAt(0) < 127) return false;
  return record.every((cell) => cell.trim() === "");
}

/** A number in groups of thousands, or of lakhs, that was cut into cells at its commas: `4,000.00`, `₹ 1,04,000`. */
const CUT_NUMBER = /(?<=^|,)(\s*(?:\p{Sc}|rs\.?|inr)?\s*[1-9]\d{0,2}(?:,\d\d)*,\d{3}(?:\.\d+)?)(?=\s*(?:,|$))/iu;

/** What a record of another length than the header is refused for: what stands behind a cut belongs to other columns. */
function ragged(cells: readonly string[], columns: number, source: CsvSource, row: number, where: string): Error {
  const { refuse, delimiter } = source;
  if (cells.length > COLUMNS_MAX) return refuse("too_many_columns", { most: COLUMNS_MAX }, { row });
  const what = cells.length < columns && where !== "first" ? underTable(cells) : undefined;
  if (what !== undefined) return refuse("line_under_table", { what }, { row });
  const cut = CUT_NUMBER.exec(cells.map((cell) => cell.replaceAll(",", ";")).join())?.[1]?.trim();
  const isQuoted = cells.length === 1 && cells[0]?.includes(delimiter);
  const why = isQuoted ? "quoted" : where === "last" && cells.length < columns ? "cut" : undefined;
  const isFirst = Number(where === "first");
  return refuse("row_ragged", { cells: cells.length, columns, cut, isFirst, why }, { row });
}

/**
 * Cuts a file into records. One without a quote, or whose quotes stand around whole cells and nowhere else, is cut right
 * here: that is many times faster. All others of a piece go through csv-parse in one call. Throws FileRefusedError.
 */
export async function* readRecords(source: CsvSource): AsyncGenerator<ReturnType<typeof cutRecords>> {
  let carried = "";
  let row = 1;
  let isFirst = true;
  for await (const text of readText(source, () => row)) {
    carried += isFirst ? text.replace(SEP_LINE, "") : text;
    isFirst = false;
    const page = cutRecords(carried, text === "", row, source);
    row += page.records.length;
    if (page.records.length > 0) yield page;
    carried = carried.slice(page.end);
  }
}

/** One record for all empty lines: there may be millions of them. */
const BLANK_RECORD = [""];
const LINE_END_OR_QUOTE = /["\r\n]/g;
/** A record with quotes up to its line end; one between two quotes belongs to the cell. */
const QUOTED = /[^"\r\n]*(?:"[^"]*"[^"\r\n]*)*(?=[\r\n])/y;

/**
 * The whole records of a text that begins with one, `row`; blank ones too. `isEnd`: nothing follows. `endsOpen`: the last one
 * has no line end behind it; `end`: behind it.
 */
function cutRecords(text: string, isEnd: boolean, row: number, source: CsvSource) {
  const { delimiter, only } = source;
  const records: string[][] = [];
  const odd: Odd = new Map();
  let at = 0;
  let endsOpen = false;
  while (at < text.length) {
    LINE_END_OR_QUOTE.lastIndex = at;
    let stop = LINE_END_OR_QUOTE.test(text) ? LINE_END_OR_QUOTE.lastIndex - 1 : text.length;
    const isQuoted = text.startsWith('"', stop);
    if (isQuoted) {
      QUOTED.lastIndex = at;
      stop = QUOTED.test(text) ? QUOTED.lastIndex : text.length;
    }
    if (stop - at > RECORD_CHARACTERS_MAX) {
      parseOdd(odd, records, row, source);
      throw source.refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, { row: row + records.length });
    }
    const next = Math.min(text.startsWith("\r\n", stop) ? stop + 2 : stop + 1, text.length);
    // a line feed may follow in the next piece
    if (!isEnd && (stop === text.length || (next === text.length && text.endsWith("\r")))) break;
    const isLeftOut = only?.has(row + records.length) === false;
    const record = isLeftOut ? "" : text.slice(at, stop);
    const cells = isQuoted && !isLeftOut ? cutAtQuotes(record, delimiter) : record.split(delimiter);
    if (!cells) odd.set(records.length, text.slice(at, next));
    records.push(record === "" || !cells ? BLANK_RECORD : cells);
    endsOpen = stop === text.length;
    at = next;
  }
  parseOdd(odd, records, row, source);
  return { records, endsOpen, end: at };
}

/**
 * The cells of a record in which every quote is the first or last character of its cell; undefined for any other
 * record. How csv-parse reads the other records does not depend on whether this one is among them.
 */
function cutAtQuotes(record: string, delimiter: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; at <= record.length; at += delimiter.length) {
    const isQuoted = record.charCodeAt(at) === 34;
    const start = isQuoted ? at + 1 : at;
    const end = record.indexOf(isQuoted ? '"' : delimiter, start);
    if (end < 0 && isQuoted) return undefined;
    const cell = record.slice(start, end < 0 ? record.length : end);
    if (!isQuoted && cell.includes('"')) return undefined;
    cells.push(cell);
    at = start + cell.length + (isQuoted ? 1 : 0);
    if (at < record.length && !record.startsWith(delimiter, at)) return undefined;
  }
  return cells;
}

/** The records that csv-parse is to read, with their line ends, by their places among all. */
type Odd = Map<number, string>;

function parseOdd(odd: Odd, records: string[][], row: number, { delimiter, refuse }: CsvSource): void {
  if (odd.size === 0) return;
  // loaded when the first record needs it: most files have none that does
  const { parse, CsvError } = createRequire(import.meta.url)("csv-parse/sync") as typeof CsvParse;
  try {
    const options = { delimiter, record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true };
    const parsed: string[][] = parse([...odd.values()].join(""), options);
    for (const [index, at] of [...odd.keys()].entries()) records[at] = parsed[index] ?? [];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { records: parsedBefore = 0 } = error as CsvParse.CsvError & { records?: number };
    const [at, wrong] = [...odd][parsedBefore] ?? [0, ""];
    const place = { row: row + at };
    const isSpaced = new RegExp(`[${delimiter}] +"`).test(wrong);
    if (isSpaced) throw refuse("quote_after_space", { sign: DELIMITERS[delimiter] }, place);
    throw refuse(error.code === "CSV_QUOTE_NOT_CLOSED" ? "quote_unclosed" : "quote_stray", {}, place);
  }
}
