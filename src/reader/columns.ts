import { looksMisspelt, normalizeName, spelledOut } from "../column-name.ts";
import type { AmountUnit, Lookup, Mapping } from "../config/mapping.ts";
import type { OperationRules } from "../config/schema.ts";
import { maskStray } from "../mask.ts";
import { listed, type Fault } from "../messages/sentence.ts";
import { fieldsOf, OPERATIONS, type OperationName } from "../operations/index.ts";
import type { Form } from "../operations/operation.ts";
import { printable } from "../printable.ts";
import type { Cell, Row } from "./row.ts";

/** Columns that have a meaning and are not sent (README §6). */
export const OWN_COLUMNS = ["operation", "reference", "period", "retry_of"] as const;

/** A lookup table in memory: the values of its fields by key; `ambiguous` where one key has two different lines. */
export type LookupTable = ReadonlyMap<string, readonly Cell[] | "ambiguous">;

export interface Source {
  /** Position in the row's cells; -1: every row gets the same value. */
  readonly at: number;
  /** The column's own name, for sentences; the field's name for a constant. */
  readonly column: string;
  /** Makes the field's value of the cell (`""` for a constant), or says why there is none. Missing: the cell as it is. */
  readonly give?: (cell: Cell) => Cell | Fault;
}

/** The plan of one set of columns: which field comes from where. The same for all rows that share `names`. */
export interface Columns {
  readonly names: readonly string[];
  /** By the name of a field of any operation, and `operation`, `reference`, `period`, `retry_of`. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly amountUnit: AmountUnit;
  /** Only of a mapped file: what is wrong with a row beside its fields. Row and column are in the faults. */
  readonly faultsOf?: (row: Row) => readonly Fault[];
}

/** Gives the plan for the columns of a row (`row.columns`); made once for each set. */
export type ColumnPlan = (names: readonly string[]) => Columns;

/**
 * The plan by our own names and nothing else or, with a mapping, by what a person confirmed. `tables`: one for each of
 * the mapping's lookups, in their order.
 */
export function createColumnPlan(mapping?: Mapping, tables: readonly LookupTable[] = []): ColumnPlan {
  const known = new WeakMap<readonly string[], Columns>();
  return (names) => {
    let columns = known.get(names);
    if (!columns) known.set(names, (columns = mapping ? byMapping(names, mapping, tables) : byOurNames(names)));
    return columns;
  };
}

/** Every field of every operation, and our own columns, by how names compare. */
export const OUR_NAMES: ReadonlyMap<string, string> = new Map(
  [...OPERATIONS.flatMap(({ forms }) => forms.flatMap(namesIn)), ...OWN_COLUMNS].map((name) => [
    normalizeName(name),
    name,
  ]),
);

function byOurNames(names: readonly string[]): Columns {
  const sources = new Map<string, Source>();
  names.forEach((column, at) => {
    const field = OUR_NAMES.get(normalizeName(column));
    if (field !== undefined && !sources.has(field)) sources.set(field, { at, column });
  });
  return { names, sources, amountUnit: "rupees" };
}

function byMapping(names: readonly string[], mapping: Mapping, tables: readonly LookupTable[]): Columns {
  const normal = names.map(normalizeName);
  const sources = new Map<string, Source>();
  const add = (field: string, column: string, give?: Source["give"]): void => {
    const at = normal.indexOf(normalizeName(column));
    const translated = translate(give, mapping.values[field]);
    if (at >= 0) sources.set(field, { at, column: names[at] ?? "", ...(translated ? { give: translated } : {}) });
  };
  for (const { column, fields } of mapping.columns) for (const field of fields) add(field, column);
  for (const [field, value] of Object.entries(mapping.constants)) {
    sources.set(field, { at: -1, column: field, give: () => value });
  }
  mapping.lookups.forEach((lookup, index) => {
    Object.keys(lookup.fields).forEach((field, place) => add(field, lookup.by, lookUp(lookup, tables[index], place)));
  });
  add("retry_of", "retry_of");
  return { names, sources, amountUnit: mapping.amountUnit, faultsOf: faultsBeside(names, normal, mapping) };
}

/** `"INR" or an empty cell`. */
function inWords(values: readonly string[]): string {
  const words = values.map((value) => (value === "" ? "an empty cell" : `"${maskStray(value)}"`));
  return listed(words, "or");
}

