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

/** Whether a column's name speaks of rupees, among other words: `Payout Amount (in Rupees)`, `Net Pay (Rs.)`. */
export function speaksOfRupees(column: string): boolean {
  return /rupee|\binr\b|₹|\brs\b/i.test(column);
}
