/** A day of UTC, which skips no hour and repeats none. */
export const DAY_MS = 86_400_000;

/** Excel's day 0 for all days from March 1900 on: it has a 29 February 1900, which never existed. */
export const EXCEL_EPOCH_MS: number = Date.UTC(1899, 11, 30);

export const MONTHS: readonly string[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `21 Nov 2026`, in UTC. */
export function dayOf(atMs: number): string {
  const day = new Date(atMs);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()] ?? ""} ${day.getUTCFullYear()}`;
}

/** `21 Nov 2026, 21:05 UTC`. */
export function minuteOf(atMs: number): string {
  return `${dayOf(atMs)}, ${new Date(atMs).toISOString().slice(11, 16)} UTC`;
}

/** `2026-11-21`, in UTC. */
export function isoDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** The same in a zone such as Asia/Kolkata; in UTC unless one is said. */
export function isoDayIn(atMs: number, timeZone?: string): string {
  if (timeZone === undefined) return isoDay(atMs);
  const known = IN_ZONES.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone });
  IN_ZONES.set(timeZone, known);
  return known.format(atMs);
}

const IN_ZONES = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-21T21:05:52Z`. */
export function isoSecond(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

/** When the day began that a text such as `2026-11-21` names; undefined where it names none. `timeZone`: UTC unless said. */
export function startOfNamedDay(day: string, timeZone?: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  // ten hours after midnight of UTC it is that day nearly everywhere
  return timeZone === undefined ? at : startOfDay(at + 36_000_000, timeZone);
}

/**
 * When the day began that `nowMs` lies in, in milliseconds since 1970. `timeZone`: a name such as Asia/Kolkata, the
 * machine's own unless said. Where the clock skips midnight, the first moment after it; where midnight comes twice, the
 * first.
 */
export function startOfDay(nowMs: number, timeZone?: string): number {
  const named = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const aheadOfUtcMs = (atMs: number): number => {
    // GMT+05:30, or GMT alone
    const [, sign, hours, minutes] = /([+-])(\d+):(\d+)/.exec(named.format(atMs)) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  };
  const wallMs = nowMs + aheadOfUtcMs(nowMs);
  const midnightMs = Math.floor(wallMs / DAY_MS) * DAY_MS;
  // before a clock was put forward or back, it was another number of hours ahead of UTC
  const startMs = midnightMs - aheadOfUtcMs(midnightMs - aheadOfUtcMs(nowMs));
  return Math.min(startMs, midnightMs - aheadOfUtcMs(startMs - 1));
}
