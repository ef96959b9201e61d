import { mask } from "../mask.ts";
import type { Field } from "../operations/operation.ts";
import { printable } from "../printable.ts";
import type { Row } from "../reader/row.ts";
import type { Fault } from "./fault.ts";
import { say } from "./sentences.ts";
import type { Finding, RowFaultCode } from "./sentences.ts";
import { columnLetters } from "./spreadsheet.ts";

/** What is known of the place: a field of an operation, or a column of our own that is not sent. */
export type Place = Pick<Field, "name" | "kind" | "sensitive" | "shape">;

const SHOWN_CHARACTERS_MAX = 40;
/** This many digits give no account or mobile away. */
const SHOWN_DIGITS_MAX = 6;

/** A fault of one cell; `index` is -1 where the row has no such column, `hasCells` says that it has spreadsheet cells. */
export function faultOfCell(
  row: Row,
  place: Place,
  index: number,
  text: string,
  finding: Finding,
  hasCells: boolean,
): Fault {
  const wording = { value: shown(place, text, finding.code), thing: thingOf(place), field: place.name };
  const column = index < 0 ? place.name : (row.columns[index] ?? place.name);
  const cell = hasCells && index >= 0 ? { cell: `${columnLetters(index)}${row.number}` } : {};
  return {
    code: finding.code,
    column: printable(column, SHOWN_CHARACTERS_MAX),
    ...cell,
    ...say(finding, wording),
  };
}

/** A fault of the row as a whole. */
export function faultOfRow(finding: Finding, value = ""): Fault {
  return { code: finding.code, ...say(finding, { value: printable(value, SHOWN_CHARACTERS_MAX) }) };
}

/** What the column holds, as the sentences say it. */
function thingOf(place: Place): string {
  if (place.kind === "amount") return "an amount";
  if (place.kind === "number" || place.kind === "integer") return "a number";
  if (place.shape === "ifsc") return "an IFSC";
  if (place.sensitive === "mobile") return "a mobile number";
  if (place.kind === "text") return "text";
  return place.name.includes("acc") ? "an account number" : "an id";
}

/** Spreadsheets left these shapes: they say more than the last four characters would. */
const SHAPES: readonly RowFaultCode[] = [
  "scientific_notation",
  "decimals_added",
  "made_a_date",
  "spreadsheet_error",
  "true_or_false",
  "leading_apostrophe",
  "formula_as_text",
  "thousands_separator",
];

/** The value as it may stand in a message (I10): masked where the field is, cut, printable. */
function shown(place: Place, text: string, code: RowFaultCode): string {
  if (place.sensitive === undefined) return printable(text, SHOWN_CHARACTERS_MAX);
  if (place.sensitive !== "account" && place.sensitive !== "mobile") {
    return printable(mask(text, place.sensitive), SHOWN_CHARACTERS_MAX);
  }
  return printable(SHAPES.includes(code) ? maskDigits(text) : mask(text, place.sensitive), SHOWN_CHARACTERS_MAX);
}

/** `5.01002E+13` as it is, `="50100271828"` as `="••1828"`: the shape, and of many digits the last four. */
function maskDigits(text: string): string {
  const digitPositions = [...text.matchAll(/[0-9]/g)].map((match) => match.index);
  if (digitPositions.length <= SHOWN_DIGITS_MAX) return text;
  return `${text.slice(0, digitPositions[0])}••${text.slice(digitPositions.at(-4))}`;
}