function translate(give: Source["give"], values: Readonly<Record<string, string>> | undefined): Source["give"] {
  if (!values) return give;
  const known = inWords(Object.keys(values));
  return (cell) => {
    const given = give ? give(cell) : cell;
    if (typeof given === "object" && "code" in given) return given;
    const text = cellWords(given);
    if (Object.hasOwn(values, text)) return values[text] ?? "";
    return text === "" ? "" : { code: "value_not_mapped", facts: { known } };
  };
}

function lookUp({ file }: Lookup, table: LookupTable | undefined, place: number): Source["give"] {
  const name = file.split(/[\\/]/).at(-1) ?? file;
  return (cell) => {
    const key = cellWords(cell);
    if (key === "") return "";
    const found = table?.get(key);
    if (found === undefined) return { code: "lookup_missing", facts: { table: name } };
    if (found === "ambiguous") return { code: "lookup_ambiguous", facts: { table: name } };
    return found[place] ?? "";
  };
}

/** What a mapping's `must_be` does not take, and keys that only this JSON row has: nobody confirmed what they mean. */
function faultsBeside(names: readonly string[], normal: readonly string[], mapping: Mapping) {
  const confirmed = new Set(mapping.header.map(normalizeName));
  const strangers = normal.flatMap((name, at) => (LEFT_OUT.has(name) || confirmed.has(name) ? [] : [names[at] ?? ""]));
  const guards = mapping.mustBe.map(({ column, values }) => {
    return { column, at: normal.indexOf(normalizeName(column)), values, taken: inWords(values) };
  });
  return ({ number: row, cells }: Row): readonly Fault[] => [
    ...guards.flatMap(({ at, column, values, taken }): Fault[] => {
      const text = cellWords(cells[at] ?? "");
      const facts = { taken, found: text === "" ? "empty" : undefined };
      return values.includes(text) ? [] : [{ code: "value_not_taken", row, column, facts }];
    }),
    ...strangers.map((column): Fault => ({ code: "column_not_confirmed", row, column })),
  ];
}

/** Columns that no header of a mapping has: nameless ones and what a retry file adds. Names as `normalizeName` gives them. */
export const LEFT_OUT: ReadonlySet<string> = new Set(["", "retrymessage", "retryof"]);

/** The text by which a cell is looked up and compared: without spaces around it and a spreadsheet's text mark. */
export function cellWords(cell: Cell): string {
  if (typeof cell !== "string") return cell.token === "null" ? "" : cell.source;
  const text = cell.trim();
  // hardly any cell begins so
  if (!text.startsWith("=") && !text.startsWith("'")) return text;
  return /^="([^"]*)"$/.exec(text)?.[1]?.trim() ?? /^'([^'\s](?:[^']*[^'\s])?)$/.exec(text)?.[1] ?? text;
}

function namesIn(form: Form): readonly string[] {
  return fieldsOf(form).map(({ name }) => name);
}

export interface KnownColumn {
  readonly column: string;
  readonly at: number;
  readonly field: string;
  /** Our own name for it, or one that other systems have. */
  readonly by: "name" | "synonym";
  readonly operations: readonly OperationName[];
}

/**
 * Which columns are known, by our names or by synonyms. Where a synonym is one of several fields (`Debit Account`), all
 * columns together say which: the field of the operation that most of them belong to, an account before a UPI id.
 * `operation`: what the rows are, where that is known.
 */
export function knownColumns(names: readonly string[], operation?: OperationName): readonly KnownColumn[] {
  const candidates = names.flatMap((column, at) =>
    meaningsOf(column, operation).map((meaning) => ({ column, at, ...meaning })),
  );
  const strongest = candidates.toSorted((left, right) => strengthOf(right, candidates) - strengthOf(left, candidates));
  return names.flatMap((_, at) => strongest.find((one) => one.at === at) ?? []);
}

/** How many columns belong to the best operation of this one; operations in which money goes out come first. */
function strengthOf({ operations }: KnownColumn, all: readonly KnownColumn[]): number {
  const counts = operations.map((name) => {
    const columns = all.filter((one) => one.operations.includes(name));
    return new Set(columns.map(({ at }) => at)).size - (name === "collection" ? 0.5 : 0);
  });
  return Math.max(...counts);
}

