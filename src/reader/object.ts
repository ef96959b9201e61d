import { isForbiddenName, quotedName, repeatedNameOf } from "./header.ts";
import type { Cell, JsonToken, Row } from "./row.ts";
import type { SheetSource } from "./source.ts";
import { endOfString, endOfValue, skipSpace } from "./value.ts";

const SHAPES_MAX = 1000;

/** The column names of a row, and the key that it has twice. */
interface Shape {
  readonly columns: readonly string[];
  readonly repeatedKey: string | undefined;
}

/** Makes rows of JSON objects. Rows with the same keys in the same order share one array of column names. */
export class ObjectReader {
  readonly #source: SheetSource;
  readonly #shapes = new Map<string, Shape>();
  #last: Shape = { columns: [], repeatedKey: undefined };

  constructor(source: SheetSource) {
    this.#source = source;
  }

  /** `text` is one whole value. Throws FileRefusedError when it is not an object that can be a row. */
  row(text: string, number: number): Row {
    if (!text.startsWith("{")) {
      const found = `the row is ${describeValue(text)}, not an object`;
      throw this.#source.refuse("json_not_objects", { row: number, found });
    }
    if (!isJson(text)) {
      throw this.#source.refuse("json_malformed", { row: number, found: describeFlaw(text) });
    }
    const { keys, cells } = membersOf(text);
    const shape = this.#shapeOf(keys, number);
    if (shape.repeatedKey === undefined) return { number, columns: shape.columns, cells };
    // A key that stands twice keeps its place and its last value, as with every JSON parser; the row is invalid anyway.
    const members = new Map(keys.map((key, index) => [key, cells[index] ?? ""]));
    return { number, columns: shape.columns, cells: [...members.values()], repeatedKey: shape.repeatedKey };
  }

  #shapeOf(keys: readonly string[], row: number): Shape {
    const { columns } = this.#last;
    if (keys.length === columns.length && keys.every((key, index) => key === columns[index])) return this.#last;
    const id = JSON.stringify(keys);
    const shape = this.#shapes.get(id) ?? this.#newShape(keys, row);
    if (this.#shapes.size >= SHAPES_MAX) this.#shapes.clear();
    this.#shapes.set(id, shape);
    // with a repeated key the columns are fewer than the keys: a later row with these columns as its keys, and none
    // repeated, would be taken for one of the same shape
    if (shape.repeatedKey === undefined) this.#last = shape;
    return shape;
  }

  #newShape(keys: readonly string[], row: number): Shape {
    const { refuse, limits } = this.#source;
    if (keys.length > limits.columnsMax) throw refuse("too_many_columns", { row, found: limits.columnsMax.toString() });
    const forbidden = keys.find(isForbiddenName);
    if (forbidden !== undefined) throw refuse("json_key_forbidden", { row, found: quotedName(forbidden) });
    return { columns: [...new Set(keys)], repeatedKey: repeatedNameOf(keys) };
  }
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
export function membersOf(text: string): { keys: string[]; cells: Cell[] } {
  const keys: string[] = [];
  const cells: Cell[] = [];
  let at = skipSpace(text, 1);
  while (text[at] === '"') {
    const keyEnd = wholeEnd(endOfString(text, at));
    keys.push(stringOf(text, at, keyEnd));
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = wholeEnd(endOfValue(text, valueStart, Number.POSITIVE_INFINITY));
    cells.push(cellOf(text, valueStart, valueEnd));
    at = skipSpace(text, valueEnd);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { keys, cells };
}

function wholeEnd(end: number | "incomplete" | "too_deep"): number {
  if (typeof end !== "number") throw new Error("an object that JSON.parse accepted has an end");
  return end;
}

function stringOf(text: string, from: number, to: number): string {
  const raw = text.slice(from + 1, to - 1);
  return raw.includes("\\") ? (JSON.parse(text.slice(from, to)) as string) : raw;
}

function cellOf(text: string, from: number, to: number): Cell {
  const first = text[from];
  if (first === '"') return stringOf(text, from, to);
  return { token: tokenOf(first), source: text.slice(from, to) };
}

function tokenOf(first: string | undefined): JsonToken["token"] {
  if (first === "{" || first === "[") return "nested";
  if (first === "t" || first === "f") return "boolean";
  return first === "n" ? "null" : "number";
}

/** What kind of value it is; never the value itself, which may be an account number. */
function describeValue(text: string): string {
  if (text.startsWith("[")) return "a list";
  if (text.startsWith('"')) return "a text";
  if (/^-?\d/.test(text)) return "a number";
  return /^(?:true|false|null)$/.test(text) ? text : "no value of JSON";
}

function describeFlaw(element: string): string {
  const text = element.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (/,\s*[}\]]/.test(text)) return "a comma stands before a closing brace or bracket";
  if (/:\s*(?:NaN|-?Infinity)\b/.test(text)) return "NaN and Infinity are not numbers of JSON";
  if (/[{,]\s*'/.test(text)) return "names and texts need double quotes";
  if (/[{,]\s*[A-Za-z_]/.test(text)) return "names need double quotes";
  return "check its quotes, colons, commas and braces";
}
