import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished, vi } from "vitest";
import type { JournalStore } from "../../src/journal/store.ts";
import { openThreadedJournal } from "../../src/journal/thread/threaded.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { describeJournalStore } from "./store-contract.ts";
import { addBatch, allRows, newRow, rules, sendRow } from "./stored.ts";

const LANES = 8;

async function openIn(directory: string): Promise<JournalStore> {
  const options = { isChecked: true, keepsBallast: false };
  const store = await openThreadedJournal({ stateDir: directory, options }, LANES);
  onTestFinished(() => store.close());
  return store;
}

describeJournalStore("the journal in a thread", async () => {
  const directory = temporaryDirectory();
  return { store: await openIn(directory), reopen: () => openIn(directory) };
});

it("gives every row of a batch of many pages, in order, and no more once the reader has had enough", async () => {
  const store = await openIn(temporaryDirectory());
  const rows = Array.from({ length: 2500 }, (_, index) => newRow(index + 2, `a/${index}`));
  await addBatch(store, "AAAA1111", rows);
  expect((await allRows(store, "AAAA1111")).map((row) => row.number)).toEqual(rows.map((row) => row.number));
  for await (const page of store.readyRows("AAAA1111", 1500)) {
    expect(page[0]).toBe(1500);
    break;
  }
  await sendRow(store, "AAAA1111", 2, "accepted");
});

it("carries out what was asked before it closes, and refuses what is asked afterwards", async () => {
  const directory = temporaryDirectory();
  const store = await openIn(directory);
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  const begun = store.begin("AAAA1111", 2, rules);
  await store.close();
  expect(await begun).toMatchObject({ ordinal: 1 });
  await expect(store.batches()).rejects.toThrow(/thread has ended/);
  expect((await allRows(await openIn(directory), "AAAA1111")).map((row) => row.state)).toEqual(["sending"]);
});

it.each([
  ["ended", /thread has ended/, (thread: Worker) => void thread.terminate()],
  ["met what nobody foresaw", /the journal failed: .*undefined/, (thread: Worker) => thread.postMessage({})],
])("leaves nobody waiting when its thread has %s", async (_, said, end) => {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => posted.mockRestore());
  const store = await openIn(temporaryDirectory());
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  end(posted.mock.contexts[0] as Worker);
  const asked = [store.begin("AAAA1111", 2, rules), store.batches()];
  for (const one of asked) await expect(one).rejects.toThrow(said);
});

it("says of what the system refuses what the same journal in this thread says", async () => {
  const directory = temporaryDirectory();
  symlinkSync("journal.db", join(directory, "journal.db"));
  const refused = { code: "journal", message: expect.stringContaining("the system refused: ELOOP") as string };
  await expect(openIn(directory)).rejects.toMatchObject(refused);
});

it("carries out what came while many others were on their way", async () => {
  const store = await openIn(temporaryDirectory());
  const numbers = Array.from({ length: 40 }, (_, index) => index + 2);
  await addBatch(
    store,
    "AAAA1111",
    numbers.map((number) => newRow(number, `a/${number}`)),
  );
  const first = numbers.slice(0, 20).map((number) => store.begin("AAAA1111", number, rules));
  await new Promise((resolve) => process.nextTick(resolve));
  const second = numbers.slice(20).map((number) => store.begin("AAAA1111", number, rules));
  const begun = await Promise.all([...first, ...second]);
  expect(begun.map(({ attempt }) => attempt)).toEqual(numbers.map((number) => number - 1));
});

it("judges each row by the rules that it came with, whatever other rows come at the same moment", async () => {
  const store = await openIn(temporaryDirectory());
  const rows = [2, 3, 4, 5].map((row) => newRow(row, `a/${row}`));
  // what did not go at first was paid by another file meanwhile
  await addBatch(store, "AAAA1111", rows);
  for (const { number } of rows) await sendRow(store, "AAAA1111", number, "not_sent");
  await addBatch(store, "BBBB2222", rows);
  for (const { number } of rows) await sendRow(store, "BBBB2222", number, "accepted");
  await store.makeReady("AAAA1111", "all", ["not_sent"]);
  const lax = { ...rules, duplicateDays: 0 };
  const begun = await Promise.all(
    [rules, lax, lax, rules].map((its, index) => store.begin("AAAA1111", index + 2, its)),
  );
  expect(begun.map(({ attempt }) => attempt !== undefined)).toEqual([false, true, true, false]);
});

it("says why a journal cannot be opened, as in the one thread", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "journal.db"), "no journal, but longer than the header of one".repeat(20));
  await expect(openIn(directory)).rejects.toMatchObject({
    code: "journal",
    message: expect.stringMatching(/is damaged/) as string,
  });
});
