import { normalizeName } from "./text/names.ts";

/** Signs, codes and names of currencies; among the signs is the rupee's too. */
const SIGN =
  /\p{Sc}|\b(?:usd|eur|gbp|aed|sgd|jpy|cny|aud|cad|chf|sar|qar|omr|kwd|bhd|myr|thb|bdt|lkr|npr|pkr|dollars?|euros?|pounds?|dirhams?)\b/giu;
/** A sign, code or name of the rupee. Spreadsheets write it in the script of the language: `रु`, `ரூ`, `రూ`. */
const RUPEE =
  /^(?:[₹₨]|r[se]\.?|inr|rupees?|[\p{Script=Deva}\p{Script=Taml}\p{Script=Telu}\p{Script=Knda}\p{Script=Mlym}\p{Script=Gujr}\p{Script=Guru}\p{Script=Beng}\p{Script=Orya}\p{M}.]+)$/iu;

/** What may stand beside digits without making another number of them, as part of a regular expression (`iu`). */
export const MONEY_BESIDE: string = String.raw`\p{Sc}|rs|inr|usd|eur|gbp`;

/** The first sign, code or name of a currency other than the rupee in a text. */
export function otherCurrencyIn(text: string): string | undefined {
  return text.match(SIGN)?.find((sign) => !isRupee(sign));
}

/** `₹`, `Rs.`, `INR`, and the rupee of any Indian script. */
export function isRupee(sign: string): boolean {
  return RUPEE.test(sign.trim());
}

/**
 * A whole cell: `Rs.`, `₹`, `INR (Indian Rupee)`; a dash alone says nothing; 356 is the number of the rupee (ISO 4217).
 */
const RUPEES_ALONE = /^[\s().₹-]*(?:(?:inr|indian|rupees?|rs)[\s().₹-]*)*$|^356$/i;

/** Whether a cell that states a currency says the rupee, or nothing. */
export function saysRupeesAlone(text: string): boolean {
  return RUPEES_ALONE.test(text);
}

/** Whether a cell speaks of another currency than the rupee: a code of ISO 4217 alone, or a sign or name in it. */
export function speaksOfOther(text: string): boolean {
  const code = text.trim().toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return code !== "INR" && codes().has(code);
  return otherCurrencyIn(text) !== undefined;
}

let known: ReadonlySet<string> | undefined;

function codes(): ReadonlySet<string> {
  return (known ??= new Set(Intl.supportedValuesOf("currency")));
}

/** Names such as `Currency`, `Currency Code`, `Txn Currency`, `Payment Ccy`, `Currency (ISO)`. */
const CURRENCY =
  /^(?:(?:txn|transaction|pay|payment|transfer|debit|credit|instructed|account)?(?:currency|curr|ccy)(?:code|\(iso\)|iso|name)?)$/;

/** Whether a column, or a name beside the rows, is that of a currency and of nothing else. */
export function namesCurrency(name: string): boolean {
  return CURRENCY.test(normalizeName(name));
}

/** Of a whole name, its letters: `Curr.`, `Cur`, `Amt Cur`; `Current balance` is none. */
const SHORT = /^(?:txn|transaction|pay|payment|payout|transfer|amount|amt|target|source)?curr?(?:code|cd|type|iso)?$/;

/** Whether a name has a word for currency among others: `Payout Currency`, `CURRENCY_CD`, `Amt Ccy`. */
export function mayNameCurrency(name: string): boolean {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/); // prettier-ignore
  return words.some((word) => /currenc(?:y|ies)|^(?:ccy|crcy)|(?:ccy|crcy)$/.test(word)) || SHORT.test(words.join(""));
}

/** Whether a column's name speaks of rupees, among other words: `Payout Amount (in Rupees)`, `Net Pay (Rs.)`. */
export function speaksOfRupees(column: string): boolean {
  return /rupee|\binr\b|₹|\brs\b/i.test(column);
}
