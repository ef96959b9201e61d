import { unitsOf } from "../amount.ts";
import type { FieldRuleName, FieldRules, OperationRules, Rules } from "../config/rule-settings.ts";
import type { Field, Operation } from "../operations/operation.ts";
import { maskNumbers } from "../text/mask.ts";
import { matcherOf } from "../config/pattern.ts";
import type { Inspect } from "./compile.ts";

/** Known values in upper case, by the path of their list as the rule `list` names it. */
export type KnownValues = ReadonlyMap<string, ReadonlySet<string>>;

/** The rules of one field as functions, made once for all rows. */
export interface CompiledRules {
  /** Find what makes a row invalid. */
  readonly inspect: readonly Inspect[];
  /** Find what is only pointed out. */
  readonly advise: readonly Inspect[];
  /** An empty cell is pointed out. */
  readonly advisesEmpty: boolean;
}

/** The operation, with the fields required that its rules say (§2.6 shows no required fields). */
export function operationByRules(operation: Operation, rules: Rules): Operation {
  const { fields } = rules[operation.folder] ?? NO_RULES;
  if (Object.keys(fields).length === 0) return operation;
  const forms = operation.forms.map((form) => ({
    ...form,
    fields: form.fields.map((one) => fieldBy(one, fields[one.name])),
  }));
  return { ...operation, forms };
}

function fieldBy(field: Field, rules: FieldRules | undefined): Field {
  if (rules?.required === undefined) return field;
  const required = rules.required && !warnsOnly(rules, "required");
  const { default: usual, ...rest } = field;
  // a field that must be written has no default
  return { ...rest, required, ...(usual === undefined || required ? {} : { default: usual }) };
}

export function compileRules(
  field: Field,
  rules: OperationRules = NO_RULES,
  known: KnownValues = NONE_KNOWN,
): CompiledRules {
  const inspect: Inspect[] = [];
  const advise: Inspect[] = [];
  if (field.kind === "amount") {
    if (rules.max_per_row !== undefined) {
      (rules.warn?.includes("max_per_row") ? advise : inspect).push(underCap(rules.max_per_row));
    }
    return { inspect, advise, advisesEmpty: false };
  }
  const own = rules.fields[field.name] ?? {};
  const add = (name: FieldRuleName, check: Inspect): unknown => (warnsOnly(own, name) ? advise : inspect).push(check);
  if (own.allowed) add("allowed", oneOf(own.allowed, field));
  if (own.pattern !== undefined) add("pattern", ofForm(own.pattern));
  if (own.max_length !== undefined) add("max_length", notLonger(own.max_length));
  const values = own.list === undefined ? undefined : known.get(own.list);
  if (values) advise.push(knownIn(values, field));
  return { inspect, advise, advisesEmpty: own.required === true && warnsOnly(own, "required") };
}

const NO_RULES: OperationRules = { fields: {} };
const NONE_KNOWN: KnownValues = new Map();

function warnsOnly(rules: FieldRules, name: FieldRuleName): boolean {
  return rules.warn?.includes(name) === true;
}

function underCap(cap: string): Inspect {
  const most = unitsOf(cap);
  return (text) => (unitsOf(text) > most ? { code: "amount_over_cap", more: cap } : undefined);
}

const SHOWN_MAX = 8;

function oneOf(allowed: readonly string[], field: Field): Inspect {
  const values = new Set(allowed);
  const byLowerCase = new Map(allowed.map((value) => [value.toLowerCase(), value]));
  const more = allowed.length > SHOWN_MAX ? ` and ${allowed.length - SHOWN_MAX} more` : "";
  // a list of accounts is not shown (I10)
  const shown = field.sensitive === undefined ? allowed.slice(0, SHOWN_MAX).join(", ") + more : "those of the settings";
  return (text) => {
    if (values.has(text)) return undefined;
    const near = field.sensitive === undefined ? byLowerCase.get(text.toLowerCase()) : undefined;
    return { code: "value_not_allowed", found: shown, ...(near === undefined ? {} : { plain: near }) };
  };
}

function ofForm(pattern: string): Inspect {
  const matches = matcherOf(pattern);
  const shown = maskNumbers(pattern);
  return (text) => (matches(text) ? undefined : { code: "pattern_differs", found: shown });
}

/** Counts characters as a person does: a surrogate pair is one. */
function notLonger(most: number): Inspect {
  return (text) => {
    if (text.length <= most) return undefined;
    const found = Array.from(text).length;
    return found > most ? { code: "value_too_long", found: String(found), more: String(most) } : undefined;
  };
}

const BANK_CHARACTERS = 4;

/** Points out a value that is not in the list. A list of branch codes may name a whole bank by its four letters. */
function knownIn(values: ReadonlySet<string>, field: Field): Inspect {
  return (text) => {
    const value = text.toUpperCase();
    const isKnown = values.has(value) || (field.shape === "ifsc" && values.has(value.slice(0, BANK_CHARACTERS)));
    return isKnown ? undefined : { code: "value_not_in_list" };
  };
}
