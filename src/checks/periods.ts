/** What a cell, a wrapper or a flag says of the period: one of the three forms of DESIGN §6, nothing, or nonsense. */
export type SaidPeriod = { readonly period: string } | "none" | "malformed";

/** What programs write where there is nothing. */
const NONE = /^(?:null|nan|none|nil|n\/?a|n\.a\.?|undefined|blank|empty|-+|—|0+)?$/i;
const LABEL = /^[\w .,&()+/-]{1,40}$/;

/** Reads a period as it may be written. A label behind it is compared without regard to case. */
export function readPeriod(text: string): SaidPeriod {
  const words = text.trim().split(/\s+/);
  if (NONE.test(words.join(" "))) return "none";
  // `Nov 2026` has a space of its own
  for (const count of [1, 2]) {
    const period = formOf(words.slice(0, count).join(" "));
    const label = words.slice(count).join(" ").toLowerCase();
    if (period === undefined) continue;
    if (label === "") return { period };
    return LABEL.test(label) ? { period: `${period} ${label}` } : "malformed";
  }
  return "malformed";
}

/** A month or a day, a week, or another spelling of a month: `11/2026`, `Nov 2026`, `Nov-26`. */
function formOf(text: string): string | undefined {
  const [, year = "", month = "", day = "01"] = /^(20\d\d)-(\d\d)(?:-(\d\d))?$/.exec(text) ?? [];
  if (year !== "") return isDay(`${year}-${month}-${day}`) ? text : undefined;
  const [, ofWeek = "", week = ""] = /^(20\d\d)-W(\d\d)$/i.exec(text) ?? [];
  if (ofWeek !== "") return isWeek(Number(ofWeek), Number(week)) ? text.toUpperCase() : undefined;
  const [, number = "", ofNumber = ""] = /^(\d?\d)\/(20\d\d)$/.exec(text) ?? [];
  if (ofNumber !== "") return formOf(`${ofNumber}-${number.padStart(2, "0")}`);
  // `Nov-26` is what Excel makes of `2026-11`
  const [, name = "", ofName = ""] = /^([a-z]{3,9})[- ]((?:20)?\d\d)$/i.exec(text) ?? [];
  return ofName === "" ? undefined : formOf(`${ofName.length === 2 ? "20" : ""}${ofName}-${monthNumber(name)}`);
}

/** Whether there is such a day. */
export function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** A year has 53 weeks when it begins or ends on a Thursday (ISO 8601). */
function isWeek(year: number, week: number): boolean {
  const isThursday = (month: number, day: number): boolean => new Date(Date.UTC(year, month, day)).getUTCDay() === 4;
  return week >= 1 && week <= (isThursday(0, 1) || isThursday(11, 31) ? 53 : 52);
}

const MONTHS = "january february march april may june july august september october november december".split(" ");

/** `11` of `Nov`, `november`; `00` of no month. */
export function monthNumber(name: string): string {
  const at = name.length < 3 ? -1 : MONTHS.findIndex((month) => month.startsWith(name.toLowerCase()));
  return String(at + 1).padStart(2, "0");
}

/** The period that a file's name holds (`payroll-nov-2026.csv`): exactly one, in one of the forms; else undefined. */
export function periodInName(fileName: string): string | undefined {
  const words = fileName.toLowerCase().match(/w\d\d(?!\d)|[a-z]+|\d+/g) ?? [];
  const found = words.flatMap((first, at) => {
    const [second = "", third = ""] = words.slice(at + 1);
    if (!/^\d{4}$/.test(first)) {
      // in 06-11-2026 nobody can tell the month
      const isMonth = /^\d{4}$/.test(second) && !/^\d+ \d+$/.test(`${words[at - 1]} ${first}`);
      return isMonth ? (formOf(`${first}/${second}`) ?? formOf(`${first} ${second}`) ?? []) : [];
    }
    return formOf(`${first}-${second}-${third}`) ?? formOf(`${first}-${second}`) ?? [];
  });
  return new Set(found).size === 1 ? found[0] : undefined;
}
