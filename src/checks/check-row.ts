import { wireAmount } from "./cells/amount-unit.ts";
import { FileRefusedError } from "../errors.ts";
import { isTable, type FileFormat } from "../format.ts";
import { withoutTextMark } from "../text/spreadsheet-text.ts";
import { normalizeName } from "../text/names.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import type { Operation } from "../operations/operation.ts";
import { printable } from "../text/printable.ts";
import type { Row } from "../reader/row.ts";
import { cellText } from "./cells/cell.ts";
import { checkFields } from "./check-fields.ts";
import { createColumnPlan, positionIn, type ColumnPlan } from "./columns.ts";
import { compileForm, type CheckChoices, type CompiledForm } from "./compile.ts";
import { faultOfRow, faultsOfOthers } from "./fault-of.ts";
import type { Fault } from "./fault.ts";
import { formOfRow, formsInFile, operationOfRow, type FormInFile } from "./cells/form-of.ts";
import { isHeaderAgain } from "./header-again.ts";
import type { CheckedRow } from "./instruction.ts";
import { operationByRules, type KnownValues } from "./rules.ts";
import { amountReaderOf, type ReadAmount } from "./cells/group-digits.ts";
import { readableAmount } from "./cells/read-number.ts";
import { totalsFinder, type FindTotals } from "./whole-row.ts";

export interface CheckerOptions {
  /** The name for the message, where the file is refused for its columns. */
  readonly fileName: string;
  readonly format: FileFormat;
  /** Where a table's header stands, if not in row 1. */
  readonly headerRow?: number | undefined;
  /** The file's operation; undefined only where a column `operation` says it row by row. */
  readonly operation?: Operation;
  readonly choices: CheckChoices;
  /** Example rows of our templates may go. */
  readonly sandbox: boolean;
  /** The values in the lists of the rules. */
  readonly known?: KnownValues;
}

export interface Checker {
  /**
   * Every row as an instruction or with all its faults, in order. Throws FileRefusedError where the columns cannot be
   * taken, and where a table with other columns begins in the rows.
   */
  check(rows: readonly Row[]): CheckedRow[];
}

type CheckRow = (row: Row) => CheckedRow;

/** Rows to instructions or faults. What depends on the columns alone is worked out once per set of columns. */
export function createChecker(options: CheckerOptions): Checker {
  const known = new WeakMap<readonly string[], CheckRow>();
  let columns: readonly string[] | undefined;
  let checkRow: CheckRow | undefined;
  return {
    check: (rows) =>
      rows.map((row) => {
        if (!checkRow || row.columns !== columns) {
          columns = row.columns;
          checkRow = known.get(columns) ?? createRowCheck(row, options);
          known.set(columns, checkRow);
        }
        return checkRow(row);
      }),
  };
}

