import { isoDay, MONTHS } from "../day.ts";

/** The day that a text names when the day comes first in it, and when the month does; both are the same where it says so. */
export interface Days {
  readonly dayFirst: string | undefined;
  readonly monthFirst: string | undefined;
}

const TIME = "(?:[ T,]+\\d{1,2}:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?: ?[ap]\\.?m\\.?)?Z?)?$";
const YEAR_FIRST = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${TIME}`, "i");
const YEAR_LAST = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)${TIME}`, "i");
const NAMED = new RegExp(`^(\\d{1,2})[-/. ]*([a-z]{3,9})[-/., ']*(\\d{4}|\\d\\d)${TIME}`, "i");

const CHARACTERS_MAX = 40;

/** undefined for what is not written as a date; days that no calendar has (31/02/2026) are undefined in it. */
export function daysOf(text: string): Days | undefined {
  if (text.length > CHARACTERS_MAX) return undefined;
  const [, year, , month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return said(isoOf(year, Number(month), Number(day)));
  const [, first, sign, second, last] = YEAR_LAST.exec(text) ?? [];
  if (last !== undefined) {
    const dayFirst = isoOf(last, Number(second), Number(first));
    // nobody writes the month first with points
    return { dayFirst, monthFirst: sign === "." ? undefined : isoOf(last, Number(first), Number(second)) };
  }
  const [, at, name = "", of] = NAMED.exec(text) ?? [];
  const known = MONTHS.findIndex((short) => short.toLowerCase() === name.slice(0, 3).toLowerCase());
  return of === undefined || known < 0 ? undefined : said(isoOf(of, known + 1, Number(at)));
}

function said(day: string | undefined): Days {
  return { dayFirst: day, monthFirst: day };
}

function isoOf(year: string, month: number, day: number): string | undefined {
  const at = Date.UTC(Number(year.padStart(4, "20")), month - 1, day);
  const iso = Number.isNaN(at) ? "" : isoDay(at);
  // the 31st of a short month would be a day of the next one
  return iso.slice(5) === `${twoDigits(month)}-${twoDigits(day)}` ? iso : undefined;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

export type DayOrder = keyof Days;

/**
 * The order of day and month in a file: proven by a day above 12, else said by a person, else the only one in which its days
 * go one way. Else `unclear`: the place of a day that nobody can tell; or `mixed`: of one that goes against those before it.
 */
export function dayOrderOf(
  all: readonly Days[],
  isDayFirst?: boolean,
): { readonly order: DayOrder } | { readonly unclear: number } | { readonly mixed: number } {
  const dayFirst = all.findIndex(({ monthFirst }) => monthFirst === undefined);
  const monthFirst = all.findIndex((days) => days.dayFirst === undefined);
  if (dayFirst >= 0 && monthFirst >= 0) return { mixed: Math.max(dayFirst, monthFirst) };
  if (dayFirst >= 0) return { order: "dayFirst" };
  if (monthFirst >= 0) return { order: "monthFirst" };
  const unclear = all.findIndex((days) => days.dayFirst !== days.monthFirst);
  if (unclear < 0) return { order: "dayFirst" };
  if (isDayFirst !== undefined) return { order: isDayFirst ? "dayFirst" : "monthFirst" };
  const [only, another] = (["dayFirst", "monthFirst"] as const).filter((order) =>
    goesOneWay(all.map((days) => days[order] ?? "")),
  );
  return only && !another ? { order: only } : { unclear };
}

function goesOneWay(days: readonly string[]): boolean {
  const { up, down } = stepsIn(days);
  return up === 0 || down === 0;
}

/** How many of these days come after the one before, and how many before it. */
export function stepsIn(days: readonly string[]): { readonly up: number; readonly down: number } {
  let up = 0;
  let down = 0;
  for (let at = 1; at < days.length; at += 1) {
    const [before = "", day = ""] = [days[at - 1], days[at]];
    if (day > before) up += 1;
    else if (day < before) down += 1;
  }
  return { up, down };
}
