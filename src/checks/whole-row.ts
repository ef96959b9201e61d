import type { Operation } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { cellText, isFilled } from "./cell.ts";
import { positionIn, type ColumnPlan } from "./columns.ts";

const TOTAL_WORD =
  /^(?:(?:grand|sub|net)[ -]?)?totals?\b|^sum\b|^(?:gesamt|zwischen|end)?summe\b|^gesamt\b|^कुल(?:\s|$)/i;
const TOTAL_CHARACTERS_MAX = 30;

/**
 * A row that a spreadsheet added below the table: `Total`, a sum, and no payee; or a sum alone. Gives the word it
 * says, or the sum.
 */
export function totalsWord(row: Row, plan: ColumnPlan, operation: Operation): string | undefined {
  const inFile = row.mapped?.from ?? row;
  const first = inFile.cells.findIndex((_, index) => isFilled(inFile, index));
  const word = cellText(inFile, first).trim();
  if (isSumAlone(row, plan, operation, first)) return word;
  if (word.length > TOTAL_CHARACTERS_MAX || !TOTAL_WORD.test(word)) return undefined;
  const required = operation.forms.flatMap((form) => form.fields).filter((field) => field.required);
  const isPayment = required.some((field) => {
    const position = positionIn(plan, field.name);
    // what a mapping adds to every row says nothing of this one
    const index = row.mapped ? (row.mapped.at[position] ?? -1) : position;
    return field.kind !== "amount" && index !== first && isFilled(inFile, index);
  });
  return isPayment ? undefined : word;
}

/** The only cell that says anything is the amount: no row of ours has just one cell. */
function isSumAlone(row: Row, plan: ColumnPlan, operation: Operation, first: number): boolean {
  const inFile = row.mapped?.from ?? row;
  const isAmount = operation.forms.some((form) =>
    form.fields.some((field) => {
      const position = field.kind === "amount" ? positionIn(plan, field.name) : -1;
      return position >= 0 && (row.mapped ? row.mapped.at[position] : position) === first;
    }),
  );
  return isAmount && !inFile.cells.some((_, index) => index !== first && isFilled(inFile, index));
}

const SPACE = 32;

/** Cheap enough to ask for every row: its first cell is empty or begins like one of the words. */
export function mayBeTotals(row: Row): boolean {
  const cell = row.cells[0];
  if (typeof cell !== "string" || cell === "") return true;
  const first = cell.charCodeAt(0);
  return first === SPACE || TOTAL_INITIALS.has(cell.charAt(0));
}

const TOTAL_INITIALS = new Set("tTsSgGnNzZeEक");
