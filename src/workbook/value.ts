import { DAY_MS } from "../day.ts";
import type { Rounding } from "./styles.ts";

/** A cell of a workbook that holds something other than text. */
export interface SheetValue {
  readonly token: "cell_number" | "cell_percentage" | "cell_date" | "cell_boolean" | "cell_error" | "cell_uncalculated";
  /** As a person reads it: `1234.56`, `50%`, `2026-11-02`, `TRUE`, `#N/A`, also where a formula has no value. */
  readonly source: string;
  /** As it is written again: the file's own number; a date as its number of days since 1900. */
  readonly stored: string;
  /** For a number that its format rounds: what the sheet shows of it. */
  readonly shown?: string;
  /** For a number that is shown as something else: the format that does so. */
  readonly oddFormat?: string;
  /** For a number that is shown with the sign of a currency other than the rupee: that sign. */
  readonly currency?: string;
}

export type SheetCell = string | SheetValue;

const NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/;
/** Spreadsheets calculate in doubles, and show at most so many digits. */
const DIGITS_SHOWN = 15;
/** Below this 15 digits leave three decimals: rounding to them cannot change an amount. */
const ROUNDED_BELOW = 1e12;

/**
 * The plain decimal text of a stored number; undefined for what is no number. Spreadsheets store a double, and write it
 * with 17 digits when it is the outcome of a sum: 1234.56 as `1234.5600000000001`. Nobody ever sees more than 15 digits
 * of it, and every decimal of up to 15 digits has a double of its own: so the 15 digits are what the person means. From
 * `ROUNDED_BELOW` on they might change an amount: there all digits are given, more than 15, for the checks to name.
 */
export function decimalOf(stored: string): string | undefined {
  if (!NUMBER.test(stored)) return undefined;
  const value = Number(stored);
  if (!Number.isFinite(value)) return undefined;
  const shown = value.toPrecision(DIGITS_SHOWN);
  const isRounded = Math.abs(value) >= ROUNDED_BELOW && Number(shown) !== value;
  return plainDecimal(isRounded ? String(value) : shown);
}

/** `1.5e+10` and `1.50000000000000e+10` as `15000000000`, without zeros at the end of decimals. */
function plainDecimal(text: string): string {
  const [, sign = "", whole = "", decimals = "", exponent = "0"] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/.exec(text) ?? [];
  const digits = whole + decimals;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 1);
  const fraction = padded.slice(at).replace(/0+$/, "");
  const integer = padded.slice(0, at).replace(/^0+(?=[0-9])/, "");
  const plain = fraction === "" ? integer : `${integer}.${fraction}`;
  return plain === "0" ? plain : sign + plain;
}

/** A number, as plain decimal text, that its format shows a hundredfold: `0.5` as `50%`. */
export function percentageOf(decimal: string, stored: string): SheetValue {
  const [, sign = "", whole = "", decimals = ""] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(decimal) ?? [];
  const digits = whole + decimals.padEnd(2, "0");
  const shown = plainDecimal(`${sign}${digits.slice(0, whole.length + 2)}.${digits.slice(whole.length + 2) || "0"}`);
  return { token: "cell_percentage", source: `${shown}%`, stored };
}

/** What a sheet shows of a number, as plain decimal text; undefined where that is the number itself. */
export function roundedBy(decimal: string, { decimals, groupsLeftOut }: Rounding): string | undefined {
  const point = decimal.indexOf(".");
  const places = point < 0 ? 0 : decimal.length - point - 1;
  if ((places <= decimals && groupsLeftOut === 0) || decimal.length > DIGITS_LOOKED_AT) return undefined;
  const [, sign = "", digits = ""] = /^(-?)(.*)$/.exec(decimal.replace(".", "")) ?? [];
  const dropped = places + 3 * groupsLeftOut - decimals;
  const unit = 10n ** BigInt(Math.max(0, dropped));
  const kept = ((BigInt(digits) + unit / 2n) / unit) * 10n ** BigInt(Math.max(0, -dropped));
  const shown = kept.toString().padStart(decimals + 1, "0");
  const at = shown.length - decimals;
  const rounded = plainDecimal(`${sign}${shown.slice(0, at)}.${shown.slice(at) || "0"}`);
  return rounded === decimal ? undefined : rounded;
}

/** Longer texts are not rounded: no number that somebody typed has so many digits. */
const DIGITS_LOOKED_AT = 30;

/** The first day that both of Excel's calendars agree on with everybody else's: 1 March 1900. */
const MARCH_1900 = 61;
const LAST_DAY = 2_958_465;
/** Days between the first days of the calendars of 1900 and 1904. */
const DAYS_TO_1904 = 1462;

/** A stored number that its format shows as a date or time. undefined where no calendar has that day. */
export function dateOf(stored: string, is1904: boolean): SheetValue | undefined {
  if (!NUMBER.test(stored)) return undefined;
  const days = Number(stored) + (is1904 ? DAYS_TO_1904 : 0);
  if (!(days >= 0 && days < LAST_DAY + 1)) return undefined;
  const seconds = Math.round(days * 86_400);
  const whole = Math.floor(seconds / 86_400);
  const time = new Date((seconds % 86_400) * 1000).toISOString().slice(11, 19);
  const isWhole = seconds % 86_400 === 0;
  const source = whole === 0 ? time : isWhole ? dayOf(whole) : `${dayOf(whole)} ${time}`;
  return { token: "cell_date", source, stored: String(days) };
}

/** Excel has a 29 February 1900, which never existed, as its day 60. */
function dayOf(day: number): string {
  if (day === MARCH_1900 - 1) return "1900-02-29";
  const epoch = Date.UTC(1899, 11, day < MARCH_1900 ? 31 : 30);
  return new Date(epoch + day * DAY_MS).toISOString().slice(0, 10);
}

const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z?)?$/;

/** A cell that states its date as text, as ISO 29500 strict files may. */
export function isoDateOf(stored: string): SheetValue | undefined {
  const [, year, month, day, hour = "00", minute = "00", second = "00"] = ISO_DATE.exec(stored) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(at)) return undefined;
  return dateOf(String(at / DAY_MS - Date.UTC(1899, 11, 30) / DAY_MS), false);
}

/** Letters of a column counted from 0: `A`, `Z`, `AA`. */
export function lettersOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : lettersOf(Math.floor(index / 26) - 1) + letter;
}

/** The column, counted from 0, of letters in capitals: at most three. */
export function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
