import { basename } from "node:path";
import { normalizeName } from "../column-name.ts";
import type { Lookup, Mapping } from "../config/mapping.ts";
import type { Config } from "../config/schema.ts";
import { FileRefusedError } from "../errors.ts";
import { isOwnHeader } from "../intake/names.ts";
import { takeSnapshot, type Snapshot } from "../intake/snapshot.ts";
import type { Fault } from "../messages/sentence.ts";
import { OPERATIONS, operationNamed, operationSaid, type OperationName } from "../operations/index.ts";
import { printable, quotedNames } from "../printable.ts";
import { completeOperations, createColumnPlan, hasIn, knownColumns, OUR_NAMES } from "../reader/columns.ts";
import { misspeltColumns, missingFields, type LookupTable } from "../reader/columns.ts";
import { chooseMapping, readLookup } from "../reader/mapping.ts";
import { openTable } from "../reader/open-table.ts";
import type { Reading, Table } from "../reader/row.ts";
import { periodInName, readPeriod } from "./beside.ts";
import { statedControl } from "./control.ts";

/** How a file was read: what the journal keeps of it as JSON (`keptOf`). */
export interface Kept {
  readonly reading: Reading;
  /** Missing: a column `operation` says it row by row. */
  readonly operation?: OperationName | undefined;
  readonly mapping?: Mapping | undefined;
  /** Copies of the mapping's lookup tables, in their order. */
  readonly tables: readonly { readonly sha256: string; readonly fileName: string; readonly reading: Reading }[];
}

/** A file whose operation, columns and statements are known, before its rows are checked. */
export type OpenedFile = Awaited<ReturnType<typeof openFile>>;

/** Opens a snapshot and finds out what it is (README §6). Throws FileRefusedError where a person has to be asked. */
export async function openFile(snapshot: Snapshot, config: Config) {
  const { path, fileName, copy, folder } = snapshot;
  const refused = (...faults: readonly Fault[]): FileRefusedError => new FileRefusedError(fileName, faults);
  const { sheet, encoding } = config;
  const table = await openTable(copy, fileName, { encoding, sheet });
  const columns = table.header ?? (await firstColumns(table));
  if (isOwnHeader(columns)) throw refused({ code: "own_results_file" });
  const mapping = chooseMapping(columns, config.mappings, config.mapping);
  if (mapping && "code" in mapping) throw refused(mapping);
  const found = operationOf(columns, { table, folder, mapping }, config);
  if (typeof found !== "string") throw refused(...found);
  const isEachPeriod = config.period === EACH;
  const period = isEachPeriod ? undefined : statedPeriod(table, fileName, config);
  if (typeof period === "object") throw refused(period);
  const control = await statedControl(path, table.wrapper, config);
  const tables = await Promise.all((mapping?.lookups ?? []).map((lookup) => keepTable(lookup, config)));
  const lines = tables.map((one) => one.lines);
  const operation = found === "mixed" ? undefined : found;
  const plan = createColumnPlan(mapping, lines);
  return { snapshot, table, control, period, isEachPeriod, operation, mapping, tables, plan };
}

/** `--period each`: a person says that the rows are of several periods, each of the one that it states. */
const EACH = "each";

/** Which operation a file is, by the first clue that says it (README §6); else faults that ask. `mixed`: each row says. */
function operationOf(
  columns: readonly string[],
  { table, folder, mapping }: { readonly table: Table; readonly folder: string; readonly mapping: Mapping | undefined },
  settings: Config,
): OperationName | "mixed" | readonly Fault[] {
  const stated = statedOperation(table.wrapper?.operation, folder, settings);
  if (stated && "code" in stated) return [stated];
  if (mapping) {
    const isOther = stated !== undefined && stated.operation !== mapping.operation;
    return isOther ? [mismatch(stated, mapping.operation)] : mapping.operation;
  }
  // each row says its own; one that says another operation than was stated is invalid
  const isMixed = columns.some((name) => normalizeName(name) === "operation");
  const byHeader = stated ? asStated(columns, stated) : byColumns(columns, settings);
  const found = isMixed ? (stated?.operation ?? "mixed") : byHeader;
  if (typeof found !== "string") return "code" in found ? [found] : found;
  // in JSON a missing field makes only the row invalid
  const isTold = !isMixed && table.header !== undefined && found !== "mixed";
  const slips = (): readonly Fault[] => misspeltColumns(columns, found, settings.own_columns);
  const faults = isTold ? faultsOfColumns(columns, found, settings) : slips();
  return faults.length > 0 ? faults : found;
}

