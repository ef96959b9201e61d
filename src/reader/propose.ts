import { normalizeName } from "../column-name.ts";
import { fieldsToFill, unitInName, type AmountUnit, type Mapping } from "../config/mapping.ts";
import { OPERATIONS, type OperationName } from "../operations/index.ts";
import type { Form } from "../operations/operation.ts";
import { knownColumns, missingFields } from "./columns.ts";
import type { Template } from "./mapping.ts";

export interface ProposalClues {
  readonly columns: readonly string[];
  /** The first values of each column, without empty ones. */
  readonly values: readonly (readonly string[])[];
  readonly operation?: OperationName | undefined;
  readonly option?: string | undefined;
  /** What a person said: our field → column. */
  readonly set: Readonly<Record<string, string>>;
  readonly constants: Readonly<Record<string, string>>;
  readonly unit?: AmountUnit | undefined;
  readonly template?: Template | undefined;
}

export interface ProposedColumn {
  readonly column: string;
  readonly field: string;
  /** In words, for a person to judge. */
  readonly why: string;
}

/** Which columns could be read as which fields, why, and what only the person can know. */
export interface Proposal extends Pick<Mapping, "constants" | "mustBe" | "lookups"> {
  readonly operation: OperationName;
  readonly form: Form;
  readonly columns: readonly ProposedColumn[];
  readonly unit?: { readonly unit: AmountUnit; readonly why: string } | undefined;
  /** Fields that more than one column may be meant for: none of them is read before somebody says which. */
  readonly unclear: readonly { readonly field: string; readonly columns: readonly string[] }[];
  readonly missing: readonly string[];
}

/**
 * The best proposal of all operations that could be meant; several where they fit equally well. Taking money from payees
 * is the worst mistake of all: a file with any column that is known as a payee's is no collection unless somebody says so.
 */
export function proposeMappings(clues: ProposalClues): readonly Proposal[] {
  const { template, columns } = clues;
  const wanted = clues.operation ?? (template && "payout");
  const option = clues.option ?? template?.option;
  const isPayees = knownColumns(columns).some(({ operations }) => !operations.includes("collection"));
  const meant = OPERATIONS.filter(({ name }) => (wanted ? name === wanted : !isPayees || name !== "collection"));
  const best = meant.flatMap(({ name, forms }) => {
    const fitting = forms.filter((form) => option === undefined || form.option === option);
    const proposals = fitting.map((form) => proposalFor(name, form, clues));
    return proposals.find((one) => fitOf(one) === Math.max(...proposals.map(fitOf))) ?? [];
  });
  return best.filter((one) => fitOf(one) === Math.max(...best.map(fitOf)));
}

/** Required fields that are there count, missing ones count against. An amount alone tells nothing. */
function fitOf({ form, missing }: Proposal): number {
  const required = missingFields(form, () => false);
  const isTold = required.some((field) => field !== "amount" && !missing.includes(field));
  return isTold ? required.length - 2.01 * missing.length : -1000;
}

function proposalFor(operation: OperationName, form: Form, clues: ProposalClues): Proposal {
  const fields = fieldsToFill([form]);
  const said = Object.entries(clues.constants).filter(([field]) => fields.includes(field) && !(field in clues.set));
  const lookups = lookupsFor(form, clues);
  const elsewhere = [...said.map(([field]) => field), ...lookups.flatMap((lookup) => Object.keys(lookup.fields))];
  const open = fields.filter((field) => !elsewhere.includes(field));
  const { columns, unclear } = columnsFor(open, operation, clues);
  const filled = [...elsewhere, ...[...columns, ...unclear].map(({ field }) => field)];
  return {
    ...{ operation, form, columns, unclear, lookups, constants: Object.fromEntries(said) },
    mustBe: guardsFor(clues, [...columns.map(({ column }) => column), ...lookups.map(({ by }) => by)]),
    unit: unitFor(columns, clues),
    missing: missingFields(form, (field) => filled.includes(field)),
  };
}

/** Where a template knows its payees by something else than an account, a table of the user's has to give the fields. */
function lookupsFor({ option }: Form, { template, columns, set, constants }: ProposalClues): Mapping["lookups"] {
  const names = template?.lookupBy?.map(normalizeName) ?? [];
  const by = columns.find((column) => names.includes(normalizeName(column)));
  const fields = ["bene_id", "bene_bank_id"].filter((field) => !(field in set || field in constants));
  if (by === undefined || option !== "A" || fields.length === 0) return [];
  return [{ file: "payees.csv", by, key: by, fields: Object.fromEntries(fields.map((field) => [field, field])) }];
}

