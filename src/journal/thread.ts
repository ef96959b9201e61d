import { isMainThread, parentPort, Worker, workerData, type MessagePort } from "node:worker_threads";
import { foreseen, messageOf, PaydropError } from "../errors.ts";
import type { ErrorReason } from "../messages/errors.ts";
import type { Facts } from "../messages/sentence.ts";
import { callsOf } from "./calls.ts";
import type { OpenOptions } from "./database.ts";
import type { JournalStore } from "./store.ts";

interface Start {
  readonly journalOf: string;
  readonly options: OpenOptions;
}

/** The one message there is, and its answer. The answer to the start has the id 0. */
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
  worker.on("message", ({ id, value, failed }: Answered) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (!failed) asked?.resolve(unpack(value));
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
    worker.postMessage({
      id: last,
      method,
      isJudging,
      values: values.map((value) => pack(value, method)),
    } satisfies Asked);
    return waitFor(last);
  };
}

/** What a thread of its own runs: this very file. */
function serve(port: MessagePort, { journalOf, options }: Start): void {
  const answer = async (id: number, work: () => unknown, method?: string): Promise<void> => {
    try {
      port.postMessage({ id, value: pack(await work(), method) } satisfies Answered);
    } catch (thrown) {
      // the system's code of an error does not cross threads: such an error is put into words here
      const error = foreseen(thrown);
      const told = error instanceof PaydropError ? { reason: error.reason, facts: error.facts } : {};
      port.postMessage({ id, failed: { message: messageOf(error), ...told } } satisfies Answered);
    }
  };
  let call: ReturnType<typeof callsOf> | undefined;
  void answer(0, () => {
    call = callsOf(journalOf, options);
  });
  if (!call) port.close();
  port.on("message", ({ id, method, isJudging, values }: Asked) => {
    const answered = answer(id, () => call?.(method, isJudging, values.map(unpack)), method);
    if (method === "close") void answered.then(() => port.close());
  });
}

/** Calls for many rows without keys: as JSON they cross, and become objects, in a fraction of the time. */
const PLAIN: readonly unknown[] = ["rows", "commit", "move"] satisfies (keyof JournalStore)[];

/**
 * A long list with keys as it crosses threads: of objects one list for each field, of keys their bytes in a row, of equal
 * values one. To carry over a thousand small objects costs more than what is in them.
 */
interface Packed {
  readonly packed: "json" | "same" | "bytes" | "lists" | "fields";
  readonly length: number;
  readonly items: unknown;
  /** Lists: how long each one is, and which one stands where. Fields: their names. */
  readonly sizes?: readonly number[];
  readonly which?: unknown;
  readonly fields?: readonly string[];
}

const FEW = 8;

function pack(value: unknown, method?: string): unknown {
  const isPlain = PLAIN.includes(method) && typeof value === "object";
  if (isPlain) return { packed: "json", length: 1, items: JSON.stringify(value) } satisfies Packed;
  if (!Array.isArray(value) || value.length < FEW) return value;
  const [list, { length }, first] = [value as unknown[], value, value[0] as unknown];
  if (list.every((one) => one === first)) return { packed: "same", length, items: first } satisfies Packed;
  if (list.every((one) => one instanceof Uint8Array && one.length === (first as Uint8Array).length)) {
    return { packed: "bytes", length, items: Buffer.concat(list as Uint8Array[]) } satisfies Packed;
  }
  if (list.every(Array.isArray)) {
    // the same list for many rows crosses once
    const lists = [...new Set(list as unknown[][])];
    const places = new Map(lists.map((one, at) => [one, at]));
    const which = pack((list as unknown[][]).map((one) => places.get(one)));
    const sizes = lists.map((one) => one.length);
    return { packed: "lists", length, sizes, items: pack(lists.flat()), which } satisfies Packed;
  }
  if (!list.every((one) => typeof one === "object" && one !== null && !(one instanceof Uint8Array))) return value;
  const objects = list as Record<string, unknown>[];
  const fields = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const items = fields.map((field) => pack(objects.map((one) => one[field])));
  return { packed: "fields", length, fields, items } satisfies Packed;
}

function unpack(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("packed" in value)) return value;
  const { packed, length, items, sizes = [], which, fields = [] } = value as Packed;
  if (packed === "json") return JSON.parse(items as string);
  if (packed === "same") return Array.from({ length }, () => items);
  if (packed === "bytes") {
    const bytes = items as Uint8Array;
    const width = bytes.length / length;
    return Array.from({ length }, (_, at) => bytes.subarray(at * width, (at + 1) * width));
  }
  if (packed === "lists") {
    const all = (unpack(items) as unknown[]).values();
    const lists = sizes.map((size) => Array.from({ length: size }, () => all.next().value));
    return (unpack(which) as number[]).map((at) => lists[at]);
  }
  const objects = Array.from({ length }, (): Record<string, unknown> => ({}));
  for (const [at, field] of fields.entries()) {
    const values = unpack((items as unknown[])[at]) as unknown[];
    for (const [row, object] of objects.entries()) if (values[row] !== undefined) object[field] = values[row];
  }
  return objects;
}

if (!isMainThread && parentPort && (workerData as Partial<Start> | null)?.journalOf !== undefined) {
  serve(parentPort, workerData as Start);
}
