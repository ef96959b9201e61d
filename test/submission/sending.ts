import { hash } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Answer, Answered } from "../../src/client/answer.ts";
import type { Sender } from "../../src/client/sender.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import type { JournalStore, RowRecord, Share } from "../../src/journal/store.ts";
import type { OperationName } from "../../src/operations/index.ts";
import { Shared } from "../../src/submission/shared.ts";
import type { SendingEvent } from "../../src/submission/outcome.ts";
import type { Submission } from "../../src/submission/send-row.ts";
import { submit, type Submitted } from "../../src/submission/submit.ts";
import { bareShare } from "../support/commit.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

export const ACCEPTED: Answered = answered(200);
export const AWAY: Answer = { kind: "unsent", cause: "unreachable", detail: "", durationMs: 1 };
export const SILENT: Answer = { kind: "no_answer", cause: "timeout", detail: "", durationMs: 1 };

export function answered(status: number, body = "", more: Partial<Answered> = {}): Answered {
  return { kind: "answered", status, contentType: "", body, bodyEnd: "complete", durationMs: 1, ...more };
}

/** A payload says its own row: what a service gets says which row it is. */
export const payloadOf = (row: number): string => `{"from_account":"ACC-1","to_account":"TO-${row}","amount":1.00}`;
export const rowOf = (payload: string): number => Number(/TO-(\d+)/.exec(payload)?.[1]);

export interface Desk {
  readonly stateDir: string;
  readonly store: JournalStore;
}

/** A real journal. */
export async function openDesk(stateDir: string = temporaryDirectory()): Promise<Desk> {
  const store = await openJournal(stateDir);
  onTestFinished(() => store.close());
  return { stateDir, store };
}

/** A batch with so many ready rows, numbered from 2. */
export async function record(store: JournalStore, id: string, rows: number, operation: OperationName = "transfer") {
  const key = (text: string): string => hash("sha256", `${id} ${text}`);
  await store.addBatch({
    ...{ id, environment: "test", destination: "http://127.0.0.1:1", fileName: `${id}.csv`, folder: "/inbox" },
    ...{ format: "csv", sha256: key(""), sizeBytes: 1, reading: "{}", createdAt: 1 },
  });
  const numbers = Array.from({ length: rows }, (_, index) => index + 2);
  await store.addRows(
    id,
    numbers.map((row) => ({
      ...{ row, state: "ready", operation, amount: "1.00", faults: [], notices: [] },
      ...{ payment: key(`${row}`), payee: key(`to ${row}`), place: row, size: payloadOf(row).length, crc: 0 },
    })),
  );
  const payments = key("all");
  await store.endRows(id, { rows, total: `${rows}.00`, label: operation, payments, remarks: [] });
  await store.judging(() => store.setBatch(id, { phase: "open" }));
}

export type Send = (row: number, operation: OperationName, signal?: AbortSignal) => Answer | Promise<Answer>;

export interface Running extends Partial<Omit<Submission, "share" | "sender" | "signals" | "tell">> {
  readonly store?: Pick<JournalStore, "commit">;
  readonly spool?: Share["spool"];
  readonly rate?: number;
  readonly concurrency?: number;
  readonly soft?: AbortSignal;
  readonly hard?: AbortSignal;
  readonly events?: SendingEvent[];
}

const NEVER = new AbortController().signal;

export function sharedBy(store: Pick<JournalStore, "commit">, concurrency = 4, rate?: number): Shared {
  const openSender = () => Promise.reject(new Error("tests bring their own sender"));
  const shared = new Shared({ concurrency, ...(rate === undefined ? {} : { rate }) }, { store, openSender });
  onTestFinished(() => shared.close());
  return shared;
}

/** Sends the rows of a batch that are ready. */
const SPOOL: Share["spool"] = { read: ({ place }) => payloadOf(place) };

export function run(desk: Desk, id: string, send: Send, running: Running = {}): Promise<Submitted> {
  const sender: Pick<Sender, "send"> = {
    send: async (operation, payload, signal) => send(rowOf(payload), operation, signal),
  };
  const { concurrency, rate, soft = NEVER, hard = NEVER, events, store = desk.store } = running;
  const { shared = sharedBy(store, concurrency, rate), spool = SPOOL } = running;
  return submit({
    ...{ sender, shared, share: bareShare(id, { lanes: shared.concurrency, spool }) },
    config: { retry_429: true, doubtful_2xx: "unknown" },
    ...{ signals: { soft, hard }, now: Date.now, tell: (event) => void events?.push(event) },
    ...running,
  });
}

export async function rowsOf({ store }: Desk, batch: string): Promise<readonly RowRecord[]> {
  return store.rows({ batch });
}

/** `accepted 3, ready 2`, in the order of the rows. */
export async function statesOf(desk: Desk, batch: string): Promise<string> {
  const counts = new Map<string, number>();
  for (const { state, onItsWay } of await rowsOf(desk, batch)) {
    const name = onItsWay ? "on its way" : state;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([state, count]) => `${state} ${count}`).join(", ");
}
