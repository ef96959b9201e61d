import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REGULAR_EXITS, runLife } from "./lives.ts";
import type { LifeEnd, LifeOptions } from "./lives.ts";
import { journalRows } from "./oracle.ts";
import { payrollFile } from "./payroll-file.ts";
import type { PlannedRow } from "./payroll-file.ts";

/** One payroll in an inbox, and the state directory it goes with. */
export interface Batch {
  readonly path: string;
  readonly fileName: string;
  readonly stateDir: string;
  readonly plan: readonly PlannedRow[];
}

/** Writes a payroll whose rows no other file has: `name` must be new for the server. */
export function batchIn(folder: string, name: string, rows: number, mixed = true): Batch {
  const inbox = join(folder, "inbox");
  mkdirSync(inbox, { recursive: true });
  const { text, plan } = payrollFile(name, rows, mixed);
  const fileName = `${name}.csv`;
  const path = join(inbox, fileName);
  writeFileSync(path, text);
  return { path, fileName, stateDir: join(folder, "state"), plan };
}

/** Whether a row is left that a further run would send. */
export function hasMoreToSend({ stateDir, fileName }: Batch): boolean {
  const rows = [...journalRows(stateDir, fileName).values()];
  return rows.length === 0 || rows.some(({ state }) => state === "ready" || state === "not_sent");
}

/** Runs the files again and again, undisturbed, until nothing of them is left to send. Gives the last run. */
export async function runToTheEnd(
  batches: readonly Batch[],
  flags: readonly string[],
  options: LifeOptions,
): Promise<LifeEnd> {
  for (let life = 1; life <= LIVES_MAX; life += 1) {
    const end = await runLife(["run", ...flags, ...batches.map((batch) => batch.path)], options);
    if (end.code === undefined || !REGULAR_EXITS.includes(end.code)) {
      throw new Error(`an undisturbed run ended with ${String(end.code)}\n${end.output}`);
    }
    if (!batches.some(hasMoreToSend)) return end;
  }
  throw new Error(`${LIVES_MAX} undisturbed runs did not bring it to its end`);
}

const LIVES_MAX = 30;
