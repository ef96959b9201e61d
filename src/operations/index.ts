import type * as z from "zod/mini";
import { collections } from "./collections.ts";
import { loans } from "./loans.ts";
import { FIELD_FACTS, type FieldFacts, type Form, type Operation } from "./operation.ts";
import { payouts } from "./payouts.ts";
import { assertSound } from "./sound.ts";
import { transfers } from "./transfers.ts";

/** Every operation, in the order of §1: the one place that names them. */
const ALL = [payouts, transfers, loans, collections] as const;

export type OperationName = (typeof ALL)[number]["name"];

assertSound(ALL);

export const OPERATIONS: readonly Operation<OperationName>[] = ALL;
export const OPERATION_NAMES: readonly OperationName[] = OPERATIONS.map(({ name }) => name);
export const OPERATION_FOLDERS: readonly string[] = OPERATIONS.map(({ folder }) => folder);

/** The client's methods and the requests that they take, from the same list. */
export type AnyOperation = (typeof ALL)[number];

export function operationNamed(name: OperationName): Operation<OperationName> {
  const found = OPERATIONS.find((operation) => operation.name === name);
  if (!found) throw new Error(`no operation is named ${name}`);
  return found;
}

/** The operation that people mean by `payout`, `Payouts`, `collections` …, in a flag, a column or a folder name. */
export function operationSaid(said: string): Operation<OperationName> | undefined {
  const name = said.trim().toLowerCase();
  return OPERATIONS.find((operation) => name === operation.name || name === operation.folder);
}

/** One field of a form, as its schema and registered facts say. */
export interface Field extends FieldFacts {
  readonly name: string;
  /** Missing or empty makes the row invalid, unless a rule says otherwise. §2.6 shows none: it is paydrop's choice. */
  readonly required: boolean;
  /** Sent when the cell is empty or the column is missing. */
  readonly default?: string;
}

const FIELDS = new WeakMap<Form, readonly Field[]>();

export function fieldsOf(form: Form): readonly Field[] {
  const known = FIELDS.get(form);
  if (known) return known;
  const fields = Object.entries(form.schema.shape).map(([name, schema]) => fieldOf(name, schema));
  FIELDS.set(form, fields);
  return fields;
}

function fieldOf(name: string, schema: z.core.$ZodType): Field {
  const { def } = schema._zod as { def: { type: string; innerType?: z.core.$ZodType; defaultValue?: unknown } };
  const facts = FIELD_FACTS.get(def.innerType ?? schema);
  if (!facts) throw new Error(`the field ${name} has no facts`);
  const given = def.type === "default" ? { default: String(def.defaultValue) } : {};
  return { ...facts, name, required: def.type !== "optional" && def.type !== "default", ...given };
}

/** `payout, option B`; `mixed`. `ofFile`: the operation of the whole file, where no row is valid. */
export function labelOf(
  found: readonly { readonly operation: string; readonly option?: string | undefined }[],
  ofFile?: string,
): string {
  const [first] = found;
  if (!first) return ofFile ?? "no valid row";
  if (found.some(({ operation }) => operation !== first.operation)) return "mixed";
  const options = [...new Set(found.flatMap(({ option }) => option ?? []))].sort();
  return options.length === 0 ? first.operation : `${first.operation}, option ${options.join(" and ")}`;
}
