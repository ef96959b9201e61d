import { resolve } from "node:path";
import * as z from "zod/mini";
import { normalizeName } from "../column-name.ts";
import { PaydropError } from "../errors.ts";
import { fieldsOf, operationNamed } from "../operations/index.ts";
import type { Form } from "../operations/operation.ts";
import { choice, knownNames, operation, table } from "./kinds.ts";

/** A text; a whole number needs no quotes. */
export const TEXT = z.pipe(
  z.transform((raw) => (Number.isSafeInteger(raw) ? String(raw) : raw)),
  z.string("a text in quotes"),
);
export const SOME: z.ZodMiniType<readonly string[]> = z
  .array(TEXT, 'a list of texts, such as ["…", "…"]')
  .check(z.minLength(1, "a list of at least one text"));
export const byName = <T extends z.core.$ZodType>(one: T, name = z.string()) =>
  z.record(name, one, "a table: write one line for each name");
export const oneOrMore = <T extends z.core.$ZodType>(more: T) =>
  z.pipe(
    z.transform((raw): unknown => (Array.isArray(raw) ? raw : [raw])),
    more,
  );

/** The unit that the name of a column says: `Payout Amount (in Rupees)` says rupees. */
export function unitInName(column: string): AmountUnit | undefined {
  if (/paisa|paise/i.test(column)) return "paise";
  return /rupee|\brs\b|\binr\b|₹/i.test(column) ? "rupees" : undefined;
}

/** What a mapping may fill: the fields of these forms, and our own columns that are not sent. */
export function fieldsToFill(forms: readonly Form[]): readonly string[] {
  return [...new Set([...forms.flatMap((form) => fieldsOf(form).map(({ name }) => name)), "reference", "period"])];
}

const LOOKUP = table("[[mapping.NAME.lookup]]", {
  file: TEXT,
  by: TEXT,
  /** Column of the table in which the value of `by` is looked for. */
  key: z.exactOptional(TEXT),
  /** Our field → column of the table. */
  fields: byName(TEXT),
});
const ONE = table("[mapping.NAME]", {
  operation: operation.type,
  /** Payouts: the only option that the rows may have. */
  option: z.exactOptional(choice("A", "B").type),
  /** `rupees`: an amount is sent as written; `paise`: a hundredth of it is sent. */
  amount_unit: choice("rupees", "paise").type,
  /** The header that a person confirmed, in any order: the mapping is for files with exactly these columns. */
  header: SOME,
  columns: byName(oneOrMore(SOME)),
  /** The value that every row gets, by our field. */
  constants: z._default(byName(TEXT), {}),
  /** Their value → ours, by our field. A value that is not listed is a fault. */
  values: z._default(byName(byName(TEXT)), {}),
  /** Columns in which any value but these is a fault; `""` is an empty cell. */
  must_be: z._default(byName(SOME), {}),
  lookup: z._default(oneOrMore(z.array(LOOKUP)), []),
});
export const NAME = z.string().check(z.regex(/^(?!none$)[A-Za-z0-9_-]{1,40}$/));

/** How the columns of another system are read as ours: `[mapping.NAME]` of paydrop.toml. */
export type Mapping = ReturnType<typeof mappingOf>;
export type Lookup = Mapping["lookups"][number];
export type AmountUnit = Mapping["amountUnit"];

/** All tables `[mapping.NAME]`; relative paths of lookup tables start at `folder`. */
export function mappingTables(folder: string): z.ZodMiniType<readonly Mapping[]> {
  const read = z.transform((tables: Readonly<Record<string, z.output<typeof ONE>>>) =>
    Object.entries(tables).map(([name, one]) => mappingOf(name, one, folder)),
  );
  return z.pipe(byName(ONE, NAME), read).check(({ value, issues }) => {
    for (const mapping of value) issues.push(...wrongsOf(mapping));
  });
}

function mappingOf(name: string, one: z.output<typeof ONE>, folder: string) {
  const { operation: of, option, header, amount_unit: amountUnit, constants, values } = one;
  const named = (said: string): string =>
    header.find((column) => normalizeName(column) === normalizeName(said)) ?? said;
  return {
    ...{ name, operation: of, ...(option && { option }), amountUnit, header, constants, values },
    columns: Object.entries(one.columns).map(([column, fields]) => ({ column: named(column), fields })),
    mustBe: Object.entries(one.must_be).map(([column, allowed]) => ({ column: named(column), values: allowed })),
    lookups: one.lookup.map(({ file, by, key = by, fields }) => {
      return { file: resolve(folder, file), by: named(by), key, fields };
    }),
  };
}

/** What makes a mapping useless or dangerous: a column or field that is not there, a field with two sources or none. */
function wrongsOf(mapping: Mapping): z.core.$ZodRawIssue[] {
  const { name, operation: of, option, header, columns, constants, values, mustBe, lookups, amountUnit } = mapping;
  const wrong = (message: string, params: object): z.core.$ZodRawIssue => {
    return { code: "custom", message, params, path: [name], input: name };
  };
  const notIn = (known: readonly string[], said: readonly string[]): z.core.$ZodRawIssue[] => {
    const keys = said.filter((one) => !known.includes(one));
    const unknown: z.core.$ZodRawIssue = {
      code: "unrecognized_keys",
      message: knownNames(known),
      keys,
      path: [name],
      input: {},
    };
    return keys.length > 0 ? [unknown] : [];
  };
  const forms = operationNamed(of).forms.filter((form) => option === undefined || form.option === option);
  if (forms.length === 0) return [wrong("mapping_option", { operation: of })];
  const ofColumns = columns.flatMap(({ fields }) => fields);
  const sources = [...ofColumns, ...Object.keys(constants), ...lookups.flatMap(({ fields }) => Object.keys(fields))];
  const named = [...[...columns, ...mustBe].map(({ column }) => column), ...lookups.map(({ by }) => by)];
  const wrongs = [
    notIn(header, named),
    notIn(fieldsToFill(forms), sources),
    notIn(sources, Object.keys(values)),
  ].flat();
  const twice = firstTwice(header.map(normalizeName)) ?? firstTwice(sources);
  if (twice !== undefined) wrongs.push(wrong("mapping_twice", { twice }));
  const [lacking = []] = forms
    .map((form) => fieldsOf(form).filter((field) => field.required && !sources.includes(field.name)))
    .sort((one, other) => one.length - other.length);
  // one amount for every row is nobody's payroll
  const column = columns.find(({ fields }) => fields.includes("amount"))?.column;
  const missing = new Set([...lacking.map((field) => field.name), ...(column === undefined ? ["amount"] : [])]);
  if (missing.size > 0) wrongs.push(wrong("mapping_incomplete", { missing: [...missing].join(", ") }));
  const unit = unitInName(column ?? "") ?? amountUnit;
  if (unit !== amountUnit) wrongs.push(wrong("mapping_unit", { column, unit, amountUnit }));
  return wrongs;
}

function firstTwice(names: readonly string[]): string | undefined {
  return names.find((name, at) => names.indexOf(name) !== at);
}

/** The mapping that `--mapping` names. Throws `usage` where there is none of this name. */
export function mappingNamed(name: string, mappings: readonly Mapping[]): Mapping {
  const found = mappings.find((mapping) => mapping.name === name);
  if (found) return found;
  throw new PaydropError("mapping_unnamed", { name, names: [...mappings.map((one) => one.name), "none"].join(", ") });
}