/** Columns that look misspelt, and those that are missing, with what may be meant by another name. */
function faultsOfColumns(columns: readonly string[], operation: OperationName, settings: Config): readonly Fault[] {
  const slips = misspeltColumns(columns, operation, settings.own_columns);
  const lacks = lacking(columns, operation, settings);
  const missing = lacks.filter((field) => !slips.some(({ facts }) => facts?.["meant"] === field));
  if (missing.length === 0) return slips;
  const others = knownColumns(columns, operation).filter(
    ({ by, field }) => by === "synonym" && missing.includes(field),
  );
  const maybe = others.map(({ column, field }) => `${quotedNames([column])} may be ${field}`).join(", ");
  const facts = { missing: missing.join(", "), operation, ...(maybe !== "" && { maybe }) };
  return [...slips, { code: "column_missing", facts }];
}

/** `by`: who states it, a fact of the sentence. */
type Stated = { readonly operation: OperationName; readonly by: "flag" | "wrapper" | "folder" };

function statedOperation(wrapper: string | undefined, folder: string, settings: Config): Stated | Fault | undefined {
  if (settings.operation !== undefined) return { operation: settings.operation, by: "flag" };
  const said = wrapper === undefined ? undefined : operationSaid(wrapper);
  if (said) return { operation: said.name, by: "wrapper" };
  if (wrapper !== undefined) return { code: "operation_unknown", facts: { said: printable(wrapper, 40) } };
  const operation = OPERATIONS.find((one) => one.folder === basename(folder).toLowerCase());
  return operation && { operation: operation.name, by: "folder" };
}

/** Asks where the columns are plainly those of another operation than the stated one. */
function asStated(columns: readonly string[], stated: Stated): OperationName | Fault {
  const [other, ...more] = completeOperations(columns);
  if (other === undefined || more.length > 0 || other === stated.operation) return stated.operation;
  return mismatch(stated, other);
}

function mismatch({ operation, by }: Stated, other: OperationName): Fault {
  const said = operationNamed(operation).folder;
  if (other === "collection") return { code: "pay_or_collect", facts: { said } };
  return { code: "operation_mismatch", facts: { by, said, looks: operationNamed(other).folder, other } };
}

/** A complete set of one operation's columns; and never a collection where a column is known as somebody else's. */
function byColumns(columns: readonly string[], config: Config): OperationName | Fault | readonly Fault[] {
  const { own_columns: own } = config;
  const complete = completeOperations(columns);
  const ownNames = new Set(own.map(normalizeName));
  const known = knownColumns(columns).filter(({ column }) => !ownNames.has(normalizeName(column)));
  const others = known.filter(({ operations }) => !operations.includes("collection")).map(({ column }) => column);
  const knownNames = new Set([...OUR_NAMES.keys(), ...ownNames, ...known.map(({ column }) => normalizeName(column))]);
  const strange = columns.filter((column) => !knownNames.has(normalizeName(column)));
  const [only, ...more] = complete;
  if (more.length > 0) return { code: "operation_ambiguous", facts: { looks: complete.join(" or ") } };
  const meant = only && operationNamed(only).meant;
  const speakOf = (all: readonly RegExp[]): boolean => strange.some((one) => all.some((pattern) => pattern.test(one)));
  const isSaid = meant && speakOf(meant.by) && !speakOf(meant.not);
  if (only !== undefined && (!meant || (others.length === 0 && (strange.length === 0 || isSaid)))) return only;
  const beside = others.length > 0 ? others : only === undefined ? [] : strange;
  if (beside.length > 0 && known.some(({ field }) => field === "vpa")) {
    return { code: "pay_or_collect", facts: { columns: quotedNames(beside.slice(0, 4)) } };
  }
  return nearlyComplete(columns, config) ?? { code: "operation_unknown", facts: {} };
}

