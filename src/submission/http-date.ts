import { MONTHS } from "../day.ts";

/** The three forms of RFC 9110 §5.6.7. Each is in UTC, also the last one, which does not say so. */
const FORMS: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** Milliseconds since 1970; undefined for no date of these forms. Not by `Date.parse`, which takes almost any text. */
export function httpDateMs(text: string, nowMs: number): number | undefined {
  const parts = FORMS.map((form) => form.exec(text.trim())?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const { day = "", month = "", year = "", time = "" } = parts;
  const [hour = 0, minute = 0, second = 0] = time.split(":").map(Number);
  const date = new Date(0);
  date.setUTCFullYear(
    year.length === 2 ? yearOf(Number(year), nowMs) : Number(year),
    MONTHS.indexOf(month),
    Number(day),
  );
  // an unknown month, or a day that the month does not have, comes out as a day of another month
  if (MONTHS[date.getUTCMonth()] !== month || date.getUTCDate() !== Number(day)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** The year that two digits mean: where it is more than 50 years ahead, the one a century before (RFC 9110 §5.6.7). */
function yearOf(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
