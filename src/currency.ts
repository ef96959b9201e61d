const SIGN =
  /\p{Sc}|\b(?:usd|eur|gbp|aed|sgd|jpy|cny|aud|cad|chf|sar|qar|omr|kwd|bhd|myr|thb|bdt|lkr|npr|pkr|dollars?|euros?|pounds?|dirhams?)\b/giu;
/** Spreadsheets write it in the script of the language: `रु`, `ரூ`, `రూ`. */
const RUPEE =
  /^(?:[₹₨]|r[se]\.?|inr|rupees?|[\p{Script=Deva}\p{Script=Taml}\p{Script=Telu}\p{Script=Knda}\p{Script=Mlym}\p{Script=Gujr}\p{Script=Guru}\p{Script=Beng}\p{Script=Orya}\p{M}.]+)$/iu;

/** The first sign, code or name in it of a currency other than the rupee. */
export function otherCurrencyIn(text: string): string | undefined {
  return text.match(SIGN)?.find((sign) => !isRupee(sign));
}

/** `₹`, `Rs.`, `INR`, and the rupee of any Indian script. */
export function isRupee(sign: string): boolean {
  return RUPEE.test(sign.trim());
}
