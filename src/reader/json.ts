import { JsonDocument } from "./document.ts";
import { ObjectReader } from "./object.ts";
import type { Row, Sheet } from "./row.ts";
import { refuseEmpty } from "./source.ts";
import type { SheetSource } from "./source.ts";
import { readText } from "./text.ts";
import { readWrapper } from "./wrapper.ts";

const ROWS_PER_CHUNK_MAX = 1000;

/** A wrapper may say behind its rows what must be known before them: such a file is looked through once more. */
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
