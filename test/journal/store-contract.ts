import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JudgeRules } from "../../src/checks/duplicates.ts";
import type { PaymentTexts } from "../../src/checks/payment-texts.ts";
import type { NewBatch, Tallies } from "../../src/journal/batch-record.ts";
import type { NewRow, RowRecord } from "../../src/journal/row-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";

export const rules: JudgeRules = { duplicateDays: 20, allowRepeats: false };

export function newBatch(id: string, over: Partial<NewBatch> = {}): NewBatch {
  return {
    id,
    environment: "test",
    destination: "http://127.0.0.1:1",
    fileName: "payroll.csv",
    folder: "/inbox",
    format: "csv",
    sha256: id.toLowerCase(),
    sizeBytes: 10,
    choices: "{}",
    createdAt: Date.now(),
    ...over,
  };
}

export function newRow(number: number, core: string, over: Partial<PaymentTexts> = {}): NewRow {
  return {
    number,
    operation: "transfer",
    amount: "100.00",
    payment: { core, beneficiary: core.split("/")[0] ?? core, ...over },
  };
}

export async function addBatch(
  store: JournalStore,
  id: string,
  rows: NewRow[],
  over: Partial<NewBatch> = {},
): Promise<void> {
  await store.createBatch(newBatch(id, over));
  await store.addRows(id, rows);
  await store.judgeRows(id, rules);
  await store.openBatch(id, { rows: rows.length, total: "0.00", remarks: [] });
}

export async function allRows(store: JournalStore, id: string): Promise<RowRecord[]> {
  const rows: RowRecord[] = [];
  for await (const page of store.rows(id)) rows.push(...page);
  return rows;
}

export async function sendRow(
  store: JournalStore,
  id: string,
  row: number,
  state: "accepted" | "rejected" | "unknown" | "not_sent",
  reason: string = state === "rejected" ? "refused" : state,
): Promise<void> {
  const begun = await store.begin(id, row, rules);
  if (begun.attempt === undefined) throw new Error(`row ${row} did not begin: ${begun.state}`);
  await store.end(begun.attempt, { state, reason, durationMs: 1 });
}

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

