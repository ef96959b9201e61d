import { AsyncLocalStorage } from "node:async_hooks";
import type { JournalStore, RowFilter, RowRecord } from "../journal/store.ts";
import { callsOf, METHODS, type Call, type Method } from "./calls.ts";
import type { OpenOptions } from "./database.ts";
import { takeJudgingLock, type InstanceLock } from "./lock.ts";
import { ONE_HOST, sharesOfOneHost, type SharesOfJournal } from "./one-host.ts";
import { listOf, rowRecordsOf, type NewRowList } from "./rows.ts";
import type { Lists } from "./store.ts";
import { callThread } from "./thread.ts";

export interface JournalOptions extends OpenOptions {
  /** In a thread of its own, so that neither a commit nor a large query keeps the requests waiting: of large files. */
  readonly inThread?: boolean;
}

/**
 * Opens the journal of a state directory, and makes it where there is none. Whoever sends has the instance lock first
 * (`takeInstanceLock`) and calls `recover`. Rejects with PaydropError `journal` where it cannot be trusted or used (I12).
 */
export async function openJournal(stateDir: string, options: JournalOptions = {}): Promise<JournalStore> {
  const { inThread = false, ...opening } = options;
  const call = inThread ? await callThread(stateDir, opening) : callsOf(stateDir, opening);
  return storeOf(call, () => takeJudgingLock(stateDir), stateDir);
}

interface RowsAsLists {
  addRows(batch: string, rows: readonly NewRowList[]): Promise<void>;
  rows(filter: RowFilter): Promise<Lists<RowRecord>>;
}

/**
 * A store of whatever carries out its calls, and keeps I14: one at a time judges, in this process and over all of them, and
 * nothing becomes ready outside of that. `lock`: waits until nobody else has it.
 */
function storeOf(call: Call, lock: () => Promise<InstanceLock>, stateDir: string): JournalStore {
  const inside = new AsyncLocalStorage<boolean>();
  const judging = async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside.getStore()) throw new Error("judging inside judging would wait for itself");
    const held = await lock();
    try {
      return await inside.run(true, work);
    } finally {
      held.release();
    }
  };
  const calling =
    (name: string) =>
    (...values: readonly unknown[]) =>
      call(name, inside.getStore() ?? false, values);
  const calls = Object.fromEntries(METHODS.map((name) => [name, calling(name)]));
  const store = calls as Pick<JournalStore, Exclude<Method, "addRows" | "rows">> &
    Readonly<SharesOfJournal> &
    Readonly<RowsAsLists>;
  return {
    ...store,
    addRows: (batch, rows) => store.addRows(batch, rows.map(listOf)),
    rows: (filter) => store.rows(filter).then(rowRecordsOf),
    ...sharesOfOneHost(stateDir, store),
    hosts: ONE_HOST,
    judging,
    now: () => Date.now(),
    // not while another process checks a file: its batch was not left half written down
    recover: (who) => judging(() => store.recover(who)),
  };
}
