import { normalizeName } from "../column-name.ts";
import { printable } from "../printable.ts";
import type { Fault } from "../messages/sentence.ts";
import { FIELD_NAMES } from "./columns.ts";
import { readRecords, SEP_LINE } from "./csv-records.ts";
import type { Row, Table } from "./row.ts";
import { assertHeader, blankRemark, COLUMNS_MAX, guardsOf, PAGE_ROWS_MAX, RECORD_CHARACTERS_MAX } from "./source.ts";
import type { Source } from "./source.ts";
import { readText } from "./text.ts";
import { underTable } from "./under-table.ts";

/** Reads as far as the header; `rows` then reads the file from its beginning, each time it is called. */
export async function openCsv(source: Source): Promise<Table> {
  const delimiter = source.delimiter ?? delimiterOf(await readHead(source), source);
  const header = await readHeader(delimiter, source);
  const remarks: Fault[] = [];
  return {
    reading: { format: "csv", encoding: source.encoding, delimiter },
    header: header.names,
    remarks,
    rows: () => readRows(delimiter, header, source, remarks),
  };
}

interface Header {
  readonly names: readonly string[];
  /** 1, unless blank rows come before it. */
  readonly row: number;
}

/** Enough text for the header of any file that is within the limits. */
async function readHead(source: Source): Promise<string> {
  let head = "";
  for await (const { text } of readText(source.path, source.encoding)) {
    head = head.trim() === "" ? text : head + text;
    if (head.trim() !== "" && head.length > RECORD_CHARACTERS_MAX) break;
  }
  return head;
}

const DELIMITERS = [",", ";", "\t", "|"];
const KNOWN = new Set(FIELD_NAMES.map(normalizeName));

/**
 * The delimiter that Excel's `sep=` line names, else the one that cuts the header into the most names that are known,
 * else into the most cells. Guessing from the rows is not safe: a comma may be a decimal sign there.
 */
function delimiterOf(head: string, { refuse }: Source): string {
  const sepLine = SEP_LINE.exec(head);
  if (sepLine) {
    const delimiter = sepLine[1] ?? "";
    if (DELIMITERS.includes(delimiter)) return delimiter;
    throw refuse("delimiter_unknown", { delimiter: `"${printable(delimiter)}"` }, { row: 1 });
  }
  const record = head.match(RECORD)?.find((one) => /[^\s,;|"]/.test(one)) ?? "";
  const cuts = DELIMITERS.map((delimiter) => {
    const names = record.split(delimiter).map((cell) => normalizeName(cell.replaceAll('"', "")));
    return { delimiter, cells: names.length, known: names.filter((name) => KNOWN.has(name)).length };
  });
  cuts.sort((left, right) => right.known - left.known || right.cells - left.cells);
  return cuts[0]?.delimiter ?? ",";
}

/** A line end in quotes does not end a record. */
const RECORD = /(?:"[^"]*"|[^"\r\n])+/g;

async function readHeader(delimiter: string, source: Source): Promise<Header> {
  let row = 0;
  for await (const { records } of readRecords(source, delimiter)) {
    for (const record of records) {
      row += 1;
      if (isBlank(record)) continue;
      const names = record.map(guardsOf(record));
      assertHeader(names, row, source.refuse);
      return { names, row };
    }
  }
  throw source.refuse("file_blank");
}