/** Of columns that are nearly all of one operation's: what they lack, by name. An amount alone tells nothing. */
function nearlyComplete(columns: readonly string[], config: Config): readonly Fault[] | undefined {
  const has = hasIn(columns);
  const near = OPERATIONS.flatMap(({ name, forms }) => {
    const slips = misspeltColumns(columns, name, config.own_columns).map(({ facts }) => facts?.["meant"]);
    const isThere = (field: string): boolean => has(field) || slips.includes(field);
    const told = forms.map((form) => {
      const needed = missingFields(form, () => false);
      const lacks = needed.filter((field) => !isThere(field)).length;
      const isTold = needed.some((field) => field !== "amount" && has(field));
      return { name, lacks, share: isTold ? needed.filter(isThere).length / needed.length : 0 };
    });
    return told.filter(({ lacks, share }) => share > 0.5 || (share === 0.5 && lacks === 1));
  });
  near.sort((one, other) => one.lacks - other.lacks || other.share - one.share);
  const [best] = near;
  return best && faultsOfColumns(columns, best.name, config);
}

/** Required fields that no column holds: of the form whose payee is there, else of the one that has most of its own. */
function lacking(columns: readonly string[], operation: OperationName, { rules }: Config): readonly string[] {
  const has = hasIn(columns);
  const { forms, folder } = operationNamed(operation);
  const payees = new Set(knownColumns(columns, operation).map(({ field }) => field));
  const ofForms = forms.map((form) => {
    return { missing: missingFields(form, has, rules[folder]?.fields), hasPayee: payees.has(form.payee) };
  });
  ofForms.sort((left, right) => left.missing.length - right.missing.length);
  const [nearest] = ofForms;
  const meant = nearest?.missing.length === 0 ? nearest : (ofForms.find(({ hasPayee }) => hasPayee) ?? nearest);
  return meant?.missing ?? [];
}

/** By `--period`, the wrapper, or the file's name when it holds exactly one. */
function statedPeriod(table: Table, fileName: string, config: Config): string | Fault | undefined {
  for (const [by, text = ""] of [["flag", config.period] as const, ["wrapper", table.wrapper?.period] as const]) {
    const said = readPeriod(text);
    if (said === undefined) return { code: "period_unclear", facts: { by, said: printable(text, 40) } };
    if (said !== "") return said;
  }
  return periodInName(fileName);
}

async function firstColumns(table: Table): Promise<readonly string[]> {
  for await (const [row] of table.rows()) if (row) return row.columns;
  return [];
}

/** Copies a lookup table beside the snapshots, so that the file is always read by the same one. */
async function keepTable(lookup: Lookup, config: Config): Promise<Kept["tables"][number] & { lines: LookupTable }> {
  const { copy, fileName, sha256 } = await takeSnapshot(lookup.file, config.state_dir);
  const table = await openTable(copy, fileName, { encoding: config.encoding });
  return { sha256, fileName, reading: table.reading, lines: await readLookup(table, lookup, fileName) };
}

/** How the file was read, so that it is read the same way for its results, whatever the settings say by then. */
export function keptOf({ table, operation, mapping, tables }: OpenedFile): string {
  const copies = tables.map(({ sha256, fileName, reading }) => ({ sha256, fileName, reading }));
  return JSON.stringify({ reading: table.reading, operation, mapping, tables: copies } satisfies Kept);
}
