import { DAY_MS, MONTHS } from "../day.ts";
import { guessPeriod, monthInName } from "./period.ts";

/** What a file's name says of the day, or the week, that it is for. */
interface When {
  /** The number of the week in its year. */
  readonly week?: number;
  readonly year?: number;
  /** Milliseconds since 1970. */
  readonly dayMs?: number;
}

/** Days that lie so far apart are of two weeks' wages; the same payments, exported once more, mostly lie nearer. */
const APART_MS = 5 * DAY_MS;

/**
 * Whether two names say different weeks (`W46`, `week 47`), days that are far apart (`2026-11-13`, `20261120`), or
 * different months of which one has no year (`november`, `dec`). A guess, as `guessPeriod` is, and only ever the reason
 * for a question.
 */
export function saysOtherTime(one: string, other: string): boolean {
  const [a, b] = [whenIn(one), whenIn(other)];
  if (a.week !== undefined && b.week !== undefined) {
    return a.week !== b.week || (a.year !== undefined && b.year !== undefined && a.year !== b.year);
  }
  if (a.dayMs !== undefined && b.dayMs !== undefined) return Math.abs(a.dayMs - b.dayMs) >= APART_MS;
  return saysOtherMonth(one, other);
}

/** Whether two names say different months. Not where both say a year: these are guessed periods, compared as such. */
function saysOtherMonth(one: string, other: string): boolean {
  if (guessPeriod(one) !== undefined && guessPeriod(other) !== undefined) return false;
  const [month, otherMonth] = [monthInName(one), monthInName(other)];
  return month !== undefined && otherMonth !== undefined && month !== otherMonth;
}

const WEEK = /(?<![a-z])(?:w|kw|wk|week)[-_. ]?(?<week>0?[1-9]|[1-4]\d|5[0-3])(?![a-z\d])/;
const YEAR = /(?<!\d)20\d\d(?!\d)/;
const YEAR_FIRST =
  /(?<!\d)(?<year>20\d\d)(?<sign>[-_. ]?)(?<month>0[1-9]|1[0-2])\k<sign>(?<day>0[1-9]|[12]\d|3[01])(?!\d)/;
/** A date with its day first, as everywhere in India. */
const DAY_FIRST = /(?<!\d)(?<day>\d{1,2})[-_. ](?<month>\d{1,2})[-_. ](?<year>20\d\d)(?!\d)/;
const NAMED = new RegExp(`(?<!\\d)(?<day>\\d{1,2})[-_. ]?(?<name>${MONTHS.join("|")})[a-z]*[-_. ,]*(?<year>20\\d\\d)?(?!\\d)`, "i"); // prettier-ignore

function whenIn(fileName: string): When {
  const name = fileName.toLowerCase();
  const week = WEEK.exec(name)?.groups?.["week"];
  if (week !== undefined) {
    const year = YEAR.exec(name)?.[0];
    return { week: Number(week), ...(year === undefined ? {} : { year: Number(year) }) };
  }
  const found = [YEAR_FIRST, DAY_FIRST, NAMED].map((form) => form.exec(name)?.groups).find((groups) => groups);
  if (!found) return {};
  const named = MONTHS.findIndex((month) => month.toLowerCase() === found["name"]) + 1;
  const [year, month, day] = [Number(found["year"] ?? NO_YEAR), named || Number(found["month"]), Number(found["day"])];
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isDay ? { dayMs: Date.UTC(year, month - 1, day) } : {};
}

/** The year of days without one, so that two of them can be compared. */
const NO_YEAR = 2000;
