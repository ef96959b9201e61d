import { createHash } from "node:crypto";
import { parse } from "csv-parse/sync";
import { paise } from "./oracle.ts";
import { partsOf, textRow, zipOf } from "../support/workbooks.ts";

/** A file of payments, as CSV; what lies on the desk has the form that its name says. */
export interface Paper {
  /** From the folder of the files on. */
  readonly name: string;
  readonly text: string;
  /** Days after the first act. */
  readonly day: number;
}

/** What the rows of a file are, by its bytes. */
export interface Written {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly rows: readonly { readonly marker: string; readonly amount: string }[];
  /** Of the first of them. */
  readonly firstRow: number;
  /** Its control totals, as they are stated beside it. */
  readonly control: string;
  /** Its columns are those of another system. */
  readonly isMapped: boolean;
}

/** `.json`, `.jsonl` and `.xlsx` hold the very cells of the CSV text. */
export function written(name: string, text: string): Written {
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true, delimiter: [",", ";"] });
  const bytes = bytesOf(name.slice(name.lastIndexOf(".")), text, rows);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    ...{ bytes, sha256, isMapped: /^\uFEFF?emp no[,;]/i.test(text) },
    control: controlOf(rows.map(amountOf)),
    rows: rows.map((row) => ({ marker: markerOf(row), amount: amountOf(row) })),
    firstRow: /\.jsonl?$/.test(name) ? 1 : 2,
  };
}

export function controlOf(amounts: readonly string[]): string {
  const units = String(amounts.reduce((sum, amount) => sum + paise(amount), 0n)).padStart(3, "0");
  return `rows=${amounts.length}\ntotal=${units.slice(0, -2)}.${units.slice(-2)}\n`;
}

/** What the service's ledger knows a row by. */
export function markerOf(row: Readonly<Record<string, string>>): string {
  return row["narration"] ?? row["Remarks"] ?? row["remarks"] ?? row["to_account"] ?? "";
}

export function amountOf(row: Readonly<Record<string, string>>): string {
  return row["amount"] ?? row["Net Pay"] ?? row["net pay"] ?? "";
}

export function isTransfer(marker: string): boolean {
  return marker.startsWith("tr-");
}

/** A payroll's people and amounts, as transfers. */
export function transfersOf(text: string): string {
  const lines = text.trimEnd().split("\r\n").slice(1);
  const rows = lines.map((line) => {
    const cells = line.split(",");
    return `ACC-OPS-01,tr-${(cells[8] ?? "").replaceAll(" ", "-")},${cells[6] ?? ""}`;
  });
  return ["from_account,to_account,amount", ...new Set(rows), ""].join("\r\n");
}

const MAPPED_HEADER = "Emp No,Employee Name,Bank,Account No,IFSC,Net Pay,Mode,Remarks\r\n";

/** A payroll in the columns of another system. */
export function mappedOf(text: string): string {
  const lines = text.trimEnd().split("\r\n").slice(1);
  const rows = lines.map((line) => {
    const [, name, bank, account, ifsc, , amount, mode, narration] = line.split(",");
    return ["E1", name, bank, account, ifsc, amount, mode, narration].join(",");
  });
  return MAPPED_HEADER + rows.map((row) => `${row}\r\n`).join("");
}

function bytesOf(extension: string, text: string, rows: readonly Record<string, string>[]): Buffer {
  if (extension === ".json") return Buffer.from(JSON.stringify(rows));
  if (extension === ".jsonl") return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  if (extension !== ".xlsx") return Buffer.from(text);
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return zipOf(partsOf({ sheets: { Sheet1: lines.map((cells, index) => textRow(index + 1, cells)).join("") } }));
}

/** In every row: no row of it is equal to one that went. Of a few rows nobody can say whether it is the same list. */
export function fromAnotherAccount(text: string): string {
  const rows = new Set(text.trimEnd().split(/\r\n/).slice(1));
  return rows.size < LIST_MIN ? text : text.replaceAll("ACC-OPS-01", "ACC-OPS-02");
}

/** One may be invalid, and one be there twice. */
const LIST_MIN = 6;

/** Of each payment one of its own. */
export function withReferences(text: string): string {
  const [header = "", ...lines] = text.trimEnd().split("\r\n");
  const narration = header.split(",").indexOf("narration");
  const rows = lines.map((line) => `${line},${line.split(",")[narration] ?? ""}`);
  return narration < 0 || header.includes("reference") ? text : [`${header},reference`, ...rows, ""].join("\r\n");
}

/** The same people and amounts once more: payments of their own. Nobody of them twice, as one of both could be meant. */
export function ofMonth(month: string, text: string): string {
  const lines = text.split("\r\n").filter((line) => !HAS_TWIN.test(line));
  return lines
    .join("\r\n")
    .replaceAll(/s\d+a\d+ row \d+/g, (marker) => `${marker} of ${month}`)
    .replaceAll(/tr-s\d+a\d+-row-\d+/g, (marker) => `${marker}-of-${month}`);
}

/** In the marker of a payment that somebody is to get twice. */
export const ONCE_MORE = "once more";
/** Transfers have it as an account. */
export const HAS_TWIN = /once.more/;

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
