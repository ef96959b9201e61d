import type { FieldRules } from "../config/schema.ts";
import type { RowFaultCode, Thing } from "../messages/row-faults.ts";
import type { Facts } from "../messages/sentence.ts";
import { IFSC, VPA, type FieldFacts } from "../operations/operation.ts";
import { codePointOf } from "../printable.ts";

/** What is wrong with a text. Facts that could hold personal data are added, masked, where its place is known. */
export interface Finding {
  readonly code: RowFaultCode;
  readonly facts?: Facts;
}

/** What is known of the place where a text stands. */
export type Place = Pick<FieldFacts, "kind" | "sensitive" | "shape" | "isLong"> & {
  readonly required?: boolean;
  /** The settings say what may stand there. */
  readonly rules?: FieldRules;
};

/** No damage and no word is longer: longer texts are not tried. */
const DAMAGE_CHARACTERS_MAX = 64;
const PLAIN_DIGITS = /^\+?[1-9][0-9]*$/;
const QUOTES_ALONE = /^(?:["'`´,“”‘’〃]| )+$/;

/**
 * The one place that knows what cannot be a value, whatever the field's schema takes: what spreadsheets left, words for
 * "nothing" or "as above", values of other fields. Quick for usual values: it is asked for every text that is sent.
 */
export function cannotBe(text: string, place: Place): Finding | undefined {
  const { kind, shape } = place;
  if (kind === "id" && PLAIN_DIGITS.test(text)) return shape === "ifsc" ? looksLike("number") : undefined;
  if (QUOTES_ALONE.test(text)) return { code: "ditto_mark" };
  const strange = NOT_ASCII.test(text) ? strangeCharacter(text, place) : undefined;
  if (strange || text.length > DAMAGE_CHARACTERS_MAX) return strange;
  const code = wordInstead(text, place) ?? damage(text, place);
  if (code !== undefined) return { code };
  if (kind === "text") return otherInText(text, place);
  return kind === "id" ? otherInId(text, place) : undefined;
}

const NOT_ASCII = /[^ -~]/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const CONTROL_IN_LONG = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
/** They hide what a text says: bidi signs, zero width, byte order mark. Scripts of India need the joiners U+200C, U+200D. */
const HIDING = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

function strangeCharacter(text: string, { kind, isLong }: Place): Finding | undefined {
  const hidden = (isLong ? CONTROL_IN_LONG : CONTROL).exec(text) ?? HIDING.exec(text);
  if (hidden) return { code: "hidden_character", facts: { found: codePointOf(hidden[0]) } };
  if (!text.isWellFormed() || text.includes("\ufffd")) return { code: "broken_character" };
  const found = kind === "id" ? /[^ -~]/u.exec(text)?.[0] : undefined;
  return found === undefined ? undefined : { code: "id_not_ascii", facts: { found: codePointOf(found) } };
}

type WordCode = "ditto_mark" | "placeholder" | "account_word";

const WORDS: ReadonlyMap<string, WordCode> = new Map<string, WordCode>([
  ...wordsOf("ditto_mark", "do|ditto|same|same as above|same above|as above|above|repeat|repeated|idem"),
  ...wordsOf(
    "placeholder",
    "null|nan|none|nil|n/a|na|n.a|tbd|tba|tbc|undefined|unknown|blank|empty|missing|not applicable|notapplicable|" +
      "not available|not provided|no data|nill|void|loading|select|choose|to be confirmed|to be advised",
  ),
  ...wordsOf(
    "account_word",
    "hold|on hold|held|salary hold|stop|stopped|cash|by cash|cheque|by cheque|check|by check|dd|demand draft|upi|neft|" +
      "imps|rtgs|no account|no a/c|no bank account|not opened|account closed|closed|pending|later|paid|cancelled|" +
      "do not pay|resigned|left|not received|savings|current|self|total|totals|grand total|sub total|subtotal|sum",
  ),
]);

function wordsOf(code: WordCode, words: string): [string, WordCode][] {
  return words.split("|").map((word) => [word, code]);
}

const LONGEST_WORD = 20;

function wordInstead(text: string, { kind, sensitive, shape }: Place): WordCode | undefined {
  if (text.length > LONGEST_WORD) return undefined;
  const lower = text.toLowerCase();
  const code = WORDS.get(lower) ?? WORDS.get(lower.replace(/^[^a-z0-9#]+|[^a-z0-9]+$/g, ""));
  const isOfAccount = kind === "id" && (sensitive === "account" || shape === "ifsc");
  return code !== "account_word" || isOfAccount ? code : undefined;
}

/** What a text can be, from the freest to the strictest. */
const KINDS = ["long", "text", "number", "id", "account"] as const;
type Kind = (typeof KINDS)[number];

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)";
const NAMED_DAY = new RegExp(`^\\d{1,2}(?:[-/ ]|\\. )${MONTH}(?:[-/ ]\\d{2,4})?$|^${MONTH}[-/ ]\\d{2,4}$`, "i");
/** `90010000011111 / 90010000022222`; groups of one account are shorter. */
const TWO_NUMBERS = /[0-9]{8,}[ -]+[0-9]{8,}|[0-9]{6,}\s*(?:[,/;&|+]|\bor\b|\band\b)+\s*[0-9]{6,}/i;

/** Damage, and the first of these kinds that it spoils. */
const DAMAGE: readonly (readonly [since: Kind, is: RegExp, code: RowFaultCode])[] = [
  ["long", /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!|#+)$/i, "spreadsheet_error"],
  // what is left of a name in another script: `????? ???`
  ["long", /^\?[ .,'-]*\?[? .,'-]*$/, "broken_character"],
  ["long", /^[^\p{L}\p{N}]*$/u, "placeholder"],
  // `e.g. 12345678`, `<account number>`
  ["text", /^(?:e\.?g\b|for example\b|example:)|^[<{[].*[>}\]]$/i, "placeholder"],
  ["text", /^(?:true|false)$/i, "true_or_false"],
  ["number", /^[=']/, "formula_as_text"],
  // a signed exponent, or one digit before the point, as Excel writes long numbers; `2E5` alone may well be an id
  ["number", /^[0-9]+(?:[.,][0-9]+)?e[+-][0-9]{1,3}$|^[0-9]+[.,][0-9]+e[0-9]{1,3}$/i, "scientific_notation"],
  // 02-Jan, 2 Jan 2026; Jan-26; 2026-11-02 00:00:00; 1/2/2026 0:00
  ["number", NAMED_DAY, "made_a_date"],
  ["number", /^\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/, "made_a_date"],
  ["number", /^\d{1,2}(?<sign>[-/.])\d{1,2}\k<sign>\d{2,4}(?: \d{1,2}:\d{2}(?::\d{2})?)?$/, "made_a_date"],
  ["id", /^0[0 -]*$/, "placeholder"],
  // `XXXX1234`, `1234****5678`; three X may well belong to an id
  ["id", /\*\*|^[0-9 -]*x{4}[0-9x -]*$/i, "digits_hidden"],
  // `123456789012.0`; `5,01,00,271`
  ["id", /^[0-9]+(?:\.0+|,00?)$|^[0-9]{1,3}(?:,[0-9]{2,3})+(?:\.[0-9]+)?$/, "number_not_text"],
  ["account", /^[^0-9@]*$/, "account_word"],
  ["account", /^(?=(?:[^0-9]*[0-9]){6})[0-9 -]*[oil]{1,2}[0-9oil -]*$/i, "letter_in_number"],
  ["account", TWO_NUMBERS, "two_values"],
  ["account", /\b[a-z]+\b.*\b[0-9]{6,}\b|\b[0-9]{6,}\b.*\b[a-z]+\b/i, "word_beside"],
];

const DAMAGE_OF: ReadonlyMap<Kind, typeof DAMAGE> = new Map(
  KINDS.map((kind, at) => [kind, DAMAGE.filter(([since]) => KINDS.indexOf(since) <= at)]),
);
/** All of a kind in one: hardly any text has damage, and to try one after the other takes as long as the schema. */
const ANY_DAMAGE_OF: ReadonlyMap<Kind, RegExp> = new Map(
  Array.from(DAMAGE_OF, ([kind, all]) => {
    const sources = all.map(([, { source, ignoreCase }]) => `(?${ignoreCase ? "i" : ""}:${source})`);
    return [kind, new RegExp(sources.join("|"), "u")];
  }),
);

function damage(text: string, { kind, isLong, shape }: Place): RowFaultCode | undefined {
  const number = kind === "amount" || kind === "whole" ? "number" : kind;
  const what = isLong ? "long" : shape === "account" ? "account" : number;
  if (ANY_DAMAGE_OF.get(what)?.test(text) !== true) return undefined;
  return DAMAGE_OF.get(what)?.find(([, is]) => is.test(text))?.[2];
}

function otherInId(text: string, { sensitive, shape }: Place): Finding | undefined {
  if (sensitive !== "account" && sensitive !== "mobile") return undefined;
  if (sensitive === "account" && IFSC.test(text)) return looksLike("ifsc");
  if (!text.includes("@")) return undefined;
  const looks = VPA.test(text) && !/@.*\./.test(text) ? "vpa" : "email";
  // a payee's id of another system may be an e-mail address
  return looks === "vpa" || shape !== undefined ? looksLike(looks) : undefined;
}

const NUMBER_ALONE = /^\+?[0-9](?:[ .,-]?[0-9]){4,}$/;

/** Free text takes nearly anything; a name or a word of the service is no number, address or branch code. */
function otherInText(text: string, { required, isLong, sensitive, shape, rules }: Place): Finding | undefined {
  if (isLong || shape !== undefined || (!required && sensitive !== "name")) return undefined;
  if (rules?.allowed ?? rules?.pattern) return undefined;
  // what follows an amount that was cut at its comma stands where a word is required
  if (sensitive === undefined && !/\p{L}/u.test(text)) return looksLike("number");
  if (text.includes("@") && /^\S+@\S+$/.test(text)) return looksLike("email");
  if (IFSC.test(text)) return looksLike("ifsc");
  return NUMBER_ALONE.test(text) ? looksLike("number") : undefined;
}

function looksLike(looks: Thing): Finding {
  return { code: "other_value", facts: { looks } };
}