/** What every engine must keep. `open` opens the same memory again each time it is called. */
export function describeJournalStore(
  name: string,
  open: () => Promise<{ store: JournalStore; reopen: () => Promise<JournalStore> }>,
): void {
  describe(`${name} as a JournalStore`, () => {
    it("gives rows back in input order with what was written down", async () => {
      const { store } = await open();
      const fault = { code: "amount_missing", message: "is empty", hint: "write it" };
      await addBatch(store, "AAAA1111", [newRow(2, "a/b/100"), { number: 3, faults: [fault] }, newRow(5, "a/c/100")]);
      const rows = await allRows(store, "AAAA1111");
      expect(rows.map((row) => [row.number, row.state])).toEqual([
        [2, "ready"],
        [3, "invalid"],
        [5, "ready"],
      ]);
      expect(rows[1]?.faults).toEqual([fault]);
      expect(rows[1]?.warnings).toBeUndefined();
      expect((await store.batch("AAAA"))?.rows).toBe(3);
      expect((await store.batch(" aaaa1111\t"))?.rows).toBe(3);
      expect(await store.batch(" ")).toBeUndefined();
    });

    it("knows of each place what was written there last, and which file was taken from there last", async () => {
      const { store, reopen } = await open();
      for (const sha256 of ["first", "second"]) await store.noteWritten("/in/a.csv.retry.csv", sha256);
      for (const batch of ["AAAA1111", "BBBB2222"]) await store.noteSource("/in/a.csv", `file of ${batch}`, batch);
      const again = await reopen();
      expect([await again.written("/in/a.csv.retry.csv"), await again.written("/in/b.csv")]).toEqual([
        "second",
        undefined,
      ]);
      // also what it wrote there before: a folder may come back as it was
      const wrote = ["first", "second", "third"].map((sha256) => again.wrote(sha256));
      expect(await Promise.all(wrote)).toEqual([true, true, false]);
      const of = (batch: string): Promise<string | undefined> => again.sourceBatch("/in/a.csv", `file of ${batch}`);
      expect([await of("AAAA1111"), await of("BBBB2222")]).toEqual([undefined, "BBBB2222"]);
      expect([await again.sourcesOf("AAAA1111"), await again.sourcesOf("BBBB2222")]).toEqual([[], ["/in/a.csv"]]);
    });

    it("writes down every row of a page with its own values, however many there are and wherever one is invalid", async () => {
      const { store } = await open();
      const faultIn = (row: number) => ({ code: "amount_missing", message: `row ${row} is empty`, hint: "write it" });
      const rows = Array.from({ length: 27 }, (_, index): NewRow => {
        const number = index + 2;
        if (index % 5 === 3) return { number, faults: [faultIn(number)] };
        return { ...newRow(number, `a/${number}`), amount: `${number}.00` };
      });
      await addBatch(store, "AAAA1111", rows);
      const found = (await allRows(store, "AAAA1111")).map(({ number, state, amount, faults }) => ({
        ...{ number, state, amount, faults },
      }));
      expect(found).toEqual(
        rows.map(({ number, amount, faults }) => ({ number, state: faults ? "invalid" : "ready", amount, faults })),
      );
    });

    it("keeps what is pointed out of a row apart from what is wrong with it, whatever becomes of the row", async () => {
      const { store } = await open();
      const fault = { code: "amount_missing", message: "is empty", hint: "write it" };
      const warning = { code: "digits_lost", level: "warning", message: "has 18 digits", hint: "compare it" } as const;
      await addBatch(store, "AAAA1111", [
        { ...newRow(2, "a/b/100"), warnings: [warning] },
        { number: 3, faults: [fault], warnings: [warning] },
      ]);
      await sendRow(store, "AAAA1111", 2, "accepted");
      const [sent, invalid] = await allRows(store, "AAAA1111");
      expect(sent).toMatchObject({ state: "accepted", warnings: [warning] });
      expect(sent?.faults).toBeUndefined();
      expect(invalid).toMatchObject({ state: "invalid", code: "amount_missing", faults: [fault], warnings: [warning] });
    });

    it("gives the rows of some states page by page, in order, and all that wait for an open one", async () => {
      const { store } = await open();
      const numbers = Array.from({ length: 3000 }, (_, index) => index + 2);
      const isTwice = (number: number): boolean => number % 3 === 0;
      await addBatch(store, "AAAA1111", numbers.map((number) => newRow(number, `a/${number}`))); // prettier-ignore
      const others = numbers.map((number) => newRow(number, isTwice(number) ? `a/${number}` : `b/${number}`));
      await addBatch(store, "BBBB2222", others);
      const held = numbers.filter(isTwice);
      const found = (await Array.fromAsync(store.rowsIn("BBBB2222", ["held", "invalid"]))).flat();
      expect(found.map(({ number, other }) => [number, other?.row])).toEqual(held.map((number) => [number, number]));
      expect(await Array.fromAsync(store.rowsIn("BBBB2222", ["held"], 3000))).toMatchObject([[{ number: 3000 }]]);
      expect(await store.blockedRows("BBBB2222")).toEqual(held);

      await store.setPhase("AAAA1111", "cancelled", { by: "asha", kind: "cancel", note: "" });
      expect(await store.judgeAgain("BBBB2222", rules)).toEqual(held);
      expect(await store.blockedRows("BBBB2222")).toEqual([]);
      expect(await Array.fromAsync(store.rowsIn("BBBB2222", ["held"]))).toEqual([]);
    });

    it("hands an attempt out only once while the row is on its way", async () => {
      const { store } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/b/100")]);
      const [first, second] = await Promise.all([store.begin("AAAA1111", 2, rules), store.begin("AAAA1111", 2, rules)]);
      expect(first.attempt).toBeTypeOf("number");
      expect(second).toEqual({ state: "sending" });
    });

    it("never begins a row that was accepted, refused or is unknown", async () => {
      const { store } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2"), newRow(4, "a/3")]);
      await sendRow(store, "AAAA1111", 2, "accepted");
      await sendRow(store, "AAAA1111", 3, "rejected");
      await sendRow(store, "AAAA1111", 4, "unknown");
      for (const row of [2, 3, 4]) expect((await store.begin("AAAA1111", row, rules)).attempt).toBeUndefined();
    });

    it("begins nothing of a batch from the moment that somebody paused or cancelled it, here or elsewhere", async () => {
      const { store, reopen } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2"), newRow(4, "a/3")]);
      await sendRow(store, "AAAA1111", 2, "accepted");
      const act = { by: "asha", kind: "pause", note: "" };
      const elsewhere = await reopen();
      await elsewhere.setPhase("AAAA1111", "paused", act);
      expect(await store.begin("AAAA1111", 3, rules)).toEqual({ state: "ready" });
      await elsewhere.setPhase("AAAA1111", "open", act);
      expect(await store.begin("AAAA1111", 3, rules)).toMatchObject({ ordinal: 1 });
      await store.setPhase("AAAA1111", "cancelled", act);
      expect(await store.begin("AAAA1111", 4, rules)).toEqual({ state: "ready" });
    });

    it("drops a batch that was never opened, and never one that was", async () => {
      const { store } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
      await store.dropBatch("AAAA1111");
      expect((await allRows(store, "AAAA1111")).map((row) => row.state)).toEqual(["ready"]);
      await store.createBatch(newBatch("BBBB2222"));
      await store.addRows("BBBB2222", [newRow(2, "b/1")]);
      await store.dropBatch("BBBB2222");
      await addBatch(store, "BBBB2222", [newRow(2, "b/1")]);
      expect((await store.batches()).map((batch) => batch.id)).toEqual(["BBBB2222", "AAAA1111"]);
    });

    it("remembers everything after it was closed and opened again", async () => {
      const { store, reopen } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
      await sendRow(store, "AAAA1111", 2, "accepted");
      const { stateId } = store;
      await store.close();
      const again = await reopen();
      expect(again.stateId).toBe(stateId);
      expect((await allRows(again, "AAAA1111")).map((row) => row.state)).toEqual(["accepted", "ready"]);
    });

    it("turns an attempt without an outcome into unknown, once, and never into ready", async () => {
      const { store, reopen } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
      await store.begin("AAAA1111", 2, rules);
      await store.close();
      const again = await reopen();
      expect(await again.recover()).toBe(1);
      expect(await again.recover()).toBe(0);
      expect((await allRows(again, "AAAA1111")).map((row) => row.state)).toEqual(["unknown", "ready"]);
      expect((await again.begin("AAAA1111", 2, rules)).attempt).toBeUndefined();
    });

    it("forgets a batch that was never opened", async () => {
      const { store, reopen } = await open();
      await store.createBatch(newBatch("AAAA1111"));
      await store.addRows("AAAA1111", [newRow(2, "a/1")]);
      await store.close();
      const again = await reopen();
      expect(await again.batches()).toEqual([]);
      await again.recover();
      await addBatch(again, "AAAA1111", [newRow(2, "a/1")]);
      expect((await allRows(again, "AAAA1111")).map((row) => row.state)).toEqual(["ready"]);
    });

    it("lets a row that was not sent go again, with the next attempt counted", async () => {
      const { store } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
      await sendRow(store, "AAAA1111", 2, "not_sent");
      expect(await store.makeReady("AAAA1111", "all", ["not_sent"])).toBe(1);
      expect(await store.begin("AAAA1111", 2, rules)).toMatchObject({ ordinal: 2 });
    });

    it("of refused rows lets only those go again that were refused for the key or the address", async () => {
      const { store } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
      await sendRow(store, "AAAA1111", 2, "rejected");
      await sendRow(store, "AAAA1111", 3, "rejected", "key_refused");
      expect(await store.makeReady("AAAA1111", "all", ["rejected"])).toBe(1);
      expect((await allRows(store, "AAAA1111")).map((row) => row.state)).toEqual(["rejected", "ready"]);
    });

    it("knows its own marks, of any moment, and no attempt that it has not made", async () => {
      const { store, reopen } = await open();
      const fresh = await store.mark();
      expect(fresh).toMatchObject({ stateId: store.stateId, lastAttempt: 0 });
      await addBatch(store, "AAAA1111", [newRow(2, "a/2"), newRow(3, "a/3")]);
      await sendRow(store, "AAAA1111", 2, "accepted");
      const first = await store.mark();
      await sendRow(store, "AAAA1111", 3, "accepted");
      const again = await reopen();
      const last = await again.mark();
      expect([first.lastAttempt, last.lastAttempt]).toEqual([1, 2]);
      for (const mark of [fresh, first, last]) expect(await again.knows(mark, "/t.csv")).toBe(true);
      expect(await again.knows({ ...last, lastAttempt: 3 }, "/t.csv")).toBe(false);
      expect(await again.knows({ ...last, lastAttemptAt: last.lastAttemptAt - 1 }, "/t.csv")).toBe(false);
      expect(await again.knows({ ...fresh, stateId: "another" }, "/t.csv")).toBe(false);
    });

    it("knows a foreign mark after a person accepted the loss, for that place and no further", async () => {
      const { store, reopen } = await open();
      const mark = { stateId: "another", lastAttempt: 5, lastAttemptAt: 1 };
      await store.acceptLoss(mark, "/t.csv");
      // of two files that tell of the same moment the other one
      await store.acceptLoss({ ...mark, lastAttempt: 3 }, "/t.csv");
      const again = await reopen();
      expect(await again.knows(mark, "/t.csv")).toBe(true);
      expect(await again.knows({ ...mark, lastAttempt: 4 }, "/t.csv")).toBe(true);
      expect(await again.knows({ ...mark, lastAttempt: 6 }, "/t.csv")).toBe(false);
      expect(await again.knows(mark, "/u.csv")).toBe(false);
    });

    it("takes the beginning of an id for the batch only where it is the only one", async () => {
      const { store } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
      await addBatch(store, "AAAA2222", [newRow(2, "a/2")]);
      await expect(store.batch("AAAA")).rejects.toThrow(/more than one batch begins with AAAA/);
      expect((await store.batch("aaaa1"))?.id).toBe("AAAA1111");
    });

    it("writes whatever was asked for before it is closed", async () => {
      const { store, reopen } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
      const begun = store.begin("AAAA1111", 2, rules);
      await Promise.all([begun, store.close()]);
      expect((await allRows(await reopen(), "AAAA1111")).map((row) => row.state)).toEqual(["sending"]);
    });

    it("refuses a second outcome of one attempt", async () => {
      const { store, reopen } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2"), newRow(4, "a/3")]);
      const { attempt } = await store.begin("AAAA1111", 2, rules);
      const inFlight = await store.begin("AAAA1111", 4, rules);
      await store.end(attempt ?? 0, { state: "accepted", reason: "accepted", durationMs: 1 });
      await expect(store.end(attempt ?? 0, { state: "rejected", reason: "refused", durationMs: 1 })).rejects.toThrow(
        /outcome already/,
      );
      // nobody foresaw that: nothing more begins, and nothing is written down
      await expect(store.begin("AAAA1111", 3, rules)).rejects.toThrow(/outcome already/);
      const end = store.end(inFlight.attempt ?? 0, { state: "accepted", reason: "accepted", durationMs: 1 });
      await expect(end).rejects.toThrow(/outcome already/);
      const states = (await allRows(await reopen(), "AAAA1111")).map(({ state }) => state);
      expect(states).toEqual(["accepted", "ready", "sending"]);
    });

    it("settles only by a name, and only what is unknown", async () => {
      const { store } = await open();
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
      await sendRow(store, "AAAA1111", 2, "unknown");
      await store.settle([
        { batch: "AAAA1111", row: 2, as: "settled_not_done", act: { by: "asha", kind: "settle", note: "no entry" } },
      ]);
      expect((await store.row("AAAA1111", 2))?.settledBy).toBe("asha");
      await expect(
        store.settle([
          { batch: "AAAA1111", row: 3, as: "settled_done", act: { by: "asha", kind: "settle", note: "" } },
        ]),
      ).rejects.toThrow(/nothing to settle/);
      // a refusal concerns its caller only
      await sendRow(store, "AAAA1111", 3, "accepted");
      expect(await store.history("AAAA1111")).toMatchObject([{ by: "asha", row: 2, note: "no entry" }]);
      expect(await store.countActs("AAAA1111")).toBe(1);
    });

    it("adds up what went since the day began, and what may still go of the batches of that day", async () => {
      const { store } = await open();
      const morning = Date.now() - 3_600_000;
      await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2"), newRow(4, "a/3"), newRow(5, "a/4")]);
      await sendRow(store, "AAAA1111", 3, "unknown");
      // once, however often it was tried
      await sendRow(store, "AAAA1111", 2, "not_sent");
      await store.makeReady("AAAA1111", [2], ["not_sent"]);
      await sendRow(store, "AAAA1111", 2, "accepted");
      await sendRow(store, "AAAA1111", 4, "rejected");
      await sendRow(store, "AAAA1111", 5, "rejected", "key_refused");
      await addBatch(store, "BBBB2222", [newRow(2, "b/1"), newRow(3, "b/2")], { createdAt: morning - 1 });
      await sendRow(store, "BBBB2222", 2, "not_sent");
      await addBatch(store, "CCCC3333", [newRow(2, "c/1")], { environment: "live" });
      const day = { environment: "test", sinceMs: morning } as const;
      const sumOf = async (more: object = {}): Promise<bigint> =>
        (await store.goneOrWaiting({ ...day, ...more })).get("transfer") ?? 0n;
      // accepted, unknown and refused for the key; not the row that was refused for itself, and nothing that waits of an earlier day
      expect(await sumOf()).toBe(3_000_000n);
      // what went, and only the ready row of the batch that is asked about
      expect(await sumOf({ ofBatches: ["BBBB2222"] })).toBe(3_000_000n);
      expect(await sumOf({ sinceMs: morning - 1 })).toBe(5_000_000n);
      expect(await sumOf({ sinceMs: Date.now() + 1000 })).toBe(0n);
      await store.setPhase("AAAA1111", "cancelled", { by: "asha", kind: "cancel", note: "" });
      expect(await sumOf()).toBe(2_000_000n);
      expect(await sumOf({ environment: "live" })).toBe(1_000_000n);
      // what is on its way, and what a person says was done
      await store.begin("BBBB2222", 3, rules);
      const act = { by: "asha", kind: "settle", note: "entry 18:08" } as const;
      await store.settle([{ batch: "AAAA1111", row: 3, as: "settled_done", act }]);
      expect(await sumOf()).toBe(3_000_000n);
    });

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

    it("adds amounts of any length up exactly, whether they have decimals or not", async () => {
      const { store } = await open();
      const amounts = ["9999999999999.99", "9999999999999.99", "100000000000000", "0.5", "3"];
      const rows = amounts.map((amount, index) => ({ ...newRow(index + 2, `a/${index}`), amount }));
      await addBatch(store, "AAAA1111", rows);
      expect(await store.tallies("AAAA1111")).toEqual({ ready: { rows: 5, amount: "120000000000003.48" } });
    });

    it("never gives tallies that differ from the rows, whatever happens after they were written down", async () => {
      const numbers = Array.from({ length: 12 }, (_, index) => index + 2);
      const acts = [
        "accepted",
        "rejected",
        "unknown",
        "not_sent",
        "sending",
        "settle",
        "release",
        "ready",
        "keep",
      ] as const;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(...acts), fc.constantFrom(...numbers)), { minLength: 20, maxLength: 60 }),
          async (steps) => {
            const { store } = await open();
            await addBatch(store, "BBBB1111", [newRow(2, "0/a")]);
            await sendRow(store, "BBBB1111", 2, "unknown");
            // equal rows, and one that waits for another batch: some are held
            await addBatch(
              store,
              "AAAA1111",
              numbers.map((number) => newRow(number, `${number % 8}/a`)),
            );
            await store.keepTallies("AAAA1111");
            for (const [act, number] of steps) {
              await happen(store, "AAAA1111", number, act);
              expect(await store.tallies("AAAA1111")).toEqual(counted(await allRows(store, "AAAA1111")));
            }
            await store.close();
          },
        ),
        { numRuns: 8 },
      );
    });
  });
}

