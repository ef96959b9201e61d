import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { JournalStore } from "../../src/journal/store.ts";
import { openThreadedJournal } from "../../src/journal/threaded.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, describeJournalStore, newRow, rules, sendRow } from "./store-contract.ts";

async function openIn(directory: string): Promise<JournalStore> {
  const options = { isChecked: true, keepsBallast: false };
  const store = await openThreadedJournal({ stateDir: directory, options });
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

it("says why a journal cannot be opened, as in the one thread", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "journal.db"), "no journal, but longer than the header of one".repeat(20));
  await expect(openIn(directory)).rejects.toMatchObject({ code: "journal", message: /is damaged/ });
});
