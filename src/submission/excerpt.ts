import { mask, type Sensitivity } from "../text/mask.ts";
import type { Form } from "../operations/operation.ts";
import { printable } from "../text/printable.ts";
import { inClear, mayHide } from "./in-clear.ts";

const EXCERPT_CHARACTERS_MAX = 200;
/** Shorter texts would blot out harmless words. */
const VALUE_CHARACTERS_MIN = 4;

/** What was sent of a row: one value for each field of the form, in the order of its fields. */
interface SentValues {
  readonly form: Form;
  readonly values: readonly string[];
}

/**
 * What may be kept of an answer (I10): one short line without our secrets and the ciphertext, in which the row's own
 * account numbers, addresses and names are masked in each way to write them. undefined: the answer was blank. `conceal`
 * replaces secrets in every encoding.
 */
export function excerptOf(
  body: string,
  { form, values }: SentValues,
  conceal: (text: string) => string,
): string | undefined {
  if (body.trim() === "") return undefined;
  let left = readable(body, { form, values }, conceal);
  // most answers hold nothing of the row: then nothing is made to be thrown away
  if (holdsAny(form, values, left)) {
    for (const one of sensitiveOf(form, values)) {
      for (const writing of writingsOf(one.value, left)) left = without(left, writing, one);
    }
  }
  // cut only after replacing, so that no secret survives at the edge
  const clean = left.text.replace(LONG_CODE, "[…]").trim();
  return printable(clean.slice(0, EXCERPT_CHARACTERS_MAX * 2), EXCERPT_CHARACTERS_MAX);
}

/**
 * The answer without our secrets: as it is written, or as it reads where that alone shows a secret or a value of the row.
 */
function readable(body: string, { form, values }: SentValues, conceal: (text: string) => string): LookedAt {
  const written = conceal(body);
  if (mayHide(written)) {
    const read = inClear(written);
    const concealed = conceal(read);
    const clear = lookedAt(concealed, true);
    if (concealed !== read || holdsAny(form, values, clear)) return clear;
  }
  return lookedAt(written);
}

/** Whether the text holds a value of the row in any way to write it. */
function holdsAny({ fields }: Form, values: readonly string[], text: LookedAt): boolean {
  return fields.some(({ sensitive }, index) => {
    const value = values[index] ?? "";
    return isToMask(sensitive, value) && writingsOf(value, text).some((writing) => stands(writing, sensitive, text));
  });
}

interface SensitiveValue {
  readonly value: string;
  readonly sensitive: Sensitivity;
  /** Characters of its shortest writing. */
  readonly length: number;
}

/** The longest value first: a shorter one that is a part of it, masked before, would leave the rest in clear. */
function sensitiveOf({ fields }: Form, values: readonly string[]): readonly SensitiveValue[] {
  const found = fields.flatMap(({ sensitive }, index): SensitiveValue[] => {
    const value = values[index] ?? "";
    if (!isToMask(sensitive, value)) return [];
    return [{ value, sensitive, length: (numberIn(value, sensitive) ?? value).length }];
  });
  return found.sort((one, other) => other.length - one.length);
}

function isToMask(sensitive: Sensitivity | undefined, value: string): sensitive is Sensitivity {
  return sensitive !== undefined && value.length >= VALUE_CHARACTERS_MIN;
}

/** Hex or base64 longer than any id: the ciphertext that we sent, or something else that nobody can read. */
const LONG_CODE = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{65,}={0,2}/g;
/** What may be hex or base64 of a value: a value has four characters at least, and these are six of base64. */
const CODE = /[A-Za-z0-9+/]{6,}/g;

/** A text, and what every value is compared with, made only once: most answers hold nothing of the row. */
interface LookedAt {
  readonly text: string;
  /** In lower case: services write addresses and hex as they please. */
  readonly folded: string;
  /** `folded` without the signs that group digits for the eye. */
  readonly ungrouped: string;
  /** Some digits follow one another in it, in groups or not. */
  readonly hasNumber: boolean;
  /** Characters of the longest stretch that may be hex or base64. */
  readonly longestCode: number;
  /** It stands as it reads (`inClear`), and so must what it is compared with. */
  readonly isInClear: boolean;
}