/** Finds a column for each field: what the person said, what the template says, what its name says. */
function columnsFor(
  fields: readonly string[],
  operation: OperationName,
  { columns, set, template }: ProposalClues,
): Pick<Proposal, "columns" | "unclear"> {
  const found: ProposedColumn[] = [];
  const unclear: { field: string; columns: readonly string[] }[] = [];
  const known = template ? [] : knownColumns(columns, operation);
  const isSaid = (column: string): boolean => Object.values(set).includes(column);
  for (const field of fields) {
    const same = columns.find((column) => normalizeName(column) === normalizeName(field));
    const published = columns.find((column) => told(template?.columns, column)?.includes(field));
    const candidates = known.filter((one) => one.field === field && !isSaid(one.column));
    // even our own name for the amount has rivals: `Amount` beside `Net Amount`
    const named = field === "amount" ? undefined : candidates.find(({ by }) => by === "name");
    const [only, ...rivals] = named ? [named] : candidates;
    if (set[field] !== undefined) found.push({ column: set[field], field, why: "you said so" });
    else if (published !== undefined) found.push({ column: published, field, why: "the published template" });
    else if (only && rivals.length > 0) unclear.push({ field, columns: candidates.map(({ column }) => column) });
    else if (only) found.push({ column: only.column, field, why: only.by === "name" ? "same name" : SYNONYM });
    // reference and period are fields of no operation
    else if (same !== undefined && !template && !isSaid(same)) found.push({ column: same, field, why: "same name" });
  }
  for (const [field, other] of [["bank_owner_name", "name"] as const, ["name", "bank_owner_name"] as const]) {
    const column = found.find((one) => one.field === other)?.column;
    const isOpen = fields.includes(field) && ![...found, ...unclear].some((one) => one.field === field);
    if (column !== undefined && isOpen) found.push({ column, field, why: "the same person" });
  }
  return { columns: found, unclear };
}

const SYNONYM = "another name for it";

function told<T>(of: Readonly<Record<string, T>> = {}, column: string): T | undefined {
  return Object.entries(of).find(([name]) => normalizeName(name) === normalizeName(column))?.[1];
}

/** The guards of the template, and one on each column of currencies. `used`: read as a field. */
function guardsFor({ template, columns, values }: ProposalClues, used: readonly string[]): Mapping["mustBe"] {
  return columns.flatMap((column, at) => {
    if (used.includes(column)) return [];
    const isCurrency = /^(?:[a-z]*currency|curr|ccy)(?:code)?$/.test(normalizeName(column));
    // a column that is empty throughout says nothing, and may stay empty
    const rupees = isCurrency ? ["INR", ...(values[at]?.length === 0 ? [""] : [])] : undefined;
    const taken = told(template?.mustBe, column) ?? rupees;
    return taken ? [{ column, values: taken }] : [];
  });
}

function unitFor(columns: readonly ProposedColumn[], clues: ProposalClues): Proposal["unit"] {
  const { unit, template } = clues;
  const column = columns.find(({ field }) => field === "amount")?.column;
  if (unit !== undefined) return { unit, why: "you said so" };
  if (template) return { unit: template.amountUnit, why: "the published template" };
  if (column === undefined || otherMeasureIn(column) !== undefined) return undefined;
  const named = unitInName(column);
  if (named !== undefined) return { unit: named, why: "the column says so" };
  const hasDecimals = clues.values[clues.columns.indexOf(column)]?.some((value) => /\.[0-9]{1,2}$/.test(value));
  return hasDecimals ? { unit: "rupees", why: "the values have decimals" } : undefined;
}

const OTHER_MEASURES: ReadonlySet<string> = new Set(
  `$ € £ ¥ usd eur gbp aed sgd jpy dollar dollars euro euros lakh lakhs lac lacs crore crores cr thousand thousands k
   000 000s '000 '000s ’000 ’000s million millions mn mio`.split(/\s+/),
);
const WORD_OF_NAME = /[$€£¥]|['’]?\b000s?\b|\w+/gi;

/** What a column counts that is neither rupees nor paise: `USD`, `lakhs`, `'000`. */
export function otherMeasureIn(column: string): string | undefined {
  const words = column
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .match(WORD_OF_NAME);
  return words?.find((word) => OTHER_MEASURES.has(word.toLowerCase()));
}
