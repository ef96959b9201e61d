import type { FileFault } from "../../errors.ts";
import { codePointOf, printable } from "../../text/printable.ts";
import { saysNone } from "./placeholder.ts";
import { inspectId } from "./read-id.ts";
import { foreignIn, inspectText } from "./read-text.ts";
import type { Finding } from "../sentences.ts";
import { isNoTime, isOfMonth } from "../duplicates/same-period.ts";
import { isDateLike } from "./spreadsheet.ts";

const REFERENCE_CHARACTERS_MAX = 64;
const PERIOD_CHARACTERS_MAX = 20;

/**
 * What Excel does to references: many rows then share one, or a row has another one than before (`1001.0`, `1,001`) and
 * would be free to go twice. A date is not among them: it may well be meant.
 */
const REFERENCE_DAMAGE: readonly Finding["code"][] = [
  "scientific_notation",
  "decimals_added",
  "thousands_separator",
  "spreadsheet_error",
  "formula_as_text",
];

/** What is wrong with the user's own id of a payment: it must be printable ASCII, so that no two only look alike. */
export function inspectReference(text: string): Finding | undefined {
  if (text.length > REFERENCE_CHARACTERS_MAX) {
    return { code: "reference_too_long", found: String(text.length), more: String(REFERENCE_CHARACTERS_MAX) };
  }
  if (foreignIn(text) !== undefined) return inspectText(text) ?? { code: "reference_not_ascii" };
  const finding = inspectId(text);
  return finding && REFERENCE_DAMAGE.includes(finding.code) ? finding : undefined;
}

/**
 * What is wrong with a row's period, if anything is: `2026-11`, `2026-11-15`, `2026-W45`, `2026-Q4` are right. What
 * Excel makes of `2026-11` (`Nov-26`) is refused: it would count as another period than the same month written well,
 * and free the row to go twice.
 */
export function inspectPeriod(text: string): Finding | undefined {
  const isWritten = text.length <= PERIOD_CHARACTERS_MAX && /^[A-Za-z0-9-]+$/.test(text);
  if (!isWritten || isNoMonth(text) || isNoTime(text)) return { code: "period_malformed" };
  const isIsoDate = /^\d{4}-\d{2}(?:-\d{2})?$/.test(text);
  return (!isIsoDate && isDateLike(text)) || isShortDate(text) ? { code: "period_a_date" } : undefined;
}

/**
 * The fault of a period that is stated for a whole file, if it has one. It may be any plain text, but no date whose
 * month nobody can tell: `01/11/2026`, or `2026–11` with a dash of Word's, would count as another period than
 * `2026-11`, and free the rows to go twice.
 */
export function inspectFilePeriod(text: string, source: string): FileFault | undefined {
  const period = text.trim();
  const what = strangeIn(period);
  return what === undefined
    ? undefined
    : {
        code: "period_malformed",
        message: `${source} says "${printable(period, PERIOD_CHARACTERS_MAX)}", ${what}`,
        hint: "Write the period like 2026-11 or 2026-11-30, a week like 2026-W47.",
      };
}

function strangeIn(period: string): string | undefined {
  const foreign = foreignIn(period);
  if (foreign !== undefined) return `with a character (${codePointOf(foreign)}) that is on no English keyboard`;
  if (saysNoPeriod(period)) return "which says that there is none";
  if (isNoMonth(period)) return "which is no month: they go from 01 to 12";
  if (isNoTime(period)) return "and there is no such week, quarter or day";
  const isDate = (isDateLike(period) && !isOfMonth(period)) || isShortDate(period);
  return isDate ? "a date that does not begin with its year" : undefined;
}

/** What an export makes of an empty date: its first day, `1900-01-00`, `1899-12-30` or `1970-01-01`, or no day at all. */
const EMPTY_DATE = /^(?:1899-?12(?:-?3[01])?|1900-?01(?:-?0[01])?|1970-?01(?:-?01)?|0000-?00(?:-?00)?)$/;

/** Whether a period says that there is none. */
export function saysNoPeriod(text: string): boolean {
  return saysNone(text) || EMPTY_DATE.test(text);
}

/** `26-11`: the 26th of November, or November 2026? `11-26` may be the month at least. */
function isShortDate(text: string): boolean {
  return /^(?:1[3-9]|[2-9]\d)[-./ ](?:0?[1-9]|1[0-2])$/.test(text);
}

/** Whether a period is a slip such as `2026-13`, `2026-00` or `0`: like `2026-W84`, it would count as another period, and free rows. */
function isNoMonth(period: string): boolean {
  if (/^0+$/.test(period)) return true;
  const month = /^20\d\d[-./_ ]?(\d\d)(?!\d)/.exec(period)?.[1];
  return month !== undefined && (month === "00" || Number(month) > 12);
}
