const NOT_ASCII = /[^ -~]/;
/** What most ids are already, but for zeros in front. */
const PLAIN = /^[a-z0-9]+$/;
const DIGIT = /\p{Nd}/gu;
const NOT_DECIMAL = /[^0-9]/;
/** So many digits are an account, in whatever groups; in a shorter id `12-345` and `123-45` are two. */
const ACCOUNT_DIGITS_MIN = 9;
const ZEROS = /^0+(?=[0-9]+$)/;

/**
 * One spelling for an id, an account or a reference, however it is written (README §7): without capitals, spaces, signs
 * and zeros in front of digits, and with the digits of this line. Where a sign alone keeps two groups of digits apart, one
 * sign stays.
 */
export function oneSpelling(text: string): string {
  return withSpelledZeros(text).replace(ZEROS, "");
}

/** How many zeros stand in front of an id of digits only. */
export function zerosInFront(text: string): number {
  return ZEROS.exec(withSpelledZeros(text))?.[0].length ?? 0;
}

function withSpelledZeros(text: string): string {
  if (PLAIN.test(text)) return text;
  const wide = NOT_ASCII.test(text) ? text.normalize("NFKC").replace(DIGIT, decimal) : text;
  const joined = wide.toLowerCase().replace(/\s+/g, "");
  const spelled = joined
    .replace(/(?<=[0-9])[^\p{L}\p{M}\p{N}]+(?=[0-9])/gu, "-")
    .replace(/[^\p{L}\p{M}\p{N}-]+|-(?![0-9])|(?<![0-9])-/gu, "");
  const digits = spelled.replaceAll("-", "");
  if (digits.length >= ACCOUNT_DIGITS_MIN && !NOT_DECIMAL.test(digits)) return digits;
  // nothing but signs: they are all that it says
  return spelled === "" ? joined : spelled;
}

const NO_LETTERS = /[^\p{L}\p{M}]+/gu;
const PLAIN_NAME = /^[A-Za-z]+(?: [A-Za-z]+)*$/;

/** One spelling for a name: its words in small letters, with one space between them; empty where it has no letter. */
export function spelledName(name: string): string {
  const small = name.toLowerCase();
  return PLAIN_NAME.test(name) ? small : small.replaceAll(NO_LETTERS, " ").trim();
}

/** The digits of each script stand in tens, from its nought on. */
function decimal(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
