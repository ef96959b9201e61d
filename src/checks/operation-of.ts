import { basename, dirname } from "node:path";
import { listed } from "../text/counted.ts";
import type { FileFault } from "../errors.ts";
import { normalizeName } from "../text/names.ts";
import { OPERATIONS, OPERATION_NAMES, operationNamed, operationSaid } from "../operations/catalogue.ts";
import { missingFields, type Operation, type OperationName } from "../operations/operation.ts";
import { printable } from "../text/printable.ts";
import { columnsThatPay, hasTellingColumn, paysRather } from "./money-direction.ts";

/** Everything that may say which operation a file is. */
export interface OperationClues {
  /** `--operation`, or the configuration. */
  readonly operation?: OperationName;
  /** `operation` of the JSON wrapper, as written. */
  readonly wrapperOperation?: string;
  /** The path of the file: its folder may be named after an operation. */
  readonly filePath: string;
  /** The header, or the keys of the first JSON row. */
  readonly columns: readonly string[];
  /** Columns that are the user's own, whatever they are called: they tell nothing. */
  readonly ownColumns?: readonly string[];
  /** The column mapping that the file is read by. */
  readonly mapping?: { readonly name: string; readonly operation: OperationName };
  /** Where all rows of the file correct earlier ones: their operation, which a person has answered for already. */
  readonly corrects?: OperationName;
}

/** `operation` is undefined only where a mixed file states none for all of its rows. */
export interface FileOperation {
  readonly operation?: Operation;
  /** A column `operation` says it row by row. */
  readonly mixed: boolean;
}

/** Which operation a file is, by the first clue that says it (DESIGN §6); otherwise a fault that asks. */
export function operationOf(clues: OperationClues): FileOperation | FileFault {
  const names = new Set(clues.columns.map(normalizeName));
  const mixed = names.has("operation");
  const has = (field: string): boolean => names.has(normalizeName(field));
  const own = new Set(clues.ownColumns?.map(normalizeName));
  const tells = (field: string): boolean => has(field) && !own.has(normalizeName(field));
  const stated = statedOperation(clues);
  if (stated && "code" in stated) return stated;
  if (clues.mapping) return ofMapping(clues.mapping, stated);
  if (mixed) return { ...(stated ? { operation: stated.operation } : {}), mixed };
  if (!stated) return operationOfColumns(has, tells, clues.corrects);
  const isAnswered = stated.operation.name === clues.corrects;
  const asked = mismatch(stated, has) ?? (isAnswered ? undefined : otherDirection(stated, tells));
  return asked ?? { operation: stated.operation, mixed };
}

/** The operation that somebody states for a whole file, whatever its columns tell. */
export function operationStated(clues: Omit<OperationClues, "columns">): OperationName | undefined {
  const stated = statedOperation(clues);
  return stated && "operation" in stated ? stated.operation.name : undefined;
}

/** The operations for which these columns have all required fields of a form. */
export function operationsComplete(columns: readonly string[]): readonly OperationName[] {
  const names = new Set(columns.map(normalizeName));
  const has = (field: string): boolean => names.has(normalizeName(field));
  return OPERATIONS.filter((operation) => isComplete(operation, has)).map((operation) => operation.name);
}

function ofMapping(
  mapping: NonNullable<OperationClues["mapping"]>,
  stated: Stated | undefined,
): FileOperation | FileFault {
  const operation = operationNamed(mapping.operation);
  if (!stated || stated.operation === operation) return { operation, mixed: false };
  return {
    code: "operation_mismatch",
    message: `the mapping ${mapping.name} is for ${operation.folder}; ${stated.saying}`,
    hint: `Move the file to the folder ${operation.folder}, or correct the mapping in paydrop.toml.`,
  };
}

interface Stated {
  readonly operation: Operation;
  /** Who states it, in words: `--operation says payouts`. */
  readonly saying: string;
  /** It is stated for everything that lies in a folder, not for this file. */
  readonly byFolder?: true;
}

