import type { RowRecord } from "../journal/store.ts";
import { mask } from "../mask.ts";
import { columnPosition } from "../names.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { Form } from "../operations/operation.ts";
import { withoutTextMark } from "../spreadsheet-text.ts";
import type { Row } from "../reader/row.ts";

/** The text of one of the row's own columns. */
export function ownCell(row: Row, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const cell = row.cells[columnPosition(row.columns, name)];
  const text = typeof cell === "string" ? withoutTextMark(cell.trim(), true).trim() : cell?.source;
  return text === "" ? undefined : text;
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
  const form: Form | undefined = operation.forms.find((one) => one.option === record.option) ?? operation.forms[0];
  const name = form?.beneficiaryFields[0];
  const sensitive = form?.fields.find((field) => field.name === name)?.sensitive ?? "account";
  const text = ownCell(row, name);
  return text === undefined ? undefined : mask(text, sensitive);
}
