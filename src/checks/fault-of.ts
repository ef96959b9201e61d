import { mask, maskStray, maskStrayAmount } from "../text/mask.ts";
import type { Field } from "../operations/operation.ts";
import { printable } from "../text/printable.ts";
import { normalizeName } from "../text/names.ts";
import type { Mapped, Row } from "../reader/row.ts";
import { lettersOf } from "../workbook/value.ts";
import type { Fault } from "./fault.ts";
import { cellText, positionOf } from "./cells/cell.ts";
import { inspectIdFilled } from "./cells/placeholder.ts";
import { say, type Finding } from "./sentences.ts";
import { isDateLike, spreadsheetLeftover } from "./cells/spreadsheet.ts";

/** What is known about a cell's place: a field of an operation, or a column of our own that is not sent. */
export type Place = Pick<Field, "name" | "kind" | "sensitive" | "shape">;

const SHOWN_CHARACTERS_MAX = 40;
const SHOWN_DIGITS_MAX = 4;

/** Where something was found. */
interface CellOfRow {
  readonly row: Row;
  readonly place: Place;
  /** Position of the column; -1 where the row has no such column. */
  readonly index: number;
  /** The row has spreadsheet cells (`G14`). */
  readonly hasCells: boolean;
}

/** A fault of one cell, in which `text` stands. */
export function faultOfCell({ row, place, index, hasCells }: CellOfRow, text: string, finding: Finding): Fault {
  const wording = { value: shown(place, text, finding.code), thing: thingOf(place), field: place.name };
  const { column, at } = row.mapped ? placeInFile(row.mapped, place, index) : placeOf(row, place, index);
  const cell = hasCells && at >= 0 ? { cell: `${lettersOf(at)}${row.number}` } : {};
  const { message, hint } = say(withoutStrayNumber(place, finding), wording);
  const table = tableOf(row, index);
  const where = table === undefined ? "" : `in the lookup table ${printable(table, SHOWN_CHARACTERS_MAX)}: `;
  return { code: finding.code, column, ...cell, message: `${where}${message}`, hint };
}

/** The lookup table in which the text stands; undefined where it stands in the file, also as the key of a line that is not there. */
function tableOf({ mapped }: Row, index: number): string | undefined {
  const table = mapped?.tables[index];
  if (!mapped || table === undefined || mapped.faults.has(index)) return undefined;
  return cellText(mapped.from, mapped.at[index] ?? -1).trim() === "" ? undefined : table;
}

/** The finding without a plain number that may be an account or a mobile in a column of amounts (I10). */
function withoutStrayNumber(place: Place, { plain, ...finding }: Finding): Finding {
  return plain === undefined || maskedStray(place, plain) !== plain ? finding : { ...finding, plain };
}

/** The column that holds one of our fields, by the file's own header. */
export function columnOf(row: Row, place: Pick<Field, "name">): string {
  const index = positionOf(row, place.name);
  return (row.mapped ? placeInFile(row.mapped, place, index) : placeOf(row, place, index)).column;
}

function placeOf(row: Row, place: Pick<Place, "name">, index: number): { column: string; at: number } {
  const column = index < 0 ? place.name : (row.columns[index] ?? place.name);
  return { column: printable(column, SHOWN_CHARACTERS_MAX), at: index };
}

/** The place in the file of a mapped row: the file's own column, with our field in brackets where it differs. */
function placeInFile(
  { from, at }: Mapped,
  { name }: Pick<Place, "name">,
  index: number,
): { column: string; at: number } {
  const there = index < 0 ? -1 : (at[index] ?? -1);
  if (there < 0) return { column: index < 0 ? name : `${name} (of the mapping)`, at: -1 };
  const theirs = printable(from.columns[there] ?? name, SHOWN_CHARACTERS_MAX);
  return { column: normalizeName(theirs) === normalizeName(name) ? theirs : `${theirs} (${name})`, at: there };
}

/** The faults that a mapping found in columns of the file that fill none of our fields. */
export function faultsOfOthers({ from, others }: Mapped, hasCells: boolean): Fault[] {
  return others.map(({ at, column, fault }) => {
    const cell = from.cells[at] ?? "";
    const text = typeof cell === "string" ? cell.trim() : cell.source;
    return faultOfCell({ row: from, place: { name: column, kind: "text" }, index: at, hasCells }, text, fault);
  });
}

/** A fault of the row as a whole. */
export function faultOfRow(finding: Finding, value = ""): Fault {
  return { code: finding.code, ...say(finding, { value: printable(maskStray(value), SHOWN_CHARACTERS_MAX) }) };
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

/** What a spreadsheet left of a number is not that number any more: it is shown whole, and not by its last four. */
const GONE: readonly Finding["code"][] = ["made_a_date", "spreadsheet_error", "true_or_false"];
const SHAPED: readonly Finding["code"][] = [
  "scientific_notation",
  "decimals_added",
  "leading_apostrophe",
  "formula_as_text",
  "thousands_separator",
];

/** The value as it may stand in a message (I10): masked where the field is, cut, printable. */
function shown(place: Place, text: string, code: Finding["code"]): string {
  return printable(masked(place, text, code), SHOWN_CHARACTERS_MAX);
}

/** A value without a fault as it may stand in a message (I10). */
export function shownValue(field: Pick<Field, "kind" | "sensitive">, text: string): string {
  if (text === "") return "";
  const shown = field.sensitive === undefined ? maskedStray(field, text) : mask(text, field.sensitive);
  return printable(shown, SHOWN_CHARACTERS_MAX);
}

/** Text of a place that should hold nothing personal. */
function maskedStray({ kind }: Pick<Place, "kind">, text: string): string {
  return kind === "amount" ? maskStrayAmount(text) : maskStray(text);
}

function masked(place: Place, text: string, code: Finding["code"]): string {
  const { sensitive } = place;
  if (sensitive === undefined) return maskedStray(place, text);
  // a placeholder such as `n/a` is no secret
  if (code === "placeholder" && inspectIdFilled(text)?.code === code) return text;
  const isNumber = sensitive === "account" || sensitive === "mobile";
  if (GONE.includes(code) && (isDateLike(text) || spreadsheetLeftover(text)?.code === code)) return text;
  if (sensitive === "account" && NAMED_ACCOUNT.test(text)) return text;
  return isNumber && SHAPED.includes(code) ? maskDigits(text) : mask(text, sensitive);
}

/** A name that people give to an account, `ACC-OPS-01`: it has no more digits than a masked number shows. */
const NAMED_ACCOUNT = /^(?!(?:[^0-9]*[0-9]){5})[A-Za-z]+(?:[-_][A-Za-z0-9]+)+$/;

/** The shape, and of many digits the last four: `5.01002E+13` stays as it is, `="50100271828"` becomes `="••1828"`. */
function maskDigits(text: string): string {
  if (/^[0-9][.,]?[0-9]{0,5}E/i.test(text)) return text;
  const positions = [...text.matchAll(/[0-9]/g)].map((match) => match.index);
  return positions.length > SHOWN_DIGITS_MAX
    ? `${text.slice(0, positions[0])}••${text.slice(positions.at(-SHOWN_DIGITS_MAX))}`
    : text;
}
