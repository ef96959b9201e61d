import { DAY_MS } from "../../day.ts";

/** On which days a period may be. */
interface Span {
  /** Of this century; none for what comes every year, such as `W47`. */
  readonly year: number | undefined;
  readonly daysIn: (year: number) => Days;
  /** What it says beside its days tells it apart from another one of the kind: `2026-11-H1` and `2026-11-H2`. */
  readonly isLabelled?: boolean;
}

/** Days counted from 1970. */
interface Days {
  readonly first: number;
  readonly last: number;
}

type Parts = Readonly<Record<"month" | "day" | "part" | "week", number>>;

/** Ways to say days in a period that was made plain, each with the days it may be. */
const READINGS: readonly (readonly [RegExp, (parts: Parts, year: number) => Days, "labelled"?])[] = [
  [/^(?:20(?<year>\d\d))?-w(?<week>\d\d)$/, weekIn],
  [/^(?<week>1[3-9]|[2-4]\d|5[0-3])-(?:20)?(?<year>\d\d)$/, weekIn],
  [/^(?:20(?<year>\d\d))?-q(?<part>\d)$/, ({ part }, year) => monthsIn(year, part * 3 - 2, 3)],
  [/^(?:20(?<year>\d\d))?-(?<month>\d\d)$/, monthIn],
  [/^(?:20(?<year>\d\d))?-(?<month>\d\d)-(?<day>\d\d)$/, dayIn],
  [/^(?:20(?<year>\d\d))?-(?<month>\d\d)-.+$/, monthIn, "labelled"],
  [/^20(?<year>\d\d)$/, (_, year) => monthsIn(year, 1, 12)],
  [/^20(?<year>\d\d)-?(?:h|hy|half)-?(?<part>[12])$/, halfIn],
  [/^(?:h|hy|half)-?(?<part>[12])(?:-?(?:20)?(?<year>\d\d))?$/, halfIn],
  [/^(?<part>[12])h-?(?:20)?(?<year>\d\d)$/, halfIn],
  // from April to March; by one year it may be the one that begins or the one that ends in it
  [/^fy-?(?:20)?(?<year>\d\d)$/, (_, year) => monthsIn(year - 1, 4, 24), "labelled"],
  [/^fy-?(?:20)?(?<year>\d\d)-?(?:20)?\d\d$/, (_, year) => monthsIn(year, 4, 12)],
  [/^(?<month>0?[1-9]|1[0-2])$/, monthIn],
  [/^(?:p|m|month|period)-?(?<month>0?[1-9]|1[0-2])(?:-?(?:20)?(?<year>\d\d))?$/, monthIn],
  [/^20(?<year>\d\d)-?[pm]-?(?<month>0?[1-9]|1[0-2])$/, monthIn],
  // not the years 2001 to 2012
  [/^(?<year>2[1-9]|3\d)(?<month>0[1-9]|1[0-2])$/, monthIn],
];

/** Whether both, made plain, may be read as days, and some are in both: a week and its month, a quarter and its day. */
export function shareDays(left: string, right: string): boolean {
  const [one, other] = [spanOf(left), spanOf(right)];
  if (!one || !other || (one.isLabelled && other.isLabelled)) return false;
  const year = one.year ?? other.year ?? ANY_YEAR;
  return daysAround(one, year).some((days) =>
    daysAround(other, year).some(({ first, last }) => days.first <= last && first <= days.last),
  );
}

const ANY_YEAR = 26;

/** Its days. Without a year also those of the years beside: week 1 begins in December, and week 53 ends in January. */
function daysAround({ year, daysIn }: Span, near: number): readonly Days[] {
  return (year === undefined ? [near - 1, near, near + 1] : [year]).map(daysIn);
}

function spanOf(period: string): Span | undefined {
  for (const [reading, days, label] of READINGS) {
    const groups = reading.exec(period)?.groups;
    if (!groups) continue;
    const { month, day, part, week, year } = groups;
    const parts = { month: Number(month), day: Number(day), part: Number(part), week: Number(week) };
    return {
      year: year === undefined ? undefined : Number(year),
      daysIn: (of) => days(parts, of),
      isLabelled: label !== undefined,
    };
  }
  return undefined;
}

function weekIn({ week }: Parts, year: number): Days {
  // ISO 8601: the fourth of January is in week 1, and 1970 began on a Thursday
  const fourth = dayAt(year, 1, 4);
  const first = fourth - ((fourth + 3) % 7) + (week - 1) * 7;
  return { first, last: first + 6 };
}

function monthIn({ month }: Parts, year: number): Days {
  return monthsIn(year, month, 1);
}

function halfIn({ part }: Parts, year: number): Days {
  return monthsIn(year, part * 6 - 5, 6);
}

function dayIn({ month, day }: Parts, year: number): Days {
  const at = dayAt(year, month, day);
  return { first: at, last: at };
}

function monthsIn(year: number, first: number, count: number): Days {
  return { first: dayAt(year, first, 1), last: dayAt(year, first + count, 0) };
}

function dayAt(year: number, month: number, day: number): number {
  return Date.UTC(2000 + year, month - 1, day) / DAY_MS;
}
