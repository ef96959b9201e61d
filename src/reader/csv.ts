import { guardsOf } from "../text/spreadsheet-text.ts";
import { BlankRows } from "./blank.ts";
import { findDialect } from "./dialect.ts";
import { checkHeader } from "./header.ts";
import { readRecords, type Dialect } from "./records.ts";
import { LongRows } from "./long-rows.ts";
import type { Row, Sheet } from "./row.ts";
import { refuseEmpty, type SheetSource } from "./source.ts";
import { readText } from "./text.ts";

const ROWS_PER_CHUNK_MAX = 1000;

/** Reads as far as the header; `rows` then reads the file from its beginning, each time it is called. */
export async function openCsv(source: SheetSource): Promise<Sheet> {
  const dialect = findDialect(await readHead(source), source.knownNames, source.refuse);
  const header = await readHeader(dialect, source);
  const remarks: string[] = [];
  return {
    format: "csv",
    header: header.names,
    remarks,
    rows: (fromRow = 0) => readRows(dialect, header, source, remarks, fromRow),
  };
}

interface Header {
  readonly names: readonly string[];
  /** The row that the header stands in: 1, unless blank rows come before it. */
  readonly row: number;
}

/** Enough text for the header of any file that is within the limits. */
async function readHead(source: SheetSource): Promise<string> {
  let head = "";
  let isBlank = true;
  let hasText = false;
  for await (const chunk of readText(source.path, source.encoding)) {
    hasText ||= chunk.text !== "";
    isBlank &&= chunk.text.trim() === "";
    if (isBlank && chunk.isLast && !chunk.broken) throw refuseEmpty(source, chunk.hasBytes, hasText);
    head = isBlank ? chunk.text : head + chunk.text;
    if (!isBlank && head.length > source.limits.recordCharactersMax) break;
  }
  return head;
}

async function readHeader(dialect: Dialect, source: SheetSource): Promise<Header> {
  let row = 0;
  for await (const batch of readRecords(source, dialect)) {
    for (const record of batch.records) {
      row += 1;
      if (isBlank(record)) continue;
      const names = withoutGuards(record, guardsOf(record));
      checkHeader(names, row, source.limits.columnsMax, source.refuse);
      return { names, row };
    }
  }
  throw source.refuse("file_blank", { found: "nothing but empty cells" });
}

async function* readRows(
  dialect: Dialect,
  header: Header,
  source: SheetSource,
  remarks: string[],
  fromRow: number,
): AsyncGenerator<readonly Row[]> {
  const columns = header.names;
  const { delimiter } = dialect;
  const withoutGuard = guardsOf(columns);
  const namelessColumns = columns.flatMap((name, index) => (name.trim() === "" ? [index] : []));
  const blankRows = new BlankRows();
  const longRows = new LongRows(columns.length, dialect, source);
  let number = 0;
  let rowsRead = 0;
  let endsOpen = false;
  for await (const batch of readRecords(source, dialect, fromRow)) {
    let rows: Row[] = [];
    for (const record of batch.records) {
      number += 1;
      if (number === header.row || number < fromRow) continue;
      if (isBlank(record)) {
        if (number > header.row) blankRows.add(number);
        continue;
      }
      blankRows.pass();
      const by = record.length - columns.length;
      const isFitting = by === 0;
      if (isFitting) longRows.pass();
      const cells = withoutGuards(isFitting ? record : longRows.fit(record, number), withoutGuard);
      for (const index of namelessColumns) if (cells[index]?.trim()) throw refuseNameless(source, number, index);
      rows.push(isFitting ? { number, columns, cells } : { number, columns, cells, wasLonger: { by, delimiter } });
      if (rows.length === ROWS_PER_CHUNK_MAX) {
        rowsRead += rows.length;
        yield rows;
        rows = [];
      }
    }
    rowsRead += rows.length;
    if (rows.length > 0) yield rows;
    endsOpen = batch.endsOpen && !isBlank(batch.records.at(-1) ?? []);
  }
  // what is to be said of the whole file was said when it was read from its beginning
  if (fromRow > 0) return;
  longRows.judge();
  if (rowsRead === 0) throw source.refuse("no_rows", { found: "the file has a header and no rows below it" });
  remarks.splice(0, remarks.length, ...blankRows.remarks(), ...(endsOpen ? [openEndRemark(number)] : []));
}

/** No parser can see that the last amount was cut: `B,25` of `B,2500` is a good row. */
function openEndRemark(row: number): string {
  return `row ${row}, the last one, has no line end: make sure that the file was copied completely`;
}

function isBlank(record: readonly string[]): boolean {
  const first = record[0] ?? "";
  // Nearly every row begins with a visible ASCII character.
  if (first !== "" && first.charCodeAt(0) > 32 && first.charCodeAt(0) < 127) return false;
  return record.every((cell) => cell.trim() === "") || (record.length === 1 && first === END_OF_DOS_FILE);
}

/** Ctrl-Z: old programs write it behind the last line, and nobody sees it. */
const END_OF_DOS_FILE = "\u001a";

/** Changes `record` itself: hardly any cell has a guard, and a copy of every record would be made for nothing. */
function withoutGuards(record: string[], withoutGuard: (text: string) => string): string[] {
  for (let index = 0; index < record.length; index += 1) record[index] = withoutGuard(record[index] ?? "");
  return record;
}

function refuseNameless(source: SheetSource, row: number, index: number): Error {
  const found = `cell ${index + 1} holds a value, but the header gives its column no name`;
  return source.refuse("cell_without_header", { row, found });
}
