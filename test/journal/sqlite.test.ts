import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openJournal, type JournalOptions } from "../../src/sqlite/open.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { describeJournalStore } from "./store-contract.ts";
import { ASHA, NOW, opened, statesOf, type TestJournal } from "./stores.ts";
import { letsRowsGoByTurns } from "./turns-contract.ts";
import { commitTo } from "../support/commit.ts";

/** In memory where there is such a disk: the contract says nothing of power cuts, and makes thousands of commits. */
const FAST = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

async function openTestJournal(options: JournalOptions): Promise<TestJournal> {
  const folder = mkdtempSync(join(FAST, "paydrop-test-"));
  const opened: JournalStore[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true });
  });
  const open = async (): Promise<JournalStore> => {
    const store = await openJournal(folder, options);
    opened.push(store);
    return store;
  };
  const journal: TestJournal = {
    store: await open(),
    another: open,
    async crash() {
      for (const store of opened.splice(0)) await store.close();
      journal.store = await open();
    },
  };
  return journal;
}

describeJournalStore("SQLite", () => openTestJournal({}));
test("a run of this process ended without a word → its rows are unknown when the next one begins", async () => {
  const { store } = await openTestJournal({});
  await opened(store, "PAY", ["asha", "binod", "chitra"]);
  await store.beginRun("PAY", ASHA, NOW);
  await commitTo(store, "PAY", [], 2);
  const run = await store.beginRun("PAY", ASHA, NOW);
  await store.endRun(run, { endedAt: NOW, exitCode: 4, requests: 0 });
  expect(await statesOf(store, "PAY")).toBe("2 unknown, 3 unknown, 4 ready");
});
test("a copy that is thrown away → all is written there, and no row is let go by it (I2)", async () => {
  const { store } = await openTestJournal({ isThrownAway: true });
  await opened(store, "PAY", ["asha", "binod"]);
  await expect(commitTo(store, "PAY", [], 1)).rejects.toThrow("thrown away");
  expect(await statesOf(store, "PAY")).toBe("2 ready, 3 ready");
});
describe("SQLite by the model of turns", () => letsRowsGoByTurns(() => openTestJournal({})));
describeJournalStore("SQLite in a thread of its own", () => openTestJournal({ inThread: true }));
