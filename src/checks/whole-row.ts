import type { Operation } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { cellText, isFilled } from "./cells/cell.ts";
import { positionIn, type ColumnPlan } from "./columns.ts";

const WORD = "(?:(?:grand|sub|net)[ -]?)?totals?|sum|(?:gesamt|zwischen|end)?summe|gesamt|कुल(?: योग)?";
const BEGINS_WITH_WORD = new RegExp(`^(?:${WORD})(?![\\p{L}\\p{M}\\p{N}_])`, "iu");
/** The word with no more behind it than a colon and a number of rows. */
const WORD_ALONE = new RegExp(`^(?:${WORD})\\s?[:=]?\\s?\\(?[0-9]{0,6}\\)?$`, "iu");
const TOTAL_CHARACTERS_MAX = 30;
/** A number of rows, payees or months: no account. */
const COUNT = /^[0-9]{1,4}$/;

/** Gives the word that makes a row a totals row, or its sum; undefined for any other row. */
export type FindTotals = (row: Row) => string | undefined;

/**
 * Finds a row of totals that a spreadsheet or a program added below the table: it has a word for a sum where an id
 * should stand, or begins with such a word and has no payee; or it has a sum alone.
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
      // no account is called so, whatever stands beside the word
      if (word !== undefined && WORD_ALONE.test(word)) return word;
    }
    if (from.cells[0] !== "" && wordIn(from, 0) === undefined) return undefined;
    const first = from.cells.findIndex((_, index) => isFilled(from, index));
    const word = cellText(from, first).trim();
    const isSum = first >= 0 && placeOf(row, amountAt) === first;
    if (isSum && !from.cells.some((_, index) => index !== first && isFilled(from, index))) return word;
    // a payment address may begin like one of the words
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

/** The position in the file's own row; -1 for what a mapping adds to every row: it says nothing about this one. */
function placeOf({ mapped }: Row, position: number): number {
  return mapped ? (mapped.at[position] ?? -1) : position;
}

const SPACE = 32;

/** The text of a cell that may begin with one of the words. Cheap enough to be asked for some cells of every row. */
function wordIn({ cells }: Row, index: number): string | undefined {
  const cell = cells[index];
  if (typeof cell !== "string" || cell === "") return undefined;
  if (cell.charCodeAt(0) !== SPACE && !TOTAL_INITIALS.has(cell.charAt(0))) return undefined;
  const word = cell.trim();
  return word.length > TOTAL_CHARACTERS_MAX ? undefined : word;
}

const TOTAL_INITIALS = new Set("tTsSgGnNzZeEक");
