import { expect, it } from "vitest";
import type { NewRow } from "../../../src/journal/row-record.ts";
import { addBatch, allRows, newBatch, newRow, rules, sendRow } from "../stored.ts";
import type { OpenStore } from "./open-store.ts";

/** Files, batches and rows are given back as they were written down, also to the next process. */
export function keepsWhatIsWrittenDown(open: OpenStore): void {
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

  it("takes the beginning of an id for the batch only where it is the only one", async () => {
    const { store } = await open();
    await addBatch(store, "AAAA1111", [newRow(2, "a/1")]);
    await addBatch(store, "AAAA2222", [newRow(2, "a/2")]);
    await expect(store.batch("AAAA")).rejects.toThrow(/more than one batch begins with AAAA/);
    expect((await store.batch("aaaa1"))?.id).toBe("AAAA1111");
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
}
