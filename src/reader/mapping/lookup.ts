import type { Lookup } from "../../config/mapping.ts";
import { PaydropError } from "../../errors.ts";
import { normalizeName } from "../../text/names.ts";
import { printable, quotedNames } from "../../text/printable.ts";
import type { Cell, Row, Sheet } from "../row.ts";
import { cellWords } from "./cell-words.ts";

/**
 * A lookup table in memory: the values of its fields by key; `ambiguous` where one key has two different lines. What
 * JSON wrote as a number stays a number: the checks know which fields may be numbers.
 */
export interface LookupTable {
  readonly fields: readonly string[];
  readonly rows: ReadonlyMap<string, readonly Cell[] | "ambiguous">;
}

const ROWS_MAX = 1_000_000;

/** Reads a whole table. Throws PaydropError `config` for a column that it lacks, FileRefusedError for a broken file. */
export async function readLookupTable(sheet: Sheet, lookup: Lookup, name: string): Promise<LookupTable> {
  const fields = Object.keys(lookup.fields);
  const rows = new Map<string, readonly Cell[] | "ambiguous">();
  for await (const chunk of sheet.rows()) {
    for (const row of chunk) {
      if (row.repeatedKey !== undefined) throw keyTwice(name, row.repeatedKey, row.number);
      const key = cellWords(cellIn(row, lookup.key, name));
      if (key === "") continue;
      const values = Object.values(lookup.fields).map((column) => valueOf(cellIn(row, column, name)));
      const before = rows.get(key);
      const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(values);
      rows.set(key, isSame ? values : "ambiguous");
      if (rows.size > ROWS_MAX) throw tooLong(name);
    }
  }
  return { fields, rows };
}

function cellIn(row: Row, column: string, name: string): Cell {
  const at = row.columns.findIndex((one) => normalizeName(one) === normalizeName(column));
  if (at < 0) throw columnMissing(name, column, row.columns);
  const cell = row.cells[at] ?? "";
  if (typeof cell !== "string" && "stored" in cell) throw notText(name, column, row.number);
  return cell;
}

function valueOf(cell: Cell): Cell {
  return typeof cell === "string" || cell.token === "null" ? cellWords(cell) : cell;
}

function tooLong(name: string): PaydropError {
  return new PaydropError("config", `${name} has more than ${ROWS_MAX} lines`, "use a smaller table");
}

/** The error for a JSON row with one key twice: nobody can say which of the two values is meant. */
function keyTwice(name: string, key: string, row: number): PaydropError {
  return new PaydropError(
    "config",
    `the lookup table ${printable(name)} has the key "${printable(key, 40)}" twice in row ${row}`,
    "keep one of the two",
  );
}

/** The error for a workbook's cell that is not text: an account number stored as a number has no leading zeros. */
function notText(name: string, column: string, row: number): PaydropError {
  return new PaydropError(
    "config",
    `the lookup table ${printable(name)} holds something other than text in row ${row}, column "${printable(column)}"`,
    "format its columns as Text and type the values again, or save it as CSV UTF-8",
  );
}

function columnMissing(name: string, column: string, columns: readonly string[]): PaydropError {
  return new PaydropError(
    "config",
    `the lookup table ${printable(name)} has no column "${printable(column)}"`,
    `it has ${quotedNames(columns)}`,
  );
}
