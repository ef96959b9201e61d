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
  let text = conceal(body);
  // most answers hold nothing of the row: the text is folded once, and only what is found in it is looked at closely
  const mayHoldCode = CODE.test(text);
  const folded = text.toLowerCase();
  const sensitive = sensitiveFieldsOf(operation);
  for (const [name, value] of Object.entries(JSON.parse(payload) as Record<string, unknown>)) {
    const sensitivity = sensitive.get(name);
    if (sensitivity === undefined || typeof value !== "string" || value.length < VALUE_CHARACTERS_MIN) continue;
    if (mayHoldCode || folded.includes(value.toLowerCase())) text = without(text, value, mask(value, sensitivity));
  }
  // cut only after replacing, so that no secret survives at the edge
  const clean = text.replace(LONG_CODE, "[…]").trim();
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
const LONG_CODE = /[A-Za-z0-9+/_-]{65,}={0,2}/g;
/** Something in which a value could be hidden in another writing. */
const CODE = /%|\\|[A-Za-z0-9+/]{12}/;

function without(text: string, value: string, masked: string): string {
  const plainly = withoutForm(text, value, masked);
  if (!CODE.test(plainly)) return plainly;
  const bytes = Buffer.from(value);
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  const forms = [encodeURIComponent(value), JSON.stringify(value).slice(1, -1), bytes.toString("hex"), base64];
  return forms.reduce((left, form) => withoutForm(left, form, masked), plainly);
}

/** In any case of its letters: services write addresses and hex as they please. */
function withoutForm(text: string, form: string, masked: string): string {
  if (form.length > text.length || !text.toLowerCase().includes(form.toLowerCase())) return text;
  return text.replace(new RegExp(form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), "gi"), () => masked);
}
