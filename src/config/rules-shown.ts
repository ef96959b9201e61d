import { maskNumbers } from "../text/mask.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import type { Operation } from "../operations/operation.ts";
import type { InForce } from "./in-force.ts";
import {
  CAPS,
  FIELD_RULES,
  WARN,
  type CapName,
  type FieldRuleName,
  type Rules,
  type RuleSetting,
} from "./rule-settings.ts";
import type { ValueSchema } from "./values.ts";

/** Every rule that holds, as `config show` lists it: `rules.payouts.max_per_row`. */
export function rulesInForce(rules: Rules, origin: string): InForce[] {
  return Object.entries(rules).flatMap(([folder, { fields, warn, ...caps }]) => [
    ...Object.entries(caps).map(([name, cap]) => ({
      name: `rules.${folder}.${name}`,
      value: `${cap}${warn?.includes(name as CapName) ? WARNS : ""}`,
      origin,
    })),
    ...Object.entries(fields).flatMap(([field, { warn: warning, ...own }]) =>
      (Object.keys(own) as FieldRuleName[]).map((name) => ({
        name: `rules.${folder}.${field}.${name}`,
        value: `${valueOf(name, own[name], isSensitive(folder, field))}${warning?.includes(name) ? WARNS : ""}`,
        origin,
      })),
    ),
  ]);
}

const WARNS = " (warns)";

/** A rule's value as it is shown; of a list of accounts only the number of its values (I10). */
function valueOf(name: FieldRuleName, value: unknown, isHidden: boolean): string {
  if (isHidden && Array.isArray(value)) return `${value.length} values`;
  return maskNumbers((FIELD_RULES[name] as RuleSetting<unknown>).read.written(value));
}

function isSensitive(folder: string, name: string): boolean {
  const operation = OPERATIONS.find((one) => one.folder === folder);
  return fieldsOf(operation).some((field) => field.name === name && field.sensitive !== undefined);
}

function fieldsOf(operation: Operation | undefined): Operation["forms"][number]["fields"] {
  return operation?.forms.flatMap((form) => form.fields) ?? [];
}

/** The rules as they may stand in a paydrop.toml, explained and commented out. */
export function rulesExample(): string[] {
  const lines = (settings: Readonly<Record<string, RuleSetting<unknown>>>): string[] =>
    Object.entries(settings).flatMap(([name, { shown, example }]) => [`# # ${shown}`, `# ${name} = ${example}`]);
  return [
    "# Rules of an operation: payouts, transfers, loans or collections. A rule that is named in warn only points out.",
    "# [rules.payouts]",
    ...lines(CAPS),
    '# warn = ["max_per_day"]',
    "",
    "# Rules of one of its fields, by the names of `paydrop template`.",
    "# [rules.payouts.payment_mode]",
    ...lines(FIELD_RULES),
    '# warn = ["pattern", "max_length"]',
    "",
  ];
}

/** JSON Schema of `rules`. */
export function rulesSchema(): Record<string, unknown> {
  const table = (properties: Record<string, unknown>): Record<string, unknown> => ({
    type: "object",
    additionalProperties: false,
    properties,
  });
  const operations = OPERATIONS.map((operation): [string, unknown] => {
    const names = new Set(fieldsOf(operation).flatMap(({ name, kind }) => (kind === "amount" ? [] : [name])));
    const ofField = table({ ...schemasOf(FIELD_RULES), warn: warnSchema(Object.keys(FIELD_RULES)) });
    const fields = Object.fromEntries([...names].map((name) => [name, ofField]));
    return [operation.folder, table({ ...schemasOf(CAPS), warn: warnSchema(Object.keys(CAPS)), ...fields })];
  });
  return { description: "Rules of each operation and its fields.", ...table(Object.fromEntries(operations)) };
}

function schemasOf(settings: Readonly<Record<string, RuleSetting<unknown>>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { shown, read }]) => [name, { description: shown, ...read.schema }]),
  );
}

function warnSchema(names: readonly string[]): ValueSchema & { readonly description: string } {
  return { description: WARN.shown, type: "array", items: { type: "string", enum: names } };
}