function lookedAt(text: string, isInClear = false): LookedAt {
  const longestCode = (text.match(CODE) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
  const folded = text.toLowerCase();
  const hasNumber = NUMBER.test(folded);
  return { text, folded, ungrouped: hasNumber ? ungrouped(folded) : folded, hasNumber, longestCode, isInClear };
}

/** The ways to write a value that the text has the characters for. */
function writingsOf(value: string, { text, longestCode, isInClear }: LookedAt): readonly string[] {
  const writings = [value];
  if (text.includes("%")) writings.push(encodeURIComponent(value));
  if (text.includes("\\")) writings.push(JSON.stringify(value).slice(1, -1));
  // three bytes are four characters of base64 and six of hex
  if (longestCode * 3 >= value.length * 4) {
    const bytes = Buffer.from(value);
    writings.push(bytes.toString("base64").slice(0, Math.ceil((bytes.length * 4) / 3)));
    if (longestCode >= bytes.length * 2) writings.push(bytes.toString("hex"));
  }
  return isInClear ? [...writings, ...writings.map(inClear)] : writings;
}

/** Whether a writing stands in the text; a number in any grouping. */
function stands(writing: string, sensitivity: Sensitivity, text: LookedAt): boolean {
  if (text.folded.includes(writing.toLowerCase())) return true;
  if (!text.hasNumber) return false;
  const number = numberIn(writing, sensitivity);
  return number !== undefined && text.ungrouped.includes(number);
}

/** What groups digits for the eye in an answer: more than in a file, whose `12-345` and `123-45` are two ids. */
const GROUP_SIGNS = "[\\s,.()/_-]+";
const EVERY_GROUP_SIGN = new RegExp(GROUP_SIGNS, "g");
const LETTER = /[a-z@]/i;
const NUMBER = new RegExp(`[0-9](?:(?:${GROUP_SIGNS})?[0-9]){${VALUE_CHARACTERS_MIN - 1}}`);

function ungrouped(text: string): string {
  return text.replaceAll(EVERY_GROUP_SIGN, "");
}

/** What one system writes in front of a number and another leaves out: `00031234567890`, `+91 98765 43210`. */
const IN_FRONT = "\\+|0";
const IN_FRONT_OF_MOBILE = `${IN_FRONT}|91`;
/** Only where as many digits are left as an account or a mobile has: fewer would blot out harmless numbers. */
const FRONT = new RegExp(`^(?:${IN_FRONT})+(?=[0-9]{9})`);
const FRONT_OF_MOBILE = new RegExp(`^(?:${IN_FRONT_OF_MOBILE})+(?=[0-9]{9})`);

/** The digits of a writing that is a number, as far as every writing of it has them. */
function numberIn(writing: string, sensitivity: Sensitivity): string | undefined {
  // most are names and addresses, and every value of every row is asked
  if (LETTER.test(writing)) return undefined;
  const digits = ungrouped(writing);
  if (digits.length < VALUE_CHARACTERS_MIN || !/^\+?[0-9]+$/.test(digits)) return undefined;
  return digits.replace(sensitivity === "mobile" ? FRONT_OF_MOBILE : FRONT, "");
}

/**
 * The text with `writing` masked wherever it stands. A number is found in any grouping: `5010 0271 8280`,
 * `5010-0271-8280` and `501002718280` are the same, and so is `00501002718280`.
 */
function without(from: LookedAt, writing: string, { value, sensitive }: SensitiveValue): LookedAt {
  if (!stands(writing, sensitive, from)) return from;
  const number = numberIn(writing, sensitive);
  const pattern = number === undefined ? RegExp.escape(writing) : patternOf(number, sensitive);
  return lookedAt(
    from.text.replace(new RegExp(pattern, "gi"), () => mask(value, sensitive)),
    from.isInClear,
  );
}

function patternOf(number: string, sensitivity: Sensitivity): string {
  const front = sensitivity === "mobile" ? IN_FRONT_OF_MOBILE : IN_FRONT;
  const digits = Array.from(number, (digit) => RegExp.escape(digit)).join(`(?:${GROUP_SIGNS})?`);
  // bounded: an answer may be nothing but zeros
  return `(?:(?:${front})(?:${GROUP_SIGNS})?){0,20}${digits}`;
}
