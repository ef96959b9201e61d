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

/** `2026-11-06`, `2026_11`, `20261106`, `202611`, `11-2026`, `25-11-2026`. */
function* numericPeriods(name: string): Generator<string> {
  for (const [, year, , month] of name.matchAll(/(?<!\d)(20\d\d)([-_. ])(0?[1-9]|1[0-2])(?!\d)/g)) {
    yield period(year, month);
  }
  for (const [, year, month] of name.matchAll(/(?<!\d)(20\d\d)(0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)/g)) {
    yield period(year, month);
  }
  // Years before 2013 could be a day and a month here: 201112.
  for (const [, year, month] of name.matchAll(/(?<!\d)(20(?:1[3-9]|[2-9]\d))(0[1-9]|1[0-2])(?!\d)/g)) {
    yield period(year, month);
  }
  for (const [, month, year] of name.matchAll(/(?<!\d)(?<!\d[-_. ])(0?[1-9]|1[0-2])[-_. ](20\d\d)(?!\d)/g)) {
    yield period(year, month);
  }
  for (const [, one = "", two = "", year] of name.matchAll(/(?<!\d)(\d{1,2})[-_. ](\d{1,2})[-_. ](20\d\d)(?!\d)/g)) {
    const months = new Set([one, two].filter((part) => Number(part) >= 1 && Number(part) <= 12));
    const [month] = months;
    if (months.size === 1 && month !== undefined) yield period(year, month);
  }
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH_NAME =
  "(?<![a-z])(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?" +
  "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])";
const NAME_THEN_YEAR = new RegExp(`${MONTH_NAME}[-_. ,]{0,2}(?:\\d{1,2}[-_. ,]{1,2})?(20\\d\\d)(?!\\d)`, "g");
const YEAR_THEN_NAME = new RegExp(`(?<!\\d)(20\\d\\d)[-_. ,]{0,2}${MONTH_NAME}`, "g");

/** `nov-2026`, `November 2026`, `6nov2026`, `nov-06-2026`, `2026-nov`. */
function* namedPeriods(name: string): Generator<string> {
  for (const [, month, year] of name.matchAll(NAME_THEN_YEAR)) yield period(year, monthNumber(month));
  for (const [, year, month] of name.matchAll(YEAR_THEN_NAME)) yield period(year, monthNumber(month));
}

/** The day in `nov-06-2026` is no month. */
function withoutNamed(name: string): string {
  return name.replace(NAME_THEN_YEAR, " ").replace(YEAR_THEN_NAME, " ");
}

/** `oct-nov-2026`. */
function namesAnotherMonth(name: string, found: string): boolean {
  const months = [...name.matchAll(new RegExp(MONTH_NAME, "g"))].map(([, month]) => monthNumber(month));
  return months.some((month) => !found.endsWith(`-${month}`));
}

function monthNumber(name = ""): string {
  return (MONTHS.indexOf(name.slice(0, 3)) + 1).toString().padStart(2, "0");
}

function period(year = "", month = ""): string {
  return `${year}-${month.padStart(2, "0")}`;
}
