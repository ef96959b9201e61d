import type { Operation } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { cellText, isFilled } from "./cells/cell.ts";
import { positionIn, type ColumnPlan } from "./columns.ts";

const WORD = "(?:(?:grand|sub|net)[ -]?)?totals?|sum|(?:gesamt|zwischen|end)?summe|gesamt|कुल(?: योग)?";
const BEGINS_WITH_WORD = new RegExp(`^(?:${WORD})(?![\\p{L}\\p{M}\\p{N}_])`, "iu");
/** With no more behind it than a colon and a number of rows. */
const WORD_ALONE = new RegExp(`^(?:${WORD})\\s?[:=]?\\s?\\(?[0-9]{0,6}\\)?$`, "iu");
const TOTAL_CHARACTERS_MAX = 30;
/** Of rows, of payees, of months: no account. */
const COUNT = /^[0-9]{1,4}$/;

/** The word that a totals row says, or its sum; undefined for any other row. */
export type FindTotals = (row: Row) => string | undefined;

/**
 * Finds a row that a spreadsheet or a program added below the table: a word for a sum where an id should stand, or before
 * everything else where there is no payee; or a sum alone.
 */
export function totalsFinder(plan: ColumnPlan, operation: Operation): FindTotals {
  const required = operation.forms.flatMap(({ fields }) => fields).filter((field) => field.required);
  const placesOf = (kinds: readonly string[]): readonly number[] => [
    ...new Set(
      required.filter(({ kind }) => kinds.includes(kind)).flatMap(({ name }) => plan.positions.get(name) ?? []),
    ),
  ];
  const ids = placesOf(["id"]);
  const others = placesOf(["id", "text", "number", "integer"]);
  const amountAt = positionIn(plan, "amount");
  return (row) => {
    const from = row.mapped?.from ?? row;
    for (const position of ids) {
      const word = wordIn(from, placeOf(row, position));
      // nobody's account is called so, whatever stands beside it
      if (word !== undefined && WORD_ALONE.test(word)) return word;
    }
    if (from.cells[0] !== "" && wordIn(from, 0) === undefined) return undefined;
    const first = from.cells.findIndex((_, index) => isFilled(from, index));
    const word = cellText(from, first).trim();
    const isSum = first >= 0 && placeOf(row, amountAt) === first;
    if (isSum && !from.cells.some((_, index) => index !== first && isFilled(from, index))) return word;
    // somebody's payment address is no word
    if (word.length > TOTAL_CHARACTERS_MAX || word.includes("@") || !BEGINS_WITH_WORD.test(word)) return undefined;
    const isAlone = WORD_ALONE.test(word);
    const isPayment = others.some((position) => {
      const index = placeOf(row, position);
      if (index === first || !isFilled(from, index)) return false;
      return !(isAlone && COUNT.test(cellText(from, index).trim()));
    });
    return isPayment ? undefined : word;
  };
}

/** In the row as it stands in the file; -1 for what a mapping adds to every row: that says nothing of this one. */
function placeOf({ mapped }: Row, position: number): number {
  return mapped ? (mapped.at[position] ?? -1) : position;
}

const SPACE = 32;

/** The text of a cell that begins like one of the words: cheap enough to ask of some cells of every row. */
function wordIn({ cells }: Row, index: number): string | undefined {
  const cell = cells[index];
  if (typeof cell !== "string" || cell === "") return undefined;
  if (cell.charCodeAt(0) !== SPACE && !TOTAL_INITIALS.has(cell.charAt(0))) return undefined;
  const word = cell.trim();
  return word.length > TOTAL_CHARACTERS_MAX ? undefined : word;
}

const TOTAL_INITIALS = new Set("tTsSgGnNzZeEक");
