import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkFile, type Checked } from "../../src/checks/check-file.ts";
import type { CheckedRow } from "../../src/checks/check-row.ts";
import { openFile, type OpenedFile } from "../../src/checks/open-file.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Config } from "../../src/config/schema.ts";
import { FileRefusedError } from "../../src/errors.ts";
import { takeSnapshot } from "../../src/intake/snapshot.ts";
import { tellFault } from "../../src/messages/faults.ts";
import { todoLine, type Fault } from "../../src/messages/sentence.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

/** What the checks make of a file. */
export interface Outcome {
  /** Why it is refused whole; then there is nothing else. */
  readonly refused: readonly Fault[];
  readonly rows: readonly CheckedRow[];
  readonly checked?: Checked;
  readonly opened?: OpenedFile;
}

export interface Given {
  /** In the folder of which the file lies. */
  readonly folder?: string;
  readonly flags?: Readonly<Record<string, unknown>>;
  /** A paydrop.toml. */
  readonly toml?: string;
  /** Files beside it, by their name. */
  readonly beside?: Readonly<Record<string, string>>;
  readonly now?: number;
  /** Done in its folder before it is checked. */
  readonly before?: (folder: string) => void;
}

/** Checks a file of this name and text as `run` does before it sends. */
export async function check(name: string, text: string | Uint8Array, given: Given = {}): Promise<Outcome> {
  const folder = join(temporaryDirectory(), given.folder ?? "");
  mkdirSync(folder, { recursive: true });
  for (const [file, beside] of Object.entries(given.beside ?? {})) writeFileSync(join(folder, file), beside);
  writeFileSync(join(folder, name), text);
  given.before?.(folder);
  const config = settingsOf(folder, given);
  const rows: CheckedRow[] = [];
  try {
    const snapshot = await takeSnapshot(join(folder, name), config.state_dir);
    const opened = await openFile(snapshot, config);
    const checking = checkFile(opened, config, { now: given.now ?? Date.now() });
    for await (const page of checking.pages()) rows.push(...page);
    return { refused: [], rows, checked: checking.end(), opened };
  } catch (error) {
    if (error instanceof FileRefusedError) return { refused: error.faults, rows };
    throw error;
  }
}

export function settingsOf(folder: string, { flags = {}, toml }: Given = {}): Config {
  const config = join(folder, "paydrop.toml");
  if (toml !== undefined) writeFileSync(config, toml);
  const said = { state_dir: join(folder, ".state"), ...(toml === undefined ? {} : { config }), ...flags };
  return loadSettings({ flags: said, env: {} }).config;
}

/** A file of the real-life cases. */
export function caseFile(name: string): string {
  return readFileSync(join(import.meta.dirname, "cases", name), "utf8");
}

/** `2: code column` for each fault of a row, in order. */
export function faultsIn({ rows }: Outcome): string[] {
  return rows.flatMap(({ row, faults }) =>
    faults.map(({ code, column }) => `${row.number}: ${code} ${column ?? ""}`.trim()),
  );
}

export function codesOf(faults: readonly Fault[]): string[] {
  return faults.map(({ code }) => code);
}

export function wordsOf(faults: readonly Fault[]): string {
  return faults
    .map(tellFault)
    .map((one) => `${one.text} → ${todoLine(one)}`)
    .join("\n");
}

/** A row of option B. */
export const GOOD_B = {
  debit_account_id: "ACC-SALARY",
  name: "Meera Das",
  mobile: "9800000001",
  email: "meera@mail.example",
  bank_id: "",
  bank_acc_num: "50100271828001",
  ifsc_code: "HDFC0001234",
  bank_owner_name: "Meera Das",
  amount: "52250.00",
  payment_mode: "NEFT",
  narration: "Salary November",
} as const;

export const GOOD = {
  payout: GOOD_B,
  payoutA: {
    debit_account_id: "ACC-SALARY",
    bene_id: "BEN-77",
    bene_bank_id: "12",
    amount: "900.10",
    payment_mode: "IMPS",
  },
  transfer: { from_account: "ACC-MAIN", to_account: "50100314159002", amount: "1200.50" },
  loan: { borrower_id: "BRW-4242", amount: "250000", tenure: "24" },
  collection: { amount: "499", currency: "INR", vpa: "ravi@bank", expiry: "30" },
} as const;

/** CSV of one row, cells in quotes. */
export function csvOf(...rows: readonly Readonly<Record<string, string>>[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => header.map((name) => `"${(row[name] ?? "").replaceAll('"', '""')}"`).join(","));
  return [header.join(","), ...lines, ""].join("\n");
}

/** What is wrong with one row of option B in which these cells are others. */
export async function faultsOf(cells: Readonly<Record<string, string>>, given?: Given): Promise<string[]> {
  return faultsIn(await check("payroll.csv", csvOf({ ...GOOD_B, ...cells }), given)).map((fault) => fault.slice(3));
}
