import type { Finding } from "../sentences.ts";

/** What programs and people write where a value is missing. A name may be one of them: Nan, Null. */
const NONE = "null nan none nil n/a na n.a. n.a tbd tba undefined unknown blank empty missing notapplicable nill void ? - -- ---".split(" "); // prettier-ignore
const WORDS = new Set([...NONE, "same", "ditto"]);
const WORD_CHARACTERS_MAX = 13;

/** Most ids are plain digits: nothing is wrong with those. */
const PLAIN = /^[1-9][0-9]*$/;
const ZEROS = /^0[0 -]*$/;
/** `XXXX1234`, `1234****5678`, `XXXX-XXXX-1234`. Three X do not count: an id may well have them. */
const HIDDEN_DIGITS = /\*\*|^[0-9 -]*[xX]{4}[0-9xX -]*$/;

/** Finds what is no id, such as zeros, hidden digits or `n/a`: it would be sent as one. */
export function inspectIdFilled(text: string): Finding | undefined {
  if (PLAIN.test(text)) return undefined;
  if (ZEROS.test(text)) return { code: "placeholder" };
  return HIDDEN_DIGITS.test(text) ? { code: "digits_hidden" } : inspectFilled(text);
}

/** Finds a text that says that there is none, such as `n/a`: it would be sent as a value. */
export function inspectFilled(text: string): Finding | undefined {
  return text.length <= WORD_CHARACTERS_MAX && WORDS.has(text.toLowerCase()) ? { code: "placeholder" } : undefined;
}

/** Whether a text says that there is nothing: exports write `NULL` into empty cells. */
export function saysNone(text: string): boolean {
  return text.length <= WORD_CHARACTERS_MAX && NONE.includes(text.toLowerCase());
}
