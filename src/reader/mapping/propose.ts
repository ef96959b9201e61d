import { unitInName } from "../../config/mapping-rules.ts";
import type { AmountUnit, Lookup, Mapping } from "../../config/mapping.ts";
import { normalizeName } from "../../names.ts";
import { OPERATIONS } from "../../operations/catalogue.ts";
import { missingFields, type Form, type OperationName } from "../../operations/operation.ts";
import { isSynonym, lookOf } from "./synonyms.ts";
import type { Template } from "./templates.ts";

/** Everything that a proposal is made of. */
export interface ProposalClues {
  readonly columns: readonly string[];
  /** The first values of each column, without empty ones. */
  readonly values: readonly (readonly string[])[];
  readonly operation?: OperationName;
  readonly option?: string;
  /** What a person said: our field → column. */
  readonly set: Readonly<Record<string, string>>;
  readonly constants: Readonly<Record<string, string>>;
  readonly unit?: AmountUnit;
  readonly lookups: readonly Lookup[];
  readonly template?: Template;
  /** A mapping of nearly the same columns. */
  readonly near?: Mapping;
}

export interface ProposedColumn {
  readonly column: string;
  readonly field: string;
  /** In words, for a person to judge. */
  readonly why: string;
}

/** What could be read as what, why, and what nobody can know but the person. */
export interface Proposal extends Pick<Mapping, "constants" | "values" | "mustBe" | "lookups"> {
  readonly operation: OperationName;
  readonly form: Form;
  readonly columns: readonly ProposedColumn[];
  readonly unit?: { readonly unit: AmountUnit; readonly why: string };
  /** Required fields that nothing gives. */
  readonly missing: readonly string[];
}

/** The best proposal of each operation that could be meant: one, unless several would fit as well. */
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
 * Required fields that are there count for an operation, those that are not count against it. An amount alone tells
 * nothing: else every file of payments that we know no word of would be one of collections, which lack the fewest.
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
  const columns = columnsFor(fields, elsewhere, clues);
  const filled = new Set([...elsewhere, ...columns.map(({ field }) => field)]);
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
    missing: missingFields(form, (field) => filled.has(field)),
  };
}

function pick<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)));
}

/** What says most goes first: the person, what was confirmed or published, the name, the values. */
function columnsFor(fields: readonly string[], elsewhere: ReadonlySet<string>, clues: ProposalClues): ProposedColumn[] {
  const { columns, set, template, near } = clues;
  const found: ProposedColumn[] = [];
  const isOpen = (field: string): boolean => !elsewhere.has(field) && !found.some((one) => one.field === field);
  const isFree = (column: string): boolean => !found.some((one) => one.column === column);
  const add = (column: string, field: string, why: string): void => {
    if (fields.includes(field) && isOpen(field)) found.push({ column, field, why });
  };
  for (const [field, column] of Object.entries(set)) add(column, field, "you said so");
  const seeds = [
    ...(near?.columns ?? []).map((one) => ({ ...one, why: `as in the mapping ${near?.name ?? ""}` })),
    ...Object.entries(template?.columns ?? {}).map(([column, to]) => ({
      column,
      fields: to,
      why: "the published template",
    })),
  ];
  for (const seed of seeds) {
    const column = columns.find((one) => normalizeName(one) === normalizeName(seed.column));
    if (column !== undefined) for (const field of seed.fields) add(column, field, seed.why);
  }
  const known = new Set([...(near?.header ?? []), ...(template?.headers.flat() ?? [])].map(normalizeName));
  // a name that is known from elsewhere means what it means there, and nothing else
  const open = columns.filter((column) => !known.has(normalizeName(column)) && isFree(column));
  for (const why of [sameName, synonym, valuesLook]) {
    for (const field of fields.filter(isOpen)) {
      const fitting = open.filter((column) => isFree(column) && why(column, field, clues) !== undefined);
      const [column] = fitting;
      // two that look alike are the person's to tell apart
      if (column === undefined || (fitting.length > 1 && why === valuesLook)) continue;
      add(column, field, why(column, field, clues) ?? "");
    }
  }
  for (const [field, other] of [
    ["bank_owner_name", "name"],
    ["name", "bank_owner_name"],
  ] as const) {
    const column = found.find((one) => one.field === other)?.column;
    if (column !== undefined && isOpen(field)) add(column, field, "the same person");
  }
  return found;
}

type Why = (column: string, field: string, clues: ProposalClues) => string | undefined;

const sameName: Why = (column, field) => (normalizeName(column) === normalizeName(field) ? "same name" : undefined);

const synonym: Why = (column, field, { columns, values }) => {
  if (!isSynonym(column, field)) return undefined;
  // both tell payments from each other: neither a month without its year nor a number that comes back does
  const there = values[columns.indexOf(column)] ?? [];
  if (field === "period" && !there.every((value) => /^\d{4}-\d{2}(?:-\d{2})?$/.test(value))) return undefined;
  if (field === "reference" && new Set(there).size < there.length) return undefined;
  const isPayee = field === "bank_acc_num" || field === "to_account";
  return `another name for it${isPayee ? ": the payee's, not yours?" : ""}`;
};

const valuesLook: Why = (column, field, { columns, values }) => {
  const like = lookOf(field, values[columns.indexOf(column)] ?? []);
  return like === undefined ? undefined : `each value looks like ${like}`;
};

/** Guards of a template, but not on what a person gave a meaning to. */
function guardsFor(
  clues: ProposalClues,
  columns: readonly ProposedColumn[],
  lookups: readonly Lookup[],
): Mapping["mustBe"] {
  const used = new Set([...columns.map(({ column }) => column), ...lookups.map(({ by }) => by)].map(normalizeName));
  const published = Object.entries(clues.template?.mustBe ?? {}).map(([column, values]) => ({ column, values }));
  const guards = clues.near?.mustBe ?? published;
  return guards.flatMap(({ column, values }) => {
    const there = clues.columns.find((one) => normalizeName(one) === normalizeName(column));
    return there === undefined || used.has(normalizeName(there)) ? [] : [{ column: there, values }];
  });
}

function unitFor(columns: readonly ProposedColumn[], clues: ProposalClues): Proposal["unit"] {
  const column = columns.find(({ field }) => field === "amount")?.column;
  if (clues.unit !== undefined) return { unit: clues.unit, why: "you said so" };
  if (clues.near) return { unit: clues.near.amountUnit, why: `as in the mapping ${clues.near.name}` };
  if (clues.template) return { unit: clues.template.amountUnit, why: "the published template" };
  if (column === undefined) return undefined;
  const named = unitInName(column);
  if (named !== undefined) return { unit: named, why: "the column says so" };
  const values = clues.values[clues.columns.indexOf(column)] ?? [];
  const hasDecimals = values.some((value) => /\.[0-9]{1,2}$/.test(value));
  return hasDecimals ? { unit: "rupees", why: "the values have decimals" } : undefined;
}
