import { expect, onTestFinished, test } from "vitest";
import type { PaymentTexts } from "../../src/checks/payment-texts.ts";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, newRow, rules, sendRow } from "./stored.ts";

const ACT = { by: "asha", kind: "act", note: "" };

function open(): JournalStore {
  const store = openSqliteJournal(temporaryDirectory(), createJudge);
  onTestFinished(() => store.close());
  return store;
}

/** A row of a retry file. `of`: the row that it corrects. */
function correcting(of: string, number: number, core: string, over: Partial<PaymentTexts> = {}): NewRow {
  const [batch = "", row] = of.split(":");
  return { ...newRow(number, core, over), correction: { of: { batch, row: Number(row) }, payeeChanged: false } };
}

async function take(store: JournalStore, id: string, rows: NewRow[]): Promise<string[]> {
  await addBatch(store, id, rows);
  return (await allRows(store, id)).map(({ state, code, other }) =>
    [state, code, other && `${other.batch}:${other.row}`].join(" ").trim(),
  );
}

type Over = Partial<PaymentTexts>;

/** Row 2 went, rows 3 and 4 were refused. */
async function refused(store: JournalStore, over: Over = {}): Promise<void> {
  const rows = [newRow(2, "a/100"), newRow(3, "b/200", over), newRow(4, "b/30"), newRow(5, "c/300")];
  await addBatch(store, "AAAA1111", rows);
  await sendRow(store, "AAAA1111", 2, "accepted");
  for (const row of [3, 4, 5]) await sendRow(store, "AAAA1111", row, "rejected");
}

/** The same file, corrected as a whole: it repeats row 2. */
async function copy(store: JournalStore, core: string, over: Over = {}): Promise<void> {
  await addBatch(store, "BBBB2222", [newRow(2, "a/100"), newRow(3, core, over)]);
}

const HELD = "held near_duplicate BBBB2222:3";

test.each<[string, (store: JournalStore) => Promise<unknown>, string]>([
  ["was accepted", (store) => sendRow(store, "BBBB2222", 3, "accepted"), HELD],
  ["is unknown", (store) => sendRow(store, "BBBB2222", 3, "unknown"), HELD],
  ["is on its way", (store) => store.begin("BBBB2222", 3, rules), HELD],
  ["was refused", (store) => sendRow(store, "BBBB2222", 3, "rejected"), "ready"],
])("a retry file, where the file went corrected as a whole and that payee's row %s", async (_what, happen, said) => {
  const store = open();
  await refused(store);
  await copy(store, "b/201");
  await happen(store);
  const rows = [correcting("AAAA1111:3", 2, "b/200"), correcting("AAAA1111:5", 3, "c/300")];
  expect(await take(store, "CCCC3333", rows)).toEqual([said, "ready"]);
  if ((await store.row("BBBB2222", 3))?.state !== "accepted") return;
  // by name it goes: nobody asks a second time
  await store.release("CCCC3333", [2], ACT);
  expect(await store.begin("CCCC3333", 2, rules)).toHaveProperty("attempt");
});

test.each<[string, NewRow, string]>([
  ["with a third amount", correcting("AAAA1111:3", 2, "b/202"), HELD],
  ["with another payee than the row that it corrects", correcting("AAAA1111:3", 2, "d/200"), HELD],
  ["in a retry file of the retry file", correcting("DDDD4444:2", 2, "b/203"), HELD],
  ["of another payee's row", correcting("AAAA1111:5", 2, "c/301"), "ready"],
])("a row %s is compared with what the corrected file paid", async (_what, row, said) => {
  const store = open();
  await refused(store);
  await take(store, "DDDD4444", [correcting("AAAA1111:3", 2, "b/200")]);
  await sendRow(store, "DDDD4444", 2, "rejected");
  await copy(store, "b/201");
  await sendRow(store, "BBBB2222", 3, "accepted");
  expect(await take(store, "CCCC3333", [row])).toEqual([said]);
});

test("other rows of the corrected file to the same payee hold nothing, in whatever file they went", async () => {
  const store = open();
  await refused(store);
  await copy(store, "b/30");
  await sendRow(store, "BBBB2222", 3, "accepted");
  // a sibling: which row it corrects is known
  await take(store, "DDDD4444", [newRow(2, "a/100"), correcting("AAAA1111:4", 3, "b/31")]);
  await store.release("DDDD4444", "all", ACT);
  for (const row of [2, 3]) await sendRow(store, "DDDD4444", row, "accepted");
  expect(await take(store, "CCCC3333", [correcting("AAAA1111:3", 2, "b/200")])).toEqual(["ready"]);
});

test.each<[string, Over, Over, string]>([
  ["another reference", { reference: "R2" }, { reference: "R7" }, "ready"],
  [
    "a reference, and one that a spreadsheet may have made",
    { reference: "R2" },
    { reference: "7.50", isDoubtful: true },
    HELD,
  ],
  ["a reference, and none", { reference: "R2" }, {}, HELD],
  ["another month", { period: "2026-11" }, { period: "2026-12" }, "ready"],
  ["a month in another writing", { period: "2026-11" }, { period: "202611" }, HELD],
  ["a month, and none", {}, { period: "2026-12" }, HELD],
])("what both state decides: %s", async (_what, mine, other, said) => {
  const store = open();
  await refused(store, mine);
  await copy(store, "b/201", other);
  await sendRow(store, "BBBB2222", 3, "accepted");
  expect(await take(store, "CCCC3333", [correcting("AAAA1111:3", 2, "b/200", mine)])).toEqual([said]);
});

test.each<[string, (store: JournalStore) => Promise<unknown>, string]>([
  ["was accepted", (store) => sendRow(store, "DDDD4444", 2, "accepted"), "held near_duplicate DDDD4444:2"],
  ["still goes", () => Promise.resolve(), "held near_duplicate DDDD4444:2"],
  ["was refused", (store) => sendRow(store, "DDDD4444", 2, "rejected"), "ready"],
])("the file, corrected as a whole, where that payee's row of a retry file %s", async (_what, happen, said) => {
  const store = open();
  await refused(store);
  await addBatch(store, "DDDD4444", [correcting("AAAA1111:3", 2, "b/202")]);
  await happen(store);
  const rows = [newRow(2, "a/100"), newRow(3, "b/201"), newRow(4, "c/300")];
  expect((await take(store, "BBBB2222", rows)).slice(1)).toEqual([said, "ready"]);
  // another retry file of it, with a row beside that went: which rows both correct is known
  const others = [newRow(2, "a/100"), correcting("AAAA1111:4", 3, "e/31"), newRow(4, "e/32")];
  expect((await take(store, "CCCC3333", others)).slice(1)).toEqual(["ready", "ready"]);
});
