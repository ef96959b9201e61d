import { createRequire } from "node:module";
import type * as CsvParse from "csv-parse/sync";
import { counted } from "../counted.ts";
import type { SheetSource } from "./source.ts";
import { readText } from "./text.ts";

/** How one CSV file is written. */
export interface Dialect {
  readonly delimiter: string;
  /** The first line is Excel's `sep=;`, which a spreadsheet does not show. */
  readonly hasSepLine: boolean;
}

/** Whole records of a CSV file, blank ones too. */
interface RecordBatch {
  readonly records: readonly string[][];
  /** The last record of the file has no line end behind it. */
  readonly endsOpen: boolean;
}

/**
 * Cuts a file into records. One without a quote is cut at its delimiters right here, and one whose quotes stand around
 * whole cells and nowhere else at those: that is all that CSV asks for, and many times faster. Every other record goes
 * through csv-parse, those of a chunk in one call. Chunks that end before the row `fromRow` are only counted: their
 * records are empty.
 */
export async function* readRecords(source: SheetSource, dialect: Dialect, fromRow = 0): AsyncGenerator<RecordBatch> {
  let carried = "";
  let rowsBefore = 0;
  let isSepLineAhead = dialect.hasSepLine;
  for await (const chunk of readText(source.path, source.encoding)) {
    const text = carried + (isSepLineAhead ? withoutFirstLine(chunk.text) : chunk.text);
    isSepLineAhead = false;
    const isEnd = chunk.isLast && chunk.broken === undefined;
    const piece: Piece = { text, isEnd, rowsBefore };
    const cutAll = (isCounted: boolean): Cut => cutRecords(piece, dialect.delimiter, source, isCounted);
    let cut = cutAll(rowsBefore + 1 < fromRow);
    // whole chunks only: how a stray quote is read depends on what stands in the same one
    if (rowsBefore + 1 < fromRow && rowsBefore + cut.records.length >= fromRow) cut = cutAll(false);
    rowsBefore += cut.records.length;
    if (cut.records.length > 0) yield cut;
    if (chunk.broken) throw source.refuse(chunk.broken.code, { row: rowsBefore + 1, ...chunk.broken.detail });
    carried = text.slice(cut.end);
  }
}

export function withoutFirstLine(text: string): string {
  return text.replace(/^[^\r\n]*(?:\r\n|\n|\r)?/, "");
}

interface Cut extends RecordBatch {
  /** Where the record begins that is not whole yet. */
  readonly end: number;
}

/** A piece of a file's text, from the beginning of a record. */
interface Piece {
  readonly text: string;
  /** Nothing follows. */
  readonly isEnd: boolean;
  /** Rows that came before it, for the messages. */
  readonly rowsBefore: number;
}

/** `isCounted`: nobody asks for the cells. */
function cutRecords(piece: Piece, delimiter: string, source: SheetSource, isCounted: boolean): Cut {
  const { text, isEnd, rowsBefore } = piece;
  const { recordCharactersMax } = source.limits;
  const records: string[][] = [];
  const quoted: QuotedRecord[] = [];
  const find = (character: string, from: number): number => {
    const found = text.indexOf(character, from);
    return found < 0 ? text.length : found;
  };
  let lineFeed = find("\n", 0);
  let carriageReturn = find("\r", 0);
  let quote = find('"', 0);
  let at = 0;
  let endsOpen = false;
  while (at < text.length) {
    let stop = Math.min(lineFeed, carriageReturn);
    const isQuoted = quote < stop;
    // Quotes come in pairs in every record that csv-parse accepts: a line end after an odd one belongs to the cell.
    for (let isOpen = false; quote < stop || isOpen;) {
      for (; quote < stop; quote = find('"', quote + 1)) isOpen = !isOpen;
      if (!isOpen || stop === text.length || stop - at > recordCharactersMax) break;
      if (lineFeed === stop) lineFeed = find("\n", stop + 1);
      if (carriageReturn === stop) carriageReturn = find("\r", stop + 1);
      stop = Math.min(lineFeed, carriageReturn);
    }
    const isTooLong = stop - at > recordCharactersMax;
    const isCarriageReturn = stop === carriageReturn && stop < text.length;
    const isWhole = stop < text.length && !(isCarriageReturn && stop + 1 === text.length);
    if (!isWhole && !isEnd && !isTooLong) break;

    const next = isCarriageReturn && lineFeed === stop + 1 ? stop + 2 : stop + 1;
    if (isCounted && !isTooLong) {
      records.push(COUNTED_RECORD);
    } else if (isQuoted) {
      const cells = isTooLong ? undefined : cutAtQuotes(text.slice(at, stop), delimiter);
      const end = isTooLong ? at + recordCharactersMax : next;
      if (!cells) quoted.push({ index: records.length, text: text.slice(at, end) });
      records.push(cells ?? []);
    } else if (!isTooLong) {
      records.push(stop === at ? BLANK_RECORD : text.slice(at, stop).split(delimiter));
    }
    if (isTooLong) {
      parseQuoted(quoted, records, delimiter, source, rowsBefore);
      const row = rowsBefore + records.length + (isQuoted ? 0 : 1);
      throw source.refuse("record_too_long", { row, found: counted(recordCharactersMax, "character") });
    }
    endsOpen = stop === text.length;
    at = Math.min(next, text.length);
    if (lineFeed < at) lineFeed = find("\n", at);
    if (carriageReturn < at) carriageReturn = find("\r", at);
  }
  parseQuoted(quoted, records, delimiter, source, rowsBefore);
  return { records, endsOpen, end: at };
}

