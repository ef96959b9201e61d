import fc from "fast-check";
import { expect, it } from "vitest";
import type { Tallies } from "../../../src/journal/batch-record.ts";
import type { RowRecord } from "../../../src/journal/row-record.ts";
import type { JournalStore } from "../../../src/journal/store.ts";
import { addBatch, allRows, newRow, rules, sendRow } from "../stored.ts";
import type { OpenStore } from "./open-store.ts";

/** Rows and amounts are added up exactly, and stay so (I13). */
export function addsUpExactly(open: OpenStore): void {
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
