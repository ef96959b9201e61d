/** Signs, codes and names of currencies; of the signs the rupee's too. */
const SIGN =
  /\p{Sc}|\b(?:usd|eur|gbp|aed|sgd|jpy|cny|aud|cad|chf|sar|qar|omr|kwd|bhd|myr|thb|bdt|lkr|npr|pkr|dollars?|euros?|pounds?|dirhams?)\b/giu;
/** A sign, code or name of the rupee. Spreadsheets write it in the script of the language: `रु`, `ரூ`, `రూ`. */
const RUPEE =
  /^(?:[₹₨]|r[se]\.?|inr|rupees?|[\p{Script=Deva}\p{Script=Taml}\p{Script=Telu}\p{Script=Knda}\p{Script=Mlym}\p{Script=Gujr}\p{Script=Guru}\p{Script=Beng}\p{Script=Orya}\p{M}.]+)$/iu;

/** What may stand beside digits and leaves them the number that they are, as a regular expression (`iu`) says it. */
export const MONEY_BESIDE: string = String.raw`\p{Sc}|rs|inr|usd|eur|gbp`;

/** The first sign, code or name in it of a currency other than the rupee. */
export function otherCurrencyIn(text: string): string | undefined {
  return text.match(SIGN)?.find((sign) => !isRupee(sign));
}

/** `₹`, `Rs.`, `INR`, and the rupee of any Indian script. */
export function isRupee(sign: string): boolean {
  return RUPEE.test(sign.trim());
}

/** Of a cell: `Rs.`, `₹`, `INR (Indian Rupee)`; a dash alone says nothing; 356 is the number of the rupee (ISO 4217). */
const RUPEES_ALONE = /^[\s().₹-]*(?:(?:inr|indian|rupees?|rs)[\s().₹-]*)*$|^356$/i;

/** What a cell of a currency says is the rupee, or nothing. */
export function saysRupeesAlone(text: string): boolean {
  return RUPEES_ALONE.test(text);
}

/** `Payout Amount (in Rupees)`, `Net Pay (Rs.)`: the name of a column, among other words. */
export function speaksOfRupees(column: string): boolean {
  return /rupee|\binr\b|₹|\brs\b/i.test(column);
}
