import { onTestFinished } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { allRows } from "./stored.ts";

/** A journal, and what moves its clock to a day and says when a batch is made then. */
export function openByDay(): { store: JournalStore; onDay: (day: number) => { createdAt: number } } {
  const beginMs = Date.parse("2026-11-01T10:00:00Z");
  let nowMs = beginMs;
  const store = openSqliteJournal(temporaryDirectory(), createJudge, () => nowMs);
  onTestFinished(() => store.close());
  return { store, onDay: (day) => ({ createdAt: (nowMs = beginMs + day * 86_400_000) }) };
}

/** State, code and other row of each row. */
export async function said(store: JournalStore, batch: string): Promise<string[]> {
  return (await allRows(store, batch)).map(({ state, code, other }) =>
    [state, code, other && `${other.batch}:${other.row}`].filter((part) => part !== undefined).join(" "),
  );
}
