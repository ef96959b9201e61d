import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import type { PaymentTexts } from "../../src/checks/payment-texts.ts";
import type { NewBatch } from "../../src/journal/batch-record.ts";
import { migrate } from "../../src/journal/sqlite/database/schema.ts";
import { PaymentKeys } from "../../src/journal/sqlite/duplicates/keys.ts";
import { partsOf } from "../../src/journal/sqlite/parts.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "./stored.ts";

const DAY_MS = 86_400_000;
const NOV_10 = Date.parse("2026-11-10T09:00:00Z");
const ACT = { by: "asha", kind: "act", note: "" };
let nowMs = NOV_10;

function open(): JournalStore {
  nowMs = NOV_10;
  const store = openSqliteJournal(temporaryDirectory(), createJudge, () => nowMs);
  onTestFinished(() => store.close());
  return store;
}

/** So many people, each paid her own amount by the account `debit`. */
function list(
  debit: string,
  people = 6,
  ofRow: (person: number) => Partial<PaymentTexts> & { readonly amount?: string } = () => ({}),
): NewRow[] {
  return Array.from({ length: people }, (_, person) => {
    const { amount = `${person + 1}00.00`, ...over } = ofRow(person);
    const row = newRow(person + 2, `p${person}/${Number(amount)}/${debit}`, { beneficiary: `p${person}`, ...over });
    return { ...row, amount };
  });
}

/** What becomes of a list that is taken now. */
async function take(store: JournalStore, rows: NewRow[], over: Partial<NewBatch> = {}): Promise<string[]> {
  await addBatch(store, "BBBB2222", rows, { createdAt: nowMs, ...over });
  return (await allRows(store, "BBBB2222")).map(({ state, code, other }) =>
    [state, code, other && `${other.batch}:${other.row}`].join(" ").trim(),
  );
}

async function accepted(store: JournalStore, rows: NewRow[], over: Partial<NewBatch> = {}): Promise<void> {
  await addBatch(store, "AAAA1111", rows, { createdAt: nowMs, ...over });
  for (const { number } of rows) await sendRow(store, "AAAA1111", number, "accepted");
}

const ready = (rows: number): string[] => Array<string>(rows).fill("ready");
const held = (rows: number): string[] =>
  Array.from({ length: rows }, (_, at) => `held near_duplicate AAAA1111:${at + 2}`);

test.each([4, 6, 30])(
  "a list of %i that went from the wrong account asks before it goes from the right one",
  async (people) => {
    const store = open();
    await accepted(store, list("wrong", people));
    expect(await take(store, list("right", people))).toEqual(held(people));
  },
);

test("with a few rows that were mended, added or left out it is the same list; the added ones go", async () => {
  const store = open();
  await accepted(store, list("wrong", 30));
  const mended = list("right", 32, (person) => (person % 10 === 9 ? { amount: "7.00" } : {})).slice(2);
  expect(await take(store, mended)).toEqual([...held(30).slice(2), "ready", "ready"]);
});

test("the zeros at the end of an amount make no other list", async () => {
  const store = open();
  await accepted(store, list("wrong"));
  expect(
    await take(
      store,
      list("right", 6, (person) => ({ amount: `${person + 1}00` })),
    ),
  ).toEqual(held(6));
});

test.each<[string, (store: JournalStore) => Promise<unknown>, string[]]>([
  ["still goes", () => Promise.resolve(), held(5)],
  ["is unknown", (store) => sendAll(store, "unknown"), held(5)],
  ["was refused", (store) => sendAll(store, "rejected"), ready(5)],
  ["was cancelled", (store) => store.setPhase("AAAA1111", "cancelled", ACT), ready(5)],
  [
    "was given back",
    async (store) => {
      await sendAll(store, "accepted");
      const rows = await allRows(store, "AAAA1111");
      await store.settle(
        rows.map(({ number }) => ({ batch: "AAAA1111", row: number, as: "settled_not_done", act: ACT }) as const),
      );
    },
    ready(5),
  ],
])("a list whose first sending %s", async (_what, happen, said) => {
  const store = open();
  await addBatch(store, "AAAA1111", list("wrong", 5), { createdAt: nowMs });
  await happen(store);
  expect(await take(store, list("right", 5))).toEqual(said);
});

async function sendAll(store: JournalStore, state: "accepted" | "rejected" | "unknown"): Promise<void> {
  for (const { number } of list("wrong", 5)) await sendRow(store, "AAAA1111", number, state);
}

