/** How a file that lies there begins: a file of ours is known by its beginning. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileFormat } from "../format.ts";
import { WorkbookError } from "../workbook/fault.ts";
import type { SheetRow } from "../workbook/sheet-rows.ts";

/** As many as a workbook can have. */
const COLUMNS_MAX = 16_384;
const FIRST_ROW_BYTES_MAX = 256 * 1024;

export async function readBeginning(path: string, bytesMax: number): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(Math.min(bytesMax, (await handle.stat()).size));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return new TextDecoder("utf-8").decode(bytes.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

/** The first row after the header by column name; the last of equal names, where ours stand. */
export async function firstRow(path: string, format: FileFormat): Promise<ReadonlyMap<string, string> | undefined> {
  if (format === "xlsx") return firstWorkbookRow(path);
  const beginning = await readBeginning(path, FIRST_ROW_BYTES_MAX);
  return format === "csv" ? firstCsvRow(beginning) : firstJsonRow(beginning);
}

/** The same of a workbook, from its first sheet: a workbook of ours has no other. */
export async function firstWorkbookRow(path: string): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const { Workbook } = await import("../workbook/workbook.ts");
    const workbook = await Workbook.open(path);
    const [sheet] = workbook.sheets;
    const rows: SheetRow[] = [];
    if (!sheet) return undefined;
    for await (const chunk of workbook.rows(sheet, { columnsMax: COLUMNS_MAX })) {
      rows.push(...chunk.slice(0, 2));
      if (rows.length >= 2) break;
    }
    const [header, row] = rows.map(({ cells }) => cells.map((cell) => (typeof cell === "string" ? cell : cell.source)));
    return header && new Map(header.map((name, index) => [name, row?.[index] ?? ""]));
  } catch (error) {
    if (error instanceof WorkbookError) return undefined;
    throw error;
  }
}

async function firstCsvRow(beginning: string): Promise<ReadonlyMap<string, string> | undefined> {
  // A spreadsheet of another country saves our commas as semicolons or tabs; a name of theirs may hold a comma itself.
  const headerLine = beginning.split(/[\r\n]/, 1)[0] ?? "";
  const cells = (delimiter: string): number => headerLine.split(delimiter).length;
  const delimiter = [",", ";", "\t"].reduce((best, other) => (cells(other) > cells(best) ? other : best));
  const { parse } = await import("csv-parse/sync");
  try {
    const [header, row] = parse(beginning, { to: 2, delimiter, relax_column_count: true, relax_quotes: true });
    return header && new Map(header.map((name, index) => [name, row?.[index] ?? ""]));
  } catch {
    return undefined;
  }
}

function firstJsonRow(beginning: string): ReadonlyMap<string, string> | undefined {
  // We write one row per line; an array or a wrapper has a line before the first row.
  for (const line of beginning.split("\n", 2)) {
    const row = objectIn(line.trim().replace(/,$/, ""));
    if (row) return new Map(Object.entries(row).map(([key, value]) => [key, String(value)]));
  }
  return undefined;
}

/** undefined for what is no JSON object. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
