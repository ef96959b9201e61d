import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, newBatch, newRow, rules } from "./stored.ts";

const ACT = { by: "asha", kind: "act", note: "" };
const REPEATS = { ...rules, allowRepeats: true };

/** How often SQLite compared something of a row or a batch: on a busy machine time says nothing. */
let looks = 0;

beforeEach(() => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its own `this`
  const { prepare } = DatabaseSync.prototype;
  const compared =
    /(?<=WHERE[^]*)(?<!SET )\b((?:\w+\.)?(?:state|phase|core_key|started_at|id)) (?=(?:<>|IN|NOT IN|LIKE|(?<=started_at )>=|(?<!id )=) )/g;
  vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, sql, options) {
    this.function("looked", (value) => {
      looks += 1;
      return value;
    });
    return prepare.call(this, sql.replaceAll(compared, "looked($1) "), options);
  });
  return () => vi.restoreAllMocks();
});

/** Rows of one payment each, or all of the same. */
function rowsOf(count: number, core: (row: number) => string): NewRow[] {
  return Array.from({ length: count }, (_, index) => newRow(index + 2, core(index + 2)));
}

async function take(store: JournalStore, id: string, rows: NewRow[], allOrNothing = false): Promise<void> {
  await store.createBatch(newBatch(id));
  await store.addRows(id, rows);
  await store.judgeRows(id, REPEATS);
  await store.openBatch(id, { rows: rows.length, total: "0.00", remarks: [] }, allOrNothing);
}

async function send(
  store: JournalStore,
  id: string,
  rows: number,
  state: "accepted" | "rejected" | "not_sent",
): Promise<void> {
  const sent = Array.from({ length: rows }, async (_, index) => {
    const { attempt = 0 } = await store.begin(id, index + 2, REPEATS);
    await store.end(attempt, { state, reason: state, durationMs: 1 });
  });
  await Promise.all(sent);
}

const FEW = 50;
const MORE = 4;

test.each<[string, (store: JournalStore, rows: number) => Promise<() => Promise<unknown>>]>([
  [
    "rows that go again, by their numbers",
    async (store, rows) => {
      await take(store, "AAAA1111", rowsOf(rows, String));
      await send(store, "AAAA1111", rows, "not_sent");
      const numbers = Array.from({ length: rows }, (_, index) => index + 2);
      return () => store.makeReady("AAAA1111", numbers, ["not_sent"]);
    },
  ],
  [
    "equal rows that waited as a whole while a later file of them went",
    async (store, rows) => {
      await take(store, "AAAA1111", [...rowsOf(rows, () => "a/1"), { number: rows + 2, faults: [] }], true);
      await take(
        store,
        "BBBB2222",
        rowsOf(rows, () => "a/1"),
      );
      await send(store, "BBBB2222", rows, "accepted");
      return () => store.release("AAAA1111", "all", ACT);
    },
  ],
  [
    "equal rows that were refused before",
    async (store, rows) => {
      await take(
        store,
        "AAAA1111",
        rowsOf(rows, () => "a/1"),
      );
      await send(store, "AAAA1111", rows, "rejected");
      return () =>
        take(
          store,
          "BBBB2222",
          rowsOf(rows, () => "a/1"),
        );
    },
  ],
  [
    "rows of one payee, of which a later file repeats some",
    async (store, rows) => {
      await take(
        store,
        "AAAA1111",
        rowsOf(rows, (row) => `a/${row}`),
      );
      await send(store, "AAAA1111", rows, "accepted");
      return () =>
        take(
          store,
          "BBBB2222",
          rowsOf(rows, (row) => `a/${row + rows - 5}`),
        );
    },
  ],
  [
    "batches of which a later file repeats a row each",
    async (store, batches) => {
      const ids = Array.from({ length: batches }, (_, index) => `${10_000_000 + index}`);
      for (const [index, id] of ids.entries()) await take(store, id, [newRow(2, `a${index + 2}/1`)]);
      for (const id of ids) await send(store, id, 1, "accepted");
      return () => take(store, "BBBB2222", [...rowsOf(batches, (row) => `a${row}/1`), newRow(9999, "b/1")]);
    },
  ],
  [
    "rows that went before today, asked for by each file of today",
    async (store, rows) => {
      await take(store, "AAAA1111", rowsOf(rows, String));
      await send(store, "AAAA1111", rows, "accepted");
      const day = { environment: "test", sinceMs: Date.now() + 3_600_000 } as const;
      return async () => {
        for (let file = 0; file < rows; file += 1) await store.goneOrWaiting(day);
      };
    },
  ],
  [
    "batches that are asked for by their ids",
    async (store, batches) => {
      const ids = Array.from({ length: batches }, (_, index) => `${10_000_000 + index}`);
      for (const id of ids) await addBatch(store, id, []);
      return async () => {
        for (const id of ids) await store.batch(id);
      };
    },
  ],
])("four times as many take four times the work: %s", async (_what, prepare) => {
  const took: number[] = [];
  for (const rows of [FEW, FEW * MORE]) {
    const store = openSqliteJournal(temporaryDirectory(), createJudge);
    onTestFinished(() => store.close());
    const act = await prepare(store, rows);
    looks = 0;
    await act();
    took.push(looks);
  }
  const [few = 0, more = 0] = took;
  expect(few).toBeGreaterThan(0);
  expect(more).toBeLessThan(few * MORE * 1.5);
});

test("no row of a person's act makes a statement of its own: thousands of them filled the memory", async () => {
  const store = openSqliteJournal(temporaryDirectory(), createJudge);
  onTestFinished(() => store.close());
  await take(store, "AAAA1111", rowsOf(FEW, String));
  await send(store, "AAAA1111", FEW, "accepted");
  await store.batch("AAAA1111");
  // eslint-disable-next-line @typescript-eslint/unbound-method -- only its calls are counted
  const { calls } = vi.mocked(DatabaseSync.prototype.prepare).mock;
  const before = calls.length;
  for (let row = 2; row < FEW + 2; row += 1) {
    await store.batch("AAAA1111");
    await store.waitingFor("AAAA1111", row);
  }
  await store.settle(
    rowsOf(FEW, String).map(({ number: row }) => ({ batch: "AAAA1111", row, as: "settled_not_done", act: ACT })),
  );
  expect(calls.length - before).toBeLessThan(FEW);
});
