import type { Fault } from "../messages/sentence.ts";
import type { Columns } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { faultAt, readAt, type FileKind } from "./cells.ts";
import { createCannotBe, isNothing, type Finding } from "./not-a-value.ts";

export interface RowName {
  readonly batch: string;
  readonly row: number;
}

export interface Own {
  reference?: string;
  /** With its zeros in front. */
  referenceAs?: string;
  /** In one of the three forms (README §6). */
  period?: string;
  retryOf?: RowName;
}

const REFERENCE_CHARACTERS_MAX = 64;
const cannotBeId = createCannotBe({ kind: "id" });
const NO_REFERENCE = /^(?:placeholder|ditto_mark)$/;
/** What Excel makes of references: many rows then share one, or a row has another one than before. And what only looks alike. */
const BAD_REFERENCE: ReadonlySet<string> = new Set([
  ...["scientific_notation", "number_not_text", "spreadsheet_error", "formula_as_text", "made_a_date"],
  ...["hidden_character", "broken_character", "id_not_ascii"],
]);

/** Columns that are not sent and say which payment a row is: each takes what its text says, or tells what is wrong. */
const OWN: Readonly<Record<string, (text: string, own: Own) => Finding | undefined>> = {
  reference(text, own) {
    const finding = cannotBeId(text);
    const found = text.length;
    if (finding && BAD_REFERENCE.has(finding.code)) return finding;
    if (found > REFERENCE_CHARACTERS_MAX)
      return { code: "value_too_long", facts: { found, most: REFERENCE_CHARACTERS_MAX } };
    // a spreadsheet takes zeros in front, which must not make it another reference
    if (NO_REFERENCE.test(finding?.code ?? "")) return undefined;
    own.reference = text.replace(/^0+(?=[0-9]+$)/, "");
    own.referenceAs = text;
    return undefined;
  },
  period(text, own) {
    const period = readPeriod(text);
    if (period === undefined) return { code: "period_malformed" };
    if (period !== "") own.period = period;
    return undefined;
  },
  retry_of(text, own) {
    const [, batch, row] = /^([0-9A-Z]{8}):([1-9][0-9]{0,8})$/.exec(text.toUpperCase()) ?? [];
    if (batch === undefined) return { code: "retry_of_malformed" };
    own.retryOf = { batch, row: Number(row) };
    return undefined;
  },
};

/** Makes what gives what a row says in columns of our own, and adds what is wrong there. */
export function ownReader({ sources }: Columns, { isWorkbook, isTable }: FileKind) {
  const columns = Object.entries(OWN).flatMap(([name, take]) => {
    const source = sources.get(name);
    // a workbook may have a date in place of a period
    const kind = name === "period" ? "text" : "id";
    return source ? [{ name, kind, source, take } as const] : [];
  });
  return (row: Row, faults: Fault[]): Own => {
    const own: Own = {};
    for (const column of columns) {
      const text = readAt(row, column, isWorkbook);
      const finding = typeof text === "string" ? (isNothing(text) ? undefined : column.take(text, own)) : text;
      if (finding) faults.push(faultAt(row, column, finding, isTable));
    }
    return own;
  };
}

/** What programs write where there is nothing. */
export const NONE =
  /^(?:null|nan|nat|\\n|<na>|(?:system\.)?dbnull(?:\.value)?|none|nil|n\/?a|n\.a\.?|undefined|blank|empty|-+|—|0+)?$/i;
const LABEL = /^[\w .,&()+/-]{0,40}$/;

/** A period in one of the three forms of README §6, with its label in small letters; empty: none; undefined: nonsense. */
export function readPeriod(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  if (NONE.test(words.join(" "))) return "";
  // `Nov 2026` has a space of its own
  const count = formOf(words[0] ?? "") === undefined ? 2 : 1;
  const period = formOf(words.slice(0, count).join(" "));
  const label = words.slice(count).join(" ").toLowerCase();
  return period !== undefined && LABEL.test(label) ? `${period} ${label}`.trimEnd() : undefined;
}

/** A month or a day, a week, or another spelling of a month: `11/2026`, `Nov 2026`, `Nov-26`. */
export function formOf(text: string): string | undefined {
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

/**
 * The month or week that a file's name holds (`payroll-nov-2026.csv`), where it is exactly one. A day there is mostly that
 * of an export, and states nothing.
 */
export function periodInName(fileName: string): string | undefined {
  const words = fileName.toLowerCase().match(/w\d\d(?!\d)|[a-z]+|\d+/g) ?? [];
  const found = words.flatMap((first, at) => {
    const [second = "", third = ""] = words.slice(at + 1);
    if (!/^\d{4}$/.test(first)) {
      // in 06-11-2026 nobody can tell the month
      const isMonth = /^\d{4}$/.test(second) && !/^\d+ \d+$/.test(`${words[at - 1]} ${first}`);
      return isMonth ? (formOf(`${first}/${second}`) ?? formOf(`${first} ${second}`) ?? []) : [];
    }
    return /^\d\d?$/.test(third) ? [] : (formOf(`${first}-${second}`) ?? []);
  });
  return new Set(found).size === 1 ? found[0] : undefined;
}
