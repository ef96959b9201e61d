import { normalizeName } from "../column-name.ts";
import { DAY_MS, EXCEL_EPOCH_MS, isoDay } from "../day.ts";
import type { Fault } from "../messages/sentence.ts";
import type { Columns } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { faultAt, readAt, wordsAt } from "./cells.ts";
import { createCannotBe, type Finding } from "./not-a-value.ts";

export interface RowName {
  readonly batch: string;
  readonly row: number;
}

export interface Own {
  reference?: string;
  /** In one of the three forms (DESIGN §6). */
  period?: string;
  retryOf?: RowName;
}

const REFERENCE_CHARACTERS_MAX = 64;
const cannotBeId = createCannotBe({ kind: "id" });
const NO_REFERENCE = /^(?:placeholder|ditto_mark)$/;
/** What Excel makes of references: many rows then share one, or a row has another one than before. And what only looks alike. */
const BAD_REFERENCE =
  /^(?:scientific_notation|number_not_text|spreadsheet_error|formula_as_text|made_a_date|hidden_character|broken_character|id_not_ascii)$/;

/** Columns that are not sent and say which payment a row is: each takes what its text says, or tells what is wrong. */
const OWN: Readonly<Record<string, (text: string, own: Own) => Finding | undefined>> = {
  reference(text, own) {
    const finding = cannotBeId(text);
    const found = text.length;
    if (finding && BAD_REFERENCE.test(finding.code)) return finding;
    if (found > REFERENCE_CHARACTERS_MAX)
      return { code: "value_too_long", facts: { found, most: REFERENCE_CHARACTERS_MAX } };
    // a spreadsheet takes zeros in front, which must not make it another reference
    if (!NO_REFERENCE.test(finding?.code ?? "")) own.reference = text.replace(/^0+(?=[0-9]+$)/, "");
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
export function ownReader(
  { sources }: Columns,
  { isWorkbook, isTable }: { readonly isWorkbook: boolean; readonly isTable: boolean },
) {
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
      const finding = typeof text === "string" ? text && column.take(text, own) : text;
      if (finding) faults.push(faultAt(row, column, finding, isTable));
    }
    return own;
  };
}

/** What programs write where there is nothing. */
const NONE = /^(?:null|nan|none|nil|n\/?a|n\.a\.?|undefined|blank|empty|-+|—|0+)?$/i;
const LABEL = /^[\w .,&()+/-]{0,40}$/;

/** A period in one of the three forms of DESIGN §6, with its label in small letters; empty: none; undefined: nonsense. */
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

