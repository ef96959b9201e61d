import fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalStore, NewRow, SeenRow } from "../../src/journal/store.ts";
import { act, ASHA, key, newBatch, newRow, NOW, opened, record, sendAll, type OpenTestJournal } from "./stores.ts";
import { commitTo } from "../support/commit.ts";

/** `A3 accepted`: what was seen of a row. */
async function seenOf(
  store: JournalStore,
  batch: string,
  row: number,
  corrected: readonly string[] = [],
): Promise<string> {
  const [page] = await store.seen(batch, { rows: [row] }, corrected);
  return (page?.others ?? [])
    .map((one) => `${one.batch[0] ?? ""}${one.row} ${one.state}`)
    .sort()
    .join(", ");
}

const PAY = "asha/100";
const held = { state: "held" } as const;
const named = (text: string): Partial<NewRow> => ({ reference: key(text) });

/** What an earlier batch A has, with states of its rows; the judged row; what is seen of it. */
const SITUATIONS: readonly (readonly [name: string, earlier: NewRow[], sent: string, judged: NewRow, seen: string])[] =
  [
    ["the same payment, accepted", [newRow(2, PAY)], "accepted", newRow(2, PAY), "A2 accepted"],
    ["the same payment, unclear", [newRow(2, PAY)], "unknown", newRow(2, PAY), "A2 unknown"],
    ["the same payment, ready", [newRow(2, PAY)], "", newRow(2, PAY), "A2 ready"],
    ["the same payment, held", [newRow(2, PAY, held)], "", newRow(2, PAY), "A2 held"],
    ["the same payment, rejected: nobody's way", [newRow(2, PAY)], "rejected", newRow(3, PAY), ""],
    [
      "a row of that number in the same place, rejected",
      [newRow(2, "ravi/5")],
      "rejected",
      newRow(2, PAY),
      "A2 rejected",
    ],
    [
      "one of another month there",
      [newRow(2, "ravi/5", { period: "2026-10" })],
      "rejected",
      newRow(2, PAY, { period: "2026-11" }),
      "",
    ],
    ["the same payment, not sent: nobody's way", [newRow(2, PAY)], "not_sent", newRow(2, PAY), ""],
    ["another payment of the payee", [newRow(2, "asha/99")], "accepted", newRow(2, PAY), ""],
    [
      "its payee with other zeros in front",
      [newRow(2, "asha/99", { zeros: 2 })],
      "accepted",
      newRow(2, PAY),
      "A2 accepted",
    ],
    ["the other way round", [newRow(2, "asha/99")], "accepted", newRow(2, PAY, { zeros: 1 }), "A2 accepted"],
    [
      "more zeros, of which one is the same digit",
      [newRow(2, "asha/99", { zeros: 10 })],
      "accepted",
      newRow(2, PAY, { zeros: 1 }),
      "A2 accepted",
    ],
    ["as many zeros", [newRow(2, "asha/99", { zeros: 2 })], "accepted", newRow(2, PAY, { zeros: 2 }), ""],
    [
      "its payee with other zeros, invalid",
      [newRow(2, "", { state: "invalid", payee: key("payee asha"), zeros: 2 })],
      "",
      newRow(2, PAY),
      "A2 invalid",
    ],
    [
      "its reference on another payment",
      [newRow(2, "ravi/5", named("R1"))],
      "accepted",
      newRow(2, PAY, named("R1")),
      "A2 accepted",
    ],
    [
      "the same payment and reference, once",
      [newRow(2, PAY, named("R1"))],
      "accepted",
      newRow(2, PAY, named("R1")),
      "A2 accepted",
    ],
    ["two references tell them apart", [newRow(2, PAY, named("R1"))], "accepted", newRow(2, PAY, named("R2")), ""],
    [
      "one reference tells nothing",
      [newRow(2, PAY, named("R1")), newRow(3, PAY)],
      "accepted",
      newRow(2, PAY),
      "A2 accepted, A3 accepted",
    ],
    ["no reference before", [newRow(2, PAY)], "accepted", newRow(2, PAY, named("R2")), "A2 accepted"],
    [
      "two months tell them apart",
      [newRow(2, PAY, { period: "2026-10" })],
      "accepted",
      newRow(2, PAY, { period: "2026-11" }),
      "",
    ],
    [
      "the same month",
      [newRow(2, PAY, { period: "2026-11" })],
      "accepted",
      newRow(2, PAY, { period: "2026-11" }),
      "A2 accepted",
    ],
    [
      "another label",
      [newRow(2, PAY, { period: "2026-11 bonus" })],
      "accepted",
      newRow(2, PAY, { period: "2026-11" }),
      "",
    ],
    [
      "a day and a month say nothing",
      [newRow(2, PAY, { period: "2026-10-31" })],
      "accepted",
      newRow(2, PAY, { period: "2026-11" }),
      "A2 accepted",
    ],
    ["two weeks", [newRow(2, PAY, { period: "2026-W46" })], "accepted", newRow(2, PAY, { period: "2026-W47" }), ""],
    [
      "a week and a day say nothing",
      [newRow(2, PAY, { period: "2026-W46" })],
      "accepted",
      newRow(2, PAY, { period: "2026-11-12" }),
      "A2 accepted",
    ],
    ["a month before, none now", [newRow(2, PAY, { period: "2026-10" })], "accepted", newRow(2, PAY), "A2 accepted"],
    [
      "the row that it corrects, whatever it is",
      [newRow(2, "ravi/5")],
      "rejected",
      newRow(2, PAY, { retryOf: { batch: "A", row: 2 } }),
      "A2 rejected",
    ],
    [
      "an invalid row that it corrects",
      [newRow(2, "", { state: "invalid" })],
      "",
      newRow(2, PAY, { retryOf: { batch: "A", row: 2 } }),
      "A2 invalid",
    ],
  ];

