import { mask, type Sensitivity } from "../mask.ts";
import type { Operation } from "../operations/operation.ts";
import { printable } from "../printable.ts";

const EXCERPT_CHARACTERS_MAX = 200;
/** Shorter texts would blot out harmless words. */
const VALUE_CHARACTERS_MIN = 4;

/**
 * What may be kept of an answer (I10, C11): without our secrets and the ciphertext, with the row's own account numbers,
 * addresses and names masked however they are written, on one line, short. `conceal` replaces secrets in every encoding.
 */
export function excerptOf(
  body: string,
  payload: string,
  operation: Operation,
  conceal: (text: string) => string,
): string | undefined {
  if (body.trim() === "") return undefined;
  let left = lookedAt(conceal(body));
  const fields = JSON.parse(payload) as Record<string, unknown>;
  for (const [name, sensitivity] of sensitiveFieldsOf(operation)) {
    const value = fields[name];
    if (typeof value !== "string" || value.length < VALUE_CHARACTERS_MIN) continue;
    for (const form of formsOf(value, left)) left = without(left, form, value, sensitivity);
  }
  // cut only after replacing, so that no secret survives at the edge
  const clean = left.text.replace(LONG_CODE, "[…]").trim();
  return printable(clean.slice(0, EXCERPT_CHARACTERS_MAX * 2), EXCERPT_CHARACTERS_MAX);
}

const sensitiveFields = new Map<Operation, ReadonlyMap<string, Sensitivity>>();

function sensitiveFieldsOf(operation: Operation): ReadonlyMap<string, Sensitivity> {
  let found = sensitiveFields.get(operation);
  if (!found) {
    const fields = operation.forms.flatMap((form) => form.fields);
    found = new Map(fields.flatMap(({ name, sensitive }) => (sensitive ? [[name, sensitive] as const] : [])));
    sensitiveFields.set(operation, found);
  }
  return found;
}

/** Hex or base64 longer than any id: the ciphertext that we sent (S5), or whatever else nobody can read. */
const LONG_CODE = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{65,}={0,2}/g;
/** What may be hex or base64 of a value: its four characters at least are six of base64. */
const CODE = /[A-Za-z0-9+/]{6,}/g;

/** A text with what is asked of it for every value: most answers hold nothing of the row. */
interface LookedAt {
  readonly text: string;
  /** In lower case: services write addresses and hex as they please. */
  readonly folded: string;
  /** Characters of the longest stretch that may be hex or base64. */
  readonly longestCode: number;
}

function lookedAt(text: string): LookedAt {
  const longestCode = (text.match(CODE) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
  return { text, folded: text.toLowerCase(), longestCode };
}

/** The ways to write a value that the text has the characters for. */
function formsOf(value: string, { text, longestCode }: LookedAt): readonly string[] {
  const forms = [value];
  if (text.includes("%")) forms.push(encodeURIComponent(value));
  if (text.includes("\\")) forms.push(JSON.stringify(value).slice(1, -1));
  // three bytes are four characters of base64 and six of hex
  if (longestCode * 3 >= value.length * 4) {
    const bytes = Buffer.from(value);
    forms.push(bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, ""));
  }
  return forms;
}

function without(from: LookedAt, form: string, value: string, sensitivity: Sensitivity): LookedAt {
  if (!from.folded.includes(form.toLowerCase())) return from;
  const anyCase = new RegExp(form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), "gi");
  return lookedAt(from.text.replace(anyCase, () => mask(value, sensitivity)));
}
