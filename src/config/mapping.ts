import { resolve } from "node:path";
import * as z from "zod/mini";
import { normalizeName } from "../column-name.ts";
import { PaydropError } from "../errors.ts";
import { fieldsOf, operationNamed, type OperationName } from "../operations/index.ts";
import type { Form } from "../operations/operation.ts";
import { choice, operation } from "./kinds.ts";
import { table, unknownKey, type Wrong } from "./sections.ts";

/** What the file's amounts count. `rupees`: an amount is sent as written; `paise`: a hundredth of it is sent. */
export type AmountUnit = "rupees" | "paise";

/** How the columns of another system are read as ours: `[mapping.NAME]` of paydrop.toml. */
export interface Mapping {
  readonly name: string;
  readonly operation: OperationName;
  /** Payouts: the only option that the rows may have. */
  readonly option?: "A" | "B";
  readonly amountUnit: AmountUnit;
  /** The header that a person confirmed, in any order: the mapping is for files with exactly these columns. */
  readonly header: readonly string[];
  readonly columns: readonly MappedColumn[];
  /** The value that every row gets, by our field. */
  readonly constants: Readonly<Record<string, string>>;
  /** Their value → ours, by our field. A value that is not listed is a fault. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Columns in which any value but these is a fault; `""` is an empty cell. */
  readonly mustBe: readonly { readonly column: string; readonly values: readonly string[] }[];
  readonly lookups: readonly Lookup[];
}

export interface MappedColumn {
  /** The name in the file's own header. */
  readonly column: string;
  readonly fields: readonly string[];
}

/** Fields that a table of the user's holds, found by what stands in one column of the file. */
export interface Lookup {
  /** Path of the table, a file in any format that is read. */
  readonly file: string;
  /** Column of the file. */
  readonly by: string;
  /** Column of the table in which the value of `by` is looked for. */
  readonly key: string;
  /** Our field → column of the table. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A text; a whole number needs no quotes. */
const TEXT = z.pipe(
  z.transform((raw) => (Number.isSafeInteger(raw) ? String(raw) : raw)),
  z.string("a text in quotes"),
);
const SOME = z.array(TEXT, 'a list of texts, such as ["…", "…"]').check(z.minLength(1, "a list of at least one text"));
const byName = <T extends z.core.$ZodType>(one: T, name = z.string()) =>
  z.record(name, one, "a table: write one line for each name");
const oneOrMore = <T extends z.core.$ZodType>(more: T) =>
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
  ...{ file: TEXT, by: TEXT, key: z.exactOptional(TEXT), fields: byName(TEXT) },
});
const ONE = table("[mapping.NAME]", {
  operation: operation.type,
  option: z.exactOptional(choice("A", "B").type),
  amount_unit: choice("rupees", "paise").type,
  header: SOME,
  columns: byName(oneOrMore(SOME)),
  constants: z._default(byName(TEXT), {}),
  values: z._default(byName(byName(TEXT)), {}),
  must_be: z._default(byName(SOME), {}),
  lookup: z._default(oneOrMore(z.array(LOOKUP)), []),
});
const NAME = z.string().check(z.regex(/^(?!none$)[A-Za-z0-9_-]{1,40}$/));

/** All tables `[mapping.NAME]`. */
export const MAPPINGS = byName(ONE, NAME);

/** The mappings that stand at `place`, and what is wrong in them. Relative paths of lookup tables start at `folder`. */
export function mappingsOf(
  written: z.output<typeof MAPPINGS>,
  folder: string,
  place = "mapping",
): { readonly mappings: readonly Mapping[]; readonly wrongs: readonly Wrong[] } {
  const mappings = Object.entries(written).map(([name, one]) => mappingOf(name, one, folder));
  return { mappings, wrongs: mappings.flatMap((mapping) => wrongsOf(mapping, `${place}.${mapping.name}`)) };
}

function mappingOf(name: string, one: z.output<typeof ONE>, folder: string): Mapping {
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
function wrongsOf(mapping: Mapping, place: string): Wrong[] {
  const { operation: of, option, header, columns, constants, values, mustBe, lookups, amountUnit } = mapping;
  const forms = operationNamed(of).forms.filter((form) => option === undefined || form.option === option);
  if (forms.length === 0) return [{ code: "mapping_option", facts: { place, operation: of } }];
  const ofColumns = columns.flatMap(({ fields }) => fields);
  const sources = [...ofColumns, ...Object.keys(constants), ...lookups.flatMap(({ fields }) => Object.keys(fields))];
  const named = [...[...columns, ...mustBe].map(({ column }) => column), ...lookups.map(({ by }) => by)];
  const wrongs: Wrong[] = [
    ...notIn(header, named, place),
    ...notIn(fieldsToFill(forms), sources, place),
    ...notIn(sources, Object.keys(values), place),
  ];
  const twice = firstTwice(header.map(normalizeName)) ?? firstTwice(sources);
  if (twice !== undefined) wrongs.push({ code: "mapping_twice", facts: { place, twice } });
  const [lacking = []] = forms
    .map((form) => fieldsOf(form).filter(({ name, required }) => required && !sources.includes(name)))
    .sort((one, other) => one.length - other.length);
  // one amount for every row is nobody's payroll
  const amountColumn = columns.find(({ fields }) => fields.includes("amount"))?.column;
  const missing = new Set([...lacking.map(({ name }) => name), ...(amountColumn === undefined ? ["amount"] : [])]);
  if (missing.size > 0) wrongs.push({ code: "mapping_incomplete", facts: { place, missing: [...missing].join(", ") } });
  const unit = unitInName(amountColumn ?? "") ?? amountUnit;
  if (unit !== amountUnit)
    wrongs.push({ code: "mapping_unit", facts: { place, column: amountColumn, unit, amountUnit } });
  return wrongs;
}

function notIn(known: readonly string[], said: readonly string[], place: string): Wrong[] {
  return said.filter((one) => !known.includes(one)).map((one) => unknownKey(place, one, known));
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
