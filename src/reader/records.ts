import { createRequire } from "node:module";
import type * as CsvParse from "csv-parse/sync";
import { counted } from "../text/counted.ts";
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
 * Cuts a file into records. A record without a quote, or whose quotes stand around whole cells and nowhere else, is cut
 * right here: that is all that CSV asks for, and many times faster. All other records of a chunk go through csv-parse
 * in one call. The records of chunks that end before the row `fromRow` are only counted: they are empty.
 * Throws FileRefusedError.
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
    // whole chunks only: how a stray quote is read depends on what else stands in its chunk
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
  /** Index in the text where the record begins that is not whole yet. */
  readonly end: number;
}

/** A piece of a file's text, from the beginning of a record. */
interface Piece {
  readonly text: string;
  /** Nothing follows. */
  readonly isEnd: boolean;
  /** Number of rows before this piece, for the messages. */
  readonly rowsBefore: number;
}

/** `isCounted`: the records are only counted, since nobody asks for their cells. */
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

/** One record for all empty lines: there may be millions of them. */
const BLANK_RECORD = [""];
const COUNTED_RECORD: string[] = [];

/**
 * The cells of a record in which every quote is the first or last character of its cell; undefined for any other
 * record. How csv-parse reads the other records does not depend on whether this one is among them.
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
  /** Its index among the records of the piece. */
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
 * Some systems write a cell as `="0123"` without quotes around it, so that a spreadsheet keeps the zero. That is not
 * CSV, but it can be meant in one way only. Only text that is not CSV as it stands is read so.
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
    // where nothing was put in quotes, a second try would fail in the same way
    if (!(error instanceof csvParse().CsvError) || inQuotes === text) throw error;
    return parseRecords(inQuotes, delimiter);
  }
}

/** Line ends may be mixed; the caller judges how long a record may be. Throws CsvError for a quote out of place. */
export function parseRecords(text: string, delimiter: string): string[][] {
  return csvParse().parse(text, { delimiter, record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true });
}

let loaded: typeof CsvParse | undefined;

/** csv-parse is loaded when the first record needs it: most files have none that does. */
function csvParse(): typeof CsvParse {
  return (loaded ??= createRequire(import.meta.url)("csv-parse/sync") as typeof CsvParse);
}
