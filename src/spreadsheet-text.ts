import { normalizeName } from "./names.ts";

/**
 * What a cell says whose writer kept a spreadsheet from reading it as a number: `="0123"` and `'0123` are 0123. Only
 * where nothing else can be meant; every other formula or apostrophe stays, to be named.
 *
 * `isPlain`: the cell holds an id or a number, in which an apostrophe can be nothing else; in a text it may be one.
 */
export function withoutTextMark(text: string, isPlain: boolean): string {
  const first = text.charCodeAt(0);
  if (first === EQUALS) return AS_FORMULA.exec(text)?.[1] ?? text;
  return first === APOSTROPHE && isPlain ? (WITH_APOSTROPHE.exec(text)?.[1] ?? text) : text;
}

/**
 * Without the `'` that the results put before what a spreadsheet would run (DESIGN §9). A spreadsheet keeps it where it
 * saves such a file as a workbook, and no other way leads to one there.
 */
export function withoutGuard(text: string): string {
  return text.charCodeAt(0) === APOSTROPHE && GUARDED.test(text) ? text.slice(1) : text;
}

/**
 * How the cells of a table come back. In a retry file, which the column `retry_of` tells, they may have a `'` in their
 * middle as well; in a file of somebody else that one is theirs.
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
