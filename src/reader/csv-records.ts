import { createRequire } from "node:module";
import type * as CsvParse from "csv-parse/sync";
import { RECORD_CHARACTERS_MAX, type Source } from "./source.ts";
import { readText } from "./text.ts";

/** Whole records of a CSV file, blank ones too. */
export interface RecordPage {
  readonly records: readonly string[][];
  /** The last record of the file has no line end behind it. */
  readonly endsOpen: boolean;
}

export const SEP_LINE = /^"?sep=([^\r\n]?)"?[ ,;\t|]*(?:\r\n|\n|\r|$)/i;

/**
 * Cuts a file into records. One without a quote, or whose quotes stand around whole cells and nowhere else, is cut right
 * here: that is many times faster. All others of a piece go through csv-parse in one call. Throws FileRefusedError.
 */
export async function* readRecords(source: Source, delimiter: string): AsyncGenerator<RecordPage> {
  let carried = "";
  let rowsBefore = 0;
  let isFirst = true;
  for await (const chunk of readText(source.path, source.encoding)) {
    const text = carried + (isFirst ? chunk.text.replace(SEP_LINE, "") : chunk.text);
    isFirst = false;
    const cut = cutRecords({ text, isEnd: chunk.isLast && !chunk.broken, rowsBefore, delimiter, source });
    rowsBefore += cut.records.length;
    if (cut.records.length > 0) yield cut;
    if (chunk.broken) throw source.refuse(chunk.broken.code, chunk.broken.facts, { row: rowsBefore + 1 });
    carried = text.slice(cut.end);
  }
}

/** A piece of a file's text, from the beginning of a record. */
interface Piece {
  readonly text: string;
  /** Nothing follows. */
  readonly isEnd: boolean;
  readonly rowsBefore: number;
  readonly delimiter: string;
  readonly source: Source;
}

/** A record that csv-parse is to read. */
interface OddRecord {
  /** Its index among the records of the piece. */
  readonly index: number;
  /** With its line end. */
  readonly text: string;
}

/** One record for all empty lines: there may be millions of them. */
const BLANK_RECORD = [""];

function cutRecords(piece: Piece): RecordPage & { readonly end: number } {
  const { text, isEnd, delimiter } = piece;
  const records: string[][] = [];
  const odd: OddRecord[] = [];
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
    // quotes come in pairs in every record that csv-parse accepts: a line end after an odd one belongs to the cell
    for (let isOpen = false; quote < stop || isOpen;) {
      for (; quote < stop; quote = find('"', quote + 1)) isOpen = !isOpen;
      if (!isOpen || stop === text.length || stop - at > RECORD_CHARACTERS_MAX) break;
      if (lineFeed === stop) lineFeed = find("\n", stop + 1);
      if (carriageReturn === stop) carriageReturn = find("\r", stop + 1);
      stop = Math.min(lineFeed, carriageReturn);
    }
    const isCarriageReturn = stop === carriageReturn && stop < text.length;
    const isWhole = stop < text.length && !(isCarriageReturn && stop + 1 === text.length);
    if (stop - at > RECORD_CHARACTERS_MAX) {
      parseOdd(piece, odd, records);
      const row = piece.rowsBefore + records.length + 1;
      throw piece.source.refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, { row });
    }
    if (!isWhole && !isEnd) break;
    const next = Math.min(isCarriageReturn && lineFeed === stop + 1 ? stop + 2 : stop + 1, text.length);
    if (isQuoted) {
      const cells = cutAtQuotes(text.slice(at, stop), delimiter);
      if (!cells) odd.push({ index: records.length, text: text.slice(at, next) });
      records.push(cells ?? []);
    } else {
      records.push(stop === at ? BLANK_RECORD : text.slice(at, stop).split(delimiter));
    }
    endsOpen = stop === text.length;
    at = next;
    if (lineFeed < at) lineFeed = find("\n", at);
    if (carriageReturn < at) carriageReturn = find("\r", at);
  }
  parseOdd(piece, odd, records);
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

function parseOdd({ delimiter, source, rowsBefore }: Piece, odd: readonly OddRecord[], records: string[][]): void {
  if (odd.length === 0) return;
  try {
    const text = odd.map((record) => record.text).join("");
    const how = { delimiter, record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true };
    const parsed: string[][] = csvParse().parse(text, how);
    for (const [index, { index: place }] of odd.entries()) records[place] = parsed[index] ?? [];
  } catch (error) {
    if (!(error instanceof csvParse().CsvError)) throw error;
    const { records: parsedBefore } = error as CsvParse.CsvError & { records?: number };
    const record = odd[parsedBefore ?? 0];
    const place = { row: rowsBefore + (record?.index ?? 0) + 1 };
    const isSpaced = new RegExp(`[${delimiter}] +"`).test(record?.text ?? "");
    const sign = delimiter === "," ? "comma" : delimiter === ";" ? "semicolon" : delimiter === "|" ? "|" : "tab";
    if (isSpaced) throw source.refuse("quote_after_space", { sign }, place);
    throw source.refuse(error.code === "CSV_QUOTE_NOT_CLOSED" ? "quote_unclosed" : "quote_stray", {}, place);
  }
}

let loaded: typeof CsvParse | undefined;

/** csv-parse is loaded when the first record needs it: most files have none that does. */
function csvParse(): typeof CsvParse {
  return (loaded ??= createRequire(import.meta.url)("csv-parse/sync") as typeof CsvParse);
}
