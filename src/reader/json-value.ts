import type { Cell, Row, Token } from "./row.ts";
import { COLUMNS_MAX, RECORD_CHARACTERS_MAX, repeatedNameOf, type Refuse } from "./source.ts";

const QUOTE = 0x22;
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The index behind the JSON value that begins at `from`; undefined where the text ends before it. Only brackets, braces
 * and strings are looked at; JSON.parse judges the rest. Linear, without recursion.
 */
export function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isOpening = code === OPEN_BRACE || code === OPEN_BRACKET;
    const isClosing = code === CLOSE_BRACE || code === CLOSE_BRACKET;
    if (depth === 0 && (isClosing || code === 0x2c || code === 0x3a || isSpace(code))) return at;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (isOpening) {
      depth += 1;
    } else if (isClosing) {
      depth -= 1;
    }
    if (depth === 0 && (code === QUOTE || isClosing)) return at + 1;
  }
  return undefined;
}

/** The index behind the string whose opening quote stands at `from`. */
function endOfString(text: string, from: number): number | undefined {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslash = quote - 1;
    while (text.charCodeAt(backslash) === 0x5c) backslash -= 1;
    if ((quote - backslash) % 2 === 1) return quote + 1;
  }
  return undefined;
}

/** The first index at or after `from` that is not white space of JSON. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The members of an object that JSON.parse accepts, with the very characters of its values. */
export function membersOf(text: string): { readonly keys: readonly string[]; readonly cells: readonly Cell[] } {
  const keys: string[] = [];
  const cells: Cell[] = [];
  let at = skipSpace(text, 1);
  while (text[at] === '"') {
    const keyEnd = endOfValue(text, at) ?? text.length;
    keys.push(stringOf(text.slice(at, keyEnd)));
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start) ?? text.length;
    cells.push(cellOf(text.slice(start, end)));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { keys, cells };
}

function stringOf(source: string): string {
  return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
}

function cellOf(source: string): Cell {
  return source.startsWith('"') ? stringOf(source) : { token: TOKENS[source.charAt(0)] ?? "number", source };
}

const TOKENS: Readonly<Record<string, Token["token"]>> = {
  ...{ "{": "nested", "[": "nested", t: "boolean", f: "boolean", n: "null" },
};

/** The column names of a row, and the key that it has twice. */
interface Shape {
  readonly columns: readonly string[];
  readonly repeatedKey: string | undefined;
}

const SHAPES_MAX = 1000;

/**
 * Makes rows of the texts of JSON objects; rows with the same keys in the same order share one array of column names.
 * The function throws FileRefusedError for what is not an object that can be a row.
 */
export function createRowReader(refuse: Refuse): (text: string, number: number) => Row {
  const shapes = new Map<string, Shape>();
  return (text, number) => {
    const place = { row: number };
    if (text.length > RECORD_CHARACTERS_MAX) throw refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, place);
    if (!isJson(text)) throw refuse("json_malformed", {}, place);
    if (!text.startsWith("{")) throw refuse("json_not_objects", {}, place);
    const { keys, cells } = membersOf(text);
    const id = JSON.stringify(keys);
    const shape = shapes.get(id) ?? { columns: [...new Set(keys)], repeatedKey: repeatedNameOf(keys) };
    if (keys.length > COLUMNS_MAX) throw refuse("too_many_columns", { most: COLUMNS_MAX }, place);
    if (shapes.size >= SHAPES_MAX) shapes.clear();
    shapes.set(id, shape);
    const { columns, repeatedKey } = shape;
    if (repeatedKey === undefined) return { number, columns, cells };
    // a key that stands twice keeps its place and its last value, as with every JSON parser; the row is invalid anyway
    const members = new Map(keys.map((key, index) => [key, cells[index] ?? ""]));
    return { number, columns, cells: [...members.values()], repeatedKey };
  };
}
