/**
 * Header names compare without case, spaces, `_` and `-` (README §6): `IFSC Code`, `ifsc-code` and `ifsc_code` are the
 * same name.
 */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}

/**
 * A name as synonyms are compared: letters and digits only, usual abbreviations written out, no unit behind it. So
 * `Bene. A/c No.` is `beneficiaryaccountnumber`, and `Net Pay (Rs.)` is `netpay`.
 */
export function spelledOut(name: string): string {
  const words = name
    .replace(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/\ba\s*[/.]\s*c\b/g, "account")
    .split(/[^\p{L}\p{M}\p{Nd}]+/u)
    .filter(Boolean)
    .map((word) => WRITTEN_OUT.get(word) ?? word);
  return words.join("").replace(UNIT, "");
}

const ABBREVIATED: Readonly<Record<string, string>> = {
  account: "ac acc acct",
  accountnumber: "acno acnum accno accountno",
  amount: "amt",
  beneficiary: "bene benef bnf recipient",
  customer: "cust",
  employee: "emp",
  mobile: "mob",
  number: "no num nr",
  reference: "ref",
  transaction: "txn trx",
};
const WRITTEN_OUT = new Map(
  Object.entries(ABBREVIATED).flatMap(([whole, short]) => short.split(" ").map((one) => [one, whole])),
);

/** The unit in `Net Pay (Rs.)`, `Amount in INR`: it says how an amount is counted, not which amount it is. */
const UNIT = /(?<=.)(?:in)?(?:inr|rs|rupees|paise)$/;

/**
 * Whether a column's name looks like a misspelt field: one slip of the keyboard in a short name, two in a longer one
 * (an extra, missing or wrong letter, or two letters swapped). Both names as `normalizeName` gives them.
 */
export function looksMisspelt(name: string, fieldName: string): boolean {
  const slipsMax = fieldName.length <= SHORT_NAME_CHARACTERS_MAX ? 1 : 2;
  return Math.abs(name.length - fieldName.length) <= slipsMax && countSlips(name, fieldName) <= slipsMax;
}

const SHORT_NAME_CHARACTERS_MAX = 5;

/** Slips of the keyboard from one text to another (Damerau-Levenshtein distance). */
function countSlips(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= left.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1];
      const isSwap = i > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Infinity;
      rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1), swapped));
    }
  }
  return at(left.length, right.length);
}

/** Letters of a spreadsheet's column counted from 0: `A`, `Z`, `AA`. */
export function lettersOf(index: number): string {
  return (index < 26 ? "" : lettersOf(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));
}
