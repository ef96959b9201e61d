import { withoutTextMark } from "../../text/spreadsheet-text.ts";
import type { Cell } from "../row.ts";

/** The text by which a cell is looked up and compared: as the checks would read an id; `null` as an empty cell. */
export function cellWords(cell: Cell): string {
  if (typeof cell !== "string") return cell.token === "null" ? "" : cell.source;
  return trimmed(withoutTextMark(trimmed(cell), true));
}

/** `text` without ordinary spaces (U+0020) around it. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  while (end > start && text.charCodeAt(end - 1) === SPACE) end -= 1;
  return text.slice(start, end);
}

const SPACE = 32;
