import { printable } from "../../text/printable.ts";
import type { Cell } from "../../reader/row.ts";
import type { SheetValue } from "../../workbook/value.ts";
import type { Place } from "../fault-of.ts";
import type { Finding } from "../sentences.ts";

/** A spreadsheet calculates with so many digits and drops those behind. */
const DIGITS_KEPT = 15;
const PERIOD = /^[0-9]{4,6}$/;

/**
 * The text that a workbook's cell stands for where it holds something else, or why it cannot be one. A number in place
 * of an id has lost what made it an id: leading zeros, and every digit behind the fifteenth.
 */
export function readSheetValue(cell: SheetValue, place: Place): string | Finding {
  switch (cell.token) {
    case "cell_number":
      return readNumber(cell.source, place);
    case "cell_percentage":
      if (place.kind === "id") return { code: "number_not_text" };
      // the workbook holds a hundredth of what the sheet shows: neither of the two may go as an amount
      return place.kind === "text" ? cell.source : { code: "percentage", found: cell.stored };
    case "cell_date":
      // in a free text, such as a narration, a date is what the sender wants to say
      if (place.kind === "text") return cell.source;
      return { code: place.name === "period" ? "period_a_date" : "made_a_date" };
    case "cell_boolean":
      return { code: "true_or_false" };
    case "cell_error":
      return { code: "spreadsheet_error" };
    case "cell_uncalculated":
      return { code: "not_calculated" };
    default:
      return cell.token satisfies never;
  }
}

function readNumber(text: string, place: Place): string | Finding {
  const digits = text.replace(/^-?0*\.?0*|\./g, "").length;
  if (digits > DIGITS_KEPT) return { code: "number_digits_lost", found: String(digits), more: String(DIGITS_KEPT) };
  if (place.kind !== "id" || isSafeNumber(text, place)) return text;
  return { code: "number_not_text" };
}

/** Whether a number lost nothing: zeros in front do not matter in a mobile number, and no period begins with one. */
function isSafeNumber(text: string, { name, sensitive }: Place): boolean {
  return /^[0-9]+$/.test(text) && (sensitive === "mobile" || (name === "period" && PERIOD.test(text)));
}

/** What is to be pointed out where the sheet shows something else than the value that is sent all the same. */
export function shownOtherwise(cell: Exclude<Cell, string>): readonly Finding[] {
  if (cell.token === "cell_date") return [{ code: "date_as_text" }];
  if (cell.token !== "cell_number") return NOTHING;
  const { oddFormat, shown, currency } = cell;
  if (oddFormat === undefined && shown === undefined && currency === undefined) return NOTHING;
  const asShown = (text: string): string => `"${printable(text, FORMAT_CHARACTERS_MAX)}"`;
  return [
    ...(oddFormat === undefined ? [] : [{ code: "shown_otherwise", found: asShown(oddFormat) } as const]),
    ...(shown === undefined ? [] : [{ code: "shown_rounded", found: `"${shown}"` } as const]),
    ...(currency === undefined ? [] : [{ code: "shown_in_currency", found: asShown(currency) } as const]),
  ];
}

const NOTHING: readonly Finding[] = [];
const FORMAT_CHARACTERS_MAX = 40;
