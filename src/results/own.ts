import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { basename } from "node:path";
import { printable } from "../printable.ts";
import { systemCodeOf } from "../errors.ts";
import type { FileFormat } from "../format.ts";
import { WorkbookError } from "../workbook/fault.ts";
import type { SheetRow } from "../workbook/sheet-rows.ts";
import { onDisk } from "./on-disk.ts";

/** What stands at the name of a file that paydrop is about to write. */
export type Standing =
  | { readonly kind: "free" }
  | { readonly kind: "ours"; readonly batch: string; readonly sha256?: string }
  /** `why` goes on after the name of the file: "is a link". */
  | { readonly kind: "foreign"; readonly why: string };

const NOT_OURS = { kind: "foreign", why: "is there already and is not a file that paydrop wrote" } as const;
/** As many as a workbook can have. */
const COLUMNS_MAX = 16_384;
const FIRST_ROW_BYTES_MAX = 256 * 1024;
const REPORT_MARK_BYTES_MAX = 256;
const SUMMARY_BYTES_MAX = 16 * 1024 * 1024;

/** A results file is ours by its columns; edited by hand it still is, and nothing in it is read as truth. */
export async function standingOfResults(path: string, format: FileFormat): Promise<Standing> {
  return standing(path, async () => {
    const first = await firstRow(path, format);
    if (first?.get("result_row") === undefined || first.get("result_status") === undefined) return NOT_OURS;
    return oursOf(first.get("result_batch"));
  });
}

/** A summary is ours by its key `paydrop`. */
export async function standingOfSummary(path: string): Promise<Standing> {
  return standing(path, async () => {
    const summary = await readOwnJson(path);
    return summary === undefined ? NOT_OURS : oursOf(String(summary["batch"]));
  });
}

/** The SHA-256 of a retry file as the summary beside it has it: the sandbox remembers nothing else from run to run. */
export async function retryOfSummary(summary: string, retry: string): Promise<string | undefined> {
  if ((await standingOfSummary(summary)).kind !== "ours") return undefined;
  const files = (await readOwnJson(summary))?.["files"];
  if (!isObject(files) || files["retry"] !== basename(retry)) return undefined;
  return String(files["retry_sha256"]);
}

/** A report is ours by its beginning, which names its batch; `mark` finds it there. */
export async function standingOfReport(path: string, mark: RegExp): Promise<Standing> {
  return standing(path, async () => oursOf(mark.exec(await readBeginning(path, REPORT_MARK_BYTES_MAX))?.[1]));
}

/** A report as a workbook is ours by its first two cells; the one beside the second names its batch. */
export async function standingOfWorkbook(
  path: string,
  mark: { readonly header: string; readonly batch: string; readonly value: string },
): Promise<Standing> {
  return standing(path, async () => {
    const first = await firstWorkbookRow(path);
    return first?.get(mark.header) === mark.batch ? oursOf(first.get(mark.value)) : NOT_OURS;
  });
}

/** A note in plain words is ours by its first word. */
export async function standingOfNote(path: string): Promise<Standing> {
  return standing(path, async () => {
    const isOurs = (await readBeginning(path, NOTE_MARK.length)) === NOTE_MARK;
    return isOurs ? { kind: "ours", batch: "" } : NOT_OURS;
  });
}

/** Every note in plain words begins with it: by it one is known as ours. */
export const NOTE_MARK = "paydrop: ";

/** A JSON file of ours: a summary, or the mark of an inbox. undefined for any other. */
export async function readOwnJson(path: string): Promise<Record<string, unknown> | undefined> {
  const document = parsedJson(await readBeginning(path, SUMMARY_BYTES_MAX));
  return isObject(document) && isObject(document["paydrop"]) ? document : undefined;
}

/**
 * A retry file is ours only as long as it is byte for byte what we wrote; otherwise a person is correcting it.
 * `written`: the SHA-256 that was noted for a path, in hex.
 */
export async function standingOfRetry(
  path: string,
  format: FileFormat,
  written: (path: string) => Promise<string | undefined>,
): Promise<Standing> {
  return standing(path, async () => {
    const noted = await written(path);
    if (noted === undefined) return NOT_OURS;
    if ((await sha256Of(path)) !== noted) return { kind: "foreign", why: "was changed by a person" };
    const first = await firstRow(path, format);
    const ours = oursOf(first?.get("retry_of")?.split(":")[0]);
    return ours.kind === "ours" ? { ...ours, sha256: noted } : ours;
  });
}

/** A batch id goes into a file name, so it must look like one. */
function oursOf(batch: string | undefined): Standing {
  return batch !== undefined && /^[0-9A-Za-z]{1,32}$/.test(batch) ? { kind: "ours", batch } : NOT_OURS;
}

async function standing(path: string, look: () => Promise<Standing>): Promise<Standing> {
  return onDisk(path, async () => {
    try {
      const stats = await lstat(path);
      if (stats.isSymbolicLink()) return { kind: "foreign", why: "is a link" };
      if (stats.isDirectory()) return { kind: "foreign", why: "is a folder" };
      if (!stats.isFile()) return { kind: "foreign", why: "is not a file" };
    } catch (thrown) {
      if (systemCodeOf(thrown) === "ENOENT") return { kind: "free" };
      throw thrown;
    }
    return look();
  });
}

async function readBeginning(path: string, bytesMax: number): Promise<string> {
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
async function firstRow(path: string, format: FileFormat): Promise<ReadonlyMap<string, string> | undefined> {
  if (format === "xlsx") return firstWorkbookRow(path);
  const beginning = await readBeginning(path, FIRST_ROW_BYTES_MAX);
  return format === "csv" ? firstCsvRow(beginning) : firstJsonRow(beginning);
}

/** Of its first sheet: ours has no other. */
async function firstWorkbookRow(path: string): Promise<ReadonlyMap<string, string> | undefined> {
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
    const row = parsedJson(line.trim().replace(/,$/, ""));
    if (isObject(row)) return new Map(Object.entries(row).map(([key, value]) => [key, String(value)]));
  }
  return undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In lower-case hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest("hex");
}

/** `payroll.csv.results.csv is a link`. */
export function describeForeign(path: string, why: string): string {
  return `${printable(basename(path))} ${why}`;
}
