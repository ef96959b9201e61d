import type { FileFault } from "../../errors.ts";
import { codePointOf, printable } from "../../printable.ts";
import { inspectId } from "./read-id.ts";
import { foreignIn, inspectText } from "./read-text.ts";
import type { Finding } from "../sentences.ts";
import { isOfMonth } from "../duplicates/same-period.ts";
import { isDateLike } from "./spreadsheet.ts";

const REFERENCE_CHARACTERS_MAX = 64;
const PERIOD_CHARACTERS_MAX = 20;

/**
 * What Excel does to a reference makes many rows share one, or makes another one of it (`1001.0`, `1,001`), which would
 * free a row to go twice; a date may well be meant.
 */
const REFERENCE_DAMAGE: readonly Finding["code"][] = [
  "scientific_notation",
  "decimals_added",
  "thousands_separator",
  "spreadsheet_error",
  "formula_as_text",
];

/** The user's own id of a payment: printable ASCII, so that no two references only look alike. */
export function inspectReference(text: string): Finding | undefined {
  if (text.length > REFERENCE_CHARACTERS_MAX) {
    return { code: "reference_too_long", found: String(text.length), more: String(REFERENCE_CHARACTERS_MAX) };
  }
  if (foreignIn(text) !== undefined) return inspectText(text) ?? { code: "reference_not_ascii" };
  const finding = inspectId(text);
  return finding && REFERENCE_DAMAGE.includes(finding.code) ? finding : undefined;
}

/**
 * `2026-11`, `2026-11-15`, `2026-W45`, `2026-Q4`. What Excel makes of `2026-11` (`Nov-26`) is refused: it would read
 * as another period than the same month written well, and free the row to go twice.
 */
export function inspectPeriod(text: string): Finding | undefined {
  const isWritten = text.length <= PERIOD_CHARACTERS_MAX && /^[A-Za-z0-9-]+$/.test(text);
  if (!isWritten || isNoMonth(text)) return { code: "period_malformed" };
  const isIsoDate = /^\d{4}-\d{2}(?:-\d{2})?$/.test(text);
  return !isIsoDate && isDateLike(text) ? { code: "period_a_date" } : undefined;
}

/**
 * What is stated for a whole file may be any plain text, but no date whose month nobody can tell: `01/11/2026`, and a
 * `2026–11` with a dash of Word's, would be another period than `2026-11`, and free its rows to go twice.
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
  if (isNoMonth(period)) return "which is no month: they go from 01 to 12";
  return isDateLike(period) && !isOfMonth(period) ? "a date that does not begin with its year" : undefined;
}

/** `2026-13` and `2026-00` are slips of the finger: as another period than `2026-11` they would free its rows. */
function isNoMonth(period: string): boolean {
  const month = /^20\d\d[-./_ ]?(\d\d)(?!\d)/.exec(period)?.[1];
  return month !== undefined && (month === "00" || Number(month) > 12);
}
