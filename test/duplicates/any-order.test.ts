import fc from "fast-check";
import { expect, test } from "vitest";
import { isToldApart, speakAgainst } from "../../src/duplicates/rules.ts";
import { verdictOf } from "../../src/duplicates/verdict.ts";
import type { Seen } from "../../src/duplicates/seen.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { House } from "./house.ts";
import { KNOWN, read, rowOf, seenOf } from "./situations.ts";

/** Few of each, so that they meet. */
const payment = fc.constantFrom("asha 100", "asha 200", "ravi 100", "00asha 100", "0ravi 300", "Asha 100");
const reference = fc.constantFrom("", "", " ref A", " ref a", " ref B");
const period = fc.constantFrom("", "", " of 2026-11", " of 2026-12", " of 2026-W47");
const words = fc.tuple(payment, reference, period).map((parts) => parts.join(""));

const states = fc.constantFrom("ready", "on_its_way", "accepted 1d ago", "unknown 90d ago", "settled_done 90d ago");
const others = fc.array(
  fc
    .tuple(fc.constantFrom("EARLIER1", "EARLIER2"), fc.integer({ min: 2, max: 5 }), states, words)
    .map(([batch, row, state, said]) => seenOf(`${batch}:${row} ${state} ${said}`)),
  { maxLength: 6 },
);

test("a row is ready → every same payment that went recently or still goes is told apart from it", () => {
  fc.assert(
    fc.property(words, others, (said, seen) => {
      const row = rowOf(said);
      const { state } = verdictOf(row, speakAgainst(row, seen, KNOWN));
      if (state !== "ready") return;
      const same = seen.filter((other) => other.payment === row.payment);
      const isOld = ({ state: was, wentAt = 0 }: Seen): boolean => was === "settled_done" && wentAt > 0;
      expect(same.every((other) => isToldApart(row, other) || isOld(other))).toBe(true);
    }),
  );
});

test("in whatever order other rows are found → the same verdict", () => {
  fc.assert(
    fc.property(words, others, (said, seen) => {
      const row = rowOf(said);
      const { state, reasons } = verdictOf(row, speakAgainst(row, seen, KNOWN));
      const again = verdictOf(row, speakAgainst(row, seen.toReversed(), KNOWN));
      expect([again.state, again.reasons.map(({ code }) => code)]).toEqual([state, reasons.map(({ code }) => code)]);
    }),
  );
});

test("told apart → both ways alike", () => {
  fc.assert(
    fc.property(words, words, (one, other) => {
      expect(isToldApart(read(one), read(other))).toBe(isToldApart(read(other), read(one)));
    }),
  );
});

const answer = fc.constantFrom("accepted", "accepted", "rejected", "unknown", "not_sent", "later");
const file = fc.record({
  rows: fc.array(words, { minLength: 1, maxLength: 5 }),
  name: fc.constantFrom("a.csv", "b.csv"),
  answers: fc.array(answer, { minLength: 5, maxLength: 5 }),
  /** After it: nothing, or an unclear row is settled, or what may go again goes. */
  then: fc.constantFrom("", "settle", "again", "again"),
});

test("files of the same payments, without a person's word for a row → never two that are the same payment let go", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 2, maxLength: 6 }), async (files) => {
      const house = await House.open();
      try {
        for (const [at, { rows, name, answers, then }] of files.entries()) {
          house.letPass(0.01);
          const known = await zerosThatGo(house.store);
          const id = await house.take(rows, { name });
          for (const [payee, zeros] of await zerosThatGo(house.store, id)) {
            const before = known.get(payee) ?? zeros;
            expect(
              [...zeros].filter((one) => !before.has(one)),
              `zeros, file ${at + 1}`,
            ).toEqual([]);
          }
          if (!answers.includes("later")) await sendAs(house, id, answers);
          if (then === "settle") await settleOne(house);
          if (then === "again") await allAgain(house, answers.toReversed());
          expect(await twice(house.store), `file ${at + 1}`).toEqual([]);
        }
      } finally {
        await house.close();
      }
    }),
    { numRuns: 40 },
  );
});

async function sendAs(house: House, id: string, answers: readonly string[]): Promise<void> {
  const of = answers.map((state, at) => [at + 2, state === "later" ? "accepted" : state] as const);
  await house.send(id, Object.fromEntries(of) as Parameters<House["send"]>[1]);
  await house.judgeWaiting(id);
}

async function settleOne(house: House): Promise<void> {
  const [unknown] = await house.store.rows({ environment: "test", states: ["unknown"] });
  if (!unknown) return;
  await house.settle(unknown.batch, unknown.row, "settled_not_done");
}

/** The next run of every file, and a retry of what was refused. */
async function allAgain(house: House, answers: readonly string[]): Promise<void> {
  for (const { id } of await house.store.batches({})) {
    for (const state of ["not_sent", "rejected", "settled_not_done"] as const) {
      const rows = (await house.store.rows({ batch: id, states: [state] })).map(({ row }) => row);
      if (rows.length > 0) await house.goAgain(id, rows, state);
    }
    await sendAs(house, id, answers);
  }
}

/** How many zeros stand in front of a payee in rows that went or go; of all batches, or of one. */
async function zerosThatGo(store: JournalStore, ...of: readonly string[]): Promise<Map<string, Set<number>>> {
  const found = new Map<string, Set<number>>();
  for (const { id } of await store.batches({})) {
    if (of.length > 0 && !of.includes(id)) continue;
    const records = await store.rows({ batch: id, states: ["accepted", "unknown", "ready", "settled_done"] });
    for (const { row } of await store.seen(id, { rows: records.map(({ row }) => row) }, [])) {
      found.set(row.payee, (found.get(row.payee) ?? new Set<number>()).add(row.zeros ?? 0));
    }
  }
  return found;
}

/** Pairs of rows that went, are unclear or will go, are the same payment, and that nothing tells apart. */
async function twice(store: JournalStore): Promise<string[]> {
  const found: string[] = [];
  const rows: { readonly name: string; readonly said: ReturnType<typeof read> }[] = [];
  for (const { id } of await store.batches({})) {
    const records = await store.rows({ batch: id, states: ["accepted", "unknown", "ready", "settled_done"] });
    const pages = records.length === 0 ? [] : await store.seen(id, { rows: records.map(({ row }) => row) }, []);
    for (const { row } of pages) rows.push({ name: `${id}:${row.row}`, said: row });
  }
  for (const [at, one] of rows.entries()) {
    for (const other of rows.slice(at + 1)) {
      const isSame = one.said.payment === other.said.payment && !isToldApart(one.said, other.said);
      if (isSame) found.push(`${one.name} and ${other.name}`);
    }
  }
  return found;
}