type Happening = "accepted" | "rejected" | "unknown" | "not_sent" | "sending" | "settle" | "release" | "ready" | "keep";

/** One thing that becomes of a row, if it may. */
async function happen(store: JournalStore, id: string, row: number, what: Happening): Promise<void> {
  const act = { by: "asha", kind: what, note: "" };
  const isUsage = (error: unknown): void => expect(error).toMatchObject({ code: "usage" });
  switch (what) {
    case "keep":
      return store.keepTallies(id);
    case "settle":
      return store
        .settle([{ batch: id, row, as: row % 2 === 0 ? "settled_done" : "settled_not_done", act }])
        .catch(isUsage);
    case "release":
      await store.release(id, [row], act);
      return;
    case "ready":
      await store.makeReady(id, [row], ["not_sent", "rejected", "settled_not_done"]);
      return;
    case "sending":
      await store.begin(id, row, rules);
      return;
    case "accepted":
    case "rejected":
    case "unknown":
    case "not_sent": {
      const { attempt } = await store.begin(id, row, rules);
      const reason = what === "rejected" ? "key_refused" : what;
      // somebody wrote results while it was on its way
      if (row % 3 === 0) await store.keepTallies(id);
      if (attempt !== undefined) await store.end(attempt, { state: what, reason, durationMs: 1 });
      return;
    }
    default:
      return what satisfies never;
  }
}

/** Every amount is 100.00. */
function counted(rows: readonly RowRecord[]): Tallies {
  const byState = Object.groupBy(rows, (row) => row.state);
  return Object.fromEntries(
    Object.entries(byState).map(([state, { length }]) => [state, { rows: length, amount: `${length * 100}.00` }]),
  );
}
