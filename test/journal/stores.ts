import { hash } from "node:crypto";
import type { Key } from "../../src/duplicates/seen.ts";
import type { Act, JournalStore, NewBatch, NewRow, Outcome, RowRecord, Totals, Who } from "../../src/journal/store.ts";
import { commitTo } from "../support/commit.ts";

/** One journal, and what else may be done with it: an engine gives it to the contract suite. */
export interface TestJournal {
  store: JournalStore;
  /** The same journal as another process has it. */
  another(): Promise<JournalStore>;
  /** Its process ends without a word: `store` is that of the next one, which has not recovered yet. */
  crash(): Promise<void>;
}

/** Makes an empty journal that is gone when the test ends. */
export type OpenTestJournal = () => Promise<TestJournal>;

export const NOW = Date.UTC(2026, 10, 26, 9);
export const ASHA: Who = { login: "asha", host: "pay1" };

export function act(kind: Act["kind"], more: Partial<Act> = {}): Act {
  return { ...ASHA, by: "Asha Rao", at: NOW, kind, ...more };
}

export function key(text: string): Key {
  return hash("sha256", text, "base64url").slice(0, 22);
}

export function newBatch(id: string, more: Partial<NewBatch> = {}): NewBatch {
  return {
    id,
    environment: "test",
    destination: "http://127.0.0.1:7900",
    fileName: "payroll.csv",
    folder: "/inbox/payouts",
    format: "csv",
    sha256: hash("sha256", id),
    sizeBytes: 1024,
    reading: '{"format":"csv"}',
    createdAt: NOW,
    ...more,
  };
}

/** A valid row of this payment; `more.state` "invalid": one without. */
export function newRow(row: number, payment: string, more: Partial<NewRow> = {}): NewRow {
  const common = { row, state: "ready", faults: [], notices: [], amount: "100.50", ...more } as const;
  if (more.state === "invalid") return { ...common, faults: [{ code: "ifsc_malformed", row }] };
  const payee = key(`payee ${payment.split("/")[0] ?? ""}`);
  return { operation: "transfer", payment: key(payment), payee, place: row * 100, size: 80, crc: row, ...common };
}

export async function record(
  store: JournalStore,
  batch: NewBatch,
  rows: readonly NewRow[],
  totals: Partial<Totals> = {},
): Promise<string> {
  await store.addBatch(batch);
  await store.addRows(batch.id, rows);
  const made = { rows: rows.length, total: "0.00", label: "transfer", payments: key(batch.sha256), remarks: [] };
  await store.endRows(batch.id, { ...made, ...totals });
  return batch.id;
}

/** A batch whose rows may go: one row for each payment, from row 2 on, or the rows themselves. */
export async function opened(
  store: JournalStore,
  id: string,
  rows: readonly (string | NewRow)[],
  more: Partial<NewBatch> = {},
): Promise<string> {
  const made = rows.map((row, at) => (typeof row === "string" ? newRow(at + 2, row) : row));
  await record(store, newBatch(id, more), made);
  await store.judging(() => store.setBatch(id, { phase: "open" }));
  return id;
}

export function outcome(row: number, state: Outcome["state"] = "accepted", more: Partial<Outcome> = {}): Outcome {
  return { row, state, code: state === "accepted" ? "http_200" : `because_${state}`, tries: 1, sentAt: NOW, ...more };
}

/** Sends all that may go, with the outcome that each row is given. */
export async function sendAll(
  store: JournalStore,
  id: string,
  states: Readonly<Record<number, Outcome["state"]>> = {},
): Promise<number[]> {
  const left: number[] = [];
  for (let outcomes: Outcome[] = []; ;) {
    const { leaving } = await commitTo(store, id, outcomes, 3);
    if (leaving.length === 0) return left;
    left.push(...leaving.map(({ row }) => row));
    outcomes = leaving.map(({ row }) => outcome(row, states[row]));
  }
}

/** `2 ready, 3 on its way, 4 held`. */
export async function statesOf(store: JournalStore, batch: string): Promise<string> {
  const rows = await store.rows({ batch });
  return rows.map(({ row, state, onItsWay }) => `${row} ${onItsWay ? "on its way" : state}`).join(", ");
}

export async function rowOf(store: JournalStore, batch: string, row: number): Promise<RowRecord> {
  const [found] = await store.rows({ batch, rows: [row] });
  if (!found) throw new Error(`there is no row ${row}`);
  return found;
}
