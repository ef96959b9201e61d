import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { batchIdOf } from "../../src/journal/batch-id.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";

const ROWS_PER_BATCH = 100_000;
const ROWS_AT_ONCE = 5000;
const DAY_MS = 86_400_000;

/** A journal with a past: so many accepted rows in batches of at most 100,000, a batch a day up to yesterday. */
export async function makePast(stateDir: string, rows: number, onProgress: (done: number) => void): Promise<void> {
  let at = 0;
  const journal = openSqliteJournal(stateDir, createJudge, () => at);
  for (let first = 0; first < rows; first += ROWS_PER_BATCH) {
    at = Date.now() - DAY_MS * Math.ceil((rows - first) / ROWS_PER_BATCH);
    const id = await recordBatch(journal, first, Math.min(ROWS_PER_BATCH, rows - first), at);
    onProgress(first);
    acceptUpTo(stateDir, Number.MAX_SAFE_INTEGER);
    // as at the end of a run
    await journal.keepTallies(id);
  }
  await journal.close();
}

async function recordBatch(journal: JournalStore, first: number, rows: number, createdAt: number): Promise<string> {
  const sha256 = first.toString(16).padStart(64, "0");
  const id = batchIdOf({ sha256, environment: "test" }, 0);
  await journal.createBatch({
    id,
    environment: "test",
    destination: "http://127.0.0.1:1",
    fileName: `past-${first}.csv`,
    folder: "/nowhere",
    format: "csv",
    sha256,
    sizeBytes: 1,
    choices: "{}",
    createdAt,
  });
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const length = Math.min(ROWS_AT_ONCE, rows - from);
    await journal.addRows(
      id,
      Array.from({ length }, (_, at) => paymentOf(from + at + 2, first)),
    );
  }
  const totals = { rows, total: `${rows}.00`, remarks: [] };
  await journal.judgeRows(id, { duplicateDays: 20, allowRepeats: false });
  await journal.openBatch(id, totals);
  return id;
}

/** The same people every day, another payment each time. */
function paymentOf(number: number, first: number): NewRow {
  const payment = { core: `past ${first + number}`, beneficiary: `past ${number}` };
  return { number, operation: "payout", option: "B", amount: "1.00", payment };
}

/** Writes the outcomes of the newest batch up to a row at once, as if they had been sent. */
export function acceptUpTo(stateDir: string, number: number): void {
  const database = new DatabaseSync(join(stateDir, "journal.db"));
  const { batch } = database.prepare("SELECT max(seq) AS batch FROM batch").get() as { batch: number };
  const { last } = database.prepare("SELECT coalesce(max(id), 0) AS last FROM attempt").get() as { last: number };
  const ready = "batch = ?1 AND number <= ?2 AND state = 'ready'";
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  database
    .prepare(
      `INSERT INTO attempt (id, batch, row, started_at, outcome, reason, http_status, duration_ms, response)
       SELECT ?3 + number, batch, number, changed_at, 'accepted', 'accepted', 200, 5, '{"status":"OK"}' FROM row
       WHERE ${ready}`,
    )
    .run(batch, number, last);
  database
    .prepare(
      `UPDATE row SET state = 'accepted', code = 'accepted', attempts = 1, last_attempt = ?3 + number WHERE ${ready}`,
    )
    .run(batch, number, last);
  database.exec("COMMIT");
  database.close();
}
