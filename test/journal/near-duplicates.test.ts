import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import type { PaymentTexts } from "../../src/checks/payment-texts.ts";
import type { NewRow } from "../../src/journal/row-record.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "./stored.ts";

const DAY_MS = 86_400_000;
const ACT = { by: "asha", kind: "act", note: "" };

function open(now: () => number = Date.now): JournalStore {
  const store = openSqliteJournal(temporaryDirectory(), createJudge, now);
  onTestFinished(() => store.close());
  return store;
}

/** A batch that is opened as a run does it: rows refused for the key go again by themselves. */
async function take(store: JournalStore, id: string, rows: NewRow[]): Promise<string[]> {
  await store.createBatch(newBatch(id));
  await store.addRows(id, rows);
  await store.judgeRows(id, rules);
  await store.openBatch(id, { rows: rows.length, total: "0.00", remarks: [] });
  return (await allRows(store, id)).map(({ state, code, other }) =>
    [state, code, other && `${other.batch}:${other.row}`].join(" ").trim(),
  );
}

async function settle(store: JournalStore, as: "settled_done" | "settled_not_done"): Promise<void> {
  await sendRow(store, "AAAA1111", 3, "unknown");
  await store.settle([{ batch: "AAAA1111", row: 3, as, act: ACT }]);
}

const HELD = "held near_duplicate AAAA1111:3";

test.each<[string, (store: JournalStore) => Promise<unknown>, string]>([
  ["was accepted", (store) => sendRow(store, "AAAA1111", 3, "accepted"), HELD],
  ["is unknown", (store) => sendRow(store, "AAAA1111", 3, "unknown"), HELD],
  ["is on its way", (store) => store.begin("AAAA1111", 3, rules), HELD],
  ["was settled as done", (store) => settle(store, "settled_done"), HELD],
  ["was settled as not done", (store) => settle(store, "settled_not_done"), "ready"],
  ["still goes", () => Promise.resolve(), HELD],
  ["was not sent", (store) => sendRow(store, "AAAA1111", 3, "not_sent"), HELD],
  ["was refused for the key", (store) => sendRow(store, "AAAA1111", 3, "rejected", "key_refused"), HELD],
  ["was refused for itself", (store) => sendRow(store, "AAAA1111", 3, "rejected"), "ready"],
  ["goes no more", (store) => store.setPhase("AAAA1111", "cancelled", ACT), "ready"],
])("in a file that repeats another one, a payee's other amount that %s there", async (_what, happen, said) => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await happen(store);
  // a file between them with the same row numbers has nothing to do with it
  await addBatch(store, "CCCC3333", [newRow(7, "x/1"), newRow(8, "x/2")]);
  const rows = await take(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200"), newRow(9, "d/100")]);
  expect(rows).toEqual(["held possible_duplicate AAAA1111:2", said, "ready"]);
  expect((await allRows(store, "CCCC3333")).map(({ state }) => state)).toEqual(["ready", "ready"]);
  expect(await take(store, "DDDD4444", [newRow(7, "b/900")]), "it repeats no other file").toEqual(["ready"]);
});

test("of sweeps into one account each names the one that is missing in its file, or else the one in its place", async () => {
  const store = open();
  const amounts = [11, 12, 13, 14, 15, 16];
  const rows = (ofRow: (amount: number) => string): NewRow[] =>
    amounts.map((amount, at) => newRow(at + 2, `pool/from-${at}/${ofRow(amount)}`));
  await addBatch(store, "AAAA1111", rows(String));
  for (const row of [2, 3, 4, 5, 6, 7]) await sendRow(store, "AAAA1111", row, "accepted");
  const one = await take(
    store,
    "BBBB2222",
    rows((amount) => (amount === 14 ? "40" : String(amount))),
  );
  expect(one[3]).toBe("held near_duplicate AAAA1111:5");
  const two = await take(
    store,
    "CCCC3333",
    rows((amount) => (amount === 13 || amount === 15 ? "50" : String(amount))),
  );
  expect([two[2], two[4]]).toEqual(["held near_duplicate AAAA1111:4", "held near_duplicate AAAA1111:6"]);
  const more = await take(store, "DDDD4444", [...rows(String), newRow(8, "pool/from-9/70")]);
  expect(more[6]).toBe("held near_duplicate AAAA1111:2");
});

