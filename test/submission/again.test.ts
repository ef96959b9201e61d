import { expect, test } from "vitest";
import type { JudgingRules } from "../../src/journal/judge.ts";
import { ROW_STATES } from "../../src/journal/states.ts";
import type { Act, JournalStore, Move } from "../../src/journal/store.ts";
import { OUTCOMES } from "../../src/messages/outcomes.ts";
import { againTable, cancel, filtersOf, goesAgainAsItIs, wake, type How } from "../../src/submission/again.ts";
import { openDesk, record, rowsOf } from "./sending.ts";
import { commitTo } from "../support/commit.ts";

const ID = "K7Q29F3M";
const ACT: Act = { at: 5, kind: "retry", login: "ops", host: "h", by: "Asha" };
const WAKING: { act: Act; now: number; rules: JudgingRules } = {
  ...{ act: ACT, now: 10 },
  rules: { duplicate_days: 20, allow_repeats: true, all_or_nothing: false, changed_account: "hold" },
};
const HOWS: readonly How[] = ["run", "retry", "retry_rejected", "release", "cancel"];

/** README §2, "Who lets a row go again". */
const MAY: readonly (readonly [state: string, code: string | undefined, by: string])[] = [
  ["ready", undefined, "cancel"],
  ["not_sent", "unreachable", "run retry cancel"],
  ["rejected", "key_refused", "run retry"],
  ["rejected", "address_refused", "run retry"],
  ["rejected", "refused", "retry_rejected"],
  ["rejected", "no_funds", "retry_rejected"],
  ["invalid", "account_short", ""],
  ["settled_not_done", undefined, "retry cancel"],
  ["unknown", "no_answer", ""],
  ["held", "maybe_paid", "release cancel"],
  ["duplicate", "same_payment", "release"],
  ["accepted", "accepted", ""],
  ["settled_done", undefined, ""],
  ["cancelled", undefined, ""],
];

test("the table says for each state by what it may go, and the filters say the same", () => {
  expect(new Set(MAY.map(([state]) => state))).toEqual(new Set(ROW_STATES));
  for (const [state, code, by] of MAY) {
    const found = HOWS.filter((how) =>
      filtersOf(how).some(
        ({ states, codes }) => states?.includes(state as "ready") && (!codes || codes.includes(code ?? "")),
      ),
    );
    expect(found.join(" ")).toBe(by);
  }
  expect(againTable()).toHaveLength(10);
});

test("rejected for the key or the address goes again as it is, for itself it does not", () => {
  for (const [state, code = "", by] of MAY) {
    const isSo = goesAgainAsItIs({ state: state as "ready", code });
    expect(isSo, `${state} ${code}`).toBe(state === "rejected" && by.startsWith("run"));
    if (state === "rejected") expect(Object.hasOwn(OUTCOMES, code)).toBe(true);
  }
});

/** Rows 2 to 7, one in each state that a run can leave. */
async function afterARun(store: JournalStore): Promise<void> {
  await record(store, ID, 6);
  await commitTo(store, ID, [], 5);
  const outcome = { tries: 1, sentAt: 1, durationMs: 1 };
  await commitTo(
    store,
    ID,
    [
      { row: 2, state: "accepted", code: "accepted", ...outcome },
      { row: 3, state: "rejected", code: "key_refused", ...outcome },
      { row: 4, state: "rejected", code: "refused", ...outcome },
      { row: 5, state: "unknown", code: "no_answer", ...outcome },
      { row: 6, state: "not_sent", code: "unreachable", ...outcome },
    ],
    0,
  );
}

test.each([
  ["run", "accepted ready rejected unknown ready ready"],
  ["retry", "accepted ready rejected unknown ready ready"],
  ["retry_rejected", "accepted rejected ready unknown not_sent ready"],
] as const)("%s wakes exactly its rows, each judged and with its act", async (how, states) => {
  const desk = await openDesk();
  await afterARun(desk.store);
  const became = await desk.store.judging(() => wake(desk.store, ID, how, WAKING));
  const rows = await rowsOf(desk, ID);
  expect(rows.map(({ state }) => state).join(" ")).toBe(states);
  const woken = rows.filter(({ state, row }) => state === "ready" && row !== 7).map(({ row }) => row);
  expect([...became.ready].sort()).toEqual(woken);
  expect((await desk.store.acts({ batch: ID })).flatMap(({ rows: named }) => named ?? []).sort()).toEqual(woken);
});

test("settled as not done goes by retry, and only the rows that are named", async () => {
  const desk = await openDesk();
  await afterARun(desk.store);
  const settled: Move = { row: 5, to: "settled_not_done", from: ["unknown"] };
  await desk.store.judging(() => desk.store.move(ID, [settled], { ...ACT, kind: "settle" }));
  const wakeBy = (how: "run" | "retry", rows?: number[]) =>
    desk.store.judging(() => wake(desk.store, ID, how, { ...WAKING, ...(rows ? { rows } : {}) }));
  expect((await wakeBy("run", [5])).ready).toEqual([]);
  expect((await wakeBy("retry", [5, 4])).ready).toEqual([5]);
});

test("cancel: what could still go shall not, what went stays, what is on its way too", async () => {
  const desk = await openDesk();
  await afterARun(desk.store);
  await record(desk.store, "OTHER234", 4);
  await commitTo(desk.store, "OTHER234", [], 1);
  const act = { ...ACT, kind: "cancel" as const };
  expect(await cancel(desk.store, ID, { act })).toEqual([6, 7]);
  expect((await rowsOf(desk, ID)).map(({ state }) => state).join(" ")).toBe(
    "accepted rejected rejected unknown cancelled cancelled",
  );
  expect(await cancel(desk.store, "OTHER234", { act, rows: [2, 3] })).toEqual([3]);
  expect(await cancel(desk.store, "OTHER234", { act, states: ["held"] })).toEqual([]);
});
