import { SUMMABLE } from "../amount.ts";
import { quotedNames } from "../printable.ts";
import { repeatedNameOf } from "./lines.ts";
import { COLUMNS_MAX, PAGE_ROWS_MAX, RECORD_CHARACTERS_MAX } from "./row.ts";
import type { Cell, Refuse, Row, Source, Table, Token, Wrapper } from "./row.ts";
import { readText } from "./text.ts";

/**
 * Opens a list of rows, or a wrapper with the list under `rows` (README §6). A file with a wrapper is first read to its
 * end: behind its rows may stand what must be known before them. Throws FileRefusedError.
 */
export async function openJson(source: Source): Promise<Table> {
  const around = { text: "" };
  for await (const { length } of readRowTexts(source, around)) if (length > 0 && around.text.startsWith("[")) break;
  return {
    reading: { format: "json", encoding: source.encoding },
    ...(around.text.startsWith("{") ? { wrapper: wrapperOf(around.text, source.refuse) } : {}),
    remarks: [],
    rows: () => readRows(source, readRowTexts(source, { text: "" })),
  };
}

/** One object per line; blank lines do not count. */
export function openJsonLines(source: Source): Table {
  const reading = { format: "jsonl", encoding: source.encoding } as const;
  return { reading, remarks: [], rows: () => readRows(source, readLines(source)) };
}

async function* readRows({ refuse }: Source, pages: AsyncIterable<readonly string[]>): AsyncGenerator<readonly Row[]> {
  const rowOf = createRowReader(refuse);
  let number = 0;
  for await (const texts of pages) {
    for (let from = 0; from < texts.length; from += PAGE_ROWS_MAX) {
      yield texts.slice(from, from + PAGE_ROWS_MAX).map((text) => rowOf(text, (number += 1)));
    }
  }
  if (number === 0) throw refuse("no_rows");
}

async function* readLines(source: Source): AsyncGenerator<readonly string[]> {
  let carried = "";
  let row = 1;
  for await (const text of readText(source, () => row)) {
    const lines = (carried + text).split("\n");
    carried = text === "" ? "" : (lines.pop() ?? "");
    // such a line is refused when it is read
    if (carried.length > RECORD_CHARACTERS_MAX) lines.push(carried);
    const filled = lines.map((line) => line.trim()).filter((line) => line !== "");
    row += filled.length;
    yield filled;
  }
  if (row === 1) throw source.refuse("file_blank");
}

const ROWS_BEFORE = /[{,]"rows":$/;

/**
 * The texts of the rows, not yet parsed, in pages; only the value that is being read is in memory. `around`: takes what
 * stands around the rows, with `[]` in their place.
 */
async function* readRowTexts(source: Source, around: { text: string }): AsyncGenerator<readonly string[]> {
  const { refuse } = source;
  let text = "";
  // the row that comes next; 0 outside of the list of rows
  let row = 0;
  let expected: "first" | "value" | "sign" = "first";
  let hasRows = false;
  for await (const more of readText(source, () => row || 1)) {
    const page: string[] = [];
    let at = skipSpace((text += more), 0);
    let isWrong = false;
    for (let sign = text[at]; sign !== undefined && !isWrong; sign = text[at]) {
      const isList = row === 0 && sign === "[" && (around.text === "" || ROWS_BEFORE.test(around.text));
      const isSign = row > 0 ? ",]".includes(sign) : ":,}]".includes(sign) || (around.text === "" && sign === "{");
      const end = isList || isSign ? at + 1 : endOfValue(text, at);
      if (end === undefined) break;
      if (isList) {
        around.text += "[]";
        [row, expected, hasRows] = [1, "first", true];
      } else if (row === 0) {
        around.text += text.slice(at, end);
      } else if (isSign) {
        isWrong = expected === "value" || (expected === "first" && sign === ",");
        if (!isWrong) [row, expected] = sign === "]" ? [0, "first"] : [row + 1, "value"];
      } else {
        isWrong = expected === "sign";
        page.push(text.slice(at, end));
        expected = "sign";
      }
      at = skipSpace(text, end);
    }
    // a row of the page may be what is wrong
    yield page;
    const place = row > 0 ? { row } : {};
    if (isWrong) throw refuse("json_malformed", {}, place);
    text = text.slice(at);
    if (Math.max(text.length, around.text.length) > RECORD_CHARACTERS_MAX) {
      throw refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, place);
    }
  }
  if (row > 0) throw refuse("json_truncated", {}, { row });
  around.text += text;
  if (around.text === "") throw refuse("file_blank");
  if (!isJson(around.text)) {
    throw refuse(endOfValue(around.text, 0) === undefined ? "json_truncated" : "json_malformed");
  }
  if (!hasRows) throw refuse("json_wrapper", { found: 'the file has no list named "rows"' });
}

