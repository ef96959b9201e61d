import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";
import { SHARE_ROWS } from "../../src/journal/states.ts";
import type { JournalRows } from "./oracle.ts";
import { payrollFile, thinned, type PayrollFile, type PlannedRow } from "./payroll-file.ts";

export interface SiteFile {
  readonly path: string;
  readonly fileName: string;
  readonly plan: readonly PlannedRow[];
}

/** A payroll of three shares, of which each has its part of the rows that go. */
export function sharesOf(name: string, rows: number): PayrollFile {
  const going = Math.ceil(rows / 3);
  return thinned(payrollFile(name, 2 * SHARE_ROWS + going), going);
}

/** `isTurned`: most of the same payments, in another order: another file, by all but its payments. */
export function twinOf(name: string, rows: number, isTurned: boolean): PayrollFile {
  const { text, plan } = payrollFile(name, rows, false);
  if (!isTurned) return { text, plan };
  const [header = "", ...lines] = text.trimEnd().split("\r\n");
  const most = Math.ceil(rows * 0.8);
  const turned = plan
    .toReversed()
    .slice(0, most)
    .map((row, index) => ({ ...row, number: index + 2 }));
  return { text: [header, ...lines.reverse().slice(0, most), ""].join("\r\n"), plan: turned };
}

export function dropped(inbox: string, fileName: string, { text, plan }: PayrollFile): SiteFile {
  const path = join(inbox, fileName);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return { path, fileName, plan };
}

/** What the journal says of its rows. */
export async function journalOf(client: Client, fileName: string): Promise<JournalRows> {
  const sql = `SELECT r.row, r.state, r.turn <= s.mark AS gone FROM paydrop.rows r JOIN paydrop.batch b ON b.seq = r.batch
    JOIN paydrop.share s ON s.batch = r.batch AND s.share = r.share WHERE b."fileName" = $1`;
  const { rows } = await client.query<{ row: number; state: string; gone: boolean }>(sql, [fileName]);
  return new Map(rows.map(({ row, state, gone }) => [row, { state, wasLetGo: gone }]));
}
