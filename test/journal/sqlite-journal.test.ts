import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createJudge } from "../../src/checks/duplicates.ts";
import { openSqliteJournal } from "../../src/journal/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, describeJournalStore, rules, newRow, sendRow } from "./store-contract.ts";

function openIn(directory: string): JournalStore {
  const store = openSqliteJournal(directory, createJudge);
  onTestFinished(() => store.close());
  return store;
}

describeJournalStore("the SQLite journal", () => {
  const directory = temporaryDirectory();
  return Promise.resolve({ store: openIn(directory), reopen: () => Promise.resolve(openIn(directory)) });
});

it("keeps its files to their owner, whatever the umask", () => {
  const directory = join(temporaryDirectory(), "state");
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  openIn(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(directory))
    expect([name, statSync(join(directory, name)).mode & 0o077]).toEqual([name, 0]);
});

it("stores no account number in clear", async () => {
  const directory = temporaryDirectory();
  const store = openIn(directory);
  await addBatch(store, "AAAA1111", [newRow(2, "9988776655443322/HDFC0001234/100", { reference: "SAL-1" })]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await store.close();
  const database = new DatabaseSync(join(directory, "journal.db"), { readOnly: true });
  const rows = database.prepare("SELECT * FROM row").all();
  database.close();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain("9988776655443322");
});

it("groups what is asked for in one turn into one commit", async () => {
  const directory = temporaryDirectory();
  const store = openIn(directory);
  await addBatch(
    store,
    "AAAA1111",
    Array.from({ length: 50 }, (_, index) => newRow(index + 2, `a/${index}`)),
  );
  const watcher = new DatabaseSync(join(directory, "journal.db"), { readOnly: true });
  onTestFinished(() => watcher.close());
  const version = (): number => (watcher.prepare("PRAGMA data_version").get() as { data_version: number }).data_version;
  const before = version();
  await Promise.all(Array.from({ length: 50 }, (_, index) => store.begin("AAAA1111", index + 2, rules)));
  expect(version() - before).toBe(1);
  expect((await allRows(store, "AAAA1111")).every((row) => row.state === "sending")).toBe(true);
});

it("refuses a state directory that others can write", () => {
  const directory = temporaryDirectory();
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const open = join(directory, "open");
  process.getBuiltinModule("node:fs").mkdirSync(open, { mode: 0o777 });
  expect(() => openSqliteJournal(open, createJudge)).toThrow(/can be written by others/);
});

it("refuses a journal of a newer paydrop", async () => {
  const directory = temporaryDirectory();
  await openIn(directory).close();
  const database = new DatabaseSync(join(directory, "journal.db"));
  database.exec("PRAGMA user_version = 999");
  database.close();
  expect(() => openSqliteJournal(directory, createJudge)).toThrow(/newer paydrop/);
});

it("knows until when the request of an unknown row may have left, however long the disk took", async () => {
  let nowMs = Date.now();
  const store = openSqliteJournal(temporaryDirectory(), createJudge, () => nowMs);
  onTestFinished(() => store.close());
  await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
  const fromMs = nowMs;
  for (const [row, state] of [
    [2, "unknown"],
    [3, "accepted"],
  ] as const) {
    nowMs = fromMs;
    const { attempt = 0 } = await store.begin("AAAA1111", row, rules);
    // its commit took two seconds, its connection broke after five milliseconds
    nowMs = fromMs + 2005;
    await store.end(attempt, { state, reason: "connection_broke", durationMs: 5 });
  }
  const seen = (await allRows(store, "AAAA1111")).map(({ sentAt, untilAt }) => [sentAt, untilAt]);
  expect(seen).toEqual([
    [fromMs, fromMs + 2005],
    [fromMs, undefined],
  ]);
});
