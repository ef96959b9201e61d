import { isMainThread, parentPort, Worker, workerData, type MessagePort } from "node:worker_threads";
import { foreseen, messageOf, PaydropError } from "../errors.ts";
import type { ErrorReason } from "../messages/errors.ts";
import type { Facts } from "../messages/sentence.ts";
import { callsOf } from "./calls.ts";
import type { OpenOptions } from "./database.ts";

interface Start {
  readonly journalOf: string;
  readonly options: OpenOptions;
}

/**
 * The one message there is, and its answer, as JSON: so a thousand small objects cross in a fraction of the time. But of
 * what was seen of equal rows the lists are the same, and cross once. The answer to the start has the id 0.
 */
interface Asked {
  readonly id: number;
  readonly method: string;
  readonly isJudging: boolean;
  readonly values: readonly unknown[];
}
interface Answered {
  readonly id: number;
  readonly value?: unknown;
  /** An error as it crosses threads; `reason` where it is a PaydropError. */
  readonly failed?: { readonly reason?: string; readonly facts?: Facts; readonly message: string };
}

/** This very file; built, it is an entry of its own, beside what imports it: the thread must run nothing else. */
const ENTRY = import.meta.url.endsWith(".ts") ? import.meta.url : new URL("./journal-thread.js", import.meta.url);

/** Opens the journal in a thread of its own; rejects as opening it here would. */
export async function callThread(stateDir: string, options: OpenOptions): Promise<ReturnType<typeof callsOf>> {
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
  let last = 0;
  const waitFor = (id: number): Promise<unknown> => {
    const asked = Promise.withResolvers<unknown>();
    waiting.set(id, asked);
    return asked.promise;
  };
  await waitFor(last);
  return async (method, isJudging, values) => {
    if (failure && method === "close") return;
    if (failure) throw failure;
    last += 1;
    worker.postMessage(JSON.stringify({ id: last, method, isJudging, values } satisfies Asked));
    return waitFor(last);
  };
}

/** What a thread of its own runs: this very file. */
function serve(port: MessagePort, { journalOf, options }: Start): void {
  const tell = (answered: Answered): void => port.postMessage(JSON.stringify(answered));
  const answer = async (id: number, work: () => unknown, method?: string): Promise<void> => {
    try {
      const value = await work();
      if (method === "seen") port.postMessage({ id, value } satisfies Answered);
      else tell({ id, value });
    } catch (thrown) {
      // the system's code of an error does not cross threads: such an error is put into words here
      const error = foreseen(thrown);
      const told = error instanceof PaydropError ? { reason: error.reason, facts: error.facts } : {};
      tell({ id, failed: { message: messageOf(error), ...told } });
    }
  };
  let call: ReturnType<typeof callsOf> | undefined;
  void answer(0, () => {
    call = callsOf(journalOf, options);
  });
  if (!call) port.close();
  port.on("message", (asked: string) => {
    const { id, method, isJudging, values } = JSON.parse(asked) as Asked;
    // an argument that was left out crosses as null
    const answered = answer(
      id,
      () =>
        call?.(
          method,
          isJudging,
          values.map((value) => value ?? undefined),
        ),
      method,
    );
    if (method === "close") void answered.then(() => port.close());
  });
}

if (!isMainThread && parentPort && (workerData as Partial<Start> | null)?.journalOf !== undefined) {
  serve(parentPort, workerData as Start);
}