/** One for all empty lines: there may be millions of them. */
const BLANK_RECORD = [""];
const COUNTED_RECORD: string[] = [];

/**
 * The cells of a record in which every quote is the first or last character of its cell; undefined for any other one.
 * What csv-parse makes of the others does not depend on it.
 */
function cutAtQuotes(record: string, delimiter: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; at <= record.length; at += delimiter.length) {
    const isQuoted = record.startsWith('"', at);
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

/** A record that csv-parse is to read. */
interface QuotedRecord {
  /** Its place among the records. */
  readonly index: number;
  /** With its line end. */
  readonly text: string;
}

function parseQuoted(
  quoted: readonly QuotedRecord[],
  records: string[][],
  delimiter: string,
  source: SheetSource,
  rowsBefore: number,
): void {
  if (quoted.length === 0) return;
  try {
    const parsed = parseAsMeant(quoted.map((record) => record.text).join(""), delimiter);
    for (const [index, { index: place }] of quoted.entries()) records[place] = parsed[index] ?? [];
  } catch (error) {
    if (!(error instanceof csvParse().CsvError)) throw error;
    const { records: recordsBefore } = error as CsvParse.CsvError & { records?: number };
    const row = rowsBefore + (quoted[recordsBefore ?? 0]?.index ?? 0) + 1;
    throw source.refuse(error.code === "CSV_QUOTE_NOT_CLOSED" ? "quote_unclosed" : "quote_stray", { row });
  }
}

/**
 * Other systems write `="0123"` bare, so that a spreadsheet keeps the zero: no CSV, but no other reading of it is one
 * either. Only text that is no CSV as it stands is read that way.
 */
function parseAsMeant(text: string, delimiter: string): string[][] {
  try {
    return parseRecords(text, delimiter);
  } catch (error) {
    const bare = new RegExp(`(^|[${delimiter}\\r\\n])(="[^"${delimiter}\\r\\n]*")(?=[${delimiter}\\r\\n]|$)`, "g");
    const inQuotes = text.replace(
      bare,
      (_, before: string, cell: string) => `${before}"${cell.replaceAll('"', '""')}"`,
    );
    // the first error names the row as it stands in the file
    if (!(error instanceof csvParse().CsvError) || inQuotes === text) throw error;
    return parseRecords(inQuotes, delimiter);
  }
}

/** Line ends may be mixed; rows of any length, for the caller to judge. Throws CsvError for a quote out of place. */
export function parseRecords(text: string, delimiter: string): string[][] {
  return csvParse().parse(text, { delimiter, record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true });
}

let loaded: typeof CsvParse | undefined;

/** Loaded for the first record that is its to read: most files have none. */
function csvParse(): typeof CsvParse {
  return (loaded ??= createRequire(import.meta.url)("csv-parse/sync") as typeof CsvParse);
}
