import type { Field, Operation } from "../operations/operation.ts";

/** The plaintext payload, or why the sandbox answers 400. */
type ReadRequest =
  | { readonly payload: string; readonly refusal?: undefined }
  | { readonly payload?: undefined; readonly refusal: string };

/**
 * Reads a request body as §2 describes it: one JSON object (for payouts the envelope of §2.4 around one) with the
 * fields of one form, each of its type. §2.6 shows no required fields, so none is missed here, but an empty object is.
 */
export function readRequest(
  operation: Operation,
  body: string,
  openEnvelope: (hex: string) => string | undefined,
): ReadRequest {
  let payload = body;
  if (operation.encrypted) {
    const envelope = parseObject(body);
    const hex = envelope?.["body"];
    if (!envelope || typeof hex !== "string" || Object.keys(envelope).length !== 1) {
      return { refusal: 'the request is not {"body": "<hex>"} (§2.4)' };
    }
    const opened = openEnvelope(hex);
    if (opened === undefined) return { refusal: "the body does not decrypt with this key, IV and padding (§5.2)" };
    if (hasSpaceBetweenTokens(opened)) return { refusal: "the decrypted payload is not compact JSON (§5.2, step 1)" };
    payload = opened;
  }
  const fields = parseObject(payload);
  if (!fields) return { refusal: "the payload is not one JSON object" };
  const refusal = refusalOfFields(operation, fields);
  return refusal === undefined ? { payload } : { refusal };
}

function refusalOfFields(operation: Operation, fields: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(fields);
  if (names.length === 0) return "the payload has no fields";
  const known = operation.forms.map((form) => new Map(form.fields.map((field) => [field.name, field])));
  for (const name of names) {
    if (!known.some((form) => form.has(name))) return `the field ${JSON.stringify(name.slice(0, 40))} is not in §2`;
  }
  const form = known.find((candidate) => names.every((name) => candidate.has(name)));
  if (!form) return "the fields belong to two different forms of §2.5";
  for (const [name, field] of form) {
    if (name in fields && !hasType(field, fields[name])) return `the field ${name} is no ${typeOf(field)} (§2)`;
  }
  return undefined;
}

function typeOf(field: Field): "string" | "number" | "integer" {
  if (field.kind === "integer") return "integer";
  return field.kind === "amount" || field.kind === "number" ? "number" : "string";
}

function hasType(field: Field, value: unknown): boolean {
  const type = typeOf(field);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** A null-prototype object, or undefined for anything else. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return Object.assign(Object.create(null), value) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function hasSpaceBetweenTokens(json: string): boolean {
  return /\s/.test(json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
}
