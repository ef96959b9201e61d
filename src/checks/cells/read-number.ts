import { PLAIN_DECIMAL, SUMMABLE } from "../../amount.ts";
import { otherCurrencyIn } from "../../currency.ts";
import { inspectFormat } from "./read-text.ts";
import type { Finding } from "../sentences.ts";
import { DAMAGE_CHARACTERS_MAX, isDateLike, spreadsheetLeftover } from "./spreadsheet.ts";

export interface AmountLimits {
  readonly digitsMax: number;
  /** Most of these digits that may stand after the point. */
  readonly decimalsMax: number;
}

/** Whole numbers up to here are exact in every JSON reader. */
const WHOLE_DIGITS_MAX = 15;

/** What is wrong with the text of an amount, if anything is: plain decimal text, more than zero, within the limits. */
export function inspectAmount(text: string, limits: AmountLimits): Finding | undefined {
  if (!PLAIN_DECIMAL.test(text)) return diagnose(text);
  const point = text.indexOf(".");
  const decimals = point < 0 ? 0 : text.length - point - 1;
  const digits = point < 0 ? text.length : text.length - 1;
  if (digits > limits.digitsMax) return tooMany("amount_too_many_digits", digits, limits.digitsMax);
  if (decimals > limits.decimalsMax) return tooMany("amount_too_many_decimals", decimals, limits.decimalsMax);
  return ZERO.test(text) ? { code: "amount_not_positive" } : undefined;
}

/** What is wrong with the text of a whole number, if anything is. */
export function inspectWhole(text: string): Finding | undefined {
  if (!PLAIN_DECIMAL.test(text)) {
    const finding = diagnose(text);
    return finding.code === "made_a_date" ? { code: "date_for_number" } : finding;
  }
  const point = text.indexOf(".");
  if (point >= 0) {
    const whole = text.slice(0, point);
    return ZERO.test(text.slice(point + 1)) ? { code: "number_not_whole", plain: whole } : { code: "number_not_whole" };
  }
  return text.length > WHOLE_DIGITS_MAX ? tooMany("number_too_many_digits", text.length, WHOLE_DIGITS_MAX) : undefined;
}

/** The amount, if it can be added up exactly, whatever else is wrong with the row; else undefined. */
export function readableAmount(text: string): string | undefined {
  const trimmed = text.length > DAMAGE_CHARACTERS_MAX ? "" : text.trim();
  return SUMMABLE.test(trimmed) ? trimmed : undefined;
}

const ZERO = /^[0.]*$/;

function tooMany(code: Finding["code"], found: number, most: number): Finding {
  return { code, found: String(found), more: String(most) };
}

const ANY_SPACE = /\s/;
export const FOREIGN_DIGIT = /[^\P{Nd}0-9]/u;
const EXPONENT = /^[+-]?[0-9]+(?:[.,][0-9]+)?e[+-]?[0-9]+$/i;
const CURRENCY = /^(?:\p{Sc}|rs\.?|inr|re\.?)|(?:\p{Sc}|rs\.?|inr|\/-)$/iu;
const GROUPED = /^[0-9]+(?:[.,'’_][0-9]+)+$/;

/** Why a text is not plain decimal text, in the words of whoever typed or exported it. */
function diagnose(text: string): Finding {
  if (text.length > DAMAGE_CHARACTERS_MAX) return { code: "not_a_number" };
  const leftover = spreadsheetLeftover(text);
  if (leftover) return withPlain(leftover, text.replace(/^[='"]+|"$/g, ""));
  if (FOREIGN_DIGIT.test(text)) return { code: "foreign_digits" };
  if (EXPONENT.test(text)) return { code: "scientific_notation" };
  if (isDateLike(text)) return { code: "made_a_date" };
  if (text.startsWith("(") && text.endsWith(")")) return { code: "in_parentheses" };
  if (/^[+\-−–]/.test(text))
    return text.startsWith("+") ? withPlain({ code: "has_sign" }, text.slice(1)) : { code: "has_sign" };
  if (/[0-9]/.test(text) && otherCurrencyIn(text) !== undefined) return { code: "amount_other_currency" };
  if (CURRENCY.test(text) && /[0-9]/.test(text)) {
    return withPlain({ code: "currency_sign" }, text.replace(CURRENCY, "").replace(CURRENCY, ""));
  }
  // `30 days` without its space is no number either
  if (ANY_SPACE.test(text) && !/\p{L}/u.test(text)) return withPlain(spaceInside(text), text);
  if (/^0[0-9]+(?:\.[0-9]*)?$/.test(text)) return withPlain({ code: "leading_zeros" }, text);
  if (GROUPED.test(text))
    return withPlain({ code: isDecimalComma(text) ? "decimal_comma" : "thousands_separator" }, text);
  const hidden = inspectFormat(text);
  if (hidden) return withPlain(hidden, text.replace(/\p{Cf}/gu, ""));
  if (text === ".") return { code: "bare_point" };
  if (/^[0-9]*\.[0-9]*$/.test(text)) return withPlain({ code: "bare_point" }, text);
  return { code: "not_a_number" };
}

/** The finding for a space inside a text: the usual one, or one that only looks like it. */
export function spaceInside(text: string): Finding {
  const space = ANY_SPACE.exec(text)?.[0];
  return { code: "space_inside", found: space === " " ? "a space" : "a space of another kind than the space bar's" };
}

/** Whether a comma stands before decimals, as in `100,50`: it is the only one, and not three digits follow. */
function isDecimalComma(text: string): boolean {
  return /^[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})$/.test(text);
}

function withPlain(finding: Finding, text: string): Finding {
  const plain = plainOf(text);
  return plain === undefined ? finding : { ...finding, plain };
}

/** Digits in groups: the last group has three, the others three or, in the Indian way, two. */
const IN_GROUPS = /^[0-9]{1,3}(?:[\s,.'’_][0-9]{2,3})*[\s,.'’_][0-9]{3}$/;

/** The plain decimal text that was probably meant; undefined where that would be a guess. */
function plainOf(text: string): string | undefined {
  const trimmed = text.trim();
  const [, beforeSign = trimmed, sign = "", decimals = ""] = /^(.*)([.,])([0-9]*)$/s.exec(trimmed) ?? [];
  const isDecimalSign =
    sign !== "" &&
    !beforeSign.includes(sign) &&
    (/[\s,.'’_]/.test(beforeSign) || sign === "." || isDecimalComma(trimmed));
  const whole = isDecimalSign ? beforeSign || "0" : trimmed;
  if (!/^[0-9]+$/.test(whole) && !IN_GROUPS.test(whole)) return undefined;
  const digits = whole.replace(/[^0-9]/g, "").replace(/^0+(?=[0-9])/, "");
  return isDecimalSign && decimals !== "" ? `${digits}.${decimals}` : digits;
}
