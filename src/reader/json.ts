import { SUMMABLE } from "../amount.ts";
import { quotedNames } from "../printable.ts";
import { createRowReader, endOfValue, isJson, membersOf, skipSpace } from "./json-value.ts";
import type { Cell, Row, Table, Wrapper } from "./row.ts";
import { PAGE_ROWS_MAX, RECORD_CHARACTERS_MAX, type Refuse, type Source } from "./source.ts";
import { readText } from "./text.ts";

/** What stands around the rows, with `[]` in their place: a wrapper, or nothing else. */
interface Around {
  text: string;
}

/**
 * Opens a list of rows, or a wrapper with the list under `rows` (DESIGN §6). A file with a wrapper is first read to its
 * end: behind its rows may stand what must be known before them. Throws FileRefusedError.
 */
export async function openJson(source: Source): Promise<Table> {
  const around: Around = { text: "" };
  for await (const { length } of readRowTexts(source, around)) if (length > 0 && around.text.startsWith("[")) break;
  return {
    reading: { format: "json", encoding: source.encoding },
    ...(around.text.startsWith("{") ? { wrapper: wrapperOf(around.text, source.refuse) } : {}),
    remarks: [],
    rows: () => readRows(source),
  };
}

async function* readRows(source: Source): AsyncGenerator<readonly Row[]> {
  const rowOf = createRowReader(source.refuse);
  let number = 0;
  for await (const texts of readRowTexts(source, { text: "" })) yield texts.map((text) => rowOf(text, (number += 1)));
  if (number === 0) throw source.refuse("no_rows");
}

const ROWS_BEFORE = /[{,]"rows":$/;

/** The texts of the rows, not yet parsed, in pages; only the value that is being read is in memory. */
async function* readRowTexts(source: Source, around: Around): AsyncGenerator<readonly string[]> {
  const { refuse } = source;
  let text = "";
  // the row that comes next; 0 outside of the list of rows
  let row = 0;
  let expected: "first" | "value" | "sign" = "first";
  let hasRows = false;
  for await (const chunk of readText(source.path, source.encoding)) {
    const page: string[] = [];
    let at = skipSpace((text += chunk.text), 0);
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
    for (let from = 0; from < page.length; from += PAGE_ROWS_MAX) yield page.slice(from, from + PAGE_ROWS_MAX);
    const place = row > 0 ? { row } : {};
    if (isWrong) throw refuse("json_malformed", {}, place);
    if (chunk.broken) throw refuse(chunk.broken.code, chunk.broken.facts, { row: row || 1 });
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

/** One object per line; blank lines do not count. */
export function openJsonLines(source: Source): Table {
  const reading = { format: "jsonl", encoding: source.encoding } as const;
  return { reading, remarks: [], rows: () => readLines(source) };
}

async function* readLines(source: Source): AsyncGenerator<readonly Row[]> {
  const rowOf = createRowReader(source.refuse);
  let carried = "";
  let number = 0;
  for await (const chunk of readText(source.path, source.encoding)) {
    const lines = (carried + chunk.text).split("\n");
    carried = chunk.isLast && !chunk.broken ? "" : (lines.pop() ?? "");
    const texts = lines.map((line) => line.trim()).filter((line) => line !== "");
    for (let from = 0; from < texts.length; from += PAGE_ROWS_MAX) {
      yield texts.slice(from, from + PAGE_ROWS_MAX).map((line) => rowOf(line, (number += 1)));
    }
    if (chunk.broken) throw source.refuse(chunk.broken.code, chunk.broken.facts, { row: number + 1 });
    if (carried.length > RECORD_CHARACTERS_MAX) rowOf(carried, number + 1);
  }
  if (number === 0) throw source.refuse("file_blank");
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
    const digits = typeof cell === "string" ? cell : cell.token === "number" ? cell.source : "";
    const isRight = key === "rows" ? /^\d{1,9}$/.test(digits) : key === "total" && SUMMABLE.test(digits);
    return isRight ? ([key, key === "rows" ? Number(digits) : digits] as const) : undefined;
  });
  if (!source.startsWith("{") || said.includes(undefined) || new Set(keys).size < keys.length) {
    throw wrong('"control" is not {"rows": 240, "total": "11087750.50"}, or one of the two');
  }
  return Object.fromEntries(said.filter((one) => one !== undefined));
}
