import { stringify } from "csv-stringify/sync";
import type { Config } from "../config/schema.ts";
import { printable } from "../printable.ts";
import { guardCell } from "../results/table.ts";
import { asLine } from "./json-lines.ts";
import { textOf, type Call } from "./look.ts";

/** By their names, as CSV and JSON have them. */
export type Columns<T> = Readonly<Record<string, (one: T) => string | number | undefined>>;

export interface List<T> {
  readonly type: string;
  readonly all: AsyncIterable<T> | Iterable<T>;
  readonly columns: Columns<T>;
  readonly textsOf: (one: T) => readonly string[];
  readonly after: (count: number) => readonly string[];
  /** What the last line of JSON has besides. */
  readonly facts?: () => object;
}

/** Writes a list line by line: as CSV, as JSON lines of its type, or as texts. */
export async function writeList<T>(
  { stdout, flags }: Call,
  { json }: Config,
  { type, all, ...list }: List<T>,
  code = 0,
) {
  const write = (text: string): void => stdout.write(text);
  const isCsv = flags["csv"] === true;
  if (isCsv) write(csvRecord(Object.keys(list.columns), { isFirst: true }));
  let count = 0;
  for await (const one of all) {
    const values = Object.entries(list.columns).map(([name, valueOf]) => [name, valueOf(one)] as const);
    count += 1;
    if (isCsv) write(csvRecord(values.map(([, value]) => value)));
    else if (json) write(asLine({ type, ...Object.fromEntries(values) }));
    else write(textOf(list.textsOf(one).map((text) => printable(text))));
  }
  if (isCsv) return;
  write(
    json ? asLine({ type: "summary", [type]: count, ...list.facts?.(), exit_code: code }) : textOf(list.after(count)),
  );
}

/** A line of a table; what a spreadsheet would run is guarded. */
export function csvRecord(cells: readonly (string | number | undefined)[], { isFirst = false } = {}): string {
  const shown = cells.map((cell) => guardCell(printable(String(cell ?? ""))));
  return stringify([shown], { bom: isFirst, record_delimiter: "windows" });
}
