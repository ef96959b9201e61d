import { SUMMABLE } from "../amount.ts";
import { defined } from "../defined.ts";
import { normalizeName } from "../text/names.ts";
import { countSlips } from "../text/slips.ts";
import { assertMayBeIgnored } from "./beside-rows.ts";
import { JsonDocument } from "./document.ts";
import { quotedName } from "./header.ts";
import { membersOf, ObjectReader } from "./object.ts";
import type { Cell, Row, Sheet, Wrapper } from "./row.ts";
import { refuseEmpty, type SheetSource } from "./source.ts";
import { readText } from "./text.ts";

const ROWS_PER_CHUNK_MAX = 1000;

/**
 * Opens a JSON file. A file with a wrapper is first read to its end: the wrapper may say behind its rows what must be
 * known before them. Throws FileRefusedError.
 */
export async function openJson(source: SheetSource): Promise<Sheet> {
  const document = new JsonDocument(source);
  for await (const rows of readRowTexts(source, document)) if (rows.length > 0 && !document.isWrapper) break;
  const remarks: string[] = [];
  return {
    format: "json",
    ...(document.isWrapper ? { wrapper: readWrapper(document.members, source, remarks) } : {}),
    remarks,
    rows: (fromRow = 0) => readRows(source, fromRow),
  };
}

async function* readRows(source: SheetSource, fromRow: number): AsyncGenerator<readonly Row[]> {
  const reader = new ObjectReader(source);
  let number = 0;
  for await (const texts of readRowTexts(source, new JsonDocument(source))) {
    const first = Math.max(0, Math.min(texts.length, fromRow - 1 - number));
    number += first;
    for (let from = first; from < texts.length; from += ROWS_PER_CHUNK_MAX) {
      yield texts.slice(from, from + ROWS_PER_CHUNK_MAX).map((text) => reader.row(text, (number += 1)));
    }
  }
  if (number === 0) throw source.refuse("no_rows", { found: "the list of rows is empty" });
}

async function* readRowTexts(source: SheetSource, document: JsonDocument): AsyncGenerator<readonly string[]> {
  let carried = "";
  let hasText = false;
  let isBlank = true;
  for await (const chunk of readText(source.path, source.encoding)) {
    const isEnd = chunk.isLast && !chunk.broken;
    hasText ||= chunk.text !== "";
    isBlank &&= chunk.text.trim() === "";
    if (isBlank && isEnd) throw refuseEmpty(source, chunk.hasBytes, hasText);
    const text = carried + chunk.text;
    const { rows, end, fault } = document.cut(text, isEnd);
    if (rows.length > 0) yield rows;
    if (fault) throw fault;
    if (chunk.broken) throw source.refuse(chunk.broken.code, { row: document.rowsSeen + 1, ...chunk.broken.detail });
    carried = text.slice(end);
  }
}

/** What a JSON wrapper says beside its rows. Throws FileRefusedError for a value that is not of its kind. */
function readWrapper(members: ReadonlyMap<string, Cell>, source: SheetSource, remarks: string[]): Wrapper {
  const wrong: Wrong = (found, hint) => source.refuse("json_wrapper", { found, ...(hint ? { hint } : {}) });
  for (const [name, value] of members) {
    if (WRAPPER_NAMES.includes(name)) continue;
    // what holds a file back must not pass as if nobody had said it
    assertMayBeIgnored(name, value, wrong);
    const meant = WRAPPER_NAMES.find((known) => countSlips(normalizeName(name), known) <= 1);
    if (meant) throw wrong(`${quotedName(name)} stands beside the rows: did you mean ${meant}?`);
    remarks.push(`${quotedName(name)} beside the rows has no meaning here`);
  }
  const operation = textOf(members.get("operation"));
  if (members.has("operation") && operation === undefined) throw wrong('"operation" is not a text');
  const period = textOf(members.get("period"));
  if (members.has("period") && period === undefined) throw wrong('"period" is not a text');
  const control = members.get("control");
  return defined({
    operation,
    // a program that knows no period writes an empty one, as it would in a cell
    period: period?.trim() || undefined,
    control: control === undefined ? undefined : readControl(control, wrong),
  });
}

const WRAPPER_NAMES: readonly string[] = ["operation", "period", "control"];

/** Gives the error for what is wrong beside the rows; `hint` where more is known than how a wrapper is written. */
type Wrong = (found: string, hint?: string) => Error;

function readControl(control: Cell, wrong: Wrong): NonNullable<Wrapper["control"]> {
  if (typeof control === "string" || !control.source.startsWith("{")) throw wrong('"control" is not an object');
  const { keys, cells } = membersOf(control.source);
  if (new Set(keys).size < keys.length) throw wrong('"control" says one thing twice');
  const stranger = keys.find((key) => key !== "rows" && key !== "total");
  if (stranger !== undefined) throw wrong(`"control" holds ${quotedName(stranger)} beside "rows" and "total"`);
  const rows = digitsOf(cells[keys.indexOf("rows")]);
  if (keys.includes("rows") && !/^\d{1,9}$/.test(rows)) throw wrong('"rows" in "control" is not a whole number');
  const total = digitsOf(cells[keys.indexOf("total")]);
  if (keys.includes("total") && !SUMMABLE.test(total))
    throw wrong('"total" in "control" is not a plain amount such as 11087750.50');
  return defined({
    rows: keys.includes("rows") ? Number(rows) : undefined,
    total: keys.includes("total") ? total : undefined,
  });
}

function textOf(cell: Cell | undefined): string | undefined {
  return typeof cell === "string" ? cell : undefined;
}

/** The characters of a number with or without quotes. */
function digitsOf(cell: Cell | undefined): string {
  if (typeof cell === "string") return cell;
  return cell?.token === "number" ? cell.source : "";
}
