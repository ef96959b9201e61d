import { createHash } from "node:crypto";
import { parse } from "csv-parse/sync";

/** One row of a file, as people mean it. `marker` is the payment that is meant: in whatever file, it is to be made once. */
export interface PaperRow {
  readonly marker: string;
  readonly payee: string;
  readonly amount: string;
  readonly reference?: string;
  readonly retryOf?: string;
  /** Its branch code is mistyped: it is invalid until that is mended. */
  readonly isTyped?: boolean;
}

export interface Paper {
  /** In the folder of the files. */
  readonly name: string;
  readonly rows: readonly PaperRow[];
  /** What `--period` says whenever it is said. */
  readonly period?: string;
  readonly day: number;
}

const COLUMNS = "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,narration";

export function textOf(rows: readonly PaperRow[], delimiter = ","): string {
  const hasReference = rows.some(({ reference }) => reference !== undefined);
  const lines = rows.map(({ marker, payee, amount, reference = "", isTyped }) => {
    const cells = ["ACC-OPS-01", "Asha", payee, isTyped ? "EXMB01" : "EXMB0100200", "Asha", amount, "NEFT", marker];
    return [...cells, ...(hasReference ? [reference] : [])];
  });
  const header = [...COLUMNS.split(","), ...(hasReference ? ["reference"] : [])];
  return [header, ...lines].map((cells) => `${cells.join(delimiter)}\r\n`).join("");
}

/** The rows of any file of ours, also of a retry file. */
export function rowsOf(text: string): readonly PaperRow[] {
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true, delimiter: [",", ";"] });
  return rows.map((row) => ({
    ...{ marker: row["narration"] ?? "", payee: row["bank_acc_num"] ?? "", amount: row["amount"] ?? "" },
    ...(row["reference"] ? { reference: row["reference"] } : {}),
    ...(row["retry_of"] ? { retryOf: row["retry_of"] } : {}),
    isTyped: row["ifsc_code"] === "EXMB01",
  }));
}

export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What a person does to a retry file: mends what was typed, and takes out what was found wrong. */
export function mendedRetry(text: string): string {
  const [header = "", ...lines] = text.replace(/^\uFEFF/, "").split("\r\n");
  const at = header.split(",").indexOf("retry_message");
  const rows: string[][] = parse(lines.join("\r\n"), {});
  const mendedCell = (cell: string, place: number): string =>
    place === at ? "" : cell.replace(/^EXMB01$/, "EXMB0100200");
  return [header, ...rows.map((cells) => cells.map(mendedCell).join(",")), ""].join("\r\n");
}

export function mended(rows: readonly PaperRow[]): readonly PaperRow[] {
  return rows.map((row) => ({ ...row, isTyped: false }));
}

/** The same people and amounts once more, of another month: payments of their own. */
export function ofMonth(rows: readonly PaperRow[], month: string): readonly PaperRow[] {
  return mended(rows).map(({ marker, payee, amount, reference }) => ({
    ...{ marker: `${marker} of ${month}`, payee, amount },
    ...(reference === undefined ? {} : { reference: `${reference}/${month}` }),
  }));
}
