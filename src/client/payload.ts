import { PLAIN_DECIMAL } from "../amount.ts";
import { PaydropError } from "../errors.ts";
import type { Field, Form, Operation } from "../operations/operation.ts";

/**
 * The arguments of a library call as compact JSON: fields in the order of §2, amounts with the digits given, empty
 * optional fields left out. Throws PaydropError "usage" for what no service could take: such calls are mistakes of the
 * caller's code.
 */
export function createPayload(operation: Operation, fields: object): string {
  const values = fields as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof values !== "object" || values === null)
    throw misuse(operation, "the request", "is no object", FIELDS_HINT);
  const form = formOf(operation, Object.keys(values));
  const parts: string[] = [];
  for (const field of form.fields) {
    const value = values[field.name] ?? field.default;
    if (value === undefined || value === "") {
      if (field.required) throw misuse(operation, field.name, "is missing", `give ${kindOf(field)}`);
    } else {
      parts.push(`"${field.name}":${valueAsJson(operation, field, value)}`);
    }
  }
  return `{${parts.join(",")}}`;
}

/** The one form that has all the names; payouts have two (§2.5). */
function formOf(operation: Operation, names: readonly string[]): Form {
  const fits = (form: Form) => names.every((name) => form.fields.some((field) => field.name === name));
  const found = operation.forms.filter(fits);
  // where only shared fields are given, both forms fit: the first is taken, and an error names what it lacks
  if (found[0]) return found[0];
  const known = new Set(operation.forms.flatMap((form) => form.fields.map((field) => field.name)));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw misuse(operation, unknown, "is not a field of it", `take one of ${[...known].join(", ")}`);
  throw new PaydropError(
    "usage",
    `${operation.name}: the fields belong to two different forms`,
    "Give bene_id and bene_bank_id, or the account of the beneficiary, not both",
  );
}

function valueAsJson(operation: Operation, field: Field, value: unknown): string {
  switch (field.kind) {
    case "text":
    case "id":
      if (typeof value !== "string") break;
      if (value.isWellFormed()) return JSON.stringify(value);
      throw misuse(operation, field.name, "has half a character (a lone surrogate)", "give well-formed text");
    case "amount":
      if (typeof value === "string" && PLAIN_DECIMAL.test(value) && /[1-9]/.test(value)) return value;
      break;
    case "number":
    case "integer":
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return String(value);
      break;
    default:
      field.kind satisfies never;
  }
  // never the value itself: it may be an account number
  throw misuse(operation, field.name, `is not ${kindOf(field)}`, `give ${kindOf(field)}`);
}

function kindOf(field: Field): string {
  if (field.kind === "amount") return 'a plain decimal string above 0, such as "2500.00"';
  return field.kind === "number" || field.kind === "integer" ? "a whole number" : "a string";
}

const FIELDS_HINT = "give its fields as { name: value }";

function misuse(operation: Operation, field: string, what: string, hint: string): PaydropError {
  return new PaydropError("usage", `${operation.name}: ${field} ${what}`, hint);
}