function statedOperation(clues: Omit<OperationClues, "columns">): Stated | FileFault | undefined {
  if (clues.operation !== undefined) {
    const operation = operationNamed(clues.operation);
    return { operation, saying: `--operation says ${operation.folder}` };
  }
  if (clues.wrapperOperation !== undefined) {
    const operation = operationSaid(clues.wrapperOperation);
    if (operation) return { operation, saying: `"operation" in the file says ${operation.folder}` };
    return unknownOperation(`"operation" in the file says "${printable(clues.wrapperOperation, 40)}"`);
  }
  const folder = basename(dirname(clues.filePath));
  const operation = OPERATIONS.find((one) => one.folder === folder.toLowerCase());
  return operation && { operation, saying: `the folder is for ${operation.folder}`, byFolder: true };
}

type Has = (field: string) => boolean;

/** The fault where the columns are plainly those of another operation than the stated one. */
function mismatch(stated: Stated, has: Has): FileFault | undefined {
  if (isComplete(stated.operation, has)) return undefined;
  const others = OPERATIONS.filter((operation) => operation !== stated.operation);
  const complete = others.filter((operation) => isComplete(operation, has));
  const telling = hasTellingColumn(stated.operation, has) ? [] : others.filter((one) => hasTellingColumn(one, has));
  const looksLike = complete.length > 0 ? complete : telling;
  const [other] = looksLike;
  if (!other || looksLike.length > 1) return undefined;
  return {
    code: "operation_mismatch",
    message: `these columns look like ${other.folder}; ${stated.saying}`,
    hint: `Move the file to the folder ${other.folder}, or state its operation with --operation ${other.name}.`,
  };
}

/** The fault where a file may be in a folder by mistake, and would take money from people who wait for money. */
function otherDirection({ operation, byFolder }: Stated, tells: Has): FileFault | undefined {
  const [other] = byFolder ? paysRather(operation, tells) : [];
  if (!other) return undefined;
  const columns = columnsThatPay(other, tells);
  return {
    code: "operation_mismatch",
    message: `the folder is for ${operation.folder}, which take money from people; the columns ${listed(columns, "and")} look like ${other.folder}`,
    hint: `To pay them move the file to the folder ${other.folder}. To collect from them state it with --operation ${operation.name}, or list these columns in paydrop.toml: own_columns = [${columns.map((name) => `"${name}"`).join(", ")}].`,
  };
}

function operationOfColumns(has: Has, tells: Has, corrects?: OperationName): FileOperation | FileFault {
  const complete = OPERATIONS.filter((operation) => isComplete(operation, has));
  const fitting = complete.length > 0 ? complete : OPERATIONS.filter((one) => hasTellingColumn(one, has));
  const [first] = fitting;
  const candidates = first && fitting.length === 1 ? [...paysRather(first, tells), first] : fitting;
  const [operation] = candidates;
  if (!operation) return unknownOperation("no column tells which operation the file is", FROM_ELSEWHERE);
  if (candidates.length === 1) return { operation, mixed: false };
  const answered = candidates.find(({ name }) => name === corrects);
  if (answered) return { operation: answered, mixed: false };
  return {
    code: "operation_ambiguous",
    message: `these columns could be ${candidates.map((one) => one.folder).join(" or ")}`,
    hint: `Move the file to the folder ${candidates.map((one) => one.folder).join(" or ")}, or state it with ${candidates.map((one) => `--operation ${one.name}`).join(" or ")}.`,
  };
}

/** Whether every required column of one form is there. */
function isComplete(operation: Operation, has: Has): boolean {
  return operation.forms.some((form) => missingFields(form, has).length === 0);
}

const FROM_ELSEWHERE = " A file of another system: confirm once how its columns are read, with paydrop map.";

function unknownOperation(found: string, more = ""): FileFault {
  const folders = listed(
    OPERATIONS.map((operation) => operation.folder),
    "or",
  );
  const flags = OPERATION_NAMES.join(", ");
  return {
    code: "operation_unknown",
    message: found,
    hint: `Put the file into a folder named ${folders}, or state it with --operation (${flags}).${more}`,
  };
}