test.each<[string, NewRow[], NewRow[], Partial<NewBatch>?]>([
  ["of three rows", list("one", 3), list("two", 3)],
  [
    "of several payments to one payee",
    [{ ...newRow(2, "pool/100/one", { beneficiary: "pool" }), amount: "100" }],
    [2, 3, 4, 5, 6].map((at) => ({ ...newRow(at, `pool/100/${at}`, { beneficiary: "pool" }), amount: "100" })),
  ],
  ["with other amounts", list("one"), list("two", 6, (person) => ({ amount: `${person + 1}50.00` }))],
  [
    "with references",
    list("one", 6, (person) => ({ reference: `one ${person}` })),
    list("two", 6, (person) => ({ reference: `two ${person}` })),
  ],
  [
    "of another period",
    list("one", 6, () => ({ period: "2026-10" })),
    list("two", 6, () => ({ period: "2026-11" })),
    { period: "2026-11" },
  ],
  ["of a later month than that one went in", list("one"), list("two", 6, () => ({ period: "2026-12" }))],
])("a list %s goes from another account", async (_what, first, second, over) => {
  const store = open();
  await accepted(store, first);
  nowMs += DAY_MS;
  expect(await take(store, second, over)).toEqual(ready(second.length));
});

test("what did not go from the first account does not go once the list went from the second", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", list("wrong"), { createdAt: nowMs });
  await sendRow(store, "AAAA1111", 2, "rejected", "key_refused");
  await sendRow(store, "AAAA1111", 3, "rejected");
  for (const row of [4, 5, 6, 7]) await sendRow(store, "AAAA1111", row, "accepted");
  for (const row of [4, 5, 6, 7]) {
    await store.settle([{ batch: "AAAA1111", row, as: "settled_not_done", act: ACT }]);
  }
  nowMs += DAY_MS;
  expect(await take(store, list("right"))).toEqual([...held(1), ...ready(5)]);
  for (const row of [3, 4, 5]) await sendRow(store, "BBBB2222", row, "accepted");

  await store.makeReady("AAAA1111", [4, 5, 6, 7], ["settled_not_done"], ACT);
  const now = (await allRows(store, "AAAA1111")).slice(2);
  expect(now.map(({ state, code, other }) => [state, code, other?.batch, other?.row])).toEqual(
    [4, 5, 6, 7].map((row) => ["held", "near_duplicate", "BBBB2222", row]),
  );
  // nor by its retry file
  const correction = { of: { batch: "AAAA1111", row: 3 }, changes: [], payeeChanged: false };
  const [, mended] = list("mended").map((row) => ({ ...row, correction }));
  await addBatch(store, "CCCC3333", mended ? [mended] : [], { createdAt: nowMs });
  expect(await store.row("CCCC3333", 3)).toMatchObject({
    code: "near_duplicate",
    other: { batch: "BBBB2222", row: 3 },
  });
});

test("what a retry file of the first list paid does not go from the second account either", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", list("wrong"), { createdAt: nowMs });
  await sendAll(store, "accepted");
  await sendRow(store, "AAAA1111", 7, "rejected");
  const correction = { of: { batch: "AAAA1111", row: 7 }, changes: [], payeeChanged: false };
  const mended = list("wrong", 6, () => ({ amount: "555.00" }))
    .slice(5)
    .map((row) => ({ ...row, correction }));
  await addBatch(store, "CCCC3333", mended, { createdAt: nowMs });
  await sendRow(store, "CCCC3333", 7, "accepted");
  const again = await take(store, list("right"));
  expect(again).toEqual([...held(5), "held near_duplicate CCCC3333:7"]);
});

test("whose parts went from the wrong account is asked about as a whole", async () => {
  const store = open();
  const wrong = list("wrong", 9);
  for (const [id, from] of [
    ["AAAA1111", 0],
    ["CCCC3333", 3],
    ["DDDD4444", 6],
  ] as const) {
    const part = wrong.slice(from, from + 3);
    await addBatch(store, id, part, { createdAt: nowMs });
    for (const { number } of part) await sendRow(store, id, number, "accepted");
  }
  expect((await take(store, list("right", 9))).map((said) => said.slice(0, 19))).toEqual(
    Array<string>(9).fill("held near_duplicate"),
  );
});

test("whose tenth is sent from another account is asked about, and so is each further part", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", list("wrong", 1000), { createdAt: nowMs });
  for (const [id, from] of [
    ["CCCC3333", 0],
    ["DDDD4444", 100],
    ["EEEE5555", 900],
  ] as const) {
    await addBatch(store, id, list("right", 1000).slice(from, from + 100), { createdAt: nowMs });
    expect(new Set((await allRows(store, id)).map(({ code }) => code))).toEqual(new Set(["near_duplicate"]));
  }
});

test("that has a few payees and amounts in common with another long one is another list", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", list("fees", 500), { createdAt: nowMs });
  const others = list("refunds", 990).slice(490);
  expect(await take(store, others)).toEqual(ready(500));
});

