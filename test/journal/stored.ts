import type { JudgeRules } from "../../src/checks/duplicates/duplicates.ts";
import type { PaymentTexts } from "../../src/checks/payment-texts.ts";
import type { NewBatch } from "../../src/journal/batch-record.ts";
import type { NewRow, RowRecord } from "../../src/journal/row-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";

export const rules: JudgeRules = { duplicateDays: 20, allowRepeats: false };

export function newBatch(id: string, over: Partial<NewBatch> = {}): NewBatch {
  return {
    id,
    environment: "test",
    destination: "http://127.0.0.1:1",
    fileName: `${id}.csv`,
    folder: "/inbox",
    format: "csv",
    sha256: id.toLowerCase(),
    sizeBytes: 10,
    choices: "{}",
    createdAt: Date.now(),
    ...over,
  };
}

export function newRow(number: number, core: string, over: Partial<PaymentTexts> = {}): NewRow {
  return {
    number,
    operation: "transfer",
    amount: "100.00",
    payment: { core, beneficiary: core.split("/")[0] ?? core, ...over },
  };
}

export async function addBatch(
  store: JournalStore,
  id: string,
  rows: NewRow[],
  over: Partial<NewBatch> = {},
): Promise<void> {
  await store.createBatch(newBatch(id, over));
  await store.addRows(id, rows);
  await store.judgeRows(id, rules);
  await store.openBatch(id, { rows: rows.length, total: "0.00", remarks: [] });
}

export async function allRows(store: JournalStore, id: string): Promise<RowRecord[]> {
  const rows: RowRecord[] = [];
  for await (const page of store.rows(id)) rows.push(...page);
  return rows;
}

export async function sendRow(
  store: JournalStore,
  id: string,
  row: number,
  state: "accepted" | "rejected" | "unknown" | "not_sent",
  reason: string = state === "rejected" ? "refused" : state,
): Promise<void> {
  const begun = await store.begin(id, row, rules);
  if (begun.attempt === undefined) throw new Error(`row ${row} did not begin: ${begun.state}`);
  await store.end(begun.attempt, { state, reason, durationMs: 1 });
}
