import { normalizeName } from "../names.ts";
import { printable } from "../printable.ts";
import type { Refuse } from "./refusals.ts";
import { parseRecords, withoutFirstLine } from "./records.ts";
import type { Dialect } from "./records.ts";

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
  const header = headerText(head);
  const candidates = DELIMITERS.map((delimiter) => {
    const cells = cellsOf(header, delimiter);
    return { delimiter, cells: cells.length, known: cells.filter((cell) => known.has(normalizeName(cell))).length };
  });
  candidates.sort((a, b) => b.known - a.known || b.cells - a.cells);
  return { delimiter: candidates[0]?.delimiter ?? ",", hasSepLine: false };
}

/** The first record that is not blank under any delimiter, as far as `head` holds it. */
function headerText(head: string): string {
  let rest = head;
  for (;;) {
    const line = /^[^\r\n]*/.exec(rest)?.[0] ?? "";
    if (/[^\s,;|"]/.test(line) || line.length === rest.length) break;
    rest = withoutFirstLine(rest);
  }
  let end = 0;
  for (let isOpen = false; end < rest.length; end += 1) {
    const character = rest[end];
    if (character === '"') isOpen = !isOpen;
    if (!isOpen && (character === "\n" || character === "\r")) break;
  }
  return rest.slice(0, end);
}

function cellsOf(header: string, delimiter: string): string[] {
  if (!header.includes('"')) return header.split(delimiter);
  try {
    return parseRecords(header, delimiter)[0] ?? [];
  } catch {
    return [];
  }
}
