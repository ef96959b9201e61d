import { Worker } from "node:worker_threads";
import { pages } from "../sqlite/pages.ts";
import { type Columns, newRowsAsColumns, recordsFromColumns } from "../sqlite/row-columns.ts";
import type { RowRecord } from "../row-record.ts";
import type { JournalStore } from "../store.ts";
import { ThreadCalls } from "./calls.ts";
import { errorOf, type FirstAnswer, type ThreadStart } from "./messages.ts";

/** As it was written it lies two folders above; as it was built, beside what imports it. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../../journal-thread.ts" : "./journal-thread.js",
  import.meta.url,
);

/**
 * The heap of the thread holds one page of rows at a time: a small young generation keeps memory flat while rows go. A
 * check has pages of new rows only: with a larger one they are not moved before they are done with.
 */
const YOUNG_GENERATION_MB = { sending: 4, scratch: 12 };

/**
 * The journal in a thread of its own, so that neither a commit nor a large query ever keeps the requests waiting.
 * What the thread runs is `journal-thread.ts`. Rejects as opening the journal itself would. `lanes`: how many rows may
 * be sent at one time.
 */
export async function openThreadedJournal(start: ThreadStart, lanes: number): Promise<JournalStore> {
  const maxYoungGenerationSizeMb = YOUNG_GENERATION_MB["scratchDir" in start ? "scratch" : "sending"];
  const worker = new Worker(ENTRY, { workerData: start, resourceLimits: { maxYoungGenerationSizeMb } });
  const first = await new Promise<FirstAnswer>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  if ("failed" in first) {
    await worker.terminate();
    throw errorOf(first.failed);
  }
  const thread = new ThreadCalls(worker, lanes);
  const methods = first.methods.map((name) => [name, (...args: unknown[]) => thread.call(name, args)]);
  return {
    ...(Object.fromEntries(methods) as JournalStore),
    stateId: first.stateId,
    addRows: (batchId, rows) => thread.call("addRows", [batchId, newRowsAsColumns(rows)]),
    begin: (batchId, row, rules) => thread.begin(batchId, row, rules),
    end: (attempt, end) => thread.end(attempt, end),
    rows: (batchId, fromRow = 0) =>
      pages((from) => thread.call<Columns<RowRecord>>("rows", [batchId, from]).then(recordsFromColumns), fromRow, true),
    rowsIn: (batchId, states, fromRow = 0) =>
      pages(
        (from) => thread.call<Columns<RowRecord>>("rowsIn", [batchId, states, from]).then(recordsFromColumns),
        fromRow,
        true,
      ),
    readyRows: (batchId, fromRow = 0) =>
      pages((from) => thread.call<readonly number[]>("readyRows", [batchId, from]), fromRow, true),
    close: () => thread.close(),
  };
}