function isDay(text: string): boolean {
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
function monthNumber(name: string): string {
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

/** What a column beside the fields says of a row: its currency, or when or whether it is to be paid. */
type Meaning = "currency" | "day" | "hold" | "approval" | "status" | "state";

const NAMES: readonly (readonly [Meaning, RegExp])[] = [
  ["currency", /currency|currencies|ccy(?:code)?$|^curr?(?:code|type)?$|(?:amount|amt|pay|payout|txn|transfer)curr?$/],
  [
    "hold",
    /^(?:is|on)?(?:paid(?:on|date)?|(?:hold|held|stop|stopped|cancel|cancelled|canceled|skip|exclude|blocked|donotpay)(?:salary|pay|payment|payout|till|until)?)(?:yn|flag)?\??$|^(?:salary|pay|payment|payout)(?:on)?(?:hold|held|stop|stopped|cancelled|blocked)(?:yn|flag)?\??$/,
  ],
  [
    "day",
    /^(?:tobe|to)?(?:value|pay|paid|payable|payment|payout|due|execut(?:e|ion)|schedul(?:e|ed)|transfer|transaction|txn|process(?:ing|ed)?|effective|release|send|settlement|posting|debit|credit)(?:date|day|on|after)$|^(?:date|notbefore|dateof(?:payment|payout|transfer|execution))$/,
  ],
  [
    "approval",
    /^(?:is)?(?:approved|approval(?:status)?|include|release|released|active|tobepaid|paynow)(?:yn|flag)?\??$|^(?:to)?(?:pay|process|send)(?:yn|flag|\?)$/,
  ],
  [
    "status",
    /^(?:row|record|pay|payment|payout|salary|transfer|transaction|txn|disburse?ment|processing|release)?status$/,
  ],
  // `KYC status`, `Marital Status`, and a place
  ["state", /status$|^state$/],
];

/**
 * The columns of a file that change what its rows mean, though no field comes from them. `used`: positions of our fields;
 * `ownColumns`: the setting, names that mean nothing to us.
 */
export function otherColumns(names: readonly string[], used: ReadonlySet<number>, ownColumns: readonly string[]) {
  const own = new Set(ownColumns.map(normalizeName));
  return names.flatMap((column, at) => {
    const name = normalizeName(column.replaceAll(/[()./]/g, ""));
    if (used.has(at) || own.has(normalizeName(column))) return [];
    const meaning = NAMES.find(([, pattern]) => pattern.test(name))?.[0];
    return meaning === undefined ? [] : [{ name: column, kind: "text", source: { at, column }, meaning } as const];
  });
}

/** The first of these columns that names another currency (only the amount goes, as rupees), or says not to pay now. */
export function faultBeside(
  row: Row,
  columns: ReturnType<typeof otherColumns>,
  { isTable, today }: { readonly isTable: boolean; /** `2026-11-27` */ readonly today: string },
): Fault | undefined {
  for (const found of columns) {
    const { meaning, source, name } = found;
    const text = wordsAt(row, source.at);
    const isCurrency = meaning === "currency";
    if (text === "") continue;
    const says = isCurrency ? undefined : saysNotNow(text, meaning, today);
    if (!(isCurrency ? isOtherCurrency(text) : says)) continue;
    const code = isCurrency ? "currency_other" : "not_now";
    return faultAt(row, found, { code, facts: { name, says, row: row.number } }, isTable);
  }
  return undefined;
}

const RUPEES = /^[\s().₹-]*(?:(?:inr|indian|rupees?|rs)[\s().₹-]*)*$|^356$/i;
/** A code of three letters; signs and names of other currencies. Of anything else nobody can tell that it is a currency. */
const CURRENCY = /^[a-z]{3}$|(?![₹₨])\p{Sc}|\b(?:usd|eur|gbp|aed|sgd|dollars?|euros?|pounds?|dirhams?)\b/iu;

function isOtherCurrency(text: string): boolean {
  return CURRENCY.test(text) && !RUPEES.test(text);
}

const NO =
  /^(?:no|n|false|f|0(?:\.0+)?|none|null|nil|n\/?a|-+|not? (?:hold|paid|stopped|cancelled)|unpaid|due|open|pending)$/i;
const HELD =
  /\b(?:hold|held|paid|cancel|cancell?ed|stop|stopped|void|voided|rejected|declined|blocked|withheld|suspended|not approved|unapproved|do not (?:pay|process|release|send)|don'?t pay|already (?:sent|processed|done)|reversed|skip|excluded?)\b/i;
const NOT_HELD = /\b(?:not|no|never|to be|yet to be|un) ?(?:on )?(?:hold|held|paid|cancell?ed|stopped|blocked)\b/gi;

const PAID = /\b(?:paid|sent|processed|done|success(?:ful)?|settled|completed?)\b/i;
const YES = /^(?:y|yes|true|t|[1-9][0-9]*(?:\.[0-9]+)?|ok|okay|approved?|include|released?|active|pay|[✓✔☑])$/i;
const NOW = /^(?:now|today|asap|immediate(?:ly)?|at once)$/i;
/** Of a payment that waits to be made, and of a person who is paid. */
const GOES =
  /^(?:y|yes|true|1|ok|okay|approved?|authori[sz]ed|verified|valid|ready|pay|payable|release|new|open|due|pending|active|confirmed|permanent|regular|probation(?:er)?|trainee|working|employed|in service|on roll|(?:full|part)[ -]?time|contract(?:ual)?)$/i;

/** What a value says that does not plainly let the row go: it is paid, no, or nothing clear. A person decides. */
function saysNotNow(text: string, meaning: Meaning, today: string): "paid" | "no" | "unclear" | undefined {
  const said = text.replace(NOT_HELD, "").replace(/^[ ,;.-]+|[ ,;.-]+$/g, "");
  const days = daysIn(text);
  const isToday = days.length > 0 && !isLater(days, today);
  const isHeld = HELD.test(said) || (days[0] ?? "") > today || (meaning === "approval" && NO.test(text));
  const goes = {
    ...{ currency: true, hold: NO.test(text) || said === "", day: isToday || NOW.test(text) || NONE.test(text) },
    ...{ approval: isToday || (days.length === 0 && YES.test(text)), state: !isHeld },
    status: GOES.test(said) || (NONE.test(said) && text !== "0"),
  };
  if (goes[meaning]) return undefined;
  return PAID.test(said) ? "paid" : isHeld || meaning === "hold" || /^no?$/i.test(text) ? "no" : "unclear";
}

/** Whether it is a day to come, or one if the month stands first: `12/01/2026`. The last days are written day first. */
function isLater(days: readonly string[], today: string): boolean {
  const lately = isoDay(Date.parse(today) - 7 * DAY_MS);
  return days.some((day, at) => day > today && (at === 0 || (days[0] ?? "") < lately));
}

/**
 * The days that a text may mean, the usual one first: `2026-11-27`, `27/11/2026`, `27 Nov 26`, `Nov 27, 2026`, `20261127`,
 * also with a time behind it; a spreadsheet's number of a day; a month in one of its forms.
 */
function daysIn(text: string): readonly string[] {
  if (/^4\d{4}$/.test(text)) return [isoDay(EXCEL_EPOCH_MS + Number(text) * DAY_MS)];
  const spaced = text.replace(/^(20\d\d)(\d\d)(\d\d)$/, "$1-$2-$3");
  const form = formOf(spaced);
  if (form !== undefined) return [form];
  const parts =
    /^(\d{1,4}|[a-z]{3,9})(?:st|nd|rd|th)?[-/., ]+(\d{1,2}|[a-z]{3,9})(?:st|nd|rd|th)?[-/., ]+(\d{4}|\d\d?)(?:[ T]+\d\d?:\d\d[\d:.]*(?: ?[ap]m)?(?:z|[+-]\d\d:?\d\d)?)?$/i;
  const [, first = "", second = "", third = ""] = parts.exec(spaced) ?? [];
  const isYear = first.length === 4 && /^\d/.test(first);
  const found = isYear ? [dayOf(first, second, third)] : [dayOf(third, second, first), dayOf(third, first, second)];
  return found.filter((day) => day !== undefined);
}

function dayOf(year: string, month: string, day: string): string | undefined {
  const number = /^\d/.test(month) ? month.padStart(2, "0") : monthNumber(month);
  const text = `${year.length === 2 ? "20" : ""}${year}-${number}-${day.padStart(2, "0")}`;
  return isDay(text) ? text : undefined;
}