const rarely = fc.nat(11).map((value) => (value < 2 ? value : undefined));
const ANY_ROW = fc.record({
  ...{ payee: fc.nat(15), amount: fc.nat(3), reference: rarely, zeros: rarely, payeeAs: rarely },
  ...{ employee: rarely, mobile: rarely, isShared: fc.boolean(), retry: rarely },
  state: fc.constantFrom("ready", "ready", "ready", "ready", "held", "invalid"),
});
const STATES = ["accepted", "rejected", "unknown"] as const;
/** So many batches have something in common: the first of them only in itself. */
const KIN = 3;

function rowOfWish(row: number, wish: typeof ANY_ROW extends fc.Arbitrary<infer T> ? T : never, nth: number): NewRow {
  const { payee, amount, reference, zeros, payeeAs, employee, mobile, isShared, retry, state } = wish;
  const of = Math.floor(nth / KIN);
  const short = (text: string): string => key(`${text} ${of}`).slice(0, 12);
  const mobileKey = mobile === undefined ? undefined : short(`mobile ${mobile}`);
  return newRow(row, `${of}-${payee}/${amount}`, {
    state,
    ...(reference !== undefined && { reference: key(`reference ${reference} ${of}`) }),
    ...(zeros !== undefined && { zeros: zeros + 1 }),
    ...(payeeAs !== undefined && { payeeAs: `Other${payeeAs}` }),
    ...(employee !== undefined && { employee: short(`employee ${employee}`) }),
    // one that several people have is nobody's, and stands behind the name
    ...(mobileKey !== undefined && !isShared && { mobile: mobileKey }),
    named: short("Asha Rao").slice(0, 8) + (mobileKey ?? ""),
    ...(retry !== undefined && { retryOf: { batch: `B${nth - retry}`, row: 2 } }),
  });
}

/** By more than that the same person was paid to the same account before. */
function isTied({ row, others }: SeenRow): boolean {
  if (row.state !== "ready" || row.retryOf) return true;
  return others.some(
    ({ payment, reference, payee, zeros = 0, payeeAs }) =>
      payment === row.payment ||
      (reference !== undefined && reference === row.reference) ||
      payee !== row.payee ||
      zeros !== (row.zeros ?? 0) ||
      payeeAs !== row.payeeAs,
  );
}

