import { unitInName } from "../../config/mapping-rules.ts";
import type { AmountUnit, Lookup, Mapping } from "../../config/mapping.ts";
import { isRupee, otherCurrencyIn } from "../../currency.ts";
import { normalizeName } from "../../text/names.ts";
import { OPERATIONS } from "../../operations/catalogue.ts";
import { missingFields, type Form, type OperationName } from "../../operations/operation.ts";
import {
  columnsFor,
  knownNames,
  type ProposalClues,
  type ProposedColumn,
  type UnclearField,
} from "./propose-columns.ts";

/** Which columns could be read as which fields, why, and what only the person can know. */
export interface Proposal extends Pick<Mapping, "constants" | "values" | "mustBe" | "lookups"> {
  readonly operation: OperationName;
  readonly form: Form;
  readonly columns: readonly ProposedColumn[];
  readonly unit?: { readonly unit: AmountUnit; readonly why: string };
  /** Fields of which more than one column may be meant: none of them is read before somebody says which. */
  readonly unclear: readonly UnclearField[];
  /** Required fields that no column, constant or lookup fills, and that are not in `unclear`. */
  readonly missing: readonly string[];
}

/** The best proposal of all operations that could be meant; several where they fit equally well. */
export function proposeMappings(clues: ProposalClues): readonly Proposal[] {
  const { near, template } = clues;
  const wanted = clues.operation ?? near?.operation ?? template?.operation;
  const option = clues.option ?? near?.option ?? template?.option;
  const best = OPERATIONS.filter(({ name }) => wanted === undefined || name === wanted).map(({ name, forms }) => {
    const known = forms.filter(
      (form) => option === undefined || form.option === (clues.option ?? (form.option && option)),
    );
    return known.map((form) => proposalFor(name, form, clues)).sort(byFit)[0];
  });
  const all = best.filter((proposal) => proposal !== undefined).sort(byFit);
  return all.filter((proposal) => all[0] && byFit(all[0], proposal) === 0);
}

/**
 * Required fields that are there count for an operation, missing ones count against it. An amount alone tells nothing:
 * else every file of payments with unknown columns would be taken for collections, which require the fewest fields.
 */
function byFit(left: Proposal, right: Proposal): number {
  if (!isTold(left) || !isTold(right)) return Number(isTold(right)) - Number(isTold(left));
  return fitOf(right) - fitOf(left) || left.missing.length - right.missing.length;
}

function isTold({ form, missing }: Proposal): boolean {
  return missingFields(form, (field) => field === "amount" || missing.includes(field)).length > 0;
}

function fitOf({ form, missing }: Proposal): number {
  return missingFields(form, () => false).length - 2 * missing.length;
}

function proposalFor(operation: OperationName, form: Form, clues: ProposalClues): Proposal {
  const { near } = clues;
  const lookups = clues.lookups.length > 0 ? clues.lookups : (near?.lookups ?? []);
  const fields = [...form.fields.map(({ name }) => name), "reference", "period"];
  const unset = fields.filter((field) => !(field in clues.set));
  const constants = pick({ ...near?.constants, ...clues.constants }, unset);
  const elsewhere = new Set([...Object.keys(constants), ...lookups.flatMap((lookup) => Object.keys(lookup.fields))]);
  const { columns, unclear } = columnsFor(fields, elsewhere, clues);
  const filled = new Set([...elsewhere, ...columns.map(({ field }) => field)]);
  const isThere = (field: string): boolean => filled.has(field) || unclear.some((one) => one.field === field);
  const unit = unitFor(columns, clues);
  return {
    operation,
    form,
    columns,
    constants,
    lookups,
    values: pick(near?.values ?? {}, [...filled]),
    mustBe: guardsFor(clues, columns, lookups),
    ...(unit ? { unit } : {}),
    unclear,
    missing: missingFields(form, isThere),
  };
}

function pick<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)));
}

/**
 * The guards of the mapping nearby or of the template, and one on each column of currencies, so that no other currency
 * is taken for rupees. A column that is read as a field, or looked up by, has no guard.
 */
function guardsFor(
  clues: ProposalClues,
  columns: readonly ProposedColumn[],
  lookups: readonly Lookup[],
): Mapping["mustBe"] {
  const used = new Set([...columns.map(({ column }) => column), ...lookups.map(({ by }) => by)].map(normalizeName));
  const published = Object.entries(clues.template?.mustBe ?? {}).map(([column, values]) => ({ column, values }));
  const known = knownNames(clues);
  const currencies = clues.columns.filter((column) => isCurrency(column) && !known.has(normalizeName(column)));
  const guards = [
    ...(clues.near?.mustBe ?? published),
    ...currencies.map((column) => ({ column, values: rupeesIn(clues.values[clues.columns.indexOf(column)] ?? []) })),
  ];
  return guards.flatMap(({ column, values }) => {
    const there = clues.columns.find((one) => normalizeName(one) === normalizeName(column));
    return there === undefined || used.has(normalizeName(there)) ? [] : [{ column: there, values }];
  });
}

/** Whether a column is one such as `Currency`, `Payment Currency`, `CCY Code`. */
function isCurrency(column: string): boolean {
  return /^(?:[a-z]*currency|curr|ccy)(?:code)?$/.test(normalizeName(column));
}

/** How this file writes rupees; a column that is empty throughout says nothing, so that it may stay empty. */
function rupeesIn(values: readonly string[]): readonly string[] {
  return [...new Set(["INR", ...values.filter(isRupee), ...(values.length === 0 ? [""] : [])])];
}

function unitFor(columns: readonly ProposedColumn[], clues: ProposalClues): Proposal["unit"] {
  const column = columns.find(({ field }) => field === "amount")?.column;
  if (clues.unit !== undefined) return { unit: clues.unit, why: "you said so" };
  if (clues.near) return { unit: clues.near.amountUnit, why: `as in the mapping ${clues.near.name}` };
  if (clues.template) return { unit: clues.template.amountUnit, why: "the published template" };
  if (column === undefined || otherMeasureIn(column) !== undefined) return undefined;
  const named = unitInName(column);
  if (named !== undefined) return { unit: named, why: "the column says so" };
  const values = clues.values[clues.columns.indexOf(column)] ?? [];
  const hasDecimals = values.some((value) => /\.[0-9]{1,2}$/.test(value));
  return hasDecimals ? { unit: "rupees", why: "the values have decimals" } : undefined;
}

/** What a column counts that is neither rupees nor paise: `USD`, `lakhs`, `'000`. */
export function otherMeasureIn(column: string): string | undefined {
  const words = column.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_-]/g, " ");
  return otherCurrencyIn(words) ?? SCALE.exec(words)?.[0];
}

const SCALE = /\b(?:lakhs?|lacs?|crores?|cr|thousands?|k|millions?|mn|mio)\b|['’]?\b000s?\b/i;