test("an account is known by both together where an earlier build wrote it down, else without its branch", async () => {
  const store = open();
  const branch = (name: string, amount: number, account?: string): Partial<PaymentTexts> => ({
    core: `${name}/${amount}`,
    beneficiary: name,
    ...(account === undefined ? {} : { account }),
  });
  await addBatch(store, "AAAA1111", [
    newRow(2, "a/100"),
    newRow(3, "", branch("b-1", 100)),
    newRow(4, "", branch("c-1", 100, "c")),
  ]);
  for (const row of [2, 3, 4]) await sendRow(store, "AAAA1111", row, "accepted");
  const corrected = [
    newRow(2, "a/100"),
    newRow(3, "", branch("b-1", 200, "b")),
    newRow(4, "", branch("c-2", 100, "c")),
  ];
  expect((await take(store, "BBBB2222", corrected)).slice(1)).toEqual([
    "held near_duplicate AAAA1111:3",
    "held near_duplicate AAAA1111:4",
  ]);
});

test.each<[string, (store: JournalStore) => Promise<unknown>, string]>([
  ["was accepted", (store) => sendRow(store, "AAAA1111", 3, "accepted"), HELD],
  ["still goes", () => Promise.resolve(), "ready"],
  ["was not sent", (store) => sendRow(store, "AAAA1111", 3, "not_sent"), "ready"],
  ["was refused for the key", (store) => sendRow(store, "AAAA1111", 3, "rejected", "key_refused"), "ready"],
])("the same of one period, which is another one here: the amount that %s", async (_what, happen, said) => {
  const store = open();
  const october = { period: "2026-10" };
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", october), newRow(3, "b/100", october)]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await happen(store);
  const rows = await take(store, "BBBB2222", [newRow(7, "a/100", october), newRow(8, "b/200", { period: "2026-11" })]);
  expect(rows).toEqual(["duplicate  AAAA1111:2", said]);
});

test.each([
  ["accepted", "accepted"],
  ["unknown", "accepted"],
  ["settled_done", "accepted"],
  ["accepted", "key_refused"],
] as const)(
  "a file that waited as a whole pays no old amount, once a row of its correction is %s and the other one %s",
  async (state, corrected) => {
    const store = open();
    await store.createBatch(newBatch("AAAA1111"));
    const fault = { code: "amount_missing", message: "is empty", hint: "write it" };
    await store.addRows("AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100"), { number: 4, faults: [fault] }]);
    await store.judgeRows("AAAA1111", rules);
    await store.openBatch("AAAA1111", { rows: 3, total: "0.00", remarks: [] }, true);
    await addBatch(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200")]);
    await sendRow(store, "BBBB2222", 7, state === "accepted" ? state : "unknown");
    await sendRow(store, "BBBB2222", 8, corrected === "accepted" ? corrected : "rejected", corrected);
    if (state === "settled_done") await store.settle([{ batch: "BBBB2222", row: 7, as: state, act: ACT }]);
    await store.release("AAAA1111", "all", ACT);
    expect((await allRows(store, "AAAA1111")).map(({ state, code }) => [state, code])).toEqual([
      ["ready", "all_or_nothing"],
      ["held", "near_duplicate"],
      ["invalid", "amount_missing"],
    ]);
    // by name it goes: nobody asks a second time
    expect(await store.release("AAAA1111", [3], ACT)).toEqual([3]);
    expect(await store.begin("AAAA1111", 3, rules)).toMatchObject({ ordinal: 1 });
    expect(await store.begin("AAAA1111", 2, rules)).toEqual({ state: "held" });
  },
);

