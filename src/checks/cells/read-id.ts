import { counted } from "../../text/counted.ts";
import { codePointOf } from "../../text/printable.ts";
import { FOREIGN_DIGIT, spaceInside } from "./read-number.ts";
import { foreignIn, inspectFormat } from "./read-text.ts";
import type { Finding } from "../sentences.ts";
import { DAMAGE_CHARACTERS_MAX, isDateLike, spreadsheetLeftover } from "./spreadsheet.ts";

/** Most ids are plain digits: nothing is wrong with those. */
const PLAIN_ID = /^\+?[0-9]+$/;

/**
 * What Excel writes for a long number: one digit before the point and a signed exponent. `2E5` alone may well be an
 * id.
 */
const SCIENTIFIC = /^[0-9]+(?:[.,][0-9]+)?[eE][+-][0-9]{1,3}$|^[0-9]+[.,][0-9]+[eE][0-9]{1,3}$/;
/** Decimals that a spreadsheet added to an id: `1001.00`, in a country with a decimal comma `1001,00`. */
const DECIMALS_ADDED = /^[0-9]+(?:\.0+|,00?)$/;
const GROUPED = /^[0-9]{1,3}(?:,[0-9]{2,3})+(?:\.[0-9]+)?$/;
const FOREIGN_SPACE = /[^\S ]/;

/** What is wrong with an id, if anything is. Its digits cannot be restored, so nothing is proposed. */
export function inspectId(text: string): Finding | undefined {
  if (PLAIN_ID.test(text)) return undefined;
  const leftover = spreadsheetLeftover(text);
  if (leftover) return leftover;
  if (text.length <= DAMAGE_CHARACTERS_MAX) {
    if (SCIENTIFIC.test(text)) return { code: "scientific_notation" };
    if (DECIMALS_ADDED.test(text)) return { code: "decimals_added" };
    if (GROUPED.test(text)) return { code: "thousands_separator" };
    if (isDateLike(text)) return { code: "made_a_date" };
  }
  const foreign = foreignIn(text);
  return foreign === undefined ? undefined : inspectForeign(text, foreign);
}

/** As `inspectId`, for an id that tells no payments apart, such as a bank's: there other scripts may be meant. */
export function inspectOtherId(text: string): Finding | undefined {
  const finding = inspectId(text);
  return finding?.code === "id_not_ascii" ? undefined : finding;
}

/** As `inspectId`, for a payment address, which is one word. */
export function inspectVpa(text: string): Finding | undefined {
  return inspectId(text) ?? (text.includes(" ") ? spaceInside(text) : undefined);
}

/** A payment address as `asha@bank`. The interface shows no form (§2.1): what looks different is only pointed out. */
export function inspectVpaHost(text: string): Finding | undefined {
  return /^[^@]+@[^@]+$/.test(text) ? undefined : { code: "vpa_malformed" };
}

/** What a character that is no ASCII is in an id. Two ids that only look alike (another dash) would be two payments. */
function inspectForeign(text: string, foreign: string): Finding {
  if (FOREIGN_DIGIT.test(text)) return { code: "foreign_digits" };
  if (FOREIGN_SPACE.test(text)) return spaceInside(text.replaceAll(" ", ""));
  return inspectFormat(text) ?? { code: "id_not_ascii", found: codePointOf(foreign) };
}

/** A spreadsheet keeps 15 digits of a number and makes zeros of the rest. */
const ZEROS_BEHIND_15 = /^[1-9][0-9]{14}0+$/;

/** Digits that a spreadsheet may have lost: one number in ten truly ends in a zero, so it is only pointed out. */
export function inspectLostDigits(text: string): Finding | undefined {
  return text.length > SPREADSHEET_DIGITS && ZEROS_BEHIND_15.test(text)
    ? { code: "digits_lost", found: String(text.length) }
    : undefined;
}

const SPREADSHEET_DIGITS = 15;

const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/i;
const IFSC_CHARACTERS = 11;

/** What is wrong with an Indian branch code, if anything is: 4 letters, a zero, 6 letters or digits, in any case. */
export function inspectIfsc(text: string): Finding | undefined {
  if (IFSC.test(text)) return undefined;
  return inspectId(text) ?? { code: "ifsc_malformed", found: ifscTrouble(text) };
}

function ifscTrouble(text: string): string {
  if (text.length !== IFSC_CHARACTERS) return `has ${counted(text.length, "character")}`;
  if (!/^[A-Z]{4}/i.test(text)) return "does not begin with 4 letters";
  if (!text.startsWith("0", 4)) return "has no zero as its fifth character";
  return "has a character that is neither a letter nor a digit";
}
