import { createHash } from "node:crypto";
import { parse } from "csv-parse/sync";
import { partsOf, textRow, zipOf } from "../support/workbooks.ts";

/** A file of payments, as CSV; what lies on the desk has the form that its name says. */
export interface Paper {
  readonly name: string;
  readonly text: string;
  /** Days after the first act. */
  readonly day: number;
}

/** What the rows of a file are, by its bytes. */
export interface Written {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** Of the first of them. */
  readonly firstRow: number;
}

/** `.json`, `.jsonl` and `.xlsx` hold the very cells of the CSV text. */
export function written(name: string, text: string): Written {
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true, delimiter: [",", ";"] });
  const bytes = bytesOf(name.slice(name.lastIndexOf(".")), text, rows);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { bytes, sha256, rows, firstRow: /\.jsonl?$/.test(name) ? 1 : 2 };
}

function bytesOf(extension: string, text: string, rows: readonly Record<string, string>[]): Buffer {
  if (extension === ".json") return Buffer.from(JSON.stringify(rows));
  if (extension === ".jsonl") return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  if (extension !== ".xlsx") return Buffer.from(text);
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return zipOf(partsOf({ sheets: { Sheet1: lines.map((cells, index) => textRow(index + 1, cells)).join("") } }));
}

/** Of each payment one of its own. */
export function withReferences(text: string): string {
  const [header = "", ...lines] = text.trimEnd().split("\r\n");
  const narration = header.split(",").indexOf("narration");
  const rows = lines.map((line) => `${line},${line.split(",")[narration] ?? ""}`);
  return narration < 0 || header.includes("reference") ? text : [`${header},reference`, ...rows, ""].join("\r\n");
}

/** The same people and amounts once more: payments of their own. Nobody of them twice, as one of both could be meant. */
export function ofMonth(month: string, text: string): string {
  const lines = text.split("\r\n").filter((line) => !line.includes(ONCE_MORE));
  return lines.join("\r\n").replaceAll(/s\d+a\d+ row \d+/g, (marker) => `${marker} of ${month}`);
}

/** In the marker of a payment that somebody is to get twice. */
export const ONCE_MORE = "once more";

export function mended(text: string): string {
  return text.replaceAll(/EXMB01\b/g, "EXMB0100200");
}

export function rowsUnder(text: string, otherText: string): string {
  const header = headerOf(text);
  return otherText.startsWith(header) ? otherText.slice(header.length) : "";
}

/** The only one stays. */
export function withoutFirstRow(text: string): string {
  const rows = text.slice(headerOf(text).length);
  return headerOf(text) + (rows.slice(rows.indexOf("\r\n") + 2) || rows);
}

function headerOf(text: string): string {
  return text.slice(0, text.indexOf("\r\n") + 2);
}
