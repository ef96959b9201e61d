import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { BatchRecord, JournalStore, RowRecord, SeenRow } from "../../src/journal/store.ts";
import type { TestJournal } from "./stores.ts";

/** In the order in which they are compared: with each act, all that both journals tell. */
type Method = Exclude<keyof JournalStore, "hosts" | "judging" | "backup" | "close" | "claim" | "progress" | "stop">;

type Journal = Pick<TestJournal, "store">;

/**
 * A store that does each call to two journals, and fails where they do not give the same. What each tells of all of its
 * batches and rows is compared after every change.
 */
export function pairOf(one: Journal, other: Journal): JournalStore {
  const both =
    (method: Method) =>
    async (...values: never[]): Promise<unknown> => {
      const call = (store: JournalStore): Promise<unknown> =>
        (store[method] as (...given: never[]) => Promise<unknown>)(...values);
      const [mine, yours] = [await settledOf(() => call(one.store)), await settledOf(() => call(other.store))];
      assertSame(
        `${method} ${JSON.stringify(values).slice(0, 200)}`,
        toldBy(method, mine.value),
        toldBy(method, yours.value),
      );
      expect(yours.isRejected, `${method} ${String(mine.error)} ${String(yours.error)}`).toBe(mine.isRejected);
      if (CHANGES.includes(method)) assertSame(`after ${method}`, await stateOf(one.store), await stateOf(other.store));
      if (mine.isRejected) throw mine.error;
      return mine.value;
    };
  const calls = Object.fromEntries(METHODS.map((method) => [method, both(method)]));
  return {
    ...(calls as unknown as Pick<JournalStore, Method>),
    claim: () => Promise.reject(new Error("no share is of two journals")),
    progress: (batch) => one.store.progress(batch),
    stop: () => Promise.resolve(),
    hosts: one.store.hosts,
    judging: (work) => one.store.judging(() => other.store.judging(work)),
    backup: () => Promise.reject(new Error("two journals have no backup")),
    async close() {
      await one.store.close();
      await other.store.close();
    },
  };
}

const CHANGES: readonly Method[] = [
  ...(["recover", "addBatch", "endRows", "setBatch", "dropBatch", "move", "commit", "beginRun", "endRun"] as const),
  ...(["holdFolder", "purge"] as const),
];
const METHODS: readonly Method[] = [
  ...CHANGES,
  ...(["facts", "addRows", "batches", "rows", "seen", "compared", "overlaps", "sumsOfDay", "runs", "acts"] as const),
  ...(["sourceOf", "heldFolders", "folders", "copied"] as const),
];

interface Settled {
  readonly isRejected: boolean;
  readonly value?: unknown;
  readonly error?: unknown;
}

async function settledOf(work: () => Promise<unknown>): Promise<Settled> {
  try {
    return { isRejected: false, value: await work() };
  } catch (error) {
    return { isRejected: true, error };
  }
}

/** What callers go by: an engine may give more with a judged row, and others in any order. */
function toldBy(method: Method, value: unknown): unknown {
  if (method === "facts") return { ...(value as object), stateId: "", keySecret: "" };
  if (method === "recover") return namesOf((value as { unknown: readonly Name[] }).unknown);
  if (method !== "seen" || value === undefined) return value;
  return (value as readonly SeenRow[]).map(({ row, others }) => ({
    ...judgedOf(row),
    others: others.map((seen) => JSON.stringify(sorted(seen))).sort(),
  }));
}

type Name = Pick<RowRecord, "batch" | "row">;
const namesOf = (rows: readonly Name[]): string[] => rows.map(({ batch, row }) => `${batch}:${row}`).sort();

function judgedOf({
  row,
  payment,
  payee,
  zeros,
  reference,
  payeeAs,
  referenceAs,
  period,
  retryOf,
  inPlaceOf,
  isCut,
  state,
  amount,
}: SeenRow["row"]) {
  const told = { row, payment, payee, zeros, reference, payeeAs, referenceAs, period, retryOf, inPlaceOf, isCut };
  return sorted({ ...told, state, amount });
}

const sorted = (one: object): object =>
  JSON.parse(JSON.stringify(one, Object.keys({ ...one, batch: 0, row: 0 }).sort())) as object;

async function stateOf(store: JournalStore): Promise<{ batches: readonly BatchRecord[]; rows: readonly RowRecord[] }> {
  return { batches: await store.batches({}), rows: await store.rows({}) };
}

function assertSame(what: string, mine: unknown, yours: unknown): void {
  if (!isDeepStrictEqual(mine, yours)) expect(yours, what).toEqual(mine);
}
