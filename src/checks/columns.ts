import type { FileFault } from "../errors.ts";
import { normalizeName } from "../text/names.ts";
import { missingFields, type Form, type Operation } from "../operations/operation.ts";
import { printable } from "../text/printable.ts";
import { countSlips } from "../text/slips.ts";

/** Columns that have a meaning and are not sent (DESIGN §6). */
const SPECIAL_COLUMNS = ["operation", "reference", "period"] as const;

export interface ColumnOptions {
  /** Every operation that a row of the file may have: one, or all of them in a mixed file. */
  readonly operations: readonly Operation[];
  /** Columns that look like a misspelt field and are the user's own. */
  readonly ownColumns: readonly string[];
  /** A missing column refuses the file. In JSON and in a mixed file it makes only the row invalid. */
  readonly mustBeComplete: boolean;
}

/** Where the fields of a row stand. */
export interface ColumnPlan {
  /** Position of a field or special column by its name in `operations/`. */
  readonly positions: ReadonlyMap<string, number>;
  /** How many columns have a meaning to us; the others are carried through. */
  readonly knownCount: number;
}

/** The position of a field's or special column; -1 where the file has no such column. */
export function positionIn({ positions }: ColumnPlan, name: string): number {
  return positions.get(name) ?? -1;
}

/**
 * Maps the file's own header names to fields. Faults: `column_misspelt` for each name that may be a slip of the
 * keyboard, `column_missing` for the required fields that no column holds.
 */
export function createColumnPlan(
  columns: readonly string[],
  options: ColumnOptions,
): ColumnPlan | readonly FileFault[] {
  const forms = options.operations.flatMap((operation) => operation.forms);
  const meanings = new Map<string, string>();
  for (const name of [...SPECIAL_COLUMNS, ...forms.flatMap(fieldNames)]) meanings.set(normalizeName(name), name);

  const positions = new Map<string, number>();
  const unknown: string[] = [];
  columns.forEach((column, index) => {
    const meaning = meanings.get(normalizeName(column));
    if (meaning === undefined) unknown.push(column);
    else if (!positions.has(meaning)) positions.set(meaning, index);
  });

  const own = new Set(options.ownColumns.map(normalizeName));
  const absent = [...meanings].filter(([, meaning]) => !positions.has(meaning));
  const misspelt = unknown.flatMap((column) => {
    const name = normalizeName(column);
    const meant = own.has(name) ? undefined : absent.find(([normal]) => looksMisspelt(name, normal))?.[1];
    return meant === undefined ? [] : [{ column, meant }];
  });
  const missing = options.mustBeComplete
    ? missingOfNearest(forms, positions).filter((name) => !misspelt.some(({ meant }) => meant === name))
    : [];
  const faults = [...misspelt.map(misspeltFault), ...missingFault(missing, options.operations)];
  return faults.length > 0 ? faults : { positions, knownCount: columns.length - unknown.length };
}

/**
 * What the file lacks of the form that is probably meant: the one with most of its fields for the payee in the file,
 * else with most of its fields.
 */
function missingOfNearest(forms: readonly Form[], positions: ReadonlyMap<string, number>): readonly string[] {
  const has = (name: string): boolean => positions.has(name);
  const lacking = forms.map((form) => ({
    missing: missingFields(form, has),
    payee: form.beneficiaryFields.filter(has).length,
    present: fieldNames(form).filter(has).length,
  }));
  if (lacking.some(({ missing }) => missing.length === 0)) return [];
  lacking.sort(
    (left, right) =>
      right.payee - left.payee || right.present - left.present || left.missing.length - right.missing.length,
  );
  return lacking[0]?.missing ?? [];
}

function fieldNames(form: Form): readonly string[] {
  return form.fields.map((field) => field.name);
}

function misspeltFault({ column, meant }: { column: string; meant: string }): FileFault {
  const shown = printable(column, COLUMN_CHARACTERS_MAX);
  return {
    code: "column_misspelt",
    column: shown,
    message: `the column "${shown}" looks like a misspelt ${meant}, and there is no column ${meant}`,
    hint: `Rename it to ${meant}, or, if it is a column of your own, list it in paydrop.toml: own_columns = ["${shown}"].`,
  };
}

function missingFault(missing: readonly string[], operations: readonly Operation[]): readonly FileFault[] {
  if (missing.length === 0) return [];
  const what = operations.length === 1 ? (operations[0]?.folder ?? "") : "the file";
  const [columns, them] = missing.length === 1 ? ["the column", "it"] : ["the columns", "them"];
  return [
    {
      code: "column_missing",
      message: `${columns} ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing for ${what}`,
      hint: `Add ${them} to the header and fill ${them} in; capitals, spaces, _ and - make no difference. Columns of another system: paydrop map.`,
    },
  ];
}

const COLUMN_CHARACTERS_MAX = 40;

/**
 * Whether a column's name looks like a misspelt field: one slip of the keyboard in a short name, two in a longer one
 * (an extra, missing or wrong letter, or two letters swapped). Both names as `normalizeName` gives them.
 */
export function looksMisspelt(name: string, fieldName: string): boolean {
  const slipsMax = fieldName.length <= SHORT_NAME_CHARACTERS_MAX ? 1 : 2;
  if (Math.abs(name.length - fieldName.length) > slipsMax) return false;
  return countSlips(name, fieldName) <= slipsMax;
}

const SHORT_NAME_CHARACTERS_MAX = 5;
