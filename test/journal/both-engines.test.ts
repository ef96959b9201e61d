import fc from "fast-check";
import { afterEach, test, vi } from "vitest";
import { PaydropError } from "../../src/errors.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { Postgres } from "../../src/postgres/postgres.ts";
import { engine, House } from "../duplicates/house.ts";
import { describePostgres } from "../support/postgres.ts";
import { pairOf } from "./pair.ts";
import { openTestJournal } from "./postgres-store.ts";
import { act, ASHA, key, newBatch, newRow, record } from "./stores.ts";
import { commitTo } from "../support/commit.ts";

/** A house whose journal is one of each engine; `crash`: its process ends, and the next one recovers. */
async function openBoth(): Promise<{ house: House; crash: () => Promise<void> }> {
  const postgres = await openTestJournal();
  let crash = (): Promise<void> => Promise.resolve();
  engine.open = async (folder) => {
    const sqlite = { store: await openJournal(folder) };
    const both = pairOf(sqlite, postgres);
    crash = async () => {
      await sqlite.store.close();
      sqlite.store = await openJournal(folder);
      await postgres.crash();
      await both.recover(ASHA);
    };
    return both;
  };
  return { house: await House.open(), crash };
}

/** Few of each, so that they meet. */
const payment = fc.constantFrom("asha 100", "asha 200", "ravi 100", "00asha 100", "0asha 200", "0ravi 300", "Asha 100");
const reference = fc.constantFrom("", "", "", " ref A", " ref a", " ref B");
const period = fc.constantFrom("", "", "", " of 2026-11", " of 2026-12", " of 2026-W47");
const number = fc.integer({ min: 1, max: 6 });
const corrects = fc.oneof(
  { weight: 4, arbitrary: fc.constant("") },
  fc.tuple(number, number).map(([batch, row]) => ` corrects BATCH00${batch}:${row + 1}`),
);
const person = fc.constantFrom("", "", " emp E1", " emp E2 mob 98", " mob 98 name asha", " mail a@b name ravi");
const valid = fc.tuple(payment, reference, period, corrects, person).map((parts) => parts.join(""));
const invalid = fc.tuple(fc.constantFrom("~", "~asha", "~0asha", "~00ravi"), corrects).map((parts) => parts.join(""));
const words = fc.oneof(
  { weight: 6, arbitrary: valid },
  { weight: 2, arbitrary: invalid },
  valid.map((row) => `!${row}`),
);

const taken = fc.record({
  do: fc.constant("take" as const),
  rows: fc.array(words, { minLength: 1, maxLength: 5 }),
  name: fc.constantFrom("a.csv", "a.csv", "b.csv"),
  period: fc.constantFrom(undefined, undefined, "2026-11"),
  answers: fc.array(fc.constantFrom("accepted", "accepted", "rejected", "unknown", "not_sent"), {
    minLength: 5,
    maxLength: 5,
  }),
  then: fc.constantFrom("send", "send", "send", "crash", "stop", "later"),
});
const done = fc.record({
  do: fc.constantFrom(
    ...(["again", "settle", "release", "cancel", "pause", "hold", "purge", "drop", "crash"] as const),
  ),
  batch: fc.integer({ min: 1, max: 3 }),
  isOther: fc.boolean(),
});
const passed = fc.record({ do: fc.constant("wait" as const), days: fc.constantFrom(0.01, 25, -3, -3) });
const step = fc.oneof(
  { weight: 4, arbitrary: taken },
  { weight: 3, arbitrary: done },
  { weight: 2, arbitrary: passed },
);
type Of<T> = T extends fc.Arbitrary<infer V> ? V : never;
type Done = Of<typeof done>;
type Step = Of<typeof step>;