test("what waits for a person waits however late it is looked at again", async () => {
  let nowMs = Date.now();
  const store = open(() => nowMs);
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
  const held = await take(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200")]);
  expect(held).toEqual(["held possible_duplicate AAAA1111:2", HELD]);
  nowMs += 400 * DAY_MS;
  await store.judgeAgain("BBBB2222", rules);
  expect((await Array.fromAsync(store.rowsIn("BBBB2222", ["held"]))).flat().map(({ code }) => code)).toEqual([
    "possible_duplicate",
    "near_duplicate",
  ]);
});

test("whoever lets an amount go is told of a third one that went since, and of one that had gone before", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
  await take(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200"), newRow(9, "b/250")]);
  await take(store, "CCCC3333", [newRow(7, "a/100"), newRow(8, "b/300")]);
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([]);
  await store.release("CCCC3333", [8], ACT);
  await sendRow(store, "CCCC3333", 8, "accepted");
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([8, 9]);
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([]);
  const other = { batch: "AAAA1111", row: 3, more: 1 };
  expect((await allRows(store, "BBBB2222"))[1]?.other).toMatchObject(other);
  // those of its own file are before the eyes of whoever decides
  await store.release("BBBB2222", [8], ACT);
  await sendRow(store, "BBBB2222", 8, "unknown");
  expect(await store.judgeAgain("BBBB2222", rules)).toEqual([]);
  await take(store, "DDDD4444", [newRow(7, "a/100"), newRow(8, "b/400")]);
  expect((await allRows(store, "DDDD4444"))[1]?.other).toMatchObject({ ...other, more: 2 });
});

test.each(["settled as not done", "cancelled", "let go with its file"])(
  "a row that waited for one elsewhere that is %s then waits for what the others of its file repeat",
  async (end) => {
    const store = open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
    for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
    await addBatch(store, "CCCC3333", [newRow(2, "b/200")]);
    if (end !== "cancelled") await sendRow(store, "CCCC3333", 2, "unknown");
    await store.createBatch(newBatch("BBBB2222"));
    await store.addRows("BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200"), newRow(9, "d/100")]);
    await store.judgeRows("BBBB2222", rules);
    await store.openBatch("BBBB2222", { rows: 3, total: "0.00", remarks: [] }, end === "let go with its file");
    const codeOf = async (row: number): Promise<unknown> => (await store.row("BBBB2222", row))?.code;
    expect(await codeOf(8)).toBe("other_row_open");
    if (end === "cancelled") await store.setPhase("CCCC3333", "cancelled", ACT);
    else await store.settle([{ batch: "CCCC3333", row: 2, as: "settled_not_done", act: ACT }]);
    expect(await store.judgeAgain("BBBB2222", rules)).toEqual([8]);
    if (end === "let go with its file") await store.release("BBBB2222", "all", ACT);
    expect(await codeOf(8)).toBe("near_duplicate");
  },
);

