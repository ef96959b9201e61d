import { FileRefusedError } from "../errors.ts";
import { normalizeName } from "../text/names.ts";
import type { Row } from "../reader/row.ts";
import { cellText, isFilled } from "./cells/cell.ts";

interface ReadFile {
  readonly name: string;
  /** Its rows stand below a header; in JSON each row has its own names. */
  readonly isTable: boolean;
}

/**
 * Whether a row is the header once more, as where two files were put together. Throws FileRefusedError where the names
 * stand in other places than in the header: each row below would be read by the wrong columns, and sent so.
 */
export function isHeaderAgain(row: Row, amountAt: number, file: ReadFile): boolean {
  if (!mayBeHeader(row, amountAt)) return false;
  const places = namesIn(row);
  if (places === "moved" && file.isTable) throw columnsChange(file.name, row.number);
  return places === "again";
}

const ZERO = 48;
const NINE = 57;

/** Whether no digit comes first where the amount stands. Cheap enough to be asked for every row. */
function mayBeHeader({ cells }: Row, amountAt: number): boolean {
  const cell = cells[amountAt] ?? "";
  if (typeof cell !== "string") return false;
  const first = cell.charCodeAt(0);
  return !(first >= ZERO && first <= NINE);
}

/**
 * Whether the cells are names of the row's own columns: each in its own column (`again`), or not (`moved`). Some may be
 * new names: another table may have columns of its own.
 */
function namesIn(row: Row): "again" | "moved" | undefined {
  const from = row.mapped?.from ?? row;
  const known = positionsOf(from.columns);
  let filled = 0;
  const found: boolean[] = [];
  for (let index = 0; index < from.cells.length; index += 1) {
    if (!isFilled(from, index)) continue;
    filled += 1;
    const position = known.get(normalizeName(cellText(from, index)));
    if (position !== undefined) found.push(position === index);
  }
  const least = found.length === filled ? NAMES_MIN : NAMES_AMONG_OTHERS_MIN;
  if (found.length < least || found.length * 2 < filled) return undefined;
  if (found.includes(false)) return "moved";
  return found.length === filled ? "again" : undefined;
}

/** One name alone, such as `Name`, may be a value. */
const NAMES_MIN = 2;
const NAMES_AMONG_OTHERS_MIN = 3;

const POSITIONS = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

function positionsOf(columns: readonly string[]): ReadonlyMap<string, number> {
  let positions = POSITIONS.get(columns);
  if (!positions) {
    positions = new Map(columns.map((column, index) => [normalizeName(column), index]));
    POSITIONS.set(columns, positions);
  }
  return positions;
}

function columnsChange(fileName: string, row: number): FileRefusedError {
  const message =
    "names of the columns stand here once more, not in the order of the header: another table begins below them";
  const hint =
    "Save each table as a file of its own, or bring the columns of the lower one into the order of the header.";
  return new FileRefusedError(fileName, [{ code: "columns_change", row, message, hint }]);
}
