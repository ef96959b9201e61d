import { counted } from "../text/counted.ts";
import { ObjectReader } from "./object.ts";
import type { Row, Sheet } from "./row.ts";
import { refuseEmpty, type SheetSource } from "./source.ts";
import { readText } from "./text.ts";
import { endOfValue, skipSpace } from "./value.ts";

const ROWS_PER_CHUNK_MAX = 1000;

/** One object per line; blank lines do not count. */
export function openJsonLines(source: SheetSource): Sheet {
  return { format: "jsonl", remarks: [], rows: (fromRow = 0) => readRows(source, fromRow) };
}

async function* readRows(source: SheetSource, fromRow: number): AsyncGenerator<readonly Row[]> {
  const reader = new ObjectReader(source);
  const { recordCharactersMax } = source.limits;
  let carried = "";
  let number = 0;
  let hasText = false;
  for await (const chunk of readText(source.path, source.encoding)) {
    const isEnd = chunk.isLast && !chunk.broken;
    const text = carried + chunk.text;
    hasText ||= chunk.text !== "";
    let rows: Row[] = [];
    let at = 0;
    for (;;) {
      const lineFeed = text.indexOf("\n", at);
      const stop = lineFeed < 0 ? text.length : lineFeed;
      if (stop - at > recordCharactersMax) {
        throw source.refuse("record_too_long", { row: number + 1, found: counted(recordCharactersMax, "character") });
      }
      if (lineFeed < 0 && !isEnd) break;
      const line = text.slice(at, stop).trim();
      at = stop + 1;
      if (line !== "") {
        number += 1;
        if (number >= fromRow) {
          checkLine(line, number, lineFeed < 0, source);
          rows.push(reader.row(line, number));
        }
      }
      if (rows.length === ROWS_PER_CHUNK_MAX) {
        yield rows;
        rows = [];
      }
      if (lineFeed < 0) break;
    }
    if (rows.length > 0) yield rows;
    if (chunk.broken) throw source.refuse(chunk.broken.code, { row: number + 1, ...chunk.broken.detail });
    if (isEnd && number === 0) throw refuseEmpty(source, chunk.hasBytes, hasText);
    carried = text.slice(at);
  }
}

function checkLine(line: string, row: number, isOpenEnd: boolean, source: SheetSource): void {
  const end = endOfValue(line, 0, source.limits.nestingMax);
  if (end === "too_deep") throw source.refuse("json_too_deep", { row, found: source.limits.nestingMax.toString() });
  if (!line.startsWith("{")) return;
  if (end === "incomplete" && isOpenEnd) throw source.refuse("json_truncated", { row, found: "the row is not closed" });
  if (end === "incomplete")
    throw source.refuse("json_malformed", { row, found: "the line ends before its object", hint: ONE_PER_LINE });
  if (skipSpace(line, end) < line.length) {
    throw source.refuse("json_malformed", { row, found: "something stands behind the object", hint: ONE_PER_LINE });
  }
}

const ONE_PER_LINE = "Write one whole object on each line, or name the file .json and write a list.";
