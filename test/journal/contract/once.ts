import { expect, it } from "vitest";
import type { JournalStore } from "../../../src/journal/store.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "../stored.ts";
import type { OpenStore } from "./open-store.ts";

const ACT = { by: "asha", kind: "settle", note: "looked it up" } as const;

/** Row 2 of BBBB2222, of November: how it stood, and what became of it. Beside one that waits, another month's goes. */
const WENT_ON: Readonly<
  Record<
    string,
    Readonly<Record<"before" | "meanwhile", (store: JournalStore) => Promise<unknown>> & { period: string }>
  >
> = {
  "was sent again": {
    period: "2026-11",
    before: async (store) => {
      await addBatch(store, "BBBB2222", [newRow(2, "a/1", { period: "2026-11" })]);
      await sendRow(store, "BBBB2222", 2, "not_sent");
    },
    meanwhile: async (store) => {
      await store.makeReady("BBBB2222", "all", ["not_sent"]);
      await sendRow(store, "BBBB2222", 2, "unknown");
    },
  },
  "was settled as done after all": {
    period: "2026-11",
    before: async (store) => {
      await addBatch(store, "BBBB2222", [newRow(2, "a/1", { period: "2026-11" })]);
      await sendRow(store, "BBBB2222", 2, "unknown");
      await store.settle([{ batch: "BBBB2222", row: 2, as: "settled_not_done", act: ACT }]);
    },
    meanwhile: (store) => store.settle([{ batch: "BBBB2222", row: 2, as: "settled_done", act: ACT }]),
  },
  "was judged again": {
    period: "2026-12",
    before: waitsForAnother,
    meanwhile: async (store) => {
      await store.judgeAgain("BBBB2222", rules);
      await sendRow(store, "BBBB2222", 2, "unknown");
    },
  },
  "was released": {
    period: "2026-12",
    before: waitsForAnother,
    meanwhile: async (store) => {
      expect(await store.release("BBBB2222", "all", ACT)).toEqual([2]);
      await sendRow(store, "BBBB2222", 2, "unknown");
    },
  },
};

async function waitsForAnother(store: JournalStore): Promise<void> {
  await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
  await addBatch(store, "BBBB2222", [newRow(2, "a/1", { period: "2026-11" })]);
  await sendRow(store, "AAAA1111", 2, "rejected");
}

/** A payment that two files hold goes once, whatever happens between the check and the attempt (I1). */
export function letsAPaymentGoOnce(open: OpenStore): void {
  it("finds a payment again in its environment only, by its reference also where it is another operation", async () => {
    const { store } = await open();
    const payments = [newRow(2, "a/1", { reference: "SAL-1" }), newRow(3, "a/2")];
    await addBatch(store, "AAAA1111", payments);
    for (const row of [2, 3]) await sendRow(store, "AAAA1111", row, "accepted");
    await addBatch(store, "BBBB2222", payments, { environment: "live" });
    await addBatch(store, "CCCC3333", [
      { ...newRow(2, "a/1"), operation: "payout" },
      { ...newRow(3, "a/3", { reference: "SAL-1" }), operation: "payout" },
      newRow(4, "a/1"),
    ]);
    const states = async (id: string): Promise<string[]> => (await allRows(store, id)).map(({ state }) => state);
    expect(await states("BBBB2222")).toEqual(["ready", "ready"]);
    expect(await states("CCCC3333")).toEqual(["ready", "held", "held"]);
  });

  it("finds the same payment again inside the transaction of the attempt", async () => {
    const { store } = await open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
    await sendRow(store, "AAAA1111", 2, "not_sent");
    await addBatch(store, "BBBB2222", [newRow(7, "a/1")]);
    await store.makeReady("AAAA1111", "all", ["not_sent"]);
    await store.makeReady("BBBB2222", "all", ["held"]);
    const begun = await Promise.all([store.begin("AAAA1111", 2, rules), store.begin("BBBB2222", 7, rules)]);
    expect(begun.filter((one) => one.attempt !== undefined)).toHaveLength(1);
  });

  it("finds it there when another file took the payment that did not go at first", async () => {
    const { store } = await open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
    await sendRow(store, "AAAA1111", 2, "not_sent");
    await addBatch(store, "BBBB2222", [newRow(7, "a/1")]);
    await sendRow(store, "BBBB2222", 7, "accepted");
    await store.makeReady("AAAA1111", "all", ["not_sent"]);
    expect(await store.begin("AAAA1111", 2, rules)).toEqual({ state: "held" });
  });

  for (const [how, { before, meanwhile, period }] of Object.entries(WENT_ON)) {
    it(`finds it there too when that one ${how} while the file was being written down`, async () => {
      const { store } = await open();
      await before(store);
      await store.createBatch(newBatch("CCCC3333"));
      await store.addRows("CCCC3333", [newRow(2, "a/1", { period })]);
      await store.judgeRows("CCCC3333", rules);
      expect((await store.row("CCCC3333", 2))?.state).toBe("ready");
      await meanwhile(store);
      await store.openBatch("CCCC3333", { rows: 1, total: "0.00", remarks: [] });
      expect((await store.begin("CCCC3333", 2, rules)).attempt).toBeUndefined();
    });
  }

  it("finds it there too when a person said meanwhile, in another process, that it was done after all", async () => {
    const { store, reopen } = await open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
    await sendRow(store, "AAAA1111", 2, "unknown");
    await store.settle([{ batch: "AAAA1111", row: 2, as: "settled_not_done", act: ACT }]);
    await addBatch(store, "BBBB2222", [newRow(2, "other/1"), newRow(3, "a/1")]);
    await sendRow(store, "BBBB2222", 2, "accepted");
    const elsewhere = await reopen();
    await elsewhere.settle([{ batch: "AAAA1111", row: 2, as: "settled_done", act: ACT }]);
    expect((await store.row("BBBB2222", 3))?.state).toBe("ready");
    expect((await store.begin("BBBB2222", 3, rules)).attempt).toBeUndefined();
  });

  it("sends a payment once that two files hold which were written down at the same time", async () => {
    const { store } = await open();
    const ids = ["AAAA1111", "BBBB2222"];
    for (const id of ids) {
      await store.createBatch(newBatch(id));
      await store.addRows(id, [newRow(2, "a/1")]);
    }
    // neither is open yet: they do not see each other
    for (const id of ids) await store.judgeRows(id, rules);
    for (const id of ids) await store.openBatch(id, { rows: 1, total: "100.00", remarks: [] });
    const begun = [];
    for (const id of ids) begun.push(await store.begin(id, 2, rules));
    expect(begun.filter(({ attempt }) => attempt !== undefined)).toHaveLength(1);
  });
}
