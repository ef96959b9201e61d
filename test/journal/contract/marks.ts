import { expect, it } from "vitest";
import { addBatch, newRow, sendRow } from "../stored.ts";
import type { OpenStore } from "./open-store.ts";

/** A journal knows the marks that it left, and no later ones (I12). */
export function knowsItsMarks(open: OpenStore): void {
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
}