describePostgres("two engines with one history", () => {
  afterEach(() => {
    engine.open = openJournal;
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test("the same acts on both → the same rows, states, reasons and corrections after each", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    // a month passes here, and none at the server
    vi.spyOn(Postgres.prototype, "clockApart", "get").mockReturnValue(undefined);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14, size: "max" }), async (steps) => {
        const { house, crash } = await openBoth();
        try {
          for (const one of steps) {
            vi.setSystemTime(house.now);
            await doStep(house, crash, one);
            await look(house);
          }
        } finally {
          await house.close();
        }
      }),
      { numRuns: 3 },
    );
  });
});

async function doStep(house: House, crash: () => Promise<void>, step: Step): Promise<void> {
  if (step.do === "wait") {
    house.letPass(step.days);
    return;
  }
  if (step.do === "take") {
    const { rows, name, period: stated, answers, then } = step;
    const id = await house.take(rows, { name, ...(stated === undefined ? {} : { period: stated }) });
    if (then === "stop") await house.stop(id);
    if (then === "send") await house.send(id, Object.fromEntries(answers.map((state, at) => [at + 2, state])));
    if (then === "crash") await crashSending(house, crash, id);
    if (then !== "later") await house.judgeWaiting(id);
    return;
  }
  await actOn(house, crash, step, `BATCH00${step.batch}`).catch((error: unknown) => {
    // a batch that is cancelled stays so
    if (!(error instanceof PaydropError)) throw error;
  });
}

async function actOn(house: House, crash: () => Promise<void>, step: Done, id: string): Promise<void> {
  const { store, now } = house;
  const rows = await store.rows({ batch: id });
  if (rows.length === 0) return;
  if (step.do === "again") {
    for (const from of ["not_sent", "rejected", "settled_not_done"] as const) {
      const again = rows.filter(({ state }) => state === from).map(({ row }) => row);
      if (again.length > 0) await house.goAgain(id, again, from);
    }
    await house.send(id, step.isOther ? { 3: "rejected" } : {});
    await house.judgeWaiting(id);
  } else if (step.do === "settle") {
    const unknown = rows.find(({ state }) => state === "unknown");
    if (unknown) await house.settle(id, unknown.row, step.isOther ? "settled_done" : "settled_not_done");
  } else if (step.do === "release") {
    await house.release(id, "all");
    await house.send(id);
  } else if (step.do === "cancel") await house.cancelHeld(id);
  else if (step.do === "pause") {
    const [batch] = await store.batches({ id });
    const phase = batch?.phase === "paused" ? "open" : step.isOther ? "paused" : "cancelled";
    await store.judging(() => store.setBatch(id, { phase }, act("pause", { at: now })));
    await house.judgeWaiting(id);
  } else if (step.do === "hold") {
    await store.holdFolder("/inbox", step.isOther ? "stop_file" : undefined, act("hold_folder", { at: now }));
  } else if (step.do === "purge") await store.purge(now, act("purge", { at: now }));
  else if (step.do === "drop") {
    await record(store, newBatch("DROPPED1"), [
      newRow(2, "asha/1"),
      newRow(3, "", { state: "invalid", payee: key("1") }),
    ]);
    await store.dropBatch("DROPPED1");
  } else await crashSending(house, crash, id);
}

async function crashSending({ store, now }: House, crash: () => Promise<void>, id: string): Promise<void> {
  await store.beginRun(id, ASHA, now);
  await commitTo(store, id, [], 2);
  await crash();
}

/** Asks whatever the rules, the commands and the results go by: the store compares what the engines say. */
async function look({ store, now }: House): Promise<void> {
  const ids = (await store.batches({})).map(({ id }) => id);
  for (const id of ids) {
    await store.seen(id, { rows: [2, 3, 4, 5, 6] }, ids);
    await store.seen(id, { isConcerned: true }, []);
    await store.overlaps(id);
    await store.compared(id, { after: -1, limit: 100, other: ids[0] });
    await store.sumsOfDay(id, now - 86_400_000);
    await store.runs(id);
  }
  await store.acts({});
  await store.facts("/inbox");
  await store.batches({ isUnfinished: true, rejectedFor: ["rejected"] });
}