test("whose month is written in another way, or which pays two months to each, is still the same one", async () => {
  const store = open();
  await accepted(
    store,
    list("wrong", 5, () => ({ period: "2026-11" })),
    { period: "2026-11" },
  );
  expect(
    await take(
      store,
      list("right", 5, () => ({ period: "Nov-2026" })),
      { period: "Nov-2026" },
    ),
  ).toEqual(held(5));
  const both = open();
  const october = list("wrong", 5, () => ({ period: "2026-10" }));
  const november = list("wrong", 5, () => ({ period: "2026-11" })).map((row) => ({ ...row, number: row.number + 5 }));
  await accepted(both, [...october, ...november]);
  const said = await take(
    both,
    list("right", 5, () => ({ period: "2026-11" })),
  );
  expect(said.map((one) => one.slice(0, 19))).toEqual(Array<string>(5).fill("held near_duplicate"));
});

test("that waits for a copy of itself is asked about when somebody says no to that one", async () => {
  const store = open();
  await accepted(store, list("wrong"));
  expect(await take(store, list("right"))).toEqual(held(6));
  const joiner = { ...newRow(20, "new/50/right", { beneficiary: "new" }), amount: "50" };
  await addBatch(store, "CCCC3333", [...list("right"), joiner], { createdAt: nowMs });
  expect((await allRows(store, "CCCC3333")).map(({ code }) => code)).toEqual([
    ...Array<string>(6).fill("other_row_open"),
    undefined,
  ]);
  await store.setPhase("BBBB2222", "cancelled", ACT);
  await store.judgeAgain("CCCC3333", rules);
  expect((await allRows(store, "CCCC3333")).map(({ code }) => code)).toEqual([
    ...Array<string>(6).fill("near_duplicate"),
    undefined,
  ]);
});

test("after duplicate_days it is another payment, unless both files' names say one month", async () => {
  const store = open();
  await accepted(store, list("one"));
  nowMs += 21 * DAY_MS;
  expect(await take(store, list("two"))).toEqual(ready(6));
  const named = open();
  await accepted(named, list("one"), { guessedPeriod: "2026-11" });
  nowMs += 21 * DAY_MS;
  expect(await take(named, list("two"), { guessedPeriod: "2026-11" })).toEqual(held(6));
});

test("a list of the same account, whose month is stated, is compared with none: who is paid twice a month is paid twice", async () => {
  const store = open();
  const twice = (period?: string): NewRow[] => [
    ...list("one", 5, () => (period === undefined ? {} : { period })),
    { ...newRow(9, "p0/7/one", { beneficiary: "p0", ...(period === undefined ? {} : { period }) }), amount: "7" },
  ];
  await accepted(store, twice());
  nowMs += DAY_MS;
  expect(await take(store, twice("2026-12"), { period: "2026-12" })).toEqual(ready(6));
});

test("a retry file is tied row by row: whoever is paid twice in the first file waits for nothing", async () => {
  const store = open();
  const twice = { ...newRow(9, "p0/7/wrong", { beneficiary: "p0" }), amount: "7" };
  await addBatch(store, "AAAA1111", [...list("wrong"), twice], { createdAt: nowMs });
  for (const { number } of list("wrong")) await sendRow(store, "AAAA1111", number, "rejected");
  await sendRow(store, "AAAA1111", 9, "accepted");
  const corrected = list("right").map((row) => ({
    ...row,
    correction: { of: { batch: "AAAA1111", row: row.number }, changes: [], payeeChanged: false },
  }));
  expect(await take(store, corrected)).toEqual(ready(6));
});

test("a file that is looked through in pieces keeps the same rows as one that is looked through at once", () => {
  const database = new DatabaseSync(":memory:");
  migrate(database);
  const parts = partsOf({
    ...{ database, stateId: "", keys: new PaymentKeys(Buffer.alloc(32)), judgeOf: createJudge, now: () => NOV_10 },
  });
  parts.batches.insert(newBatch("AAAA1111"));
  const batch = parts.batches.seqOf("AAAA1111");
  parts.newRows.add(batch, list("one", 400), NOV_10);
  const keptAfter = (...pieces: [from: number, to: number][]): unknown[] => {
    database.exec("DELETE FROM payee_sample");
    parts.samples.sampleFromHere();
    for (const [from, to] of pieces) parts.samples.add(batch.seq, from, to);
    parts.samples.keep(batch.seq);
    return database.prepare("SELECT number FROM payee_sample ORDER BY number").all();
  };
  const atOnce = keptAfter([0, 401]);
  expect(atOnce).toHaveLength(256);
  expect(keptAfter([0, 19], [20, 259], [260, 401])).toEqual(atOnce);
  expect(keptAfter([60, 401], [0, 59])).toEqual(atOnce);
  expect(keptAfter([0, 250])).not.toEqual(atOnce);
});
