import { normalizeName } from "../text/names.ts";
import { printable } from "../text/printable.ts";
import type { Refuse } from "./refusals.ts";
import { parseRecords, withoutFirstLine, type Dialect } from "./records.ts";

const DELIMITERS = [",", ";", "\t", "|"];
const SEP_LINE = /^"?sep=([^\r\n]?)"?[ ,;\t|]*(?:\r\n|\n|\r|$)/i;

/**
 * Finds the delimiter in the beginning of a file: the one that Excel's `sep=` line names, else the one that cuts the
 * header into the most names that are known, else into the most cells. Guessing from the data is not safe: a comma may
 * be a decimal sign there.
 */
export function findDialect(head: string, knownNames: readonly string[], refuse: Refuse): Dialect {
  const sepLine = SEP_LINE.exec(head);
  if (sepLine) {
    const delimiter = sepLine[1] ?? "";
    if (DELIMITERS.includes(delimiter)) return { delimiter, hasSepLine: true };
    throw refuse("delimiter_unknown", { row: 1, found: `"${printable(delimiter)}"` });
  }
  const known = new Set(knownNames.map(normalizeName));
  const first = firstRecord(head, 1);
  const cut = bestCut(first.text, known);
  if (cut.known === 0) {
    const row = headerBelow(first, known);
    if (row !== undefined) throw refuse("header_below", { row });
  }
  return { delimiter: cut.delimiter, hasSepLine: false };
}

interface Cut {
  readonly delimiter: string;
  /** How many cells are names that are known. */
  readonly known: number;
}

function bestCut(record: string, known: ReadonlySet<string>): Cut {
  const cuts = DELIMITERS.map((delimiter) => {
    const cells = cellsOf(record, delimiter);
    return { delimiter, cells: cells.length, known: cells.filter((cell) => known.has(normalizeName(cell))).length };
  });
  cuts.sort((a, b) => b.known - a.known || b.cells - a.cells);
  return cuts[0] ?? { delimiter: ",", known: 0 };
}

/**
 * The row of our column names, where it stands below a title that holds none of them. The refusal names that row, and
 * it is not read as the header: what stands above it may be a second table.
 */
function headerBelow(first: HeadRecord, known: ReadonlySet<string>): number | undefined {
  let record = first;
  for (let looked = 0; looked < TITLE_ROWS_MAX && record.rest !== ""; looked += 1) {
    record = firstRecord(record.rest, record.row + 1);
    if (bestCut(record.text, known).known >= KNOWN_NAMES_MIN) return record.row;
  }
  return undefined;
}

const TITLE_ROWS_MAX = 20;
/** One name alone, such as `amount`, may stand in any line. */
const KNOWN_NAMES_MIN = 2;

interface HeadRecord {
  readonly text: string;
  readonly row: number;
  /** The text behind this record. */
  readonly rest: string;
}

/** The first record that is not blank under any delimiter, as far as `head` holds it. `row`: where `head` begins. */
function firstRecord(head: string, row: number): HeadRecord {
  let rest = head;
  let blankRows = 0;
  for (;;) {
    const line = /^[^\r\n]*/.exec(rest)?.[0] ?? "";
    if (/[^\s,;|"]/.test(line) || line.length === rest.length) break;
    rest = withoutFirstLine(rest);
    blankRows += 1;
  }
  let end = 0;
  for (let isOpen = false; end < rest.length; end += 1) {
    const character = rest[end];
    if (character === '"') isOpen = !isOpen;
    if (!isOpen && (character === "\n" || character === "\r")) break;
  }
  return { text: rest.slice(0, end), row: row + blankRows, rest: withoutFirstLine(rest.slice(end)) };
}

function cellsOf(header: string, delimiter: string): string[] {
  if (!header.includes('"')) return header.split(delimiter);
  try {
    return parseRecords(header, delimiter)[0] ?? [];
  } catch {
    return [];
  }
}
