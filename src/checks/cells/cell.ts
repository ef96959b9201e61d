import { columnPosition } from "../../names.ts";
import type { Row } from "../../reader/row.ts";

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

/**
 * No-break spaces and the like around a text come along when it is copied from a web page: they are meant as little as
 * usual ones. In an id they are a fault.
 */
export function withoutForeignSpacesAround(text: string): string {
  const isPlain = text.charCodeAt(0) <= LAST_OF_ASCII && text.charCodeAt(text.length - 1) <= LAST_OF_ASCII;
  return isPlain ? text : text.replace(/^\p{Zs}+|\p{Zs}+$/gu, "");
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

/** -1 where the row has no such column. */
export function positionOf({ columns }: Row, field: string): number {
  return columnPosition(columns, field);
}
