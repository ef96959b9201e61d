import type { AmountUnit, Lookup, Mapping } from "../../config/mapping.ts";
import { normalizeName } from "../../text/names.ts";
import type { OperationName } from "../../operations/operation.ts";
import { isSynonym, lookOf, NO_AMOUNT } from "./synonyms.ts";
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

/** A field that more than one column may be meant for, by their names. */
export interface UnclearField {
  readonly field: string;
  readonly columns: readonly string[];
}

/**
 * Finds a column for each field. The surest sign goes first: what the person said, what was confirmed or published, the
 * name, the values. `elsewhere`: fields that constants and lookups fill.
 */
export function columnsFor(
  fields: readonly string[],
  elsewhere: ReadonlySet<string>,
  clues: ProposalClues,
): { readonly columns: readonly ProposedColumn[]; readonly unclear: readonly UnclearField[] } {
  const { columns, set } = clues;
  const found: ProposedColumn[] = [];
  const isOpen = (field: string): boolean => !elsewhere.has(field) && !found.some((one) => one.field === field);
  const isFree = (column: string): boolean => !found.some((one) => one.column === column);
  const add = (column: string, field: string, why: string): void => {
    if (fields.includes(field) && isOpen(field)) found.push({ column, field, why });
  };
  for (const [field, column] of Object.entries(set)) add(column, field, "you said so");
  for (const seed of seedsOf(clues)) {
    const column = columns.find((one) => normalizeName(one) === normalizeName(seed.column));
    if (column !== undefined) for (const field of seed.fields) add(column, field, seed.why);
  }
  const known = knownNames(clues);
  // a name that is known from elsewhere means what it means there, and nothing else
  const open = columns.filter((column) => !known.has(normalizeName(column)) && isFree(column));
  const unclear: UnclearField[] = [];
  const isAsked = (field: string): boolean => unclear.some((one) => one.field === field);
  for (const why of [sameName, synonym, valuesLook]) {
    for (const field of fields.filter((one) => isOpen(one) && !isAsked(one))) {
      const rivals = rivalsFor(field, why, open.filter(isFree), clues);
      const column = rivals.length > 1 ? preferred(field, rivals, clues) : rivals[0];
      if (column !== undefined) add(column, field, why(column, field, clues) ?? "");
      else if (rivals.length > 1 && why !== valuesLook) unclear.push({ field, columns: rivals });
    }
  }
  for (const [field, other] of [
    ["bank_owner_name", "name"],
    ["name", "bank_owner_name"],
  ] as const) {
    const column = found.find((one) => one.field === other)?.column;
    if (column !== undefined && isOpen(field) && !isAsked(field)) add(column, field, "the same person");
  }
  return { columns: found, unclear };
}

interface Seed {
  readonly column: string;
  readonly fields: readonly string[];
  readonly why: string;
}

/** Which fields the columns fill in the confirmed mapping nearby, and in the published template. */
function seedsOf({ near, template }: ProposalClues): readonly Seed[] {
  const confirmed = near?.columns.map((one) => ({ ...one, why: `as in the mapping ${near.name}` })) ?? [];
  const published = Object.entries(template?.columns ?? {}).map(([column, fields]) => ({
    ...{ column, fields },
    why: "the published template",
  }));
  return [...confirmed, ...published];
}

/** Names of the columns that were confirmed or published. */
export function knownNames({ near, template }: ProposalClues): ReadonlySet<string> {
  return new Set([...(near?.header ?? []), ...(template?.headers.flat() ?? [])].map(normalizeName));
}

/** The columns that fit a field. Even our own name for the amount has rivals: `Amount` beside `Net Amount`. */
function rivalsFor(field: string, why: Why, free: readonly string[], clues: ProposalClues): readonly string[] {
  const fitting = free.filter((column) => why(column, field, clues) !== undefined);
  if (field !== "amount" || why !== sameName || fitting.length === 0) return fitting;
  return free.filter((column) => isSynonym(column, field));
}

/** Of several columns whose names fit, the one that must be meant: the payee's, or the amount left after deductions. */
function preferred(field: string, rivals: readonly string[], { columns, values }: ProposalClues): string | undefined {
  if (field === "amount") {
    const net = rivals.filter((column) => /^net/i.test(column));
    const isGross = (column: string): boolean => /^(?:gross|salary)/i.test(column);
    return net.length === 1 && rivals.every((column) => column === net[0] || isGross(column)) ? net[0] : undefined;
  }
  const surely = [SURELY[field], field === "ifsc_code" ? /ifsc/i : undefined].map((sure) =>
    sure === undefined ? [] : rivals.filter((column) => sure.test(column)),
  );
  const looking = rivals.filter((column) => lookOf(field, values[columns.indexOf(column)] ?? []) !== undefined);
  return [...surely, looking].find((some) => some.length === 1)?.[0];
}

/** A name of the payee's column, where the payer has one beside it: `Beneficiary Account No` beside `Account No`. */
const PAYEE = /^(?:bene|bnf|payee|credit)/i;
const SURELY: Readonly<Record<string, RegExp>> = {
  bank_acc_num: PAYEE,
  to_account: PAYEE,
  ifsc_code: PAYEE,
  name: PAYEE,
  bank_owner_name: PAYEE,
};

type Why = (column: string, field: string, clues: ProposalClues) => string | undefined;

const sameName: Why = (column, field) => (normalizeName(column) === normalizeName(field) ? "same name" : undefined);

const synonym: Why = (column, field, { columns, values }) => {
  if (!isSynonym(column, field)) return undefined;
  // period and reference tell payments apart: a month without its year does not, nor does a number that comes again
  const there = values[columns.indexOf(column)] ?? [];
  if (field === "period" && !there.every((value) => /^\d{4}-\d{2}(?:-\d{2})?$/.test(value))) return undefined;
  if (field === "reference" && new Set(there).size < there.length) return undefined;
  const isPayee = field === "bank_acc_num" || field === "to_account";
  return `another name for it${isPayee ? ": the payee's, not yours?" : ""}`;
};

const valuesLook: Why = (column, field, { columns, values }) => {
  if (field === "amount" && NO_AMOUNT.test(column)) return undefined;
  const like = lookOf(field, values[columns.indexOf(column)] ?? []);
  return like === undefined ? undefined : `each value looks like ${like}`;
};
