import { describe, expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import type { PaymentTexts } from "../../src/checks/payment-texts.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, newRow, rules, sendRow } from "./stored.ts";

const DAY_MS = 86_400_000;

function open(now: () => number = Date.now): JournalStore {
  const store = openSqliteJournal(temporaryDirectory(), createJudge, now);
  onTestFinished(() => store.close());
  return store;
}

async function said(store: JournalStore, batch: string): Promise<string[]> {
  return (await allRows(store, batch)).map(({ state, code, other }) => [state, code, other?.batch].join(" ").trim());
}

test("among more equal payments than are looked at, the newest and those of the same period are found", async () => {
  let nowMs = Date.parse("2019-01-01T10:00:00Z");
  const store = open(() => nowMs);
  const salaries = Array.from({ length: 80 }, (_, index) => `${2019 + Math.floor(index / 12)}-${(index % 12) + 1}`);
  for (const [index, period] of salaries.entries()) {
    const id = `SAL${String(index).padStart(5, "0")}`;
    await addBatch(store, id, [newRow(2, "a/100", { period })]);
    await sendRow(store, id, 2, "accepted");
    nowMs += 30 * DAY_MS;
  }
  await addBatch(store, "FIRST111", [newRow(2, "a/100", { period: "2019-1" })]);
  expect(await said(store, "FIRST111")).toEqual(["duplicate  SAL00000"]);
  nowMs -= 29 * DAY_MS;
  await addBatch(store, "PLAIN111", [newRow(2, "a/100")]);
  expect(await said(store, "PLAIN111")).toEqual(["held possible_duplicate SAL00079"]);
});

test("an unknown row holds equal ones, however many of them were accepted after it", async () => {
  const store = open();
  const references = Array.from({ length: 100 }, (_, index) => newRow(index + 2, "a/100", { reference: `A-${index}` }));
  await addBatch(store, "AAAA1111", references);
  for (const { number } of references) await sendRow(store, "AAAA1111", number, number === 4 ? "unknown" : "accepted");
  await addBatch(store, "BBBB2222", [newRow(2, "a/100", { reference: "B-1" })]);
  expect(await said(store, "BBBB2222")).toEqual(["held other_row_open AAAA1111"]);
});

test("a reference or an id in another case is the same one", async () => {
  const store = open();
  const reference = "INV 9";
  await addBatch(store, "AAAA1111", [newRow(2, "\u001fACC-1\u001fBEN-1\u001f100"), newRow(3, "p/1", { reference })]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
  const again = [newRow(2, "\u001facc-1\u001fBen-1\u001f100"), newRow(3, "p/1", { reference: "inv  9" })];
  await addBatch(store, "BBBB2222", again);
  expect(await said(store, "BBBB2222")).toEqual(["held possible_duplicate AAAA1111", "duplicate  AAAA1111"]);
});

test("of equal rows one with a reference and one without are a repeat, whichever comes first", async () => {
  const store = open();
  const rows = [undefined, "A-1", "A-2", undefined].map((reference, index) =>
    newRow(index + 2, "a/100", reference === undefined ? {} : { reference }),
  );
  await addBatch(store, "AAAA1111", rows);
  const held = "held repeat_in_file AAAA1111";
  expect(await said(store, "AAAA1111")).toEqual(["ready", held, held, held]);
  await addBatch(store, "BBBB2222", [
    newRow(2, "b/100", { reference: "B-1" }),
    newRow(3, "b/100", { reference: "B-2" }),
  ]);
  expect(await said(store, "BBBB2222")).toEqual(["ready", "ready"]);
});

test("a row of an older file that goes again finds what a newer one has sent meanwhile", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100", { reference: "SAL-1" })]);
  await sendRow(store, "AAAA1111", 2, "not_sent");
  await sendRow(store, "AAAA1111", 3, "not_sent");
  await addBatch(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/100", { reference: "SAL-1" })]);
  await sendRow(store, "BBBB2222", 7, "accepted");
  await sendRow(store, "BBBB2222", 8, "accepted");
  await store.makeReady("AAAA1111", "all", ["not_sent"]);
  expect(await store.begin("AAAA1111", 2, rules)).toEqual({ state: "held" });
  expect(await store.begin("AAAA1111", 3, rules)).toEqual({ state: "duplicate" });
  expect(await said(store, "AAAA1111")).toEqual(["held possible_duplicate BBBB2222", "duplicate  BBBB2222"]);
});

test("of the corrections of a row one that cannot be read holds no other one, in its file or elsewhere", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
  await sendRow(store, "AAAA1111", 2, "rejected");
  const correction = { of: { batch: "AAAA1111", row: 2 }, changes: [], payeeChanged: false };
  const fault = { code: "amount_missing", message: "is empty", hint: "write it" };
  await addBatch(store, "BBBB2222", [{ number: 2, faults: [fault], correction }]);
  await addBatch(store, "CCCC3333", [
    { number: 2, faults: [fault], correction },
    { ...newRow(3, "a/200"), correction },
  ]);
  expect(await said(store, "CCCC3333")).toEqual(["invalid amount_missing", "ready"]);
  await addBatch(store, "DDDD4444", [{ ...newRow(2, "a/300"), correction }]);
  expect(await said(store, "DDDD4444")).toEqual(["held other_row_open CCCC3333"]);
  await sendRow(store, "CCCC3333", 3, "accepted");
  await store.judgeAgain("DDDD4444", rules);
  expect(await said(store, "DDDD4444")).toEqual(["held corrected_twice CCCC3333"]);
});

test.each<[string, Partial<PaymentTexts>, Partial<PaymentTexts>]>([
  ["a period", {}, { reference: "A-1", period: "2026-11" }],
  ["no period", { period: "2026-11" }, { reference: "A-1" }],
])("also where the one with a reference states %s, and the other one does not say the same", async (_, one, other) => {
  for (const [first, second] of [
    [one, other],
    [other, one],
  ]) {
    const store = open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/100", first), newRow(3, "a/100", second)]);
    expect(await said(store, "AAAA1111")).toEqual(["ready", "held repeat_in_file AAAA1111"]);
  }
});

describe("of more equal payments than are looked at", () => {
  type Stating = (index: number) => Partial<PaymentTexts>;

  test.each<[string, Stating, Partial<PaymentTexts>]>([
    ["its reference frees no row from one without", (index) => ({ reference: `A-${index}` }), { reference: "B-1" }],
    ["nor its period from one without", (index) => ({ period: `2025-W${index}` }), { period: "1970-01" }],
    ["nor both", (index) => ({ reference: `A-${index}`, period: "1970-01" }), { reference: "B-1", period: "1970-01" }],
  ])("%s", async (_, others, stated) => {
    const store = open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/100")]);
    await sendRow(store, "AAAA1111", 2, "accepted");
    const rows = Array.from({ length: 100 }, (_unused, index) => newRow(index + 2, "a/100", others(index)));
    await addBatch(store, "BBBB2222", rows);
    const by = { by: "Meera", kind: "release", note: "all of them" };
    await store.release("BBBB2222", "all", by);
    for (const { number } of rows) await sendRow(store, "BBBB2222", number, "accepted");
    await addBatch(store, "CCCC3333", [newRow(2, "a/100", stated)]);
    expect(await said(store, "CCCC3333")).toEqual(["held possible_duplicate AAAA1111"]);
  });
});

test("who releases a row long after it was held is told of the payment that it was held for, whatever went since", async () => {
  let nowMs = Date.parse("2026-11-01T10:00:00Z");
  const store = open(() => nowMs);
  await addBatch(store, "NOVEMBER", [newRow(2, "a/100")]);
  await sendRow(store, "NOVEMBER", 2, "accepted");
  await addBatch(store, "COPY1111", [newRow(2, "a/100")], { guessedPeriod: "2026-11", createdAt: nowMs });
  expect(await said(store, "COPY1111")).toEqual(["held possible_duplicate NOVEMBER"]);

  nowMs += 30 * DAY_MS;
  await addBatch(store, "DECEMBER", [newRow(2, "a/100", { period: "2026-12" })]);
  await sendRow(store, "DECEMBER", 2, "accepted");
  nowMs += DAY_MS;
  expect(await store.judgeAgain("COPY1111", rules)).toEqual([2]);
  expect((await allRows(store, "COPY1111"))[0]?.other).toMatchObject({ batch: "NOVEMBER", more: 1 });
});