const FIELDS = OPERATIONS.flatMap(({ name: operation, forms }) =>
  forms.flatMap(fieldsOf).map(({ name: field, synonyms: others }) => {
    return { field, operation, normal: normalizeName(field), names: [field, ...others] };
  }),
);

let synonyms: ReadonlyMap<string, typeof FIELDS> | undefined;

/** Worked out for the first column that is none of ours: most files have none, and it takes longer than a small file. */
function bySynonym(column: string): typeof FIELDS {
  synonyms ??= Map.groupBy(
    FIELDS.flatMap((field) => field.names.map((name) => ({ ...field, spelled: spelledOut(name) }))),
    (one) => one.spelled,
  );
  return synonyms.get(spelledOut(column)) ?? [];
}

/** `among`: the name of a field of another operation may well be a synonym in this one. */
function meaningsOf(
  column: string,
  among?: OperationName,
): readonly Pick<KnownColumn, "field" | "by" | "operations">[] {
  const normal = normalizeName(column);
  const isMeant = ({ operation }: { readonly operation: OperationName }): boolean => (among ?? operation) === operation;
  const own = FIELDS.filter((one) => one.normal === normal && isMeant(one));
  const found = own.length > 0 ? own : bySynonym(column).filter(isMeant);
  const by = own.length > 0 ? "name" : "synonym";
  return [...Map.groupBy(found, ({ field }) => field)].map(([field, all]) => {
    return { field, by, operations: [...new Set(all.map(({ operation }) => operation))] };
  });
}

const PEOPLE = ["employee", "employees", "emp", "staff", "personnel", "payroll", "worker", "associate"];
const NUMBERS = ["number", "no", "num", "nr", "id", "idno", "idnumber", "code"];
/** As `spelledOut` gives them, and written together: `empno`. `id` and `no` alone count rows, and are none of these. */
const EMPLOYEE_NUMBERS = new Set(PEOPLE.flatMap((who) => NUMBERS.map((number) => who + number)));
const employeeColumns = new WeakMap<readonly string[], number>();

/** The position of the first column whose name says that it has the user's own numbers of employees; -1: none has. */
export function employeeColumnAt(names: readonly string[]): number {
  const known = employeeColumns.get(names);
  if (known !== undefined) return known;
  const at = names.findIndex((name) => EMPLOYEE_NUMBERS.has(spelledOut(name)));
  employeeColumns.set(names, at);
  return at;
}

export function hasIn(names: readonly string[]): (field: string) => boolean {
  const there = new Set(names.map(normalizeName));
  return (field) => there.has(normalizeName(field));
}

/** Required fields of a form, by themselves or by the rules of its operation, that are not there. */
export function missingFields(form: Form, has: (field: string) => boolean, rules: OperationRules["fields"] = {}) {
  const needed = fieldsOf(form).filter(({ name, required }) => rules[name]?.required ?? required);
  return needed.map(({ name }) => name).filter((name) => !has(name));
}

/** The operations for which columns of our own names hold all required fields of a form. */
export function completeOperations(names: readonly string[]): readonly OperationName[] {
  const has = hasIn(names);
  const complete = OPERATIONS.filter(({ forms }) => forms.some((form) => missingFields(form, has).length === 0));
  return complete.map(({ name }) => name);
}

/** Asks about columns that look like a misspelt field of these operations that the file lacks (README §6). */
export function misspeltColumns(names: readonly string[], operation: OperationName | "mixed", own: readonly string[]) {
  const forms = OPERATIONS.flatMap(({ name, forms: all }) => (operation === "mixed" || operation === name ? all : []));
  const ours = new Set([...OUR_NAMES.keys(), ...own.map(normalizeName)]);
  const has = hasIn(names);
  const absent = [...OWN_COLUMNS, ...forms.flatMap(namesIn)].filter((name) => !has(name));
  return names.flatMap((written): Fault[] => {
    const name = normalizeName(written);
    const meant = ours.has(name) ? undefined : absent.find((field) => looksMisspelt(name, normalizeName(field)));
    if (meant === undefined) return [];
    const column = printable(written, 40);
    return [{ code: "column_misspelt", column, facts: { name: column, meant } }];
  });
}