export function findsOtherRows(open: OpenTestJournal): void {
  test.each(SITUATIONS)("another row is seen, or not: %s", async (_, earlier, sent, judged, expected) => {
    const { store } = await open();
    await opened(store, "A", earlier);
    if (sent !== "") await sendAll(store, "A", Object.fromEntries(earlier.map(({ row }) => [row, sent as "accepted"])));
    await record(store, newBatch("B"), [judged]);
    expect(await seenOf(store, "B", judged.row)).toBe(expected);
    const concerned = await store.seen("B", { isConcerned: true }, []);
    expect(expected === "" || concerned.some(({ row }) => row.row === judged.row)).toBe(true);
  });

  test("people who are known → concerned only where nothing went to them at this account", async () => {
    const { store } = await open();
    const no = (text: string): Partial<NewRow> => ({ employee: key(text).slice(0, 12) });
    const mobile = { mobile: key("98").slice(0, 12) };
    const [asha, ravi, zoya] = [
      newRow(2, "asha/1", no("1")),
      newRow(3, "ravi/1", no("2")),
      newRow(5, "zoya/1", no("3")),
    ];
    const [mina, tim] = [newRow(4, "mina/1", mobile), newRow(6, "tim/1", no("4"))];
    // there the mobile was several people's
    const own = key("97").slice(0, 12);
    const named = { named: key("Dev").slice(0, 8) + own };
    const dev = newRow(7, "dev/1", named);
    await opened(store, "A", [asha, ravi, mina, zoya, tim, dev], { fileName: "other.csv" });
    await sendAll(store, "A", { 3: "rejected" });
    await record(store, newBatch("B"), [
      ...[newRow(2, "asha/2", no("1")), newRow(3, "lila/2", no("3")), newRow(4, "ravi/2", no("2"))],
      ...[newRow(5, "mina/2", { ...no("5"), ...mobile }), newRow(6, "nina/2", no("6")), newRow(7, "zoya/3")],
      newRow(8, "tim/2", { ...no("4"), option: "A" }),
      newRow(9, "kiran/2", { ...named, mobile: own }),
    ]);
    const concerned = await store.seen("B", { isConcerned: true }, []);
    const seen = concerned.map(({ row, others }) => `${row.row}: ${others.map(({ row: at }) => at).join()}`);
    expect(seen).toEqual(["3: 5", "4: ", "8: ", "9: 7"]);
    expect(await seenOf(store, "B", 2), "who asks for a row is told all the same").toBe("A2 accepted");
  });

  test("any rows in any batches → whoever is tied to another row is concerned, page by page", async () => {
    const journal = await open();
    const { store } = journal;
    const batches = fc.sample(fc.array(ANY_ROW, { minLength: 1, maxLength: 12 }), { numRuns: 60, seed: 47 });
    let tied = 0;
    for (const [nth, wishes] of batches.entries()) {
      const id = `B${nth}`;
      const rows = wishes.map((wish, at) => rowOfWish(at + 2, wish, nth));
      await record(
        store,
        newBatch(id, { fileName: `${nth % 6 === 5 ? nth - 1 : nth}.csv`, createdAt: NOW + nth }),
        rows,
      );
      // another process finds the same, without what this one has sorted
      const of = nth % 4 === 0 ? await journal.another() : store;
      const concerned = new Set<number>();
      for (let after = 0; ;) {
        const page = await of.seen(id, { after, limit: 3, isConcerned: true }, []);
        for (const { row } of page) concerned.add(row.row);
        const last = page.at(-1);
        if (!last) break;
        after = last.row.row;
      }
      const all = await store.seen(id, {}, []);
      const missed = all.filter((one) => isTied(one) && !concerned.has(one.row.row)).map(({ row }) => row);
      expect(missed, id).toEqual([]);
      tied += all.filter(isTied).length;
      if (of !== store) await of.close();
      await store.judging(() => store.setBatch(id, { phase: "open" }));
      const states = Object.fromEntries(
        rows.map(({ row }) => [row, STATES[(row + nth) % STATES.length] ?? "accepted"]),
      );
      if (nth % 5 < 3) await sendAll(store, id, states);
      if (nth % 5 === 3) await store.setBatch(id, { phase: "cancelled" }, act("cancel"));
    }
    expect(tied).toBeGreaterThan(80);
  });

  test("rows on their way, of its own batch, of batches that others must not see → each as it stands", async () => {
    const { store } = await open();
    await opened(store, "A", [PAY, PAY]);
    await commitTo(store, "A", [], 1);
    await record(store, newBatch("R"), [newRow(2, PAY)]);
    await opened(store, "L", [PAY], { environment: "live" });
    await opened(store, "C", [PAY, PAY]);
    await commitTo(store, "C", [], 1);
    await store.setBatch("C", { phase: "cancelled" }, act("cancel"));
    await record(store, newBatch("B"), [newRow(2, PAY), newRow(3, "ravi/5"), newRow(4, PAY)]);
    const concerned = await store.seen("B", { isConcerned: true }, []);
    expect(concerned.map(({ row }) => row.row)).toEqual([2, 4]);
    const elsewhere = "A2 on_its_way, A3 ready";
    expect(await seenOf(store, "B", 4)).toBe(`${elsewhere}, B2 ready, C2 on_its_way`);
    expect(await seenOf(store, "B", 2)).toBe(`${elsewhere}, C2 on_its_way`);
    expect(await seenOf(store, "A", 3)).toBe("A2 on_its_way, C2 on_its_way");
    const [page] = await store.seen("B", { rows: [2] }, []);
    expect(page).toMatchObject({ row: { state: "ready", row: 2, payment: key(PAY), payee: key("payee asha") } });
    expect(page?.others.find(({ row, batch }) => batch === "A" && row === 2)).toMatchObject({
      payment: key(PAY),
      wentAt: NOW,
    });
  });

  test("pages → rows that may still be judged, in row order, each once", async () => {
    const { store } = await open();
    const rows = [
      newRow(2, "1"),
      newRow(3, "", { state: "invalid" }),
      newRow(4, "3", held),
      newRow(5, "4"),
      newRow(6, "5"),
    ];
    await opened(store, "A", rows);
    await store.move("A", [{ row: 5, to: "duplicate", from: ["ready"] }]);
    await commitTo(store, "A", [], 1);
    const numbers = async (after: number, limit: number): Promise<number[]> =>
      (await store.seen("A", { after, limit }, [])).map(({ row }) => row.row);
    expect(await numbers(0, 2)).toEqual([4, 5]);
    expect(await numbers(5, 2)).toEqual([6]);
  });

  test("rows with its payee → seen in batches that this one corrects, and nowhere else", async () => {
    const { store } = await open();
    await opened(store, "A", ["asha/99", "ravi/5"]);
    await opened(store, "C", ["asha/98"]);
    await sendAll(store, "A");
    await record(store, newBatch("B"), [newRow(2, PAY)]);
    expect(await seenOf(store, "B", 2)).toBe("");
    expect(await seenOf(store, "B", 2, ["A"])).toBe("A2 accepted");
  });

  test("corrections of corrections → all of the family, from every member of it, however it is tied", async () => {
    const { store } = await open();
    const of = (batch: string, row: number): Partial<NewRow> => ({ retryOf: { batch, row } });
    await opened(store, "A", [newRow(2, "asha/1")]);
    await sendAll(store, "A", { 2: "rejected" });
    await opened(store, "C", [newRow(2, "asha/2", of("A", 2))]);
    await opened(store, "D", [newRow(2, "asha/3", of("C", 2))]);
    await opened(store, "E", [
      newRow(2, "asha/4", of("A", 2)),
      newRow(3, "x", of("E", 3)),
      newRow(4, "y", of("NONE", 1)),
    ]);
    expect(await seenOf(store, "D", 2)).toBe("A2 rejected, C2 ready, E2 ready");
    expect(await seenOf(store, "A", 2)).toBe("C2 ready, D2 ready, E2 ready");
    expect([await seenOf(store, "E", 3), await seenOf(store, "E", 4)]).toEqual(["", ""]);
    await sendAll(store, "E", { 2: "not_sent" });
    expect(await store.rows({ batch: "A" })).toMatchObject([{ state: "rejected" }]);
    const correctedBy = async (batch: string) => (await store.rows({ batch }))[0]?.correctedBy;
    expect(await correctedBy("A")).toBeUndefined();
    await sendAll(store, "C", { 2: "rejected" });
    expect(await correctedBy("A")).toBeUndefined();
    // what was corrected twice is corrected by the row that went in the end
    await sendAll(store, "D");
    expect([await correctedBy("A"), await correctedBy("C")]).toEqual([
      { batch: "D", row: 2 },
      { batch: "D", row: 2 },
    ]);
  });

  test("a later file in the same place → corrects the rows of that number, where nobody was paid by both", async () => {
    const { store } = await open();
    const correctedBy = async () => (await store.rows({ batch: "A" })).map((one) => one.correctedBy?.batch);
    const settled = async (
      batch: string,
      rows: Parameters<typeof opened>[2],
      outcomes?: Parameters<typeof sendAll>[2],
    ) => {
      await opened(store, batch, rows);
      const run = await store.beginRun(batch, ASHA, NOW);
      await sendAll(store, batch, outcomes);
      await store.endRun(run, { endedAt: NOW, exitCode: 0, requests: 1 });
    };
    const bad = (row: number, more: Partial<NewRow> = {}) => newRow(row, "", { state: "invalid", ...more });
    await settled("A", ["asha/1", bad(3), bad(4, { period: "2026-11" })]);
    expect(await correctedBy()).toEqual([undefined, undefined, undefined]);
    // next week's file pays asha again; another place and another month correct nothing
    await settled("B", ["asha/1", "ravi/2", "mina/3"]);
    await settled("C", [newRow(4, "mina/3", { period: "2026-12" })]);
    expect(await correctedBy()).toEqual([undefined, undefined, undefined]);
    await settled("D", [newRow(3, "ravi/2"), newRow(4, "mina/3")], { 4: "rejected" });
    expect(await correctedBy()).toEqual([undefined, "D", undefined]);
    await settled("E", [newRow(4, "mina/4", { retryOf: { batch: "D", row: 4 } })]);
    expect(await correctedBy()).toEqual([undefined, "D", "E"]);
  });

  test("a correction in place → stays one while it is being sent, and after a person or the judge moved a row of it", async () => {
    const { store } = await open();
    const correctedBy = async () => (await store.rows({ batch: "A", rows: [4] }))[0]?.correctedBy?.batch;
    await opened(store, "A", ["asha/1", "ravi/2", "mina/3"]);
    await sendAll(store, "A", { 3: "unknown", 4: "rejected" });
    expect(await correctedBy()).toBeUndefined();
    await opened(store, "B", [newRow(2, "asha/1", held), newRow(3, "ravi/2", held), newRow(4, "mina/4")]);
    await sendAll(store, "B");
    expect(await correctedBy()).toBe("B");
    await store.judging(() => store.move("B", [{ row: 2, to: "duplicate", from: ["held"] }]));
    expect(await correctedBy()).toBe("B");
    await store.move("A", [{ row: 3, to: "settled_done", from: ["unknown"] }], act("settle"));
    expect(await correctedBy()).toBe("B");
    // next month all go again: row 4 of A is still to be corrected
    await opened(store, "C", ["asha/9", "ravi/9", "mina/9"]);
    await store.move("B", [{ row: 4, to: "settled_not_done", from: ["accepted"] }], act("settle"));
    await sendAll(store, "C");
    expect(await correctedBy()).toBeUndefined();
  });

  test("more equal rows than are told → those that speak against sending are never crowded out", async () => {
    const { store } = await open();
    const many = (from: number, more: (at: number) => Partial<NewRow>): NewRow[] =>
      Array.from({ length: 300 }, (_, at) => newRow(at + from, PAY, more(at)));
    const paid = await opened(store, "A", [newRow(2, PAY, { period: "2026-11" }), newRow(3, PAY)]);
    await sendAll(store, paid);
    await opened(
      store,
      "D",
      many(2, (at) => ({ period: `2026-${String((at % 9) + 1).padStart(2, "0")}` })),
    );
    await opened(
      store,
      "E",
      many(2, (at) => named(`R${at}`)),
    );
    await opened(
      store,
      "F",
      many(2, () => ({})),
    );
    const stopped = (await store.rows({ batch: "F" })).map(({ row }) => ({
      row,
      to: "cancelled" as const,
      from: ["ready" as const],
    }));
    await store.move("F", stopped, act("cancel"));
    await record(store, newBatch("B"), [newRow(2, PAY, { ...named("new"), period: "2026-11" }), newRow(3, PAY)]);
    expect(await seenOf(store, "B", 2)).toBe("A2 accepted, A3 accepted");
    const [page] = await store.seen("B", { rows: [3] }, []);
    expect(page?.others.length).toBe(200 + 1);
  });

  test("200 and more held rows in later batches → what went is seen all the same, and that not all was read", async () => {
    const { store } = await open();
    const waiting = (count: number, from = 2): NewRow[] =>
      Array.from({ length: count }, (_, at) => newRow(at + from, PAY, held));
    await opened(store, "A", [PAY]);
    await sendAll(store, "A");
    await record(store, newBatch("B"), [newRow(2, PAY), newRow(3, "ravi/5")]);
    await opened(store, "D", waiting(200));
    const judged = async () =>
      (await store.seen("B", { rows: [2, 3] }, [])).map(({ row, others }) => [
        others[0]?.state,
        others.length,
        row.isCut,
      ]);
    expect(await judged()).toEqual([
      ["accepted", 201, undefined],
      [undefined, 0, undefined],
    ]);
    await opened(store, "E", waiting(1));
    expect(await judged()).toEqual([
      ["accepted", 201, true],
      [undefined, 0, undefined],
    ]);
    const [page] = await store.seen("B", { isConcerned: true, limit: 1 }, []);
    expect(page?.row.isCut).toBe(true);
  });

  test("more rows went than are read → told as that; what has no end is known before a person lets one go", async () => {
    const { store } = await open();
    await opened(store, "A", [PAY]);
    await sendAll(store, "A", { 2: "unknown" });
    const many = Array.from({ length: 201 }, (_, at) => newRow(at + 2, PAY));
    await opened(store, "D", many);
    await sendAll(store, "D");
    await record(store, newBatch("B"), [...many.slice(0, 1), newRow(3, "asha/7")]);
    const [chosen] = await store.seen("B", { rows: [2] }, []);
    expect([
      chosen?.row.isCut,
      chosen?.others.filter(({ state }) => state === "unknown").map(({ batch }) => batch),
    ]).toEqual([true, ["A"]]);
    const [other] = await store.seen("B", { rows: [3] }, []);
    expect(other).toMatchObject({ others: [] });
    expect(other?.row.isCut).toBeUndefined();
    // of a payee only what went counts, and is not told apart: 201 rows
    expect(await store.seen("B", { rows: [3] }, ["D"])).toMatchObject([{ row: { isCut: true } }]);
    await record(store, newBatch("F"), [newRow(2, "asha/7", { ...named("own"), period: "2026-11" })]);
    await opened(
      store,
      "G",
      Array.from({ length: 201 }, (_, at) => newRow(at + 2, "asha/9", named(`R${at}`))),
    );
    await opened(store, "H", [
      ...Array.from({ length: 201 }, (_, at) => newRow(at + 2, "asha/9", held)),
      newRow(300, "asha/8"),
    ]);
    expect(await seenOf(store, "F", 2, ["G", "H"])).toBe("H300 ready");
  });

  test("rows above it in its own file, more than are read → told where some went elsewhere, or they share its reference", async () => {
    const { store } = await open();
    const many = Array.from({ length: 203 }, (_, at) => newRow(at + 2, PAY));
    const isCut = async (batch: string) =>
      (await store.seen(batch, {}, [])).flatMap(({ row }) => (row.isCut ? [row.row] : []));
    await record(store, newBatch("B"), many);
    expect(await isCut("B")).toEqual([]);
    await opened(store, "A", [PAY]);
    expect(await isCut("B")).toEqual([203, 204]);
    await record(
      store,
      newBatch("C"),
      many.map((row) => ({ ...row, payment: key(`${row.row}`), ...named("R") })),
    );
    expect(await isCut("C")).toEqual([203, 204]);
  });

  test("a payee that is written in another way → seen however many rows of it did not go; once it went as here, only that", async () => {
    const { store } = await open();
    const as = { payeeAs: "Capitals" };
    await opened(store, "A", [newRow(2, "asha/99", as)]);
    await sendAll(store, "A");
    const crowd = Array.from({ length: 250 }, (_, at) => newRow(at + 2, "asha/1", { ...as, ...held }));
    await opened(store, "D", crowd);
    const bad = (row: number): NewRow => newRow(row, "", { state: "invalid", payee: key("payee asha"), ...as });
    const elsewhere = { fileName: "other.csv" };
    await opened(
      store,
      "E",
      Array.from({ length: 250 }, (_, at) => bad(at + 2)),
      elsewhere,
    );
    await record(store, newBatch("B"), [newRow(2, PAY), newRow(3, PAY, { payeeAs: "Capital2" })]);
    expect([await seenOf(store, "B", 2), await seenOf(store, "B", 3)]).toEqual([
      "A2 accepted",
      "A2 accepted, B2 ready",
    ]);
    const concerned = await store.seen("B", { isConcerned: true }, []);
    expect(concerned.map(({ row }) => row.payeeAs)).toEqual([undefined, "Capital2"]);
    // with another amount in a batch that it corrects, however it is written there
    await record(store, newBatch("F"), [newRow(2, "asha/7")]);
    expect(await seenOf(store, "F", 2, ["A"])).toBe("A2 accepted");
    await opened(store, "C", [newRow(2, "asha/3")]);
    expect(await seenOf(store, "F", 2)).toBe("C2 ready");
  });

  test("more corrections than are read → told as that; more than 20 batches in its place → all of them count", async () => {
    const { store } = await open();
    const of = { retryOf: { batch: "A", row: 2 } };
    const elsewhere = { fileName: "other.csv" };
    await opened(store, "A", [newRow(2, "asha/1")], elsewhere);
    await sendAll(store, "A", { 2: "rejected" });
    await opened(
      store,
      "D",
      Array.from({ length: 201 }, (_, at) => newRow(at + 2, `x/${at}`, of)),
      elsewhere,
    );
    await record(store, newBatch("B"), [newRow(2, PAY, of), newRow(3, PAY)]);
    expect((await store.seen("B", { rows: [2, 3] }, [])).map(({ row }) => row.isCut)).toEqual([true, undefined]);
    const bad = (row: number): NewRow => newRow(row, "", { state: "invalid" });
    await opened(store, "P", [bad(5)]);
    for (let at = 10; at < 31; at += 1) await opened(store, `P${at}`, [bad(7)]);
    await opened(store, "Z", [newRow(5, "mina/5"), newRow(6, "mina/6"), newRow(7, "mina/7")]);
    const [first, , third] = await store.seen("Z", {}, []);
    expect([first?.row.inPlaceOf, third?.row.inPlaceOf]).toEqual([
      { batch: "P", row: 5 },
      { batch: "P30", row: 7 },
    ]);
    const concerned = await store.seen("Z", { isConcerned: true }, []);
    expect(concerned.map(({ row }) => row.row)).toEqual([5, 7]);
    const other = await store.seen("Z", { after: 5, limit: 1 }, []);
    expect(other.map(({ row }) => row.row)).toEqual([6]);
  });

  test("batches that share payments → how many rows, how many went, whether all are the same", async () => {
    const { store } = await open();
    await opened(store, "A", ["1", "2", "2", "3", newRow(6, "", { state: "invalid" })], { period: "2026-10" });
    await sendAll(store, "A", { 4: "rejected", 5: "unknown" });
    await opened(store, "C", ["9"], { sha256: "x" });
    await opened(store, "L", ["1"], { environment: "live" });
    await record(store, newBatch("R"), [newRow(2, "1")]);
    const rows = [
      newRow(2, "1"),
      newRow(3, "2"),
      newRow(4, "2"),
      newRow(5, "2"),
      newRow(6, "8", { retryOf: { batch: "C", row: 2 } }),
    ];
    await record(store, newBatch("B", { sha256: newBatch("A").sha256 }), rows);
    const overlaps = await store.overlaps("B");
    expect(overlaps).toMatchObject([
      { batch: { id: "A", rows: 5, tallies: { accepted: { rows: 2 } } }, shared: 3, isSame: true, isNamed: false },
      { batch: { id: "C" }, shared: 0, isSame: false, isNamed: true },
    ]);
    expect(overlaps[0]?.batch).toEqual((await store.batches({ id: "A" }))[0]);
  });

  test("thousands of equal rows in two batches → judged in seconds, not in hours", async () => {
    const { store } = await open();
    for (const id of ["A", "B"]) {
      const rows = Array.from({ length: 10_000 }, (_, at) =>
        newRow(at + 2, PAY, { state: at === 0 ? "ready" : "held" }),
      );
      await opened(store, id, rows);
    }
    await sendAll(store, "A");
    const began = performance.now();
    for (let after = 0, page; (page = await store.seen("B", { after, limit: 1000 }, [])).length > 0;)
      after = page.at(-1)?.row.row ?? 0;
    expect(await store.overlaps("B")).toMatchObject([{ shared: 10_000 }]);
    expect(performance.now() - began).toBeLessThan(60_000);
  });
}
