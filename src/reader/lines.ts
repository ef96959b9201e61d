import { isMoneyBack } from "../amount.ts";
import { normalizeName } from "../column-name.ts";
import { printable, quotedNames } from "../printable.ts";
import { completeOperations, OUR_NAMES } from "./columns.ts";
import { COLUMNS_MAX, type Refuse } from "./row.ts";

/** A title and a few lines may stand above a header. */
export const HEADER_ROWS_MAX = 20;
/** One name alone, such as `amount`, stands in many a title. */
export const KNOWN_NAMES_MIN = 2;

/** The first of these rows or, under a title, the one with the most names of ours. */
export function headerAmong<One extends { readonly names: readonly string[] }>(rows: readonly One[]): One | undefined {
  const [first, ...below] = rows.slice(0, HEADER_ROWS_MAX);
  const knownIn = ({ names }: One): number => new Set(names.map(normalizeName)).intersection(OUR_NAMES).size;
  // `Period` and `Reference` stand in many a title; a first row that names all that is needed is the header
  if (!first || completeOperations(first.names).length > 0) return first;
  const least = Math.max(knownIn(first) + 1, KNOWN_NAMES_MIN);
  return below.find((one) => knownIn(one) >= least) ?? first;
}

/** The second of two column names that compare equal (README §6); names that are empty do not count. */
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
  const ours = header.map((name) => OUR_NAMES.has(normalizeName(name)));
  // the names stand below each other, and the rows beside each other
  const onItsSide = Number(ours[0] && !ours.includes(true, 1));
  const facts = { first: quotedNames([before]), second: quotedNames([repeated]), onItsSide };
  throw refuse("header_duplicate", facts, { row, column: printable(repeated, 60) });
}

const GUARDED = /^'[=+\-@\t\r\n＝＋－＠]/;
const GUARDED_INSIDE = /([;\t\r\n] *)'(?='*[=+\-@＝＋－＠])/g;

/** The text without the `'` that files out have before what a spreadsheet would run (README §9). */
export function withoutGuard(text: string): string {
  return text.charCodeAt(0) === 39 && GUARDED.test(text) ? text.slice(1) : text;
}

/** The same for a table. In a retry file, known by its column `retry_of`, our `'` may also stand in the middle. */
export function guardsOf(columns: readonly string[]): (text: string) => string {
  const isRetryFile = columns.some((name) => normalizeName(name) === "retryof");
  return isRetryFile ? (text) => withoutGuard(text).replace(GUARDED_INSIDE, "$1") : withoutGuard;
}

/** What a line is that stands among or under the payments and is none. */
export type UnderTable = "total" | "remark" | "signature" | "dashes" | "end_marks";

const TOTAL =
  /^(?:कुल|योग|महायोग)(?![\p{L}\p{M}])|^=(?:sum|subtotal)\(|^(?:(?:grand|sub|net|control|batch)[ _-]*)?(?:total|sum)s?\b|^(?:net payable|less)\b|^count$|^(?:no|number|count) of (?:rows|records|payments|entries|transactions)\b|^(?:trl|trailer|filetrl|eof)\b/iu;
/** A whole cell of it says so wherever it stands. */
const TOTAL_ALONE = /^(?:(?:grand|sub)[ _-]*)?total\s*:?$/i;
const DASHES = /^[-=_*~–—]+$/;
const SIGNATURE =
  /^(?:prepared|checked|verified|approved|authori[sz]ed|passed|signed|entered|maker|checker|signature|seal)\b(?: by|\b)|\b(?:authori[sz]ed )?signator(?:y|ies)\b|^for (?:and )?on behalf of\b/i;
const IN_WORDS = /^(?:in words|rupees|rs\.?|inr|amount in words)\b.*\b(?:only|hundred|thousand|lakhs?|crores?)\b/i;
const REMARK =
  /^(?:notes?|remarks?|n\.?b\.?|please|kindly|e\.? ?& ?o\.? ?e\.?|end of (?:file|report|list|data)|report|generated|printed|page|date|\*|#|--)(?:$|[\s:.*#-])/i;
const END_MARKS = /^[\u001a\u0000\u0004]+$/;
const AMOUNT = /^(?:(?:rs\.?|inr|₹)\s*)?[0-9][0-9,]*(?:\.[0-9]+)?(?:\/-)?$/i;

/**
 * What a row without a payment is; undefined for a row that may be one. `cells`: the texts of a row, by the file's own
 * columns or, in a ragged one, as they stand. A row is a payment until its words say otherwise: one of several filled
 * cells is a total or a remark only by its first word.
 */
export function underTable(cells: readonly string[]): UnderTable | undefined {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const [first = ""] = filled;
  // to delete what is taken off a payment would pay all of it
  if (filled.some(isMoneyBack)) return undefined;
  if (filled.length > 0 && filled.every((cell) => END_MARKS.test(cell))) return "end_marks";
  if (filled.length > 1 && filled.every((cell) => DASHES.test(cell))) return "dashes";
  const words = filled.filter((cell) => !AMOUNT.test(cell));
  if (filled.length === 4 && words.length < 4 && words.some((cell) => TOTAL_ALONE.test(cell))) return "total";
  if (filled.length > 3 || (words.length > 2 && words.length !== filled.length)) return undefined;
  if (words.some((cell) => SIGNATURE.test(cell))) return "signature";
  if (words.length === 0) return cells.length > 3 && filled.length < 3 ? "total" : undefined;
  if (words.length < filled.length ? words.some((cell) => TOTAL.test(cell)) : words.length === 1 && TOTAL.test(first))
    return "total";
  if (words.length > 1) return undefined;
  if (IN_WORDS.test(first) || REMARK.test(first)) return "remark";
  return filled.length === 1 && first.split(/\s+/).length > 3 ? "remark" : undefined;
}

/**
 * Whether a row is the header once more, as where two files were put together: each name in its own column (`again`), or
 * not (`moved`): each row below would be read by the wrong columns.
 */
export function headerAgain(columns: readonly string[], cells: readonly string[]): "again" | "moved" | undefined {
  const names = columns.map(normalizeName);
  const normal = cells.map(normalizeName);
  const filled = normal.filter((name) => name !== "").length;
  const found = normal.flatMap((name, at) => (name !== "" && names.includes(name) ? [names.indexOf(name) === at] : []));
  // one name alone, such as `Name`, may be a value; some may be new: another table may have columns of its own
  if (found.length < (found.length === filled ? 2 : 3) || found.length * 2 < filled) return undefined;
  if (found.includes(false)) return "moved";
  return found.length === filled ? "again" : undefined;
}
