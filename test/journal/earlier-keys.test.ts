import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { PaymentKeys } from "../../src/journal/sqlite/duplicates/keys.ts";
import { readIdentity } from "../../src/journal/sqlite/database/identity.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { openScratchJournal, openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import { addBatch, allRows, newRow, sendRow } from "./stored.ts";

const VERSION_WITH_OLD_KEYS = 6;
const VERSION_WITH_ZEROS = 8;
const VERSION_WITH_CASES = 10;

/** What later versions made, and how it goes away. */
const MADE_IN: readonly (readonly [version: number, undo: string])[] = [
  [20, "DROP INDEX batch_place; ALTER TABLE batch DROP COLUMN laid_at;"],
  [19, "DROP TABLE payee_sample; DROP TABLE repeats;"],
  [18, "ALTER TABLE row DROP COLUMN account_key;"],
  [17, "ALTER TABLE batch DROP COLUMN all_or_nothing;"],
  [16, "DROP INDEX row_waiting;"],
  [15, "DROP INDEX row_let_go;"],
  [14, "ALTER TABLE row DROP COLUMN decided;"],
  [13, "DROP TABLE wrote; CREATE INDEX written_sha256 ON written (sha256);"],
  [12, "ALTER TABLE row DROP COLUMN other_more;"],
  [10, "DROP INDEX row_unknown;"],
  [8, "ALTER TABLE row DROP COLUMN doubtful;"],
];

function backTo(database: DatabaseSync, version: number): void {
  const undone = MADE_IN.filter(([made]) => made > version).map(([, undo]) => undo);
  database.exec(`${undone.join(" ")} PRAGMA user_version = ${version}`);
}

function opened(store: JournalStore): JournalStore {
  onTestFinished(() => store.close());
  return store;
}

/** A journal whose references were keyed as they were written, `0001` with its zeros, and all of them accepted. */
async function journalOfAnEarlierBuild(references: readonly string[]): Promise<string> {
  const stateDir = temporaryDirectory();
  const store = openSqliteJournal(stateDir, createJudge);
  const rows = references.map((reference, index) => newRow(index + 2, `p${index}/1`, { reference }));
  await addBatch(store, "AAAA1111", rows);
  for (const { number } of rows) await sendRow(store, "AAAA1111", number, "accepted");
  await store.close();
  const database = new DatabaseSync(join(stateDir, "journal.db"));
  backTo(database, VERSION_WITH_OLD_KEYS);
  database.exec("DELETE FROM meta WHERE key LIKE 'keys of%'");
  database.close();
  return stateDir;
}

const states = async (store: JournalStore, id: string): Promise<unknown[]> =>
  (await allRows(store, id)).map(({ state, other }) => [state, other?.row]);

test("what an earlier build sent under a reference with zeros in front is known: it would be paid once more", async () => {
  const stateDir = await journalOfAnEarlierBuild(["0001", "00000002", "3"]);
  const again = [newRow(2, "p0/1", { reference: "1" }), newRow(3, "p1/1", { reference: "2" })];
  const other = [newRow(4, "p2/1", { reference: "3" }), newRow(5, "p3/1", { reference: "4" })];
  const expected = [
    ["duplicate", 2],
    ["duplicate", 3],
    ["duplicate", 4],
    ["ready", undefined],
  ];
  const store = opened(openSqliteJournal(stateDir, createJudge));
  await addBatch(store, "BBBB2222", [...again, ...other]);
  expect(await states(store, "BBBB2222")).toEqual(expected);

  const scratch = opened(openScratchJournal(temporaryDirectory(), stateDir, createJudge));
  await addBatch(scratch, "CCCC3333", [...again, ...other.slice(0, 1), newRow(5, "p4/1", { reference: "5" })]);
  expect(await states(scratch, "CCCC3333")).toEqual(expected);
});

test("another amount under a reference of an earlier build is a question, as under one of today", async () => {
  const stateDir = await journalOfAnEarlierBuild(["0001"]);
  const store = opened(openSqliteJournal(stateDir, createJudge));
  await addBatch(store, "BBBB2222", [newRow(2, "p0/9", { reference: "1" })]);
  expect((await allRows(store, "BBBB2222")).map(({ state, code }) => [state, code])).toEqual([
    ["held", "reference_conflict"],
  ]);
});

test("what an earlier build sent to an account with zeros in front is known: it would be paid once more", async () => {
  const row = (number: number, account: string): NewRow => newRow(number, `\u001fA-1\u001f${account}\u001f100`);
  const sent = [row(2, "0020"), row(3, "50")];
  const stateDir = temporaryDirectory();
  const before = openSqliteJournal(stateDir, createJudge);
  await addBatch(before, "AAAA2222", sent);
  for (const { number } of sent) await sendRow(before, "AAAA2222", number, "accepted");
  await before.close();
  const database = new DatabaseSync(join(stateDir, "journal.db"));
  const keys = new PaymentKeys(readIdentity(database).hashKey);
  for (const { payment } of sent) {
    if (!payment) continue;
    const today = keys.core("test", "transfer", payment);
    const [, old = today] = keys.coresAsWritten("test", "transfer", payment);
    database.prepare("UPDATE row SET core_key = ? WHERE core_key = ?").run(old, today);
    database.prepare("UPDATE seen SET key = ? WHERE key = ?").run(old, today);
  }
  backTo(database, VERSION_WITH_ZEROS);
  database.close();

  const again = [...sent, row(4, "0070"), row(5, "70")];
  const store = opened(openSqliteJournal(stateDir, createJudge));
  await addBatch(store, "BBBB2222", again);
  expect((await allRows(store, "BBBB2222")).map(({ state, code }) => code ?? state)).toEqual([
    "possible_duplicate",
    "possible_duplicate",
    "ready",
    "repeat_in_file",
  ]);
});

test("what an earlier build sent under a reference, or to an id, in capitals is known as it was written", async () => {
  const sent = [newRow(2, "\u001fACC-1\u001fBEN-1\u001f100"), newRow(3, "p/1", { reference: "INV-9" })];
  const stateDir = temporaryDirectory();
  const before = openSqliteJournal(stateDir, createJudge);
  await addBatch(before, "AAAA1111", sent);
  for (const { number } of sent) await sendRow(before, "AAAA1111", number, "accepted");
  await before.close();
  const database = new DatabaseSync(join(stateDir, "journal.db"));
  const keys = new PaymentKeys(readIdentity(database).hashKey);
  for (const { payment, operation = "transfer" } of sent) {
    if (!payment) continue;
    const [old = null] = keys.coresAsWritten("test", operation, payment);
    const { reference = "" } = payment;
    for (const [today, asWritten] of [
      [keys.core("test", operation, payment), old],
      [keys.reference("test", reference), keys.referenceAsWritten("test", reference)],
    ] as const) {
      database.prepare("UPDATE row SET core_key = ? WHERE core_key = ?").run(asWritten, today);
      database.prepare("UPDATE row SET reference_key = ? WHERE reference_key = ?").run(asWritten, today);
      database.prepare("UPDATE seen SET key = ? WHERE key = ?").run(asWritten, today);
    }
  }
  backTo(database, VERSION_WITH_CASES);
  database.close();

  const store = opened(openSqliteJournal(stateDir, createJudge));
  await addBatch(store, "BBBB2222", sent);
  expect((await allRows(store, "BBBB2222")).map(({ state, code }) => code ?? state)).toEqual([
    "possible_duplicate",
    "duplicate",
  ]);
});
