import { conceal } from "../config/secret.ts";
import { mask } from "../mask.ts";
import { fieldsOf, OPERATIONS } from "../operations/index.ts";
import type { Sensitivity } from "../operations/operation.ts";
import { printable } from "../printable.ts";

const EXCERPT_CHARACTERS_MAX = 200;
/** Shorter texts would blot out harmless words. */
const VALUE_CHARACTERS_MIN = 4;

/** The fields of each operation whose values are masked wherever they are shown. */
const SENSITIVE: ReadonlyMap<string, readonly (readonly [name: string, sensitive: Sensitivity])[]> = new Map(
  OPERATIONS.map(({ name, forms }) => {
    const fields = forms.flatMap((form) => fieldsOf(form));
    return [name, fields.flatMap((field) => (field.sensitive ? [[field.name, field.sensitive] as const] : []))];
  }),
);

/**
 * What may be kept of an answer (I10): one short line without our secrets and the ciphertext, in which the accounts,
 * addresses and names of the payload are masked in each way to write them. undefined: the answer was blank.
 */
export function excerptOf(body: string, operation: string, payload: string): string | undefined {
  if (body.trim() === "") return undefined;
  const written = conceal(body);
  let text = MAY_HIDE.test(written) ? conceal(inClear(written)) : written;
  for (const found of foundIn(text, operation, payload)) text = text.replace(patternOf(found), () => found.masked);
  // cut only after replacing, so that no secret survives at the edge
  const clean = (text.length < LONG_CODE_MIN ? text : text.replace(LONG_CODE, "[…]")).trim();
  return printable(clean.slice(0, EXCERPT_CHARACTERS_MAX * 2), EXCERPT_CHARACTERS_MAX);
}

/** An escape, and what has no width: it stands between two letters, and nobody sees it. */
const MAY_HIDE = /\\[uU]|\p{Cf}/u;
/** An escape of JSON, also in a text of JSON that stands in another one: its backslash is doubled there. */
const ESCAPE = /\\+u([0-9a-f]{4})/gi;

/** The text as people read it: `\u0035` is `5`, and characters without width are left out. */
function inClear(text: string): string {
  const plain = text.replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return plain.replace(/\p{Cf}/gu, "").toWellFormed();
}

/** Hex or base64 longer than any id: the ciphertext that we sent, or something else that nobody can read. */
const LONG_CODE = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{65,}={0,2}/g;
const LONG_CODE_MIN = 65;
/** What groups digits for the eye in an answer: more than in a file, whose `12-345` and `123-45` are two ids. */
const GROUP_SIGNS = "[\\s,.()/_-]+";
const EVERY_GROUP_SIGN = new RegExp(GROUP_SIGNS, "g");
const SOME_DIGITS = new RegExp(`[0-9](?:(?:${GROUP_SIGNS})?[0-9]){${VALUE_CHARACTERS_MIN - 1}}`);

/** A value of the payload that a text holds, in one way to write it. */
interface Found {
  readonly writing: string;
  /** Its digits, where it is a number: it is found in any grouping, `5010 0271 8280`. */
  readonly number: string | undefined;
  readonly sensitive: Sensitivity;
  readonly masked: string;
}

/**
 * The values of the payload that the text holds; in most answers there are none. The longest one first: a shorter one
 * that is a part of it, masked before, would leave the rest in clear.
 */
function foundIn(text: string, operation: string, payload: string): readonly Found[] {
  const fields = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  const folded = text.toLowerCase();
  const ungrouped = SOME_DIGITS.test(folded) ? folded.replaceAll(EVERY_GROUP_SIGN, "") : "";
  const found: Found[] = [];
  for (const [name, sensitive] of SENSITIVE.get(operation) ?? []) {
    const value = fields[name];
    if (typeof value !== "string" || value.length < VALUE_CHARACTERS_MIN) continue;
    for (const writing of writingsOf(value, text)) {
      const number = ungrouped === "" ? undefined : numberIn(writing, sensitive);
      const stands = folded.includes(writing.toLowerCase()) || (number !== undefined && ungrouped.includes(number));
      if (stands) found.push({ writing, number, sensitive, masked: mask(value, sensitive) });
    }
  }
  const length = ({ number, writing }: Found): number => (number ?? writing).length;
  return found.length < 2 ? found : found.sort((one, other) => length(other) - length(one));
}

/** The ways to write a value that the text has the characters for. */
function writingsOf(value: string, text: string): readonly string[] {
  const writings = [value];
  if (MAY_HIDE.test(value)) writings.push(inClear(value));
  if (text.includes("%")) writings.push(encodeURIComponent(value));
  if (text.includes("\\")) writings.push(JSON.stringify(value).slice(1, -1));
  return writings;
}

/** What one system writes in front of a number and another leaves out: `00031234567890`, `+91 98765 43210`. */
function frontOf(sensitive: Sensitivity): string {
  return sensitive === "mobile" ? "(?:\\+|0|91)" : "(?:\\+|0)";
}

/** The digits of a writing that is a number, without what may stand in front of it. undefined: it is none. */
function numberIn(writing: string, sensitive: Sensitivity): string | undefined {
  // most are names and addresses, and every value of every row is asked
  if (/[a-z@]/i.test(writing)) return undefined;
  const digits = /^[0-9]*$/.test(writing) ? writing : writing.replaceAll(EVERY_GROUP_SIGN, "");
  if (digits.length < VALUE_CHARACTERS_MIN || !/^\+?[0-9]+$/.test(digits)) return undefined;
  // only where as many digits are left as an account or a mobile has: fewer would blot out harmless numbers
  return digits.replace(sensitive === "mobile" ? FRONT_OF_MOBILE : FRONT, "");
}

const inFront = (sensitive: Sensitivity): RegExp => new RegExp(`^${frontOf(sensitive)}+(?=[0-9]{9})`);
const [FRONT_OF_MOBILE, FRONT] = [inFront("mobile"), inFront("account")];

function patternOf({ writing, number, sensitive }: Found): RegExp {
  if (number === undefined) return new RegExp(RegExp.escape(writing), "gi");
  const digits = Array.from(number, (digit) => RegExp.escape(digit)).join(`(?:${GROUP_SIGNS})?`);
  // bounded: an answer may be nothing but zeros
  return new RegExp(`(?:${frontOf(sensitive)}(?:${GROUP_SIGNS})?){0,20}${digits}`, "gi");
}
