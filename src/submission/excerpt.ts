import { GROUP_SIGNS, ungrouped } from "../account.ts";
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
    for (const { value, sensitive } of sensitiveOf(form, values)) {
      for (const writing of writingsOf(value, left)) left = without(left, writing, value, sensitive);
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
    return isToMask(sensitive, value) && writingsOf(value, text).some((writing) => stands(writing, text));
  });
}

interface SensitiveValue {
  readonly value: string;
  readonly sensitive: Sensitivity;
}

/** The longest value first: a shorter one that is a part of it, masked before, would leave the rest in clear. */
function sensitiveOf({ fields }: Form, values: readonly string[]): readonly SensitiveValue[] {
  const found = fields.flatMap(({ sensitive }, index): SensitiveValue[] => {
    const value = values[index] ?? "";
    return isToMask(sensitive, value) ? [{ value, sensitive }] : [];
  });
  return found.sort((one, other) => other.value.length - one.value.length);
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
  readonly hasDigits: boolean;
  /** Characters of the longest stretch that may be hex or base64. */
  readonly longestCode: number;
  /** It stands as it reads (`inClear`), and so must what it is compared with. */
  readonly isInClear: boolean;
}

function lookedAt(text: string, isInClear = false): LookedAt {
  const longestCode = (text.match(CODE) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
  const folded = text.toLowerCase();
  return { text, folded, ungrouped: ungrouped(folded), hasDigits: /[0-9]/.test(folded), longestCode, isInClear };
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
function stands(writing: string, text: LookedAt): boolean {
  if (text.folded.includes(writing.toLowerCase())) return true;
  if (!text.hasDigits) return false;
  const number = ungrouped(writing);
  return isNumber(number) && text.ungrouped.includes(number);
}

function isNumber(digits: string): boolean {
  return digits.length >= VALUE_CHARACTERS_MIN && /^\+?[0-9]+$/.test(digits);
}

/**
 * The text with `writing` masked wherever it stands. A number is found in any grouping: `5010 0271 8280`,
 * `5010-0271-8280` and `501002718280` are the same.
 */
function without(from: LookedAt, writing: string, value: string, sensitivity: Sensitivity): LookedAt {
  if (!stands(writing, from)) return from;
  const number = ungrouped(writing);
  const pattern = isNumber(number)
    ? Array.from(number, (digit) => RegExp.escape(digit)).join(`(?:${GROUP_SIGNS})?`)
    : RegExp.escape(writing);
  return lookedAt(
    from.text.replace(new RegExp(pattern, "gi"), () => mask(value, sensitivity)),
    from.isInClear,
  );
}
