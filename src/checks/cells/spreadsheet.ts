import type { Finding } from "../sentences.ts";

/**
 * What spreadsheets make of cells. Every expression is linear, and none is tried on a text longer than
 * `DAMAGE_CHARACTERS_MAX`: no damage is longer.
 */
export const DAMAGE_CHARACTERS_MAX = 64;

const ERROR_VALUE = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!|#+)$/i;
const LETTERS_LOST = /^\?[ .,'-]*\?[? .,'-]*$/;
const TRUE_OR_FALSE = /^(?:true|false)$/i;
const MONTH = "(?:jan|feb|mar|mrz|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez)";
const DATES: readonly RegExp[] = [
  // 02-Jan, 02-Jan-26, 2 Jan 2026, 02. Jan
  new RegExp(`^\\d{1,2}(?:[-/ ]|\\. )${MONTH}(?:[-/ ]\\d{2,4})?$`, "i"),
  // Jan-26
  new RegExp(`^${MONTH}[-/ ]\\d{2,4}$`, "i"),
  // 2026-11-02, 2026-11-02 00:00:00
  /^\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/,
  // 1/2/2026, 01-02-2026, 1.2.2026, 1/2/2026 0:00
  /^\d{1,2}([-/.])\d{1,2}\1\d{2,4}(?: \d{1,2}:\d{2}(?::\d{2})?)?$/,
];

/** Finds a spreadsheet's error value, truth value, formula or apostrophe in place of an id or a number. */
export function spreadsheetLeftover(text: string): Finding | undefined {
  if (text.length > DAMAGE_CHARACTERS_MAX) return undefined;
  if (ERROR_VALUE.test(text)) return { code: "spreadsheet_error" };
  if (TRUE_OR_FALSE.test(text)) return { code: "true_or_false" };
  if (text.startsWith("=")) return { code: "formula_as_text" };
  return text.startsWith("'") ? { code: "leading_apostrophe" } : undefined;
}

/** Finds what nobody wrote: `#N/A`, `#REF!`, and the `?` that Excel makes of a Hindi name in CSV that is not UTF-8. */
export function inspectTextError(text: string): Finding | undefined {
  if (text.startsWith("?") && LETTERS_LOST.test(text))
    return { code: "broken_character", found: "nothing but ? is left" };
  return text.startsWith("#") && text.length <= DAMAGE_CHARACTERS_MAX && ERROR_VALUE.test(text)
    ? { code: "spreadsheet_error" }
    : undefined;
}

/** Whether a text is like `02-Jan`, `2026-11-02 00:00:00`, `1/2/2026`: a spreadsheet makes such of `1-2` and `MAR1`. */
export function isDateLike(text: string): boolean {
  return text.length <= DAMAGE_CHARACTERS_MAX && DATES.some((date) => date.test(text));
}
