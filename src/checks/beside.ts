import { normalizeName } from "../column-name.ts";
import type { Fault } from "../messages/sentence.ts";
import type { Columns } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { cellOf, faultAt, isFinding, readCell, wordsAt } from "./cells.ts";
import type { CheckedRow } from "./checked-row.ts";
import { cannotBe, type Finding } from "./not-a-value.ts";
import { isDay, monthNumber, readPeriod } from "./periods.ts";

type Own = { -readonly [Name in "reference" | "period" | "retryOf"]?: CheckedRow[Name] };

const REFERENCE_CHARACTERS_MAX = 64;
const NO_REFERENCE = /^(?:placeholder|ditto_mark)$/;
/** What Excel makes of references: many rows then share one, or a row has another one than before. And what only looks alike. */
const BAD_REFERENCE =
  /^(?:scientific_notation|number_not_text|spreadsheet_error|formula_as_text|hidden_character|broken_character|id_not_ascii)$/;

/** Columns that are not sent and say which payment a row is: each takes what its text says, or tells what is wrong. */
const OWN: Readonly<Record<string, (text: string, own: Own) => Finding | undefined>> = {
  reference(text, own) {
    const finding = cannotBe(text, { kind: "id" });
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
    if (period === "malformed") return { code: "period_malformed" };
    if (period !== "none") own.period = period.period;
    return undefined;
  },
  retry_of(text, own) {
    const [, batch, row] = /^([0-9A-Z]{8}):([1-9][0-9]{0,8})$/.exec(text.toUpperCase()) ?? [];
    if (batch === undefined) return { code: "retry_of_malformed" };
    own.retryOf = { batch, row: Number(row) };
    return undefined;
  },
};

/** What the row says in columns of our own, and what is wrong there. */
export function readOwn(
  row: Row,
  { sources }: Columns,
  { isWorkbook, isTable }: { readonly isWorkbook: boolean; readonly isTable: boolean },
): { readonly own: Own; readonly faults: readonly Fault[] } {
  const own: Own = {};
  const faults: Fault[] = [];
  for (const [name, take] of Object.entries(OWN)) {
    const source = sources.get(name);
    if (!source) continue;
    // a workbook may have a date in place of a period
    const place = { name, kind: name === "period" ? "text" : "id", source } as const;
    const given = cellOf(row, source);
    const text = isFinding(given) ? given : readCell(given, place, isWorkbook);
    const finding = typeof text === "string" ? (text === "" ? undefined : take(text, own)) : text;
    if (finding) faults.push(faultAt(row, place, finding, isTable));
  }
  return { own, faults };
}

/** What a column beside the fields says of a row: its currency, or when or whether it is to be paid. */
type Meaning = "currency" | "day" | "status" | "hold" | "approval";

export interface OtherColumn {
  readonly at: number;
  readonly column: string;
  readonly meaning: Meaning;
}

const NAMES: readonly (readonly [Meaning, RegExp])[] = [
  ["currency", /currency|currencies|ccy(?:code)?$|^curr?(?:code|type)?$|(?:amount|amt|pay|payout|txn|transfer)curr?$/],
  [
    "day",
    /^(?:value|pay|payment|payout|due|execut(?:e|ion)|schedul(?:e|ed)|transfer|transaction|txn|process(?:ing)?|effective|release|send|settlement|posting|debit|credit)(?:date|day|on|after)$|^(?:date|notbefore|payafter|executeon)$/,
  ],
  [
    "hold",
    /^(?:is|on)?(?:hold|paid|stop|stopped|cancel|cancelled|canceled|skip|exclude|blocked|donotpay)(?:yn|flag)?$/,
  ],
  ["approval", /^(?:is)?(?:approved|approval|include|release|released|active|tobepaid|paynow)(?:yn|flag)?$/],
  ["status", /status$|^state$/],
];

/**
 * The columns of a file that change what its rows mean, though no field comes from them. `used`: positions of our fields;
 * `ownColumns`: the setting, names that mean nothing to us.
 */
export function otherColumns(
  names: readonly string[],
  used: ReadonlySet<number>,
  ownColumns: readonly string[],
): readonly OtherColumn[] {
  const own = new Set(ownColumns.map(normalizeName));
  return names.flatMap((column, at): OtherColumn[] => {
    const name = normalizeName(column.replaceAll(/[().?/]/g, ""));
    if (used.has(at) || own.has(normalizeName(column))) return [];
    const meaning = NAMES.find(([, pattern]) => pattern.test(name))?.[0];
    return meaning === undefined ? [] : [{ at, column, meaning }];
  });
}

/** The first column that names another currency (only the amount goes, as rupees), or says that the row is not to go now. */
export function faultBeside(
  row: Row,
  columns: readonly OtherColumn[],
  code: "currency_other" | "not_now",
  { isTable, today }: { readonly isTable: boolean; /** `2026-11-27` */ readonly today: string },
): Fault | undefined {
  for (const { at, column, meaning } of columns) {
    const text = wordsAt(row, at);
    if (text === "" || (meaning === "currency") !== (code === "currency_other")) continue;
    if (meaning === "currency" ? !isOtherCurrency(text) : !saysNotNow(text, meaning, today)) continue;
    return faultAt(
      row,
      { name: column, kind: "text", source: { at, column } },
      { code, facts: { name: column } },
      isTable,
    );
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

function saysNotNow(text: string, meaning: Meaning, today: string): boolean {
  if (meaning === "hold") return !NO.test(text);
  if (meaning === "approval" && NO.test(text)) return true;
  return (dayIn(text) ?? "") > today || HELD.test(text.replace(NOT_HELD, ""));
}

/**
 * The day that a text begins with: `2026-11-27`, `27/11/2026` (the day first), `27 Nov 26`, `Nov 27, 2026`, `20261127`; of
 * a month, `2026-11`, its first.
 */
function dayIn(text: string): string | undefined {
  const spaced = text.replace(/^(20\d\d)(\d\d)(\d\d)$/, "$1-$2-$3").replace(/^20\d\d-\d\d$/, "$&-01");
  const parts =
    /^(\d{1,4}|[a-z]{3,9})(?:st|nd|rd|th)?[-/., ]+(\d{1,2}|[a-z]{3,9})(?:st|nd|rd|th)?[-/., ]+(\d{4}|\d\d?)(?!\d)/i;
  const [, first = "", second = "", third = ""] = parts.exec(spaced) ?? [];
  if (first.length === 4 && /^\d/.test(first)) return dayOf(first, second, third);
  return dayOf(third, second, first) ?? dayOf(third, first, second);
}

function dayOf(year: string, month: string, day: string): string | undefined {
  const number = /^\d/.test(month) ? month.padStart(2, "0") : monthNumber(month);
  const text = `${year.length === 2 ? "20" : ""}${year}-${number}-${day.padStart(2, "0")}`;
  return isDay(text) ? text : undefined;
}
