import { normalizeName } from "../names.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { RowRecord } from "../journal/store.ts";
import type { Row } from "../reader/row.ts";

const POSITIONS = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** The text of one of the row's own columns. */
export function ownCell(row: Row, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  let positions = POSITIONS.get(row.columns);
  if (!positions) {
    positions = new Map(row.columns.map((column, index) => [normalizeName(column), index]));
    POSITIONS.set(row.columns, positions);
  }
  const cell = row.cells[positions.get(normalizeName(name)) ?? -1];
  const text = typeof cell === "string" ? cell.trim() : cell?.source;
  return text === "" ? undefined : text;
}

/** The column that names the account to debit. */
export function debitFieldOf(record: RowRecord): string | undefined {
  return record.operation === undefined ? undefined : operationNamed(record.operation).debitField;
}
