import { isMainThread, parentPort, Worker, workerData, type MessagePort } from "node:worker_threads";
import { foreseen, messageOf, PaydropError } from "../errors.ts";
import type { ErrorReason } from "../messages/errors.ts";
import type { Facts } from "../messages/sentence.ts";
import { callsOf, type Call } from "./calls.ts";
import type { OpenOptions } from "./database.ts";

interface Start {
  readonly journalOf: string;
  readonly options: OpenOptions;
}

/**
 * The one message there is, and its answer, as JSON: so a thousand small objects cross in a fraction of the time. But of
 * what was seen of equal rows the lists are the same, and cross once. The answer to the start has the id 0.
 */
type Asked = readonly [id: number, ...Parameters<Call>];
interface Answered {
  readonly id: number;
  readonly value?: unknown;
  /** An error as it crosses threads; `reason` where it is a PaydropError. */
  readonly failed?: { readonly reason?: string; readonly facts?: Facts; readonly message: string };
}

/** This very file; built, it is an entry of its own, beside what imports it: the thread must run nothing else. */
const ENTRY = import.meta.url.endsWith(".ts") ? import.meta.url : new URL("./journal-thread.js", import.meta.url);

/** Opens the journal in a thread of its own; rejects as opening it here would. */
export async function callThread(stateDir: string, options: OpenOptions): Promise<Call> {
  const start = { journalOf: stateDir, options } satisfies Start;
  // it holds one page at a time: left alone, its young generation takes more than all that is in it
  const worker = new Worker(new URL(ENTRY), { workerData: start, resourceLimits: { maxYoungGenerationSizeMb: 8 } });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let failure: Error | undefined;
  const fail = (found: string): void => {
    failure ??= new PaydropError("journal_failed", { path: stateDir, found });
    for (const { reject } of waiting.values()) reject(failure);
  };
  worker.on("message", (answer: string | Answered) => {
    const { id, value, failed } = typeof answer === "string" ? (JSON.parse(answer) as Answered) : answer;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (!failed) asked?.resolve(value);
    else if (failed.reason === undefined) asked?.reject(new Error(failed.message));
    else asked?.reject(new PaydropError(failed.reason as ErrorReason, failed.facts));
  });
  worker.on("error", (error) => fail(messageOf(error)));
  worker.on("exit", () => fail("its thread has ended"));
  let next = 0;
  const answerTo = (id: number): Promise<unknown> => {
    const asked = Promise.withResolvers<unknown>();
    waiting.set(id, asked);
    return asked.promise;
  };
  await answerTo(next);
  return async (...call) => {
    if (failure && call[0] === "close") return;
    if (failure) throw failure;
    next += 1;
    worker.postMessage(JSON.stringify([next, ...call] satisfies Asked));
    return answerTo(next);
  };
}

/** What a thread of its own runs: this very file. */
function serve(port: MessagePort, { journalOf, options }: Start): void {
  const answer = async (id: number, work: () => unknown, isShared = false): Promise<void> => {
    const answered = await Promise.try(work).then(
      (value) => ({ id, value }),
      (thrown: unknown) => failureOf(id, thrown),
    );
    port.postMessage(isShared ? answered : JSON.stringify(answered));
  };
  let call: Call | undefined;
  const opened = answer(0, () => {
    call = callsOf(journalOf, options);
  });
  void opened.then(() => call ?? port.close());
  port.on("message", (asked: string) => {
    const [id, method, isJudging, values] = JSON.parse(asked) as Asked;
    // an argument that was left out crosses as null
    const given = values.map((value) => value ?? undefined);
    const answered = answer(id, () => call?.(method, isJudging, given), method === "seen");
    if (method === "close") void answered.then(() => port.close());
  });
}

/** The system's code of an error does not cross threads: such an error is put into words here. */
function failureOf(id: number, thrown: unknown): Answered {
  const error = foreseen(thrown);
  const told = error instanceof PaydropError ? { reason: error.reason, facts: error.facts } : {};
  return { id, failed: { message: messageOf(error), ...told } };
}

if (!isMainThread && parentPort && (workerData as Partial<Start> | null)?.journalOf !== undefined) {
  serve(parentPort, workerData as Start);
}
