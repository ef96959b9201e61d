import { shareDays } from "./period-days.ts";

const MONTHS = "january february march april may june july august september october november december".split(" ");

/** Ways to write a period, in small letters with `-` between the parts; each gives year, month and what follows. */
const WRITINGS: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [/^(?:20)?(\d\d)-?(?:w|wk|week)-?(\d\d?)$/, (year, week) => `20${year}-w${twoDigits(week)}`],
  [/^(?:w|wk|week)-?(\d\d?)(?:-?(?:20)?(\d\d))?$/, (week, year) => `${inFull(year)}-w${twoDigits(week)}`],
  [/^(?:20)?(\d\d)-?(?:q|qtr|quarter)-?(\d)$/, (year, quarter) => `20${year}-q${quarter}`],
  [/^(?:q|qtr|quarter)-?(\d)(?:-?(?:20)?(\d\d))?$/, (quarter, year) => `${inFull(year)}-q${quarter}`],
  [/^(20\d\d)-?(\d\d)-?(\d\d)$/, (year, month, day) => `${year}-${month}-${day}`],
  [/^(20\d\d)-(\d\d?)-(\d\d?)$/, (year, month, day) => `${year}-${twoDigits(month)}-${twoDigits(day)}`],
  [/^(20\d\d)-?(0?[1-9]|1[0-2])(?!\d)(.*)$/, (year, month, rest) => `${year}-${twoDigits(month)}${rest}`],
  [/^(0?[1-9]|1[0-2])-?(20\d\d)$/, (month, year) => `${year}-${twoDigits(month)}`],
  [/^(0?[1-9]|1[0-2])-(\d\d)$/, (month, year) => `20${year}-${twoDigits(month)}`],
  [/^([a-z]{3,9})$/, (name) => named(name, "")],
  [/^([a-z]{3,9})-?(?:20)?(\d\d)$/, (name, year) => named(name, `20${year}`)],
  [/^(20\d\d)-?([a-z]{3,9})$/, (year, name) => named(name, year)],
  [/^(\d\d?)-?([a-z]{3,9})-?(20\d\d)$/, (day, name, year) => dayNamed(name, year, day)],
  [/^([a-z]{3,9})-?(\d\d?)-(20\d\d)$/, (name, day, year) => dayNamed(name, year, day)],
  [/^(20\d\d)-?([a-z]{3,9})-?(\d\d?)$/, (year, name, day) => dayNamed(name, year, day)],
  [/^(20\d\d)-?m(0?[1-9]|1[0-2])$/, (year, month) => `${year}-${twoDigits(month)}`],
  [/^(0?[1-9]|1[0-2])-(20\d\d)-(.+)$/, (month, year, rest) => `${year}-${twoDigits(month)}-${rest}`],
  [/^(.+-.+)$/, (text) => amongOthers(text)],
];

/**
 * Whether two periods may be one, however people write them: `2026-11`, `202611`, `11-2026`, `11/26` and `Nov2026` are the
 * same month, `2026-11-06` and `2026-W47` are parts of it, and `november` may be any year's; `2026-W47`, `2026W47` and
 * `W47-2026` are the same week. `2026-H2`, `P11` and `FY2026-27` have days of that month too. What is written in two ways
 * must not free a row to go twice.
 */
export function mayBeSamePeriod(one: string, other: string): boolean {
  const [left, right] = [plainly(one), plainly(other)];
  if (isPartOf(one, other) || isPartOf(left, right) || areSame(left, right) || shareDays(left, right)) return true;
  return (left.startsWith("-") || right.startsWith("-")) && isPartOf(withoutYear(left), withoutYear(right));
}

/** Whether two periods are one for sure: `W47-2026` and `2026-W47`, but not a month and a day of it. */
export function isSamePeriod(one: string, other: string): boolean {
  return areSame(plainly(one), plainly(other));
}

/** Whether it is a month of one year, or a part of it. */
export function isOfMonth(period: string): boolean {
  return /^20\d\d-\d\d/.test(plainly(period));
}

/** Whether it names a day, a week, a month or a quarter, be it of any year. */
export function saysWhen(period: string): boolean {
  return /^(?:20\d\d)?-(?:\d\d|w\d\d|q\d)(?!\d)/.test(plainly(period));
}

/** Whether it names a day, a week or a quarter that there is not, such as `2026-W84`. */
export function isNoTime(period: string): boolean {
  const [, ...found] = /^(?:20\d\d)?-(?:w(\d\d)|q(\d)|\d\d-(\d\d))$/.exec(plainly(period)) ?? [];
  return found.some((part, index) => Number(part) < 1 || Number(part) > (LAST[index] ?? 0));
}

/** The last week, quarter and day. */
const LAST: readonly number[] = [53, 4, 31];

/** The number of its month, counted on from year to year; for a period that `isOfMonth`. */
export function monthOf(period: string): number {
  const [year = 0, month = 0] = plainly(period).split("-").map(Number);
  return year * 12 + month;
}

function areSame(left: string, right: string): boolean {
  return left === right || (/[a-z]/.test(left) && inAnyOrder(left) === inAnyOrder(right));
}

/** A period in the one writing; `-11` is the November of any year. */
export function plainly(period: string): string {
  const text = period
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-(?!\d\d$)|-$/g, "");
  for (const [writing, as] of WRITINGS) {
    const [, ...parts] = writing.exec(text) ?? [];
    if (parts.length > 0) return as(...parts) || text;
  }
  return text;
}

function isPartOf(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function inAnyOrder(period: string): string {
  return (period.match(/\d+|[a-z]+/g) ?? []).sort().join(" ");
}

function withoutYear(period: string): string {
  return period.replace(/^20\d\d(?=-)/, "");
}

/** Empty for a word that is no month. */
function named(name = "", year = ""): string {
  const month = MONTHS.findIndex((one) => one.startsWith(name));
  return month < 0 ? "" : `${year}-${twoDigits(String(month + 1))}`;
}

function dayNamed(name = "", year = "", day = ""): string {
  const month = named(name, year);
  return month === "" ? "" : `${month}-${twoDigits(day)}`;
}

/** `nov-2026-h1`, `salary-november`: a month's name among other words. Empty where there is none, or more than one. */
function amongOthers(text = ""): string {
  const words = text.split("-");
  const months = words.filter((word) => /^[a-z]{3,9}$/.test(word) && named(word) !== "");
  const years = words.filter((word) => /^20\d\d$/.test(word));
  if (months.length !== 1 || years.length > 1) return "";
  const rest = words.filter((word) => word !== months[0] && word !== years[0]);
  return [named(months[0], years[0]), ...rest].join("-");
}

function inFull(year = ""): string {
  return year === "" ? "" : `20${year}`;
}

function twoDigits(month = ""): string {
  return month.padStart(2, "0");
}
