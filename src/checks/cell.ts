import { normalizeName } from "../names.ts";
import type { Row } from "../reader/row.ts";

/** The text of a cell, or the source of a JSON value that is no text; empty where there is none. */
export function cellText(row: Row, index: number): string {
  const cell = row.cells[index];
  if (cell === undefined) return "";
  if (typeof cell === "string") return cell;
  return cell.token === "null" ? "" : cell.source;
}

const SPACE = 32;
const LAST_OF_ASCII = 127;

/** Without the usual spaces around it; empty for a cell of white space only. Other spaces stay, to be named. */
export function withoutSpacesAround(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  while (end > start && text.charCodeAt(end - 1) === SPACE) end -= 1;
  if (start === end || isBlankOfAnotherKind(text, start)) return "";
  return end - start === text.length ? text : text.slice(start, end);
}

/** Tabs, line breaks or no-break spaces and nothing else. */
function isBlankOfAnotherKind(text: string, start: number): boolean {
  const first = text.charCodeAt(start);
  return (first < SPACE || first > LAST_OF_ASCII) && text.trim() === "";
}

/** The cell holds more than spaces. */
export function isFilled(row: Row, index: number): boolean {
  const cell = row.cells[index];
  if (cell === undefined || cell === "") return false;
  return typeof cell === "string" ? cell.trim() !== "" : cell.token !== "null";
}

/** The text of a field of ours in a row under our own column names. */
export function fieldText(row: Row, field: string): string {
  return withoutSpacesAround(cellText(row, positionOf(row, field)));
}

/** Rows of a file share their columns: names are compared once, and every name that was asked for is kept. */
const POSITIONS = new WeakMap<readonly string[], Map<string, number>>();

/** -1 where the row has no such column. */
export function positionOf({ columns }: Row, field: string): number {
  let positions = POSITIONS.get(columns);
  if (!positions) {
    positions = new Map(columns.map((column, index) => [normalizeName(column), index]));
    POSITIONS.set(columns, positions);
  }
  const known = positions.get(field);
  if (known !== undefined) return known;
  const position = positions.get(normalizeName(field)) ?? -1;
  positions.set(field, position);
  return position;
}
