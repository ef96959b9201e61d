import { basename } from "node:path";
import { normalizeName } from "../column-name.ts";
import type { Config } from "../config/schema.ts";
import type { Mapping } from "../config/mapping.ts";
import type { Fault } from "../messages/sentence.ts";
import { fieldsOf, OPERATIONS, operationNamed, operationSaid, type OperationName } from "../operations/index.ts";
import { printable, quotedNames } from "../printable.ts";
import { completeOperations, knownColumns, misspeltColumns } from "../reader/columns.ts";

/** What of a file may say its operation. `isTable`: in JSON a missing field makes only the row invalid. */
interface OperationClues {
  /** `operation` of the JSON wrapper, as written. */
  readonly wrapper: string | undefined;
  readonly folder: string;
  /** The header, or the keys of the first JSON row. */
  readonly columns: readonly string[];
  readonly mapping: Mapping | undefined;
  readonly isTable: boolean;
}

type Settings = Pick<Config, "operation" | "own_columns" | "rules">;

/** Which operation a file is, by the first clue that says it (DESIGN §6); else faults that ask. `mixed`: each row says. */
export function operationOf(clues: OperationClues, settings: Settings): OperationName | "mixed" | readonly Fault[] {
  const { columns, mapping, isTable } = clues;
  const stated = statedOperation(clues, settings);
  if (stated && "code" in stated) return [stated];
  if (mapping) {
    const isOther = stated !== undefined && stated.operation !== mapping.operation;
    return isOther ? [mismatch(stated, mapping.operation)] : mapping.operation;
  }
  // each row says its own; one that says another operation than was stated is invalid
  const isMixed = columns.some((name) => normalizeName(name) === "operation");
  const byHeader = stated ? asStated(columns, stated) : byColumns(columns, settings);
  const found = isMixed ? (stated?.operation ?? "mixed") : byHeader;
  if (typeof found !== "string") return [found];
  const slips = misspelt(columns, found, settings);
  const lacks = isMixed || !isTable || found === "mixed" ? [] : lacking(columns, found, settings);
  const missing = lacks.filter((field) => !slips.some(({ facts }) => facts?.["meant"] === field));
  const facts = { missing: missing.join(", "), operation: found };
  const faults = missing.length > 0 ? [...slips, { code: "column_missing", facts }] : slips;
  return faults.length > 0 ? faults : found;
}

interface Stated {
  readonly operation: OperationName;
  /** Who states it: a fact of the sentence. */
  readonly by: "flag" | "wrapper" | "folder";
}

function statedOperation({ wrapper, folder }: OperationClues, settings: Settings): Stated | Fault | undefined {
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
function byColumns(columns: readonly string[], { own_columns: own }: Settings): OperationName | Fault {
  const complete = completeOperations(columns);
  const ownNames = new Set(own.map(normalizeName));
  const known = knownColumns(columns).filter(({ column }) => !ownNames.has(normalizeName(column)));
  const others = known.filter(({ operations }) => !operations.includes("collection")).map(({ column }) => column);
  const [only, ...more] = complete;
  if (more.length > 0) return { code: "operation_ambiguous", facts: { looks: complete.join(" or ") } };
  if (only !== undefined && (only !== "collection" || others.length === 0)) return only;
  if (others.length > 0 && known.some(({ field }) => field === "vpa")) {
    return { code: "pay_or_collect", facts: { columns: quotedNames(others.slice(0, 4)) } };
  }
  return { code: "operation_unknown", facts: {} };
}

/** Required fields, by the operation or the settings, that no column holds: of the form that has most of its own. */
function lacking(columns: readonly string[], operation: OperationName, { rules }: Settings): readonly string[] {
  const there = new Set(columns.map(normalizeName));
  const { forms, folder } = operationNamed(operation);
  const ofForms = forms.map((form) => {
    const needed = fieldsOf(form).filter(({ name, required }) => rules[folder]?.fields[name]?.required ?? required);
    const missing = needed.map(({ name }) => name).filter((name) => !there.has(normalizeName(name)));
    return { missing, hasPayee: there.has(normalizeName(form.payee)) };
  });
  ofForms.sort((left, right) => left.missing.length - right.missing.length);
  const [nearest] = ofForms;
  const meant = nearest?.missing.length === 0 ? nearest : (ofForms.find(({ hasPayee }) => hasPayee) ?? nearest);
  return meant?.missing ?? [];
}

/** Columns that look like a misspelt field: a question (DESIGN §6). */
export function misspelt(
  columns: readonly string[],
  operation: OperationName | "mixed",
  { own_columns: own }: Pick<Settings, "own_columns">,
): readonly Fault[] {
  const names = operation === "mixed" ? OPERATIONS.map(({ name }) => name) : [operation];
  return misspeltColumns(columns, names, own).map(({ column, meant }) => {
    const name = printable(column, 40);
    return { code: "column_misspelt", column: name, facts: { name, meant } };
  });
}
