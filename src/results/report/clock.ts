import { MONTHS } from "../../day.ts";

/** How a report tells times: in one time zone, with its offset, so that no time needs a guess. */
export interface Clock {
  /** `Asia/Kolkata`; `UTC`. */
  readonly zone: string;
  /** `31 Oct 2026, 18:07:52 +05:30`; `… UTC`. */
  stamp(atMs: number): string;
  /** `31 Oct 2026`. */
  day(atMs: number): string;
  /** `18:07`, `18:07:52` or `18:07:52.250`, as fine as a step of `stepMs` needs. */
  time(atMs: number, stepMs: number): string;
}

/** `zone`: a name that `Intl` knows, such as `Asia/Kolkata` or `UTC`. */
export function createClock(zone: string): Clock {
  const format = formatIn(zone);
  const partsAt = (atMs: number): Readonly<Record<string, string>> =>
    Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  const day = ({ day: date = "", month = "", year = "" }: Readonly<Record<string, string>>): string =>
    `${Number(date)} ${MONTHS[Number(month) - 1] ?? ""} ${year}`;
  const seconds = ({ hour = "", minute = "", second = "" }: Readonly<Record<string, string>>): string =>
    `${hour}:${minute}:${second}`;
  return {
    zone,
    stamp(atMs) {
      const parts = partsAt(atMs);
      const offset = (parts["timeZoneName"] ?? "").replace(/^(?:GMT|UTC)/, "");
      return `${day(parts)}, ${seconds(parts)} ${offset === "" || offset === "+00:00" ? "UTC" : offset}`;
    },
    day: (atMs) => day(partsAt(atMs)),
    time(atMs, stepMs) {
      const text = seconds(partsAt(atMs));
      if (stepMs >= 60_000) return text.slice(0, 5);
      return stepMs >= 1000 ? text : `${text}.${String(atMs % 1000).padStart(3, "0")}`;
    },
  };
}

function formatIn(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  });
}
