import type { RowRecord } from "../journal/row-record.ts";
import { mask } from "../text/mask.ts";
import { columnPosition } from "../text/names.ts";
import { formOf, operationNamed } from "../operations/catalogue.ts";
import { withoutTextMark } from "../text/spreadsheet-text.ts";
import type { Cell, Row } from "../reader/row.ts";

/** What results need of a row besides what the journal knows. */
export interface OwnCells {
  /** By which account the totals are split; never written in full where it looks like an account number. */
  readonly debitAccount: string | undefined;
  readonly reference: string | undefined;
  readonly period: string | undefined;
}

export function ownCellsOf(row: Row, record: RowRecord): OwnCells {
  return {
    debitAccount: ownCell(row, debitFieldOf(record)),
    reference: ownCell(row, "reference"),
    period: ownCell(row, "period"),
  };
}

/** The text of one of the row's own columns. */
export function ownCell(row: Row, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const text = textOf(row.cells[columnPosition(row.columns, name)]);
  return text === "" ? undefined : text;
}

/** null is an empty cell. */
function textOf(cell: Cell | undefined): string | undefined {
  if (typeof cell === "string") return withoutTextMark(cell.trim(), true).trim();
  return cell?.token === "null" ? undefined : cell?.source;
}

/** The column that names the account to debit; a totals row says something else there. */
export function debitFieldOf(record: RowRecord): string | undefined {
  return record.operation === undefined || record.code === "totals_row"
    ? undefined
    : operationNamed(record.operation).debitField;
}

/** The first of the fields that say who receives or owes the money, masked. */
export function payeeOf(row: Row, record: RowRecord): string | undefined {
  if (record.operation === undefined) return undefined;
  const operation = operationNamed(record.operation);
  const form = formOf(operation, record.option);
  const name = form?.beneficiaryFields[0];
  const sensitive = form?.fields.find((field) => field.name === name)?.sensitive ?? "account";
  const text = ownCell(row, name);
  return text === undefined ? undefined : mask(text, sensitive);
}

/** `tenure 12`, `currency INR`: what tells two requests of the same amount to the same beneficiary apart. */
export function apartOf(row: Row, record: RowRecord): readonly string[] {
  if (record.operation === undefined) return [];
  const operation = operationNamed(record.operation);
  const form = formOf(operation, record.option);
  const told = [...(form?.beneficiaryFields ?? []), "amount", operation.debitField];
  return (form?.fields ?? []).flatMap(({ name, default: usual }) => {
    if (form?.coreFields.includes(name) !== true || told.includes(name)) return [];
    const text = ownCell(row, name) ?? usual;
    return text === undefined ? [] : [`${name} ${text}`];
  });
}