/** What a JSON wrapper says beside its rows. Throws FileRefusedError for any key that is not ours, and names it. */
function wrapperOf(around: string, refuse: Refuse): Wrapper {
  const { keys, cells } = membersOf(around);
  const wrong = (found: string): Error => refuse("json_wrapper", { found });
  if (new Set(keys).size < keys.length) throw wrong("a name stands twice beside the rows");
  const stranger = keys.find((name) => !["operation", "period", "control", "rows"].includes(name));
  if (stranger !== undefined) throw refuse("json_beside_rows", { name: quotedNames([stranger]) });
  const text = (name: string): string | undefined => {
    const cell = cells[keys.indexOf(name)];
    if (cell === undefined || typeof cell === "string") return cell?.trim();
    throw wrong(`"${name}" is not a text`);
  };
  const [operation, period] = [text("operation"), text("period")];
  const control = cells[keys.indexOf("control")];
  return {
    ...(operation === undefined ? {} : { operation }),
    // a program that knows no period writes an empty one, as it would in a cell
    ...(period ? { period } : {}),
    ...(control === undefined ? {} : { control: controlOf(control, wrong) }),
  };
}

function controlOf(control: Cell, wrong: (found: string) => Error): NonNullable<Wrapper["control"]> {
  const source = typeof control === "string" ? "" : control.source;
  const { keys, cells } = membersOf(source);
  const said = keys.map((key, at) => {
    const cell = cells[at] ?? "";
    const digits = typeof cell === "string" ? cell : cell.source;
    const isRight = key === "rows" ? /^\d{1,9}$/.test(digits) : key === "total" && SUMMABLE.test(digits);
    return isRight ? ([key, key === "rows" ? Number(digits) : digits] as const) : undefined;
  });
  if (!source.startsWith("{") || said.includes(undefined) || new Set(keys).size < keys.length) {
    throw wrong('"control" is not {"rows": 240, "total": "11087750.50"}, or one of the two');
  }
  return Object.fromEntries(said.filter((one) => one !== undefined));
}

const SHAPES_MAX = 1000;

/**
 * Makes rows of the texts of JSON objects; rows with the same keys in the same order share one array of column names.
 * The function throws FileRefusedError for what is not an object that can be a row.
 */
function createRowReader(refuse: Refuse): (text: string, number: number) => Row {
  const shapes = new Map<string, { readonly columns: readonly string[]; readonly repeatedKey: string | undefined }>();
  return (text, number) => {
    const place = { row: number };
    if (text.length > RECORD_CHARACTERS_MAX) throw refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, place);
    if (!isJson(text)) throw refuse("json_malformed", {}, place);
    if (!text.startsWith("{")) throw refuse("json_not_objects", {}, place);
    const { keys, cells } = membersOf(text);
    if (keys.length > COLUMNS_MAX) throw refuse("too_many_columns", { most: COLUMNS_MAX }, place);
    const id = JSON.stringify(keys);
    const shape = shapes.get(id) ?? { columns: [...new Set(keys)], repeatedKey: repeatedNameOf(keys) };
    if (shapes.size >= SHAPES_MAX) shapes.clear();
    shapes.set(id, shape);
    const { columns, repeatedKey } = shape;
    if (repeatedKey === undefined) return { number, columns, cells };
    // a key that stands twice keeps its place and its last value, as with every JSON parser; the row is invalid anyway
    const members = new Map(keys.map((key, index) => [key, cells[index] ?? ""]));
    return { number, columns, cells: [...members.values()], repeatedKey };
  };
}

const TEXT = /"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const SCALAR = /[^,:\]} \n\r\t]*(?=[,:\]} \n\r\t])/y;
/** Up to the next bracket or brace that stands in no text. */
const BRACKET = /[^"[\]{}]*(?:"[^"\\]*(?:\\[^][^"\\]*)*"[^"[\]{}]*)*[[\]{}]/y;
const KEY = /\s*[{,]\s*("[^"\\]*(?:\\[^][^"\\]*)*")\s*:\s*/y;

/** The members of an object that JSON.parse accepts, with the very characters of its values. */
function membersOf(text: string): { readonly keys: readonly string[]; readonly cells: readonly Cell[] } {
  const keys: string[] = [];
  const cells: Cell[] = [];
  KEY.lastIndex = 0;
  for (let key = KEY.exec(text)?.[1]; key !== undefined; key = KEY.exec(text)?.[1]) {
    const start = KEY.lastIndex;
    KEY.lastIndex = endOfValue(text, start) ?? text.length;
    keys.push(stringOf(key));
    cells.push(cellOf(text.slice(start, KEY.lastIndex)));
  }
  return { keys, cells };
}

function stringOf(source: string): string {
  return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
}

const TOKENS: Record<string, Token["token"]> = { "{": "nested", "[": "nested", t: "boolean", f: "boolean", n: "null" };

function cellOf(source: string): Cell {
  return source.startsWith('"') ? stringOf(source) : { token: TOKENS[source.charAt(0)] ?? "number", source };
}

const BEGINNINGS: Readonly<Record<string, RegExp>> = { '"': TEXT, "{": BRACKET, "[": BRACKET };

/**
 * The index behind the JSON value that begins at `from`; undefined where the text ends before it. Only brackets, braces
 * and texts are looked at; JSON.parse judges the rest.
 */
function endOfValue(text: string, from: number): number | undefined {
  const step = BEGINNINGS[text.charAt(from)] ?? SCALAR;
  step.lastIndex = from;
  let depth = 0;
  while (step.test(text)) {
    const end = step.lastIndex;
    if (step === BRACKET) depth += "[{".includes(text.charAt(end - 1)) ? 1 : -1;
    if (depth === 0) return end;
  }
  return undefined;
}

/** The first index at or after `from` that is not white space of JSON. */
function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  return SPACE.test(text) ? SPACE.lastIndex : from;
}

const SPACE = /[ \n\r\t]+/y;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
