import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { EnteredKeys } from "../../src/journal/sqlite/duplicates/entered-keys.ts";
import { takeInstanceLock } from "../../src/journal/sqlite/database/lock.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { describeJournalStore } from "./store-contract.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "./stored.ts";

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
  const lock = takeInstanceLock(directory);
  onTestFinished(() => lock.release());
  openIn(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(["journal.db", "journal.db-wal", "lock.db"]));
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

it.each([0, 2, 199_999, 200_000, 200_001, 405_000])(
  "enters every row up to number %i in steps, and each once",
  (last) => {
    let next = 0;
    for (const [from, to] of EnteredKeys.steps(last)) {
      expect(from).toBe(next);
      next = to + 1;
    }
    expect(next).toBeGreaterThan(last);
  },
);

it("finds what is repeated in a file of any length, wherever in it the two stand", async () => {
  const store = openIn(temporaryDirectory());
  await addBatch(store, "AAAA1111", [newRow(2, "earlier/100", { reference: "SAL-1" }), newRow(3, "without/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await sendRow(store, "AAAA1111", 3, "accepted");
  const last = 405_000;
  const repeats: Readonly<Record<number, NewRow>> = {
    190_000: newRow(190_000, "5/100"),
    200_000: newRow(200_000, "199999/100"),
    399_999: newRow(399_999, "other/100", { reference: "SAL-1" }),
    404_000: newRow(404_000, "10/100"),
    405_000: newRow(405_000, "without/100"),
  };
  // more equal rows than are judged in one piece
  const isEqual = (number: number): boolean => number > 30_000 && number <= 52_000;
  await store.createBatch(newBatch("BBBB2222"));
  for (let from = 2; from <= last; from += 1000) {
    const numbers = Array.from({ length: Math.min(1000, last - from + 1) }, (_, index) => from + index);
    const rows = numbers.map((one) => repeats[one] ?? newRow(one, isEqual(one) ? "equal/100" : `${one}/100`));
    await store.addRows("BBBB2222", rows);
  }
  await store.judgeRows("BBBB2222", rules);
  await store.openBatch("BBBB2222", { rows: last - 1, total: "0.00", remarks: [] });
  const found = (await Array.fromAsync(store.rowsIn("BBBB2222", ["held", "duplicate"]))).flat();
  const equal = found.filter(({ number }) => isEqual(number));
  expect([equal[0]?.number, equal.at(-1)?.number, equal.length]).toEqual([30_002, 52_000, 21_999]);
  expect(found.filter(({ number }) => !isEqual(number)).map(({ number, other }) => [number, other?.row])).toEqual([
    [190_000, 5],
    [200_000, 199_999],
    [399_999, 2],
    [404_000, 10],
    [405_000, 3],
  ]);
});

it.skipIf(!existsSync("/proc/self/fd"))(
  "puts aside what it sorts where the journal lies, whatever other folders hold",
  async () => {
    const directory = join(temporaryDirectory(), "a clerk's state");
    const store = openSqliteJournal(directory, createJudge, Date.now, { isChecked: true });
    onTestFinished(() => store.close());
    await store.createBatch(newBatch("AAAA1111"));
    for (let from = 2; from < 80_000; from += 1000) {
      const numbers = Array.from({ length: 1000 }, (_, index) => from + index);
      const rows = numbers.map((one) => newRow(one, `${one}/100`, { reference: `SAL-${one}` }));
      await store.addRows("AAAA1111", rows);
    }
    await store.judgeRows("AAAA1111", rules);
    const open = readdirSync("/proc/self/fd").flatMap((fd) => linkOf(`/proc/self/fd/${fd}`));
    const putAside = open.filter((path) => basename(path).startsWith("etilqs_"));
    expect(putAside.map((path) => dirname(path))).toContain(realpathSync(directory));
  },
);

function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    // it was closed meanwhile
    return [];
  }
}
