import { normalizeName } from "./names.ts";

/**
 * The text of a cell whose writer kept a spreadsheet from reading it as a number: `="0123"` and `'0123` are 0123. Only
 * where nothing else can be meant; every other formula or apostrophe stays, to be named.
 *
 * `isPlain`: the cell holds an id or a number, where an apostrophe can only be such a mark; in a text it may be part of
 * it.
 */
export function withoutTextMark(text: string, isPlain: boolean): string {
  const first = text.charCodeAt(0);
  if (first === EQUALS) return AS_FORMULA.exec(text)?.[1] ?? text;
  return first === APOSTROPHE && isPlain ? (WITH_APOSTROPHE.exec(text)?.[1] ?? text) : text;
}

/**
 * The text without the `'` that the results put before what a spreadsheet would run (DESIGN §9). In a workbook such a
 * `'` stands only where a spreadsheet saved a CSV file of ours as a workbook.
 */
export function withoutGuard(text: string): string {
  return text.charCodeAt(0) === APOSTROPHE && GUARDED.test(text) ? text.slice(1) : text;
}

/**
 * How the cells of a table come back. In a retry file, known by its column `retry_of`, our `'` may stand in their
 * middle as well; in any other file a `'` there is the file's own.
 */
export function guardsOf(columns: readonly string[]): (text: string) => string {
  const isRetryFile = columns.some((name) => normalizeName(name) === "retryof");
  return isRetryFile ? (text) => withoutGuard(text).replace(GUARDED_INSIDE, "$1") : withoutGuard;
}

const GUARDED_INSIDE = /([;\t\r\n] *)'(?='*[=+\-@＝＋－＠])/g;
const GUARDED = /^'[=+\-@\t\r\n＝＋－＠]/;
const EQUALS = 61;
const APOSTROPHE = 39;
const AS_FORMULA = /^="([^"]*)"$/;
const WITH_APOSTROPHE = /^'([^'\s](?:[^']*[^'\s])?)$/;
