import { SUMMABLE, unitsOf } from "../amount.ts";
import { normalizeName } from "../column-name.ts";
import type { AmountUnit } from "../config/mapping.ts";
import { DAY_MS, EXCEL_EPOCH_MS, isoDay } from "../day.ts";
import type { RowFaultCode } from "../messages/row-faults.ts";
import type { Row } from "../reader/row.ts";
import { formOf, isDay, monthNumber, NONE } from "./beside.ts";
import { faultAt, wordsAt } from "./cells.ts";
import { TAKES_BACK } from "./form.ts";

/** What a column beside the fields says of a row: whose money its amount is; or when or whether it is to be paid. */
type Meaning = Money | When | keyof typeof PLAINLY_NOT;
type Money = "currency" | "unit" | "in_paise";
type When = "day" | "hold" | "approval" | "status" | "state";

/** Most columns of these names mean something else: only a plain word of this kind holds the row. */
const PLAINLY_NOT = {
  flag: /^(?:y|yes|true|t|1|x|on|[✓✔☑])$/i,
  go: /^(?:n|no|false|f|0|off|[✗✘]|(?:do not|don'?t) (?:pay|send))$/i,
  kind: /^(?:(?:payment|payout|transfer|transaction|txn|entry)[ _-]?)?(?:revers(?:e|ed|al)|void(?:ed)?|cancel(?:led|ed|lation)?|deleted?|recall|chargeback|test|dry[ _-]?run|simulation|sandbox)$/i,
  note: /^(?:(?:salary|payment|pay|put)[ :-]*)?(?:(?:on )?hold|held|stop(?:ped)?|withheld|cancel(?:led|ed)?|(?:do not|don'?t|not to be) (?:pay|paid|process|send)|resigned|absconding|terminated|left(?: (?:the )?(?:company|job|service))?)[.!]*$/i,
  side: /^d(?:r|ebit)?\.?$/i,
};

const MONEY_BACK_WORDS =
  /^(?:(?:vendor|supplier|customer|loan|salary|advance)[ _-]?)?(?:credit[ _-]?(?:note|memo)|debit[ _-]?note|recover(?:y|ies)|deductions?|clawback)$/i;

/** Lists of words for places in names, by what stands for them there. */
const LISTS: Readonly<Record<string, string>> = {
  PAY: "pay|payment|payout|transfer|transaction|txn",
  ASKED: "yn|flag",
  STOPPED: "hold|held|stop|stopped|cancel|cancelled|canceled|skip|exclude|blocked|donotpay|STRUCK",
  STRUCK: "void|voided|delete|deleted|ignore|ignored|dryrun|simulate|simulated",
  DUE: "value|paid|payable|due|execution|processing|processed|effective|settlement|posting|debit|credit|PAY|ACT",
  ACT: "execute|schedule|scheduled|process|release|send",
  PAISE: "paise|paisa|cents|minorunits",
  ACCOUNT: "account|ac|acct|bank|beneficiary|bene|payee|vendor|employee|emp|staff|member",
};

/** Names by their words, in order; `|` stands between those of one place, and a place with `?` may be empty. */
const NAMES: readonly (readonly [Meaning, ...names: readonly string[]])[] = [
  ["unit", "amount|currency|value? unit|units|denomination"],
  ["in_paise", "net|total? amount|amt|value|salary|PAY amount? in? PAISE|minor", "in|is? PAISE"],
  ["currency", ".* currency|currencies .*", ".* ccy code?", "amount|amt|pay|payout|txn|transfer? cur|curr code|type?"],
  ["hold", "is? paid ASKED?", "paid|STOPPED date|on|at|till|until", "is|on? STOPPED salary|PAY? ASKED?"],
  ["hold", "salary|PAY on? STOPPED ASKED?"],
  ["day", "tobe|to? DUE date|day|on|after", "due|pay|ACT at", "schedule|scheduled for", "date|notbefore"],
  ["day", "dateof payment|payout|transfer|execution"],
  ["approval", "is? approved|approval|approvalstatus|include|release|released|active|tobepaid|paynow ASKED?"],
  ["approval", "is? enabled|authorised|authorized ASKED?", "to? pay|process|send ASKED"],
  ["status", "row|record|salary|disbursement|disbursment|processing|release|PAY? status"],
  // `KYC status`, `Marital Status`, and a place
  ["state", ".* status code?", "status .*", "ACCOUNT? state"],
  ["flag", "is? test|demo|dummy|sandbox|reversed|processed|sent|done|completed|settled|disbursed|executed ASKED?"],
  [
    "flag",
    "is|account|employee|emp? archived|inactive|closed|frozen|dormant|deceased|resigned|terminated|exited ASKED?",
    "is? test|dummy mode|row|record|data|run|PAY",
  ],
  ["go", "to? pay|process|send|execute|payable|proceed"],
  ["kind", "row|record|entry|doc|document|voucher|bill|invoice|PAY? type|mode|kind|action", "env|environment"],
  ["note", "PAY|salary|hr? remark|remarks|comment|comments|note|notes"],
  ["side", "dr|debit cr|credit type|flag|mark|ind|indicator?", "cr|credit dr|debit type|flag|mark|ind|indicator?"],
];

const PATTERNS = NAMES.map(
  ([meaning, ...names]) => [meaning, new RegExp(`^(?:${names.map(patternOf).join("|")})$`)] as const,
);

function patternOf(name: string): string {
  const written = (words: string): string => words.replace(/[A-Z]+/g, (list) => written(LISTS[list] ?? ""));
  return written(name).replace(/([^ ?]+)(\??) ?/g, "(?:$1)$2");
}

/**
 * The columns of a file that change what its rows mean, though no field comes from them. `used`: positions of our fields;
 * `ownColumns`: the setting, names that mean nothing to us.
 */
export function otherColumns(names: readonly string[], used: ReadonlySet<number>, ownColumns: readonly string[]) {
  const own = new Set(ownColumns.map(normalizeName));
  const found = names.flatMap((column, at) => {
    const name = normalizeName(column.replaceAll(/[()./]/g, "").replace(/(?:yn)?\?$/, "yn"));
    if (used.has(at) || own.has(normalizeName(column))) return [];
    const meaning = PATTERNS.find(([, pattern]) => pattern.test(name))?.[0];
    return meaning === undefined ? [] : [{ name: column, kind: "text", source: { at, column }, meaning } as const];
  });
  const { money = [], when = [] } = Object.groupBy(found, ({ meaning }) => (isMoney(meaning) ? "money" : "when"));
  /** `told`: those that are pointed out before any row says something. */
  return { money, when, told: when.filter(({ meaning }) => !isPlain(meaning)) };
}

function isPlain(meaning: Meaning): meaning is keyof typeof PLAINLY_NOT {
  return meaning in PLAINLY_NOT;
}

function isMoney(meaning: Meaning): meaning is Money {
  return meaning === "currency" || meaning === "unit" || meaning === "in_paise";
}

/** What is known of a row and its file. `amount`: what goes of it, in rupees. */
interface Beside {
  readonly isTable: boolean;
  /** `2026-11-27` */
  readonly today: string;
  /** The day of a moment there. */
  readonly inZone: (atMs: number) => string;
  readonly amount: string | undefined;
  readonly amountUnit: AmountUnit;
}

/** The first of these columns that says that the amount is other money than what goes, or not to pay now. */
export function faultBeside(row: Row, columns: ReturnType<typeof otherColumns>["when"], beside: Beside) {
  for (const found of columns) {
    const { meaning, source, name } = found;
    const text = wordsAt(row, source.at);
    if (text === "") continue;
    const says = isMoney(meaning) ? undefined : saysNotNow(text, meaning, beside);
    const notNow = says === "back" ? TAKES_BACK : "not_now";
    const code = isMoney(meaning) ? otherMoney(text, meaning, beside) : says && notNow;
    const facts = { name, says, unit: beside.amountUnit, row: row.number };
    if (code) return faultAt(row, found, { code, facts }, beside.isTable);
  }
  return undefined;
}

const RUPEES = /^[\s().₹-]*(?:(?:inr|indian|rupees?|rs)[\s().₹-]*)*$|^356$/i;
/** Signs and names of other currencies; and a code of three letters. Of anything else nobody can tell that it is one. */
const NAMED_CURRENCY = /(?![₹₨])\p{Sc}|\b(?:usd|eur|gbp|aed|sgd|dollars?|euros?|pounds?|dirhams?)\b/iu;
const CURRENCY_CODE = /^[a-z]{3}$/i;
const UNITS: readonly (readonly [AmountUnit | "other", RegExp])[] = [
  ["paise", /^(?:in )?(?:paise?|paisas?|cents?|minor|(?:minor|sub)[ _-]?(?:currency[ _-]?)?units?)$/i],
  ["rupees", /^(?:in )?(?:rupees?|rs\.?|major|(?:major|whole)[ _-]?units?)$/i],
  ["other", /^(?:(?:rs\.?|inr|rupees?) )?(?:in )?(?:hundreds?|thousands?|'?000s|lakhs?|lacs?|millions?|crores?)$/i],
];

/** Whether only a part of the amount's meaning would go: it is sent as rupees, made of what the file counts. */
function otherMoney(text: string, meaning: Money, { amount, amountUnit }: Beside): RowFaultCode | undefined {
  if (meaning === "in_paise") return isHundredfold(text, amount) || NO.test(text) ? undefined : "paise_differ";
  const unit = UNITS.find(([, pattern]) => pattern.test(text))?.[0] ?? amountUnit;
  // a currency in rupees says nothing of what is counted
  if (unit !== amountUnit && (meaning === "unit" || unit !== "rupees")) return "unit_other";
  const isCurrency = NAMED_CURRENCY.test(text) || (meaning === "currency" && CURRENCY_CODE.test(text));
  return isCurrency && !RUPEES.test(text) ? "currency_other" : undefined;
}

/** Whether these paise are the amount that goes, in rupees. */
function isHundredfold(text: string, amount = ""): boolean {
  const paise = text.replaceAll(",", "");
  return SUMMABLE.test(paise) && SUMMABLE.test(amount) && unitsOf(paise) === unitsOf(amount) * 100n;
}

const NO =
  /^(?:no|n|false|f|0(?:\.0+)?|none|null|nil|n\/?a|-+|not? (?:hold|paid|stopped|cancelled)|unpaid|due|open|pending)$/i;
const HELD =
  /\b(?:hold|held|paid|cancel|cancell?ed|stop|stopped|void|voided|rejected|declined|blocked|withheld|suspended|not approved|unapproved|do not (?:pay|process|release|send)|don'?t pay|already (?:sent|processed|done)|reversed|skip|excluded?)\b/i;
/** Of accounts and people that are not paid as before. */
const GONE =
  /\b(?:closed|closure|frozen|freezed?|dormant|inoperative|in-?activ(?:e|ated)|de-?activated|disabled|deleted|invalid|incorrect|mismatch|failed|un-?verified|not (?:active|valid|verified|found|employed)|does not exist|expired|deceased|dead|died|death|resign(?:ed|ation)?|terminat(?:ed|ion)|abscond(?:ed|ing)?|left|exit(?:ed)?|ex-?(?:employee|staff)|relieved|retired|separated|dismissed|discharged|fired|laid off|blacklisted|black-?listed|no longer)\b/i;
const NOT_GONE =
  /\b(?:not|never|no) (?:yet )?(?:closed|frozen|dormant|expired|resigned|terminated|left|exited|retired)\b/gi;
const NOT_HELD = /\b(?:not|no|never|to be|yet to be|un) ?(?:on )?(?:hold|held|paid|cancell?ed|stopped|blocked)\b/gi;

const PAID = /\b(?:paid|sent|processed|done|success(?:ful)?|settled|completed?)\b/i;
const YES = /^(?:y|yes|true|t|[1-9][0-9]*(?:\.[0-9]+)?|ok|okay|approved?|include|released?|active|pay|[✓✔☑])$/i;
const NOW = /^(?:now|today|asap|immediate(?:ly)?|at once)$/i;
/** Of a payment that waits to be made, and of a person who is paid. */
const GOES =
  /^(?:y|yes|true|1|ok|okay|approved?|authori[sz]ed|verified|valid|ready|pay|payable|release|new|open|due|pending|active|confirmed|permanent|regular|probation(?:er)?|trainee|working|employed|in service|on roll|(?:full|part)[ -]?time|contract(?:ual)?)$/i;

/** What a value says that does not plainly let the row go: it is paid, no, or nothing clear. A person decides. */
function saysNotNow(text: string, meaning: Exclude<Meaning, Money>, { today, inZone }: Beside) {
  if (meaning === "kind" && MONEY_BACK_WORDS.test(text)) return "back";
  if (isPlain(meaning)) return PLAINLY_NOT[meaning].test(text) ? "no" : undefined;
  const said = text.replace(NOT_HELD, "").replace(/^[ ,;.-]+|[ ,;.-]+$/g, "");
  const days = daysIn(text, inZone);
  const isToday = days.length > 0 && !isLater(days, today);
  const isHeld = HELD.test(said) || (days[0] ?? "") > today || (meaning === "approval" && NO.test(text));
  const isGone = GONE.test(text.replace(/_/g, " ").replace(NOT_GONE, ""));
  const goes = {
    ...{ hold: NO.test(text) || said === "", day: isToday || NOW.test(text) || NONE.test(text) },
    ...{ approval: isToday || (days.length === 0 && YES.test(text)), state: !isHeld && !isGone },
    status: GOES.test(said) || (NONE.test(said) && text !== "0"),
  };
  if (goes[meaning]) return undefined;
  return PAID.test(said) ? "paid" : isHeld || isGone || meaning === "hold" || /^no?$/i.test(text) ? "no" : "unclear";
}

/** Whether it is a day to come, or one if the month stands first: `12/01/2026`. The last days are written day first. */
function isLater(days: readonly string[], today: string): boolean {
  const lately = isoDay(Date.parse(today) - 7 * DAY_MS);
  return days.some((day, at) => day > today && (at === 0 || (days[0] ?? "") < lately));
}

/** A time with a zone behind a day whose order nobody doubts. */
const ZONED =
  /^(?:\d{4}-\d\d-\d\d|(?:[a-z]{3,9},? )?(?:\d\d? [a-z]{3,9}|[a-z]{3,9} \d\d?),? \d{4})[ t]\d\d:\d\d[\d:.]* ?(?:z|utc|gmt|(?:gmt|utc)? ?[+-]\d\d:?\d\d)(?: \([\w ]+\))?$/i;

/**
 * The days that a text may mean, the usual one first: `2026-11-27`, `27/11/2026`, `27 Nov 26`, `Nov 27, 2026`, `20261127`,
 * also with a time behind it; a spreadsheet's number of a day; a month in one of its forms.
 */
function daysIn(text: string, inZone: Beside["inZone"]): readonly string[] {
  const at = ZONED.test(text) ? Date.parse(text.replace(/ (?=[+-]\d)/, "")) : Number.NaN;
  if (!Number.isNaN(at)) return [inZone(at)];
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