async function* readRows(
  delimiter: string,
  header: Header,
  source: Source,
  remarks: Fault[],
): AsyncGenerator<readonly Row[]> {
  const columns = header.names;
  const withoutGuard = guardsOf(columns);
  const nameless = columns.flatMap((name, at) => (name.trim() === "" ? [at] : []));
  let number = 0;
  let [first, usual, blank, firstBlank] = [0, 0, 0, 0];
  let endsOpen = false;
  for await (const page of readRecords(source, delimiter)) {
    let rows: Row[] = [];
    for (const record of page.records) {
      number += 1;
      if (number <= header.row) continue;
      if (isBlank(record)) {
        blank += 1;
        firstBlank ||= number;
        continue;
      }
      first ||= number;
      usual ||= record.length;
      const isUsual = record.length === usual;
      if (!isUsual && record.length === columns.length) throw ragged(usual, columns.length, source, first, first);
      const cells =
        record.length === columns.length ? record : fitted(record, columns.length, isUsual, source, number, first);
      // hardly any cell has a guard, and a copy of every record would be made for nothing
      for (let at = 0; at < cells.length; at += 1) cells[at] = withoutGuard(cells[at] ?? "");
      for (const at of nameless) {
        if (cells[at]?.trim()) throw source.refuse("cell_without_header", { cell: `cell ${at + 1}` }, { row: number });
      }
      rows.push({ number, columns, cells });
      if (rows.length === PAGE_ROWS_MAX) {
        yield rows;
        rows = [];
      }
    }
    if (rows.length > 0) yield rows;
    endsOpen = page.endsOpen && !isBlank(page.records.at(-1) ?? []);
  }
  if (first === 0) throw source.refuse("no_rows");
  // no parser can see that the last amount was cut: `B,25` of `B,2500` is a good row
  const open: Fault[] = endsOpen ? [{ code: "no_line_end", row: number }] : [];
  remarks.splice(0, remarks.length, ...blankRemark(blank, firstBlank), ...open);
}

function isBlank(record: readonly string[]): boolean {
  const first = record[0] ?? "";
  // nearly every row begins with a visible ASCII character
  if (first !== "" && first.charCodeAt(0) > 32 && first.charCodeAt(0) < 127) return false;
  return record.every((cell) => cell.trim() === "") || (record.length === 1 && first === END_OF_DOS_FILE);
}

/** Ctrl-Z: old programs write it behind the last line, and nobody sees it. */
const END_OF_DOS_FILE = "\u001a";

/** A number in groups of thousands, or of lakhs, that was cut into cells at its commas: `4,000.00`, `₹ 1,04,000`. */
const CUT_NUMBER = /(?<=^|,)(\s*(?:\p{Sc}|rs\.?|inr)?\s*[1-9]\d{0,2}(?:,\d\d)*,\d{3}(?:\.\d+)?)(?=\s*(?:,|$))/iu;

/**
 * A record of another length than the header. A spreadsheet may add empty cells at the end of every row, and other
 * programs a delimiter; where only some rows are longer, a cell was cut in two at its comma (`Kumar, Ravi`), and what
 * stands behind it belongs into other columns. So it is where `4,000.00` was cut: 4 would be paid.
 */
function fitted(
  record: string[],
  width: number,
  isUsual: boolean,
  source: Source,
  row: number,
  first: number,
): string[] {
  if (record.length > COLUMNS_MAX) throw source.refuse("too_many_columns", { most: COLUMNS_MAX }, { row });
  const cut = CUT_NUMBER.exec(record.map((cell) => cell.replaceAll(",", ";")).join())?.[1]?.trim();
  const isPadded = record.length > width && record.slice(width).every((cell) => cell.trim() === "");
  const filled = record.slice(1).filter((cell) => cell.trim() !== "");
  const isCutAtSpace = filled.some((cell) => cell.startsWith(" ")) && filled.some((cell) => !cell.startsWith(" "));
  if (isPadded && isUsual && cut === undefined && !isCutAtSpace) return record.slice(0, width);
  const what = record.length < width && row > first ? underTable(record) : undefined;
  if (what === undefined) throw ragged(record.length, width, source, row, first, cut);
  throw source.refuse("line_under_table", { what }, { row });
}

function ragged(cells: number, columns: number, { refuse }: Source, row: number, first: number, cut?: string): Error {
  return refuse("row_ragged", { cells, columns, cut, isFirst: Number(row === first) }, { row });
}
