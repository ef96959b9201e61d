import { lettersOf, normalizeName } from "../column-name.ts";
import { mask, maskStray, maskStrayAmount } from "../mask.ts";
import type { PointedOutCode, RowFaultCode, Thing } from "../messages/row-faults.ts";
import type { Facts, Fault } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { cellWords, type Source } from "../reader/columns.ts";
import type { Cell, Row, Token } from "../reader/row.ts";
import type { Finding, Place } from "./not-a-value.ts";

export interface FileKind {
  /** A table's rows stand below a header, and its cells have names (`G14`). */
  readonly isTable: boolean;
  readonly isWorkbook: boolean;
}

/** A field or a column of our own, and where it stands. */
export interface NamedPlace extends Place {
  readonly name: string;
  readonly source?: Source | undefined;
}

/** What a row says in a place: its text without the spaces around it, empty where nothing stands; or why it cannot be one. */
export function readAt(row: Row, place: NamedPlace, isWorkbook: boolean): string | Finding {
  const { source } = place;
  const cell = row.cells[source?.at ?? -1] ?? "";
  const given = source?.give ? (source.give(cell) as Cell | Finding) : cell;
  if (typeof given !== "string") return "code" in given ? given : readToken(given, place, isWorkbook);
  const text = given.trim();
  const first = text.charCodeAt(0);
  if (first === EQUALS || (first === APOSTROPHE && place.kind !== "text")) return cellWords(text);
  return place.isLong && text !== "" ? given : text;
}

const EQUALS = 61;
const APOSTROPHE = 39;
/** A spreadsheet calculates with so many digits and drops those behind. */
const DIGITS_KEPT = 15;

/** Why a cell that is no text is no value, either. */
const NO_VALUES: Readonly<Partial<Record<Token["token"], RowFaultCode>>> = {
  boolean: "true_or_false",
  error: "spreadsheet_error",
  nested: "json_nested",
};

function readToken({ token, source }: Token, { kind, sensitive }: NamedPlace, isWorkbook: boolean): string | Finding {
  const code = NO_VALUES[token];
  if (code !== undefined || token === "null") return code === undefined ? "" : { code };
  if (token === "date") return kind === "text" ? source : { code: "made_a_date" };
  const isRounded = source.replace(/^-?0*\.?0*|\./g, "").length > DIGITS_KEPT;
  // a number in place of an id has lost its zeros in front
  const isId = isWorkbook ? kind === "id" && sensitive !== "mobile" : kind === "id" || kind === "text";
  return isId || (isWorkbook && isRounded) ? { code: "number_not_text" } : source;
}

/** The words of a row's cell, as they are looked up and compared; empty where there is none. */
export function wordsAt({ cells }: Row, at = -1): string {
  return cellWords(cells[at] ?? "");
}

const SHOWN_CHARACTERS_MAX = 40;

/** A fault of one cell, masked (I10). `value`: what stands there, if not what the file has. */
export function faultAt(
  row: Row,
  place: NamedPlace,
  { code, facts }: { readonly code: RowFaultCode | PointedOutCode | "two_columns"; readonly facts?: Facts | undefined },
  hasCells: boolean,
  value = wordsAt(row, place.source?.at),
): Fault {
  const { name, source } = place;
  const column = printable(source?.column ?? name, SHOWN_CHARACTERS_MAX);
  return {
    code,
    row: row.number,
    column: source === undefined || normalizeName(column) === normalizeName(name) ? column : `${column} (${name})`,
    ...(hasCells && source !== undefined && source.at >= 0 ? { cell: `${lettersOf(source.at)}${row.number}` } : {}),
    facts: {
      value: printable(shownAs(value, place, code), SHOWN_CHARACTERS_MAX),
      thing: thingOf(place),
      field: name,
      ...(hasCells || code !== "number_not_text" ? {} : { in: "json" }),
      ...facts,
    },
  };
}

function thingOf({ kind, shape, sensitive }: Place): Thing {
  if (kind === "amount" || kind === "whole") return kind;
  if (shape !== undefined && shape !== "currency") return shape;
  return kind === "id" ? "id" : sensitive === "name" ? "name" : "text";
}

/** They say what stands there by words that belong to nobody. */
const OF_NOBODY = /^(?:placeholder|ditto_mark|account_word|spreadsheet_error|true_or_false)$/;
/** What is left of an account shows less than the account. */
const SCIENTIFIC = /^[0-9][.,]?[0-9]{0,5}E/i;

/** A text as it may be shown (I10). */
export function shownAs(text: string, { kind, sensitive }: Place, code: string): string {
  if (kind === "amount") return maskStrayAmount(text);
  if (sensitive === undefined || text.includes("@")) return maskStray(text);
  const isShort = text.replace(/[^0-9]/g, "").length <= 4;
  if (isShort && (sensitive !== "name" || OF_NOBODY.test(code) || !/[\p{L}\p{N}]/u.test(text))) return text;
  return sensitive !== "name" && SCIENTIFIC.test(text) ? text : mask(text, sensitive);
}
