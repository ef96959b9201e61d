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
import type { Answers, Calls, ErrorText, FirstAnswer, ThreadStart } from "./journal/thread/messages.ts";

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
    for (let at = 0; at < calls.length;) {
      const [id, method, count] = calls.slice(at, at + 3) as [number, keyof JournalStore, number];
      carryOut(journal, id, method, calls.slice(at + 3, at + 3 + count));
      at += 3 + count;
    }
  });
}

function carryOut(store: JournalStore, id: number, method: keyof JournalStore, args: readonly unknown[]): void {
  answer(store, method, args).then(
    (value) => {
      answerLater();
      done.push(id, method === "begin" ? shortly(value as Begun) : value);
      if (method === "close") queueMicrotask(() => port.close());
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
  if (method === "begin") return store.begin(args[0] as string, args[1] as number, rules);
  if (method === "end") return store.end(args[0] as number, endOf(args));
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

function endOf([, state, reason, durationMs, httpStatus, response]: readonly unknown[]): AttemptEnd {
  return { state, reason, durationMs, httpStatus, response } as AttemptEnd;
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