function createRowCheck(first: Row, options: CheckerOptions): CheckRow {
  const hasOperationColumn = first.columns.some((column) => normalizeName(column) === "operation");
  const byRules = new Map(OPERATIONS.map((one) => [one, operationByRules(one, options.choices.rules)]));
  const plan = planFor(first, hasOperationColumn, options, byRules);
  const operationAt = positionIn(plan, "operation");
  const amountAt = positionIn(plan, "amount");
  const readAmount = amountReaderOf(options.choices);
  const file = { name: options.fileName, isTable: isTable(options.format) };
  const inFile = operationsInFile(plan, options);
  const setting = {
    hasCells: file.isTable,
    sandbox: options.sandbox,
    referenceAt: positionIn(plan, "reference"),
    periodAt: positionIn(plan, "period"),
    ownColumns: options.choices.ownColumns,
  };

  /** An invalid row, with its amount where it is readable; not where cells moved: there it may be an account number. */
  const invalid = (row: Row, faults: readonly Fault[], operation?: Operation): CheckedRow => {
    const isAside = faults.some(({ code }) => code === "cells_shifted");
    const amount = isAside ? undefined : amountIn(row, amountAt, readAmount);
    return { row, faults, ...(operation ? { operation } : {}), ...(amount === undefined ? {} : { amount }) };
  };

  return (row) => {
    if (row.repeatedKey !== undefined) {
      const fault = faultOfRow({ code: "key_repeated", found: `"${printable(row.repeatedKey, 40)}"` });
      return invalid(row, [fault], hasOperationColumn ? undefined : options.operation);
    }
    if (isHeaderAgain(row, amountAt, file)) return { row, faults: [faultOfRow({ code: "header_again" })] };
    const said =
      options.operation && !hasOperationColumn ? options.operation : operationOfRow(row, plan, options.operation);
    if ("code" in said) return invalid(row, [faultOfRow(said, cellText(row, operationAt))]);
    const operation = byRules.get(said) ?? said;
    const { findTotals, forms } = inFile(operation);
    const totals = findTotals(row);
    if (totals !== undefined) {
      return { row, operation, faults: [faultOfRow({ code: "totals_row", found: `a ${operation.name}` }, totals)] };
    }
    const form = formOfRow(row, forms);
    if ("code" in form) {
      const others = row.mapped ? faultsOfOthers(row.mapped, setting.hasCells) : [];
      return invalid(row, [faultOfRow(form), ...others], operation);
    }
    const checked = checkFields(row, form.compiled, setting);
    const { instruction, warnings } = checked;
    const result = instruction ? { row, instruction } : invalid(row, checked.faults, operation);
    return warnings ? { ...result, warnings } : result;
  };
}

/** The amount of a row as it would be sent: only such amounts can be added up. undefined where it cannot be read. */
function amountIn(row: Row, amountAt: number, readAmount: ReadAmount | undefined): string | undefined {
  const cell = row.cells[amountAt] ?? "";
  const written = typeof cell === "string" ? withoutTextMark(cell.trim(), true) : cell.source;
  const plain = typeof cell === "string" ? (readAmount?.(written) ?? written) : written;
  const sent = typeof plain === "string" ? wireAmount(plain, row.mapped?.amountUnit ?? "rupees") : undefined;
  return sent === undefined ? undefined : readableAmount(sent);
}

interface CompiledFormInFile extends FormInFile {
  readonly compiled: CompiledForm;
}

/** How every row of an operation is checked, with these columns. */
interface OperationInFile {
  readonly findTotals: FindTotals;
  readonly forms: readonly CompiledFormInFile[];
}

/** Gives the checks of an operation, which are worked out at its first row. */
function operationsInFile(
  plan: ColumnPlan,
  { choices, known }: CheckerOptions,
): (operation: Operation) => OperationInFile {
  const operations = new Map<Operation, OperationInFile>();
  return (operation) => {
    let found = operations.get(operation);
    if (!found) {
      const forms = formsInFile(operation, plan).map((one) => ({
        ...one,
        compiled: compileForm(operation, one.form, plan, choices, known),
      }));
      operations.set(operation, (found = { findTotals: totalsFinder(plan, operation), forms }));
    }
    return found;
  };
}

/**
 * The plan of the columns. Throws FileRefusedError where the file cannot be taken. In JSON each row has keys of its
 * own: there a missing field makes the row invalid, and not the file.
 */
function planFor(
  first: Row,
  hasOperationColumn: boolean,
  options: CheckerOptions,
  byRules: ReadonlyMap<Operation, Operation>,
): ColumnPlan {
  const hasHeader = isTable(options.format);
  const possible = hasOperationColumn || !options.operation ? OPERATIONS : [options.operation];
  const plan = createColumnPlan(first.columns, {
    operations: possible.map((one) => byRules.get(one) ?? one),
    ownColumns: options.choices.ownColumns,
    mustBeComplete: hasHeader && !hasOperationColumn,
  });
  if ("positions" in plan) return plan;
  const place = { row: hasHeader ? (options.headerRow ?? HEADER_ROW) : first.number };
  throw new FileRefusedError(
    options.fileName,
    plan.map((fault) => ({ ...fault, ...place })),
  );
}

const HEADER_ROW = 1;
