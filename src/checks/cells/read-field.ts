import type { Field } from "../../operations/operation.ts";
import type { Row } from "../../reader/row.ts";
import { withoutTextMark } from "../../text/spreadsheet-text.ts";
import { wireAmount } from "./amount-unit.ts";
import { withoutForeignSpacesAround, withoutSpacesAround } from "./cell.ts";
import type { CompiledField } from "../compile.ts";
import type { Place } from "../fault-of.ts";
import { readSheetValue } from "./read-sheet-value.ts";
import { inspectText, isUnusual } from "./read-text.ts";
import type { Finding } from "../sentences.ts";

export const MISSING_VALUE: Finding = { code: "value_missing" };

/** The text to send, empty where nothing is to be sent, or what is wrong with it. */
export function readField(row: Row, compiled: CompiledField, isUsual: boolean): string | Finding {
  const { field, index, inspect, isText } = compiled;
  const unmapped = row.mapped?.faults.get(index);
  if (unmapped) return unmapped;
  const cell = index < 0 ? "" : (row.cells[index] ?? "");
  let text: string;
  if (typeof cell === "string") {
    text = textOf(cell, field);
    const plain = text === "" ? "" : (compiled.read?.(text) ?? text);
    if (typeof plain !== "string") return plain;
    text = plain;
  } else {
    const read = readToken(cell, field);
    if (typeof read !== "string") return read;
    text = read;
  }
  if (text === "") {
    if (field.default === undefined) return field.required ? MISSING_VALUE : "";
    text = field.default;
  }
  if (isText && !isUsual && isUnusual(text)) {
    const finding = inspectText(text);
    if (finding) return finding;
  }
  if (field.kind === "amount" && row.mapped) {
    const sent = wireAmount(text, row.mapped.amountUnit);
    if (sent === undefined) return { code: "paise_with_point" };
    text = sent;
  }
  return inspect?.(text) ?? text;
}

/** The text of a cell without the spaces around it, and without what marked it as text in a spreadsheet. */
export function textOf(cell: string, { kind, keepsSpaces = false }: Pick<Field, "kind" | "keepsSpaces">): string {
  const trimmed = withoutSpacesAround(cell);
  const text = withoutTextMark(trimmed, kind !== "text");
  if (text !== trimmed) return withoutSpacesAround(text);
  if (keepsSpaces) return text === "" ? text : cell;
  return kind === "text" ? withoutForeignSpacesAround(text) : text;
}

/** The text of a value that is no text. A JSON number counts only where §2 says number; `null` is an empty cell. */
export function readToken(cell: Exclude<Row["cells"][number], string>, place: Place): string | Finding {
  const isText = place.kind === "text" || place.kind === "id";
  switch (cell.token) {
    case "null":
      return "";
    case "number":
      if (isText) return { code: "json_number_for_text" };
      // not `scientific_notation`: no spreadsheet wrote it, and all of its digits may be there, as in 1.0E7
      return /e/i.test(cell.source) ? { code: "json_exponent" } : cell.source;
    case "boolean":
      return { code: "json_boolean" };
    case "nested":
      return { code: "json_nested" };
    case "cell_number":
    case "cell_percentage":
    case "cell_date":
    case "cell_boolean":
    case "cell_error":
    case "cell_uncalculated":
      return readSheetValue(cell, place);
    default:
      return cell satisfies never;
  }
}