test("a file is compared with every batch of which it may repeat a row, not only with the one that is named", async () => {
  const store = open();
  const month = { period: "2026-11" };
  await addBatch(store, "AAAA1111", [newRow(2, "a/100", month), newRow(3, "b/100", month)]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
  await addBatch(store, "CCCC3333", [newRow(2, "a/100", { period: "festival" })]);
  await sendRow(store, "CCCC3333", 2, "accepted");
  const rows = await take(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200")]);
  expect(rows).toEqual(["held possible_duplicate CCCC3333:2", HELD]);
});

test("nor only with the file that corrected a row of it", async () => {
  const store = open();
  const fault = { code: "amount_missing", message: "is empty", hint: "write it" };
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100"), { number: 4, faults: [fault] }]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
  const correction = { of: { batch: "AAAA1111", row: 4 }, changes: [], payeeChanged: false };
  await addBatch(store, "CCCC3333", [{ ...newRow(2, "c/100"), correction }]);
  await sendRow(store, "CCCC3333", 2, "accepted");
  const rows = await take(store, "BBBB2222", [newRow(7, "c/100"), newRow(8, "b/200")]);
  expect(rows).toEqual(["held possible_duplicate CCCC3333:2", HELD]);
});

const ANEW: readonly (readonly [string, { rows: NewRow[]; days?: number; cancels?: boolean }, string])[] = [
  ["with what was refused", { rows: [newRow(7, "a/100"), newRow(8, "b/200")] }, HELD],
  ["with what a cancelled batch did not send", { rows: [newRow(7, "c/100"), newRow(8, "b/200")], cancels: true }, HELD],
  ["with what still goes there", { rows: [newRow(7, "c/100"), newRow(8, "b/200")] }, HELD],
  ["with none of its rows", { rows: [newRow(7, "d/100"), newRow(8, "b/200")] }, "ready"],
  ["long after", { rows: [newRow(7, "a/100"), newRow(8, "b/200")], days: 21 }, "ready"],
  ["in another period", { rows: [newRow(7, "a/100", { period: "2030-01" }), newRow(8, "b/200")] }, "ready"],
  ["by another reference", { rows: [newRow(7, "a/100", { reference: "NEW" }), newRow(8, "b/200")] }, HELD],
  ["where that payee's refused row goes anew too", { rows: [newRow(7, "a/100"), newRow(8, "b/300")] }, "ready"],
];

test.each(ANEW)("a payee's other amount beside one that was accepted, %s", async (_what, then, said) => {
  let nowMs = Date.now();
  const store = open(() => nowMs);
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100"), newRow(4, "b/300"), newRow(5, "c/100")]);
  await sendRow(store, "AAAA1111", 2, "rejected");
  await sendRow(store, "AAAA1111", 3, "accepted");
  await sendRow(store, "AAAA1111", 4, "rejected");
  if (then.cancels) await store.setPhase("AAAA1111", "cancelled", ACT);
  nowMs += (then.days ?? 0) * DAY_MS;
  expect((await take(store, "BBBB2222", [...then.rows, newRow(9, "e/100")])).slice(1)).toEqual([said, "ready"]);
  expect(await take(store, "DDDD4444", [newRow(7, "b/900")]), "it sends nothing anew").toEqual(["ready"]);
});

test.each<[string, (store: JournalStore) => Promise<unknown>]>([
  ["was not sent", (store) => sendRow(store, "AAAA1111", 3, "not_sent")],
  ["was settled as not done", (store) => settle(store, "settled_not_done")],
])("a row that %s and is sent anew holds the other amount of a payee too", async (_what, happen) => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await happen(store);
  const rows = await take(store, "BBBB2222", [newRow(7, "b/100"), newRow(8, "a/200")]);
  expect(rows).toEqual(["ready", "held near_duplicate AAAA1111:2"]);
});

/** Rows 2 and 3, of which the second was paid as another amount in a corrected file. */
async function corrected(store: JournalStore, before: (store: JournalStore) => Promise<unknown>): Promise<void> {
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await before(store);
  await take(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200")]);
  await store.release("BBBB2222", [8], ACT);
}

const OLD_AMOUNT = { state: "held", code: "near_duplicate", other: { batch: "BBBB2222", row: 8 } };

test.each<[string, (store: JournalStore) => Promise<unknown>, (store: JournalStore) => Promise<unknown>]>([
  [
    "was not sent, and is resumed",
    (store) => sendRow(store, "AAAA1111", 3, "not_sent"),
    (store) => store.makeReady("AAAA1111", "all", ["not_sent", "rejected"]),
  ],
  [
    "still goes, and is resumed",
    () => Promise.resolve(),
    (store) => store.makeReady("AAAA1111", "all", ["not_sent", "rejected"]),
  ],
  [
    "was settled as not done before the correction came",
    (store) => settle(store, "settled_not_done"),
    (store) => store.makeReady("AAAA1111", [3], ["settled_not_done"], ACT),
  ],
  [
    "was accepted, and is given back once the correction went",
    (store) => sendRow(store, "AAAA1111", 3, "accepted"),
    async (store) => {
      await store.settle([{ batch: "AAAA1111", row: 3, as: "settled_not_done", act: ACT }]);
      await store.makeReady("AAAA1111", [3], ["settled_not_done"], ACT);
    },
  ],
])("an old amount that %s waits for a person, where the corrected one went", async (_what, before, goAgain) => {
  const store = open();
  await corrected(store, before);
  await sendRow(store, "BBBB2222", 8, "accepted");
  await goAgain(store);
  expect(await store.row("AAAA1111", 3)).toMatchObject(OLD_AMOUNT);
  // by name it goes: nobody asks a second time
  await store.release("AAAA1111", [3], ACT);
  await store.makeReady("AAAA1111", "all", ["not_sent", "rejected"]);
  expect(await store.begin("AAAA1111", 3, rules)).toHaveProperty("attempt");
});

test("whoever lets a row go that waits for a held one is told of the other amount behind it", async () => {
  const store = open();
  await addBatch(store, "AAAA1111", [newRow(2, "a/100"), newRow(3, "b/100")]);
  for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
  const second = await take(store, "BBBB2222", [newRow(7, "a/100"), newRow(8, "b/200")]);
  expect(second).toEqual(["held possible_duplicate AAAA1111:2", HELD]);
  const third = await take(store, "CCCC3333", [newRow(4, "a/100"), newRow(5, "b/200")]);
  expect(third).toEqual(["held possible_duplicate AAAA1111:2", "held other_row_open BBBB2222:8"]);
  await store.release("CCCC3333", [5], ACT);
  expect(await store.row("CCCC3333", 5)).toMatchObject({
    code: "near_duplicate",
    other: { batch: "AAAA1111", row: 3 },
  });
  await store.release("CCCC3333", [5], ACT);
  expect(await store.begin("CCCC3333", 5, rules)).toHaveProperty("attempt");
});

test("an old amount that was let go waits once more, where the corrected one went before it", async () => {
  const store = open();
  await corrected(store, (journal) => sendRow(journal, "AAAA1111", 3, "accepted"));
  await store.settle([{ batch: "AAAA1111", row: 3, as: "settled_not_done", act: ACT }]);
  await store.makeReady("AAAA1111", [3], ["settled_not_done"], ACT);
  const still = { batch: "BBBB2222", row: 8 };
  expect((await store.row("AAAA1111", 3))?.other, "it has not gone yet").toEqual(still);
  await store.release("AAAA1111", [3], ACT);
  await sendRow(store, "BBBB2222", 8, "accepted");
  await store.makeReady("AAAA1111", "all", ["not_sent", "rejected"]);
  expect((await store.row("AAAA1111", 3))?.other).toEqual({ ...still, at: expect.any(Number) as number });
});
