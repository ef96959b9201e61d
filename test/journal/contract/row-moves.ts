import { expect, it } from "vitest";
import { addBatch, allRows, newRow, rules, sendRow } from "../stored.ts";
import type { OpenStore } from "./open-store.ts";

/** What may become of a row, and what may not (I4, I5). */
export function movesRowsByTheRules(open: OpenStore): void {
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

  it("settles only by a name, and only what is unknown", async () => {
    const { store } = await open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/1"), newRow(3, "a/2")]);
    await sendRow(store, "AAAA1111", 2, "unknown");
    await store.settle([
      { batch: "AAAA1111", row: 2, as: "settled_not_done", act: { by: "asha", kind: "settle", note: "no entry" } },
    ]);
    expect((await store.row("AAAA1111", 2))?.settledBy).toBe("asha");
    await expect(
      store.settle([{ batch: "AAAA1111", row: 3, as: "settled_done", act: { by: "asha", kind: "settle", note: "" } }]),
    ).rejects.toThrow(/nothing to settle/);
    // a refusal concerns its caller only
    await sendRow(store, "AAAA1111", 3, "accepted");
    expect(await store.history("AAAA1111")).toMatchObject([{ by: "asha", row: 2, note: "no entry" }]);
    expect(await store.countActs("AAAA1111")).toBe(1);
  });
}
