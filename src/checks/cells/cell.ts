import { columnPosition } from "../../text/names.ts";
import type { Row } from "../../reader/row.ts";

/** The text of a cell, or the source of a value that is no text; empty where there is no cell or a `null`. */
export function cellText(row: Row, index: number): string {
  const cell = row.cells[index];
  if (cell === undefined) return "";
  if (typeof cell === "string") return cell;
  return cell.token === "null" ? "" : cell.source;
}

const SPACE = 32;
const LAST_OF_ASCII = 127;

/** `text` without usual spaces around it; empty if it is only white space. Other spaces stay, for a fault to name. */
export function withoutSpacesAround(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  while (end > start && text.charCodeAt(end - 1) === SPACE) end -= 1;
  if (start === end || isBlankOfAnotherKind(text, start)) return "";
  return end - start === text.length ? text : text.slice(start, end);
}

/**
 * `text` without no-break spaces and the like around it. They come along when it is copied from a web page, and mean as
 * little as usual spaces. In an id they are a fault.
 */
export function withoutForeignSpacesAround(text: string): string {
  const isPlain = text.charCodeAt(0) <= LAST_OF_ASCII && text.charCodeAt(text.length - 1) <= LAST_OF_ASCII;
  return isPlain ? text : text.replace(/^\p{Zs}+|\p{Zs}+$/gu, "");
}

/** Whether a text is nothing but tabs, line breaks or no-break spaces. */
function isBlankOfAnotherKind(text: string, start: number): boolean {
  const first = text.charCodeAt(start);
  return (first < SPACE || first > LAST_OF_ASCII) && text.trim() === "";
}

/** Whether a cell holds more than spaces. */
export function isFilled(row: Row, index: number): boolean {
  const cell = row.cells[index];
  if (cell === undefined || cell === "") return false;
  return typeof cell === "string" ? cell.trim() !== "" : cell.token !== "null";
}

/** The text of one of our fields, in a row under our own column names. */
export function fieldText(row: Row, field: string): string {
  return withoutSpacesAround(cellText(row, positionOf(row, field)));
}

/** The position of one of our fields; -1 where the row has no such column. */
export function positionOf({ columns }: Row, field: string): number {
  return columnPosition(columns, field);
}
