import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { openJournal, type JournalOptions } from "../../src/journal/open.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { describeJournalStore } from "./store-contract.ts";
import type { TestJournal } from "./stores.ts";
import { letsRowsGoByTurns } from "./turns-contract.ts";

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
describe("SQLite by the model of turns", () => letsRowsGoByTurns(() => openTestJournal({})));
describeJournalStore("SQLite in a thread of its own", () => openTestJournal({ inThread: true }));
