import { normalizeName } from "../column-name.ts";
import { FileRefusedError } from "../errors.ts";
import { FILE_FAULTS } from "../messages/faults.ts";
import type { Facts, Fault } from "../messages/sentence.ts";
import { printable, quotedNames } from "../printable.ts";

export type FileFaultCode = keyof typeof FILE_FAULTS;

/** Gives the error that refuses the file whole, to be thrown. The facts never hold a cell's text. */
export type Refuse = (code: FileFaultCode, facts?: Facts, place?: Pick<Fault, "row" | "column">) => FileRefusedError;

/** A file to be read, with everything that reading needs to know. */
export interface Source {
  /** The private copy. */
  readonly path: string;
  /** Of a file without a byte order mark. */
  readonly encoding: string;
  /** What was found when the file was read before, or asked for. */
  readonly delimiter?: string | undefined;
  readonly sheet?: string | undefined;
  readonly headerRow?: number | undefined;
  readonly refuse: Refuse;
}

/** What the reader takes at most. A file that goes beyond is refused before memory grows. */
export const RECORD_CHARACTERS_MAX = 64 * 1024;
export const COLUMNS_MAX = 1000;
export const PAGE_ROWS_MAX = 1000;

/** The second of two column names that compare equal (DESIGN §6); names that are empty do not count. */
export function repeatedNameOf(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    const normal = normalizeName(name);
    if (normal !== "" && seen.has(normal)) return name;
    seen.add(normal);
  }
  return undefined;
}

/** An e-mail address or VPA, an account number, a mobile or an IFSC: no column is called so. */
const PERSONAL = /\S@\S|^\+?[0-9][0-9 -]{7,}[0-9]$|^[A-Z]{4}0[A-Z0-9]{6}$/;
const NUMBER = /^[0-9][0-9,]{2,}(?:\.[0-9]+)?$|^[0-9]+\.[0-9]+$/;
/** The first word of a bank's own upload file. */
const BANK_WORD = /^(?:(?:file|batch)?_?(?:hdr|header)|fhr?|fh[0-9]*|hdr|h|01)$/i;

/** Whether values stand where a header should: then no cell is shown to anybody (I10). */
export function looksLikeValues(names: readonly string[]): boolean {
  const cells = names.map((name) => name.trim());
  const personal = cells.filter((cell) => PERSONAL.test(cell)).length;
  return personal > 0 && personal + cells.filter((cell) => !PERSONAL.test(cell) && NUMBER.test(cell)).length > 1;
}

/** Throws FileRefusedError for a header that cannot be worked with. `row`: where it stands. */
export function assertHeader(header: readonly string[], row: number, refuse: Refuse): void {
  if (header.length > COLUMNS_MAX) throw refuse("too_many_columns", { most: COLUMNS_MAX }, { row });
  const [first = "", ...rest] = header.map((name) => name.trim());
  const isBankLine = BANK_WORD.test(first) && rest.some((cell) => /^[0-9]+(?:\.[0-9]+)?$/.test(cell));
  if (isBankLine) throw refuse("bank_own_line", { word: printable(first, 20) }, { row });
  const repeated = repeatedNameOf(header);
  if (repeated === undefined) return;
  if (looksLikeValues(header)) throw refuse("header_missing", {}, { row });
  const before = header.find((name) => normalizeName(name) === normalizeName(repeated)) ?? "";
  const facts = { first: quotedNames([before]), second: quotedNames([repeated]) };
  throw refuse("header_duplicate", facts, { row, column: printable(repeated, 60) });
}

const GUARDED = /^'[=+\-@\t\r\n＝＋－＠]/;
const GUARDED_INSIDE = /([;\t\r\n] *)'(?='*[=+\-@＝＋－＠])/g;

/** The text without the `'` that files out have before what a spreadsheet would run (DESIGN §9). */
export function withoutGuard(text: string): string {
  return text.charCodeAt(0) === 39 && GUARDED.test(text) ? text.slice(1) : text;
}

/** The same for a table. In a retry file, known by its column `retry_of`, our `'` may also stand in the middle. */
export function guardsOf(columns: readonly string[]): (text: string) => string {
  const isRetryFile = columns.some((name) => normalizeName(name) === "retryof");
  return isRetryFile ? (text) => withoutGuard(text).replace(GUARDED_INSIDE, "$1") : withoutGuard;
}

/** Blank rows are passed over, but never silently. `first`: the first of them. */
export function blankRemark(rows: number, first: number): readonly Fault[] {
  return rows === 0 ? [] : [{ code: "rows_blank", facts: { rows, first } }];
}
