import type { FieldRules } from "../config/schema.ts";
import type { RowFaultCode, Thing } from "../messages/row-faults.ts";
import type { Facts } from "../messages/sentence.ts";
import { IFSC, type FieldFacts } from "../operations/operation.ts";
import { codePointOf } from "../printable.ts";

/** What is wrong with a text. Facts that could hold personal data are added, masked, where its place is known. */
export interface Finding {
  readonly code: RowFaultCode;
  readonly facts?: Facts;
}

export type Place = Pick<FieldFacts, "kind" | "sensitive" | "shape" | "isLong"> & {
  readonly required?: boolean;
  /** The settings say what may stand there. */
  readonly rules?: FieldRules;
};

/** No damage and no word is longer: longer texts are not tried. */
const DAMAGE_CHARACTERS_MAX = 64;
const QUOTES_ALONE = /^(?:["'`´,“”‘’〃]| )+$/;
const NOT_ASCII = /[^ -~]/;
/** Nothing that is told of an id is told of digits; only in place of an IFSC they are another value. */
const DIGITS = /^\+?[0-9]*[1-9][0-9]*$/;

/** What a text looks like that is no value, and what is told of it. */
type Sign = readonly [is: RegExp, code: RowFaultCode, looks?: Thing];

/**
 * The one module that knows what cannot be a value, whatever the field's schema takes: what spreadsheets left, words for
 * "nothing" or "as above", values of other fields. Worked out once for a place; a usual text passes by one or two patterns,
 * and only of another one it is found out what it is.
 */
export function createCannotBe(place: Place): (text: string) => Finding | undefined {
  const [words, signs] = [wordsAt(place), signsAt(place)];
  const any = anyOf(signs);
  const { kind, shape } = place;
  const isOfDigits = kind === "id" && shape !== "ifsc";
  return (text) => {
    if (isOfDigits && DIGITS.test(text)) return undefined;
    const isShort = text.length <= DAMAGE_CHARACTERS_MAX;
    const ofWord = words.get(wordAlone(text));
    if (!ofWord && !(isShort ? any : QUOTES_ALONE).test(text) && !NOT_ASCII.test(text)) return undefined;
    if (QUOTES_ALONE.test(text)) return { code: "ditto_mark" };
    const strange = strangeCharacter(text, place);
    if (strange || !isShort) return strange;
    const [, code, looks] = ofWord ? [undefined, ofWord] : (signs.find(([is]) => is.test(text)) ?? []);
    if (code === "placeholder" && place.required) return { code, facts: { required: 1 } };
    return code && { code, ...(looks === undefined ? {} : { facts: { looks } }) };
  };
}

const COMPILED = new Map<string, RegExp>();

/**
 * All signs in one, for texts in ASCII: hardly any has one, and to try one after the other takes as long as all else. It
 * may find one in a text that has none, not the other way round: `u` would take tens of milliseconds to compile.
 */
function anyOf(signs: readonly Sign[]): RegExp {
  const source = signs.map(([one]) => `(?:${inAscii(one)})`).join("|");
  // rows of JSON may each have columns of their own
  const known = COMPILED.get(source) ?? new RegExp(source, "i");
  COMPILED.set(source, known);
  return known;
}

function inAscii({ source }: RegExp): string {
  return source.replaceAll("\\p{L}", "A-Za-z").replaceAll("\\p{N}", "0-9").replaceAll("\\p{M}", "");
}

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

const WORD_CHARACTERS_MAX = 20;
const BARE = /^[a-z0-9]$|^[a-z0-9][ -~]*[a-z0-9]$/i;
const WORD_ALONE = /^[^a-z0-9#]*([a-z0-9](?:[ -~]*[a-z0-9])?)[^a-z0-9]*$/i;

/** The word that a text is, in lower case, whatever signs stand around it: `-do-`, `(none)`. */
function wordAlone(text: string): string {
  if (text.length > WORD_CHARACTERS_MAX) return "";
  // most have no signs around them
  return (BARE.test(text) ? text : WORD_ALONE.exec(text)?.[1])?.toLowerCase() ?? "";
}

const wordsFor = (code: RowFaultCode, words: string) => words.split(/,\s*/).map((word) => [word, code] as const);

const WORDS = new Map([
  ...wordsFor(
    "ditto_mark",
    `do, do-do, do.do, do/do, ditto, same, same as above, same above, as above, see above, above, as before, repeat,
     repeated, idem`,
  ),
  ...wordsFor(
    "placeholder",
    `null, nan, none, nil, n/a, na, n.a, tbd, tba, tbc, undefined, unknown, blank, empty, missing, not applicable,
     notapplicable, not available, not provided, no data, nill, void, loading, select, choose, to be confirmed,
     to be advised`,
  ),
]);
const WORDS_FOR_ACCOUNT = new Map([
  ...WORDS,
  ...wordsFor(
    "account_word",
    `hold, on hold, held, salary hold, stop, stopped, cash, by cash, cheque, by cheque, check, by check, dd,
     demand draft, upi, neft, imps, rtgs, no account, no a/c, no bank account, not opened, account closed, closed,
     pending, later, paid, cancelled, do not pay, resigned, left, not received, savings, current, self, total, totals,
     grand total, sub total, subtotal, sum`,
  ),
]);
const DITTO_IN_HINDI: Sign = [/^[^\p{L}\p{N}]*(?:तदैव|वही|उपरोक्त|डो)[^\p{L}\p{N}\p{M}]*$/u, "ditto_mark"];

/** What exports of databases and programs write where nothing is. */
const NOTHING = /^(?:\\N|NaT|<NA>|(?:System\.)?DBNull(?:\.Value)?)$/;

export function isNothing(text: string): boolean {
  return text === "" || NOTHING.test(text);
}

/** What a text can be, from the freest to the strictest. */
const KINDS = ["long", "text", "number", "id", "account"] as const;
type Kind = (typeof KINDS)[number];

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)";
const NAMED_DAY = new RegExp(`^\\d{1,2}(?:[-/ ]|\\. )${MONTH}(?:[-/ ]\\d{2,4})?$|^${MONTH}[-/ ]\\d{2,4}$`, "i");
/** `90010000011111 / 90010000022222`; groups of one account are shorter. */
const TWO_NUMBERS = /[0-9]{8,}[ -]+[0-9]{8,}|[0-9]{6,}\s*(?:[,/;&|+]|\bor\b|\band\b)+\s*[0-9]{6,}/i;

/** Damage, and the first of these kinds that it spoils. */
const DAMAGE: readonly (readonly [since: Kind, ...Sign])[] = [
  ["long", NOTHING, "placeholder"],
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

const A_NUMBER: Sign = [/^\+?[0-9](?:[ .,-]?[0-9]){4,}$/, "other_value", "number"];
const AN_IFSC: Sign = [IFSC, "other_value", "ifsc"];

function wordsAt({ kind, sensitive, shape }: Place): ReadonlyMap<string, RowFaultCode> {
  return kind === "id" && (sensitive === "account" || shape === "ifsc") ? WORDS_FOR_ACCOUNT : WORDS;
}

function signsAt(place: Place): readonly Sign[] {
  const { kind, isLong, shape } = place;
  const number = kind === "amount" || kind === "whole" ? "number" : kind;
  const what = KINDS.indexOf(isLong ? "long" : shape === "account" ? "account" : number);
  const damage = DAMAGE.filter(([since]) => KINDS.indexOf(since) <= what).map(([, ...sign]): Sign => sign);
  return [DITTO_IN_HINDI, ...damage, ...(kind === "text" ? otherInText(place) : kind === "id" ? otherInId(place) : [])];
}

function otherInId({ sensitive, shape }: Place): readonly Sign[] {
  if (shape === "ifsc") return [[/^\+?[1-9][0-9]*$/, "other_value", "number"]];
  if (sensitive !== "account" && sensitive !== "mobile") return [];
  const isAddress: Sign = [/^[A-Za-z0-9._-]+@[A-Za-z0-9-]+$/, "other_value", "vpa"];
  // a payee's id of another system may be an e-mail address
  const other: readonly Sign[] = shape === undefined ? [isAddress] : [isAddress, [/@/, "other_value", "email"]];
  return sensitive === "account" ? [AN_IFSC, ...other] : other;
}

/** Free text takes nearly anything; a name or a word of the service is no number, address or branch code. */
function otherInText({ required, isLong, sensitive, shape, rules }: Place): readonly Sign[] {
  if (isLong || shape !== undefined || (!required && sensitive !== "name")) return [];
  if (rules?.allowed ?? rules?.pattern) return [];
  // what follows an amount that was cut at its comma stands where a word is required
  const noLetter: readonly Sign[] = sensitive === undefined ? [[/^[^\p{L}]*$/u, "other_value", "number"]] : [];
  return [...noLetter, [/^\S+@\S+$/, "other_value", "email"], AN_IFSC, A_NUMBER];
}
