import * as z from "zod/mini";
import { fieldsOf, OPERATIONS } from "../operations/index.ts";
import { amount, flag, list, pattern, whole, type Kind } from "./kinds.ts";
import { table } from "./sections.ts";

/** One rule as it may stand in paydrop.toml. */
interface Rule<T = unknown> {
  readonly type: z.ZodMiniType<T>;
  readonly shown: string;
  /** As it is written in TOML. */
  readonly example: string;
}

function rule<T>({ type }: Kind<T>, example: string, shown: string): Rule<T> {
  return { type, shown, example };
}

/** A longer value fits no pattern: together with the pattern's own length it bounds the time that one can take. */
export const PATTERN_VALUE_MAX = 1000;

/** The most that the amounts of one operation may come to, in plain decimal text. */
export const CAPS = {
  max_per_row: rule(amount, '"200000"', "amount of one row at most"),
  max_per_file: rule(amount, '"5000000"', "amounts of one file at most; a file above it is refused"),
  max_per_day: rule(amount, '"8000000"', "amounts of one day at most, as the journal knows them"),
} as const;

/** What a field may hold. */
export const FIELD_RULES = {
  required: rule(flag, "true", "the cell must hold a value, or need not"),
  allowed: rule(list, '["NEFT", "IMPS"]', "the values that may stand there, exactly so"),
  pattern: rule(pattern, '"[A-Za-z0-9 ]*"', "the whole value has this form"),
  min_length: rule(whole(1, 10_000), "5", "characters at least"),
  max_length: rule(whole(1, 10_000), "30", "characters at most"),
} as const;

/** What was written of such rules. */
type Written<Rules extends Readonly<Record<string, Rule>>> = {
  readonly [Name in keyof Rules]?: z.output<Rules[Name]["type"]>;
};

/** What one field of an operation may hold. Where `required` is not said, the operation decides. */
export type FieldRules = Written<typeof FIELD_RULES>;

/** The rules of one operation, and beside them those of its fields. */
export type OperationRules = Written<typeof CAPS> & { readonly fields: Readonly<Record<string, FieldRules>> };

/** By the folder name of the operation: `payouts`. */
export type Rules = Readonly<Record<string, OperationRules>>;

/** `[rules.payouts]` and its like. Every key is checked: a rule with a slip in its name must not be ignored. */
export function rulesTable(): z.ZodMiniType<Rules> {
  const all = OPERATIONS.map(({ folder, forms }) => {
    const fields = forms.flatMap(fieldsOf).filter(({ kind }) => kind !== "amount");
    const ofField = table(`[rules.${folder}.FIELD]`, typesOf(FIELD_RULES));
    const ofFields = Object.fromEntries(fields.map(({ name }) => [name, z.exactOptional(ofField)]));
    const written = table(`[rules.${folder}]`, { ...typesOf(CAPS), ...ofFields });
    return [folder, z.exactOptional(z.pipe(written, z.transform(withFields)))];
  });
  return table("[rules.payouts]", Object.fromEntries(all) as Record<string, z.ZodMiniType<OperationRules>>);
}

function typesOf(rules: Readonly<Record<string, Rule>>): Record<string, z.ZodMiniType> {
  return Object.fromEntries(Object.entries(rules).map(([name, { type }]) => [name, z.exactOptional(type)]));
}

function withFields(written: Readonly<Record<string, unknown>>): OperationRules {
  const { true: caps = [], false: fields = [] } = Object.groupBy(Object.entries(written), ([name]) =>
    name in CAPS ? "true" : "false",
  );
  return { ...Object.fromEntries(caps), fields: Object.fromEntries(fields) as OperationRules["fields"] };
}
