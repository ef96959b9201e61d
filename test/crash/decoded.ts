/** A file's rows as anybody would read them, without the program's own readers: what was sent must stand there. */
import { extname } from "node:path";
import { parse } from "csv-parse/sync";
import { unzipped } from "./damaged-workbooks.ts";

/** The texts of its cells, of rows in which anything stands, by the row's number, as a spreadsheet shows it; in JSON rows are counted from 1. */
export type Decoded = ReadonlyMap<number, readonly string[]>;

/** Each way in which the file may be read; none where nobody can. */
export function readings(name: string, bytes: Buffer): readonly Decoded[] {
  try {
    if (extname(name) === ".xlsx") return [workbook(bytes)];
    const text = textOf(bytes);
    if (/^\s*[[{]/.test(text)) return [asRows(objects(text))];
    return [",", ";", "\t", "|"].flatMap((delimiter) => table(text, delimiter));
  } catch {
    return [];
  }
}

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function table(text: string, delimiter: string): Decoded[] {
  try {
    const records: string[][] = parse(text.replace(/^"?sep=.*?(?:\r\n|\r|\n)/i, ""), {
      ...{ delimiter, record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true, skip_empty_lines: false },
    });
    return [new Map(records.map((cells, at) => [at + 1, cells] as const).filter(([, cells]) => isFilled(cells)))];
  } catch {
    return [];
  }
}

/** A number keeps the digits that it has in the file. */
class Digits {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

function objects(text: string): readonly unknown[] {
  const read = (json: string): unknown =>
    JSON.parse(json, function (this: unknown, _key: string, value: unknown, { source }: { source?: string }) {
      return typeof value === "number" ? new Digits(source ?? "") : value;
    } as Parameters<typeof JSON.parse>[1]);
  try {
    const whole = read(text.trim());
    if (Array.isArray(whole)) return whole;
    const { rows } = whole as { rows?: unknown };
    return Array.isArray(rows) ? rows : [whole];
  } catch {
    return text
      .split(/\r\n|\r|\n/)
      .filter((line) => line.trim() !== "")
      .map(read);
  }
}

function asRows(rows: readonly unknown[]): Decoded {
  const textsOf = (row: unknown): string[] =>
    Object.values(row as object).map((value: unknown) => (value instanceof Digits ? value.source : String(value)));
  return new Map(rows.map((row, at) => [at + 1, textsOf(row)]));
}

function workbook(bytes: Buffer): Decoded {
  const parts = unzipped(bytes).map(({ name, data }) => ({ name, xml: data.toString("utf8") }));
  const strings = parts.find(({ name }) => /sharedStrings\.xml$/i.test(name))?.xml ?? "";
  const shared = [...strings.matchAll(/<si\b[^>]*?(?:\/>|>(.*?)<\/si>)/gs)].map(([, inner = ""]) => inText(inner));
  const rows = new Map<number, string[]>();
  for (const { xml } of parts.filter(({ name }) => /worksheets\//i.test(name))) {
    for (const [, attributes = "", inner = ""] of xml.matchAll(/<row\b([^>]*?)(?:\/>|>(.*?)<\/row>)/gs)) {
      const number = Number(/ r="(\d+)"/.exec(attributes)?.[1]);
      const cells: string[] = [];
      for (const [, of = "", cell = ""] of inner.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
        const value = /<v\b[^>]*>(.*?)<\/v>/s.exec(cell)?.[1] ?? "";
        const at = columnOf(/ r="([A-Z]{1,2})\d/.exec(of)?.[1]) ?? cells.length;
        while (cells.length < at) cells.push("");
        const text = / t="s"/.test(of) ? shared[Number(value)] : value === "" ? inText(cell) : unescaped(value);
        cells[at] = text ?? "";
      }
      // sheets are not told apart: any of them may be the one
      if (isFilled(cells)) rows.set(number, [...(rows.get(number) ?? []), ...cells]);
    }
  }
  return rows;
}

function isFilled(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.trim() !== "");
}

function columnOf(letters: string | undefined): number | undefined {
  return letters === undefined
    ? undefined
    : Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function inText(xml: string): string {
  return [...xml.matchAll(/<t\b[^>]*?>(.*?)<\/t>/gs)].map(([, text = ""]) => unescaped(text)).join("");
}

function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex?: string, decimal?: string, name = "") =>
    hex || decimal ? String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)) : (signs[name as string] ?? ""),
  );
}
