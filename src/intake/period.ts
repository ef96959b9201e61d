import { MONTHS } from "../day.ts";

/**
 * The month that a file's name speaks of, as `2026-11`: a guess that only ever adds caution (DESIGN §6). Undefined when
 * it names none, more than one, or one that could be read in two ways (`06-11-2026`).
 */
export function guessPeriod(fileName: string): string | undefined {
  const name = fileName.toLowerCase();
  const periods = new Set([...namedPeriods(name), ...numericPeriods(withoutNamed(name))]);
  const [period] = periods;
  if (periods.size !== 1 || period === undefined) return undefined;
  return namesAnotherMonth(name, period) ? undefined : period;
}

/** The month that a name speaks of, with a year or without, as `11`: `november.csv`. Undefined as in `guessPeriod`. */
export function monthInName(fileName: string): string | undefined {
  const guess = guessPeriod(fileName);
  if (guess !== undefined) return guess.slice(-2);
  const [month, another] = monthsNamed(fileName.toLowerCase());
  return another === undefined ? month : undefined;
}

const NUMERIC: readonly RegExp[] = [
  // `2026-11-06`, `2026_11`
  /(?<!\d)(?<year>20\d\d)[-_. ](?<month>0?[1-9]|1[0-2])(?!\d)/g,
  // `20261106`
  /(?<!\d)(?<year>20\d\d)(?<month>0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)/g,
  // `202611`; years before 2013 could be a day and a month here: 201112
  /(?<!\d)(?<year>20(?:1[3-9]|[2-9]\d))(?<month>0[1-9]|1[0-2])(?!\d)/g,
  // `11-2026`
  /(?<!\d)(?<!\d[-_. ])(?<month>0?[1-9]|1[0-2])[-_. ](?<year>20\d\d)(?!\d)/g,
];
/** A date such as `25-11-2026`: its month is the first or the second number, if only one of them can be a month. */
const DAY_MONTH_YEAR = /(?<!\d)(\d{1,2})[-_. ](\d{1,2})[-_. ](20\d\d)(?!\d)/g;

function* numericPeriods(name: string): Generator<string> {
  for (const pattern of NUMERIC) {
    for (const { groups } of name.matchAll(pattern)) yield period(groups?.["year"], groups?.["month"]);
  }
  for (const [, one = "", two = "", year] of name.matchAll(DAY_MONTH_YEAR)) {
    const months = new Set([one, two].filter((part) => Number(part) >= 1 && Number(part) <= 12));
    const [month] = months;
    if (months.size === 1 && month !== undefined) yield period(year, month);
  }
}

const MONTH_NAME =
  "(?<![a-z])(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?" +
  "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])";
const NAME_THEN_YEAR = new RegExp(`${MONTH_NAME}[-_. ,]{0,2}(?:\\d{1,2}[-_. ,]{1,2})?(20\\d\\d)(?!\\d)`, "g");
const YEAR_THEN_NAME = new RegExp(`(?<!\\d)(20\\d\\d)[-_. ,]{0,2}${MONTH_NAME}`, "g");

/** Periods such as `nov-2026`, `November 2026`, `6nov2026`, `nov-06-2026`, `2026-nov`. */
function* namedPeriods(name: string): Generator<string> {
  for (const [, month, year] of name.matchAll(NAME_THEN_YEAR)) yield period(year, monthNumber(month));
  for (const [, year, month] of name.matchAll(YEAR_THEN_NAME)) yield period(year, monthNumber(month));
}

/** The name without such periods: the day in `nov-06-2026` must not be taken for a month. */
function withoutNamed(name: string): string {
  return name.replace(NAME_THEN_YEAR, " ").replace(YEAR_THEN_NAME, " ");
}

/** Whether the name has another month than the one found, as `oct-nov-2026` has. */
function namesAnotherMonth(name: string, found: string): boolean {
  return [...monthsNamed(name)].some((month) => !found.endsWith(`-${month}`));
}

function monthsNamed(name: string): ReadonlySet<string> {
  return new Set([...name.matchAll(new RegExp(MONTH_NAME, "g"))].map(([, month]) => monthNumber(month)));
}

function monthNumber(name = ""): string {
  const start = name.slice(0, 3);
  return (MONTHS.findIndex((month) => month.toLowerCase() === start) + 1).toString().padStart(2, "0");
}

function period(year = "", month = ""): string {
  return `${year}-${month.padStart(2, "0")}`;
}
