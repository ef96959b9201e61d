/**
 * What runs in the journal's thread: the SQLite journal, asked by messages. Like `take-in.ts` and `processor.ts` a
 * place where stages meet: the rules of duplicates are not the journal's own.
 */
import { parentPort, workerData } from "node:worker_threads";
import { createJudge, type JudgeRules } from "./checks/duplicates/duplicates.ts";
import { foreseen, messageOf, PaydropError } from "./errors.ts";
import { type NewRowColumns, newRowsFromColumns, recordsAsColumns } from "./journal/sqlite/row-columns.ts";
import { openScratchJournal, openSqliteJournal } from "./journal/sqlite/sqlite-journal.ts";
import type { AttemptEnd, RowRecord } from "./journal/row-record.ts";
import type { Begun, JournalStore } from "./journal/store.ts";
import {
  ROW_BEGINS,
  ROW_ENDS,
  type Answers,
  type Calls,
  type ErrorText,
  type FirstAnswer,
  type ThreadStart,
} from "./journal/thread/messages.ts";

if (!parentPort) throw new Error("the journal's thread is not started by hand");
const port = parentPort;
const start = workerData as ThreadStart;
let rules: JudgeRules;
let done: unknown[] = [];
let failed: [number, ErrorText][] = [];

const journal = open();
if (journal) {
  const methods = Object.keys(journal) as (keyof JournalStore)[];
  port.postMessage({ stateId: journal.stateId, methods } satisfies FirstAnswer);
  port.on("message", ({ rules: others, calls }: Calls) => {
    if (others) rules = others;
    for (let at = 0; at < calls.length;) at = carryOut(journal, calls, at);
  });
}

/** Carries out the call that stands there; gives where the next one stands. */
function carryOut(store: JournalStore, calls: readonly unknown[], at: number): number {
  const [id, method] = [calls[at] as number, calls[at + 1]];
  if (method === ROW_BEGINS) {
    const [batch, row] = [calls[at + 2] as string, calls[at + 3] as number];
    void tell(id, store.begin(batch, row, rules), shortly);
    return at + 4;
  }
  if (method === ROW_ENDS) {
    void tell(id, store.end(calls[at + 2] as number, endAt(calls, at + 3)));
    return at + 8;
  }
  const end = at + 3 + (calls[at + 2] as number);
  const answered = tell(id, answer(store, method as keyof JournalStore, calls.slice(at + 3, end)));
  if (method === "close") void answered.then(() => queueMicrotask(() => port.close()));
  return end;
}

/** `said`: how a value is said; what one commit settled must be told in the same turn. */
function tell<T>(id: number, answered: Promise<T>, said: (value: T) => unknown = (value) => value): Promise<void> {
  return answered.then(
    (value) => {
      answerLater();
      done.push(id, said(value));
    },
    (error: unknown) => {
      answerLater();
      failed.push([id, textOf(error)]);
    },
  );
}

function open(): JournalStore | undefined {
  try {
    const { stateDir } = start;
    if ("scratchDir" in start) return openScratchJournal(start.scratchDir, stateDir, createJudge);
    return openSqliteJournal(stateDir, createJudge, Date.now, start.options);
  } catch (error) {
    port.postMessage({ failed: textOf(error) } satisfies FirstAnswer);
    return undefined;
  }
}

function answer(store: JournalStore, method: keyof JournalStore, args: readonly unknown[]): Promise<unknown> {
  if (method === "addRows") return store.addRows(args[0] as string, newRowsFromColumns(args[1] as NewRowColumns));
  const calls = store as unknown as Record<string, (...values: readonly unknown[]) => Promise<unknown> | Pages>;
  const answered = calls[method]?.(...args) ?? Promise.reject(new Error(`a journal has no method ${method}`));
  if (!(Symbol.asyncIterator in answered)) return answered;
  const page = firstPage(answered);
  return method === "rows" || method === "rowsIn" ? page.then((rows) => recordsAsColumns(rows as RowRecord[])) : page;
}

function shortly(begun: Begun): Begun | number {
  return begun.attempt !== undefined && begun.ordinal === 1 ? begun.attempt : begun;
}

function endAt(calls: readonly unknown[], at: number): AttemptEnd {
  const [state, reason, durationMs] = [calls[at], calls[at + 1], calls[at + 2]];
  return { state, reason, durationMs, httpStatus: calls[at + 3], response: calls[at + 4] } as AttemptEnd;
}

type Pages = AsyncIterable<readonly unknown[]>;

async function firstPage(pages: Pages): Promise<readonly unknown[]> {
  for await (const page of pages) return page;
  return [];
}

/** Sends one message for all calls that one commit settled: the microtasks that settle them run before this one. */
function answerLater(): void {
  if (done.length + failed.length > 0) return;
  queueMicrotask(() => {
    port.postMessage({ done, failed } satisfies Answers);
    done = [];
    failed = [];
  });
}

/** The system's code of an error does not cross threads: the error is put into words here. */
function textOf(thrown: unknown): ErrorText {
  const error = foreseen(thrown);
  const isOwn = error instanceof PaydropError;
  return { message: messageOf(error), hint: isOwn ? error.hint : "", ...(isOwn ? { code: error.code } : {}) };
}
