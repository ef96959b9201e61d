import { expect, test } from "vitest";
import type { Commit, JournalStore } from "../../src/journal/store.ts";
import { act, ASHA, newRow, NOW, opened, outcome, type OpenTestJournal, type TestJournal } from "./stores.ts";
import { breachOf, explore, type Break, type Limits, type ModelState, type Step } from "./turns.ts";
import { commitTo } from "../support/commit.ts";

export const TWO_LANES: Limits = { rows: 3, lanes: 2, crashes: 1 };
export const ONE_LANE: Limits = { rows: 3, lanes: 1, crashes: 1 };

type Durable = ModelState["durable"];
/** A store with a mistake in one of its calls. */
type Broken = (store: JournalStore) => Partial<JournalStore>;

/** The store does what the model says, in every state of the journal that the model reaches. */
export function letsRowsGoByTurns(open: OpenTestJournal, followed: readonly Limits[] = [TWO_LANES, ONE_LANE]): void {
  test.each<[Break, string]>([
    ["mark", "3 rows unknown by one crash, with 2 lanes"],
    ["stop", "a clean stop made a row unknown"],
    ["release", "3 rows unknown by one crash, with 2 lanes"],
  ])("a model in which the %s is wrong → the breach is found", (broken, breach) => {
    const limits = { ...TWO_LANES, broken };
    const way = explore(limits);
    const [before, last] = [way?.steps.at(-2)?.to, way?.steps.at(-1)];
    expect(before && last && breachOf(before, last, limits)).toBe(breach);
  });

  test.each(followed)("every order of acts, $lanes lanes → the store does as the model", async (limits) => {
    const ways = waysThrough(limits);
    expect(ways.length).toBeGreaterThan(100);
    const journal = await open();
    for (const [at, way] of ways.entries()) await follow(journal, `WAY${at}`, way, limits);
  });

  test.each<[string, Broken]>([
    [
      "lets go more rows than lanes are free",
      (store) => ({ commit: (all) => store.commit(all.map((one) => ({ ...one, freeLanes: one.freeLanes + 1 }))) }),
    ],
    [
      "keeps the turns of rows that did not leave",
      (store) => ({ commit: (all) => store.commit(all.map(withoutAgain)) }),
    ],
    [
      "forgets an outcome",
      (store) => ({ commit: (all) => store.commit(all.map((one) => ({ ...one, outcomes: [] }))) }),
    ],
    ["recovers nothing", () => ({ recover: () => Promise.resolve({ unknown: [] }) })],
  ])("a store that %s → is found", async (_, broken) => {
    const journal = await open();
    const followAll = async (): Promise<void> => {
      for (const [at, way] of waysThrough(ONE_LANE).entries()) await follow(journal, `WAY${at}`, way, ONE_LANE, broken);
    };
    await expect(followAll()).rejects.toThrow(/deeply equal|not on its way/);
  });
}

/** The shortest way to each state of the journal, with each act that is done in it: what the store does hangs on nothing else. */
function waysThrough(limits: Limits): Step[][] {
  const ways = new Map<string, Step[]>();
  const breach = explore(limits, (way, step) => {
    const name = step.act && JSON.stringify([shown(way.state.durable), order(way.state.durable), step.act]);
    if (name !== undefined && !ways.has(name))
      ways.set(
        name,
        [...way.steps, step].filter(({ act: done }) => done),
      );
  });
  expect(breach).toBeUndefined();
  // what leads to others is followed with them
  const followed = new Set<string>();
  const longestFirst = [...ways.values()].sort((one, other) => other.length - one.length);
  return longestFirst.filter((way) => {
    const acts = way.map(({ act: done }) => JSON.stringify(done));
    const isNew = !followed.has(acts.join());
    for (const end of acts.keys()) followed.add(acts.slice(0, end + 1).join());
    return isNew;
  });
}

/** Does to the store what the model does to its journal, and compares them after each act. */
async function follow(
  journal: TestJournal,
  id: string,
  way: readonly Step[],
  { rows }: Limits,
  broken: Broken = () => ({}),
): Promise<void> {
  const made = Array.from({ length: rows }, (_, at) =>
    newRow(at + 1, `${id} ${at}`, { state: at === rows - 1 ? "held" : "ready" }),
  );
  await opened(journal.store, id, made);
  let run = 0;
  let before: Durable | undefined;
  for (const { act: done, to } of way) {
    const store = { ...journal.store, ...broken(journal.store) };
    if (done?.do === "start") {
      const { unknown } = await store.recover(ASHA);
      expect(unknown.filter(({ batch }) => batch === id).map(({ row }) => row - 1)).toEqual(done.unknown);
      run = await store.beginRun(id, ASHA, NOW);
    } else if (done?.do === "commit") {
      const outcomes = done.answers.map(({ row, kind }) => outcome(row + 1, kind));
      const { leaving } = await commitTo(store, id, outcomes, done.free);
      expect(leaving.map(({ row }) => row - 1)).toEqual(done.leaving);
    } else if (done?.do === "release") {
      const held = [{ row: rows, to: "ready", from: ["held"] }] as const;
      expect(await store.judging(() => store.move(id, held, act("release")))).toEqual([rows]);
    } else if (done?.do === "stop") {
      // rows that were let go and did not leave: their lanes say so
      const again = before ? order(before).filter(isOnItsWay(before)) : [];
      const outcomes = again.map((row) => outcome(row + 1, "again"));
      if (again.length > 0) await commitTo(store, id, outcomes, 0);
      await store.endRun(run, { endedAt: NOW, exitCode: 7, requests: 0 });
    } else await journal.crash();
    const found = (await journal.store.rows({ batch: id })).map(({ state, onItsWay }) =>
      onItsWay ? "on its way" : state,
    );
    expect(found).toEqual(shown(to.durable));
    before = to.durable;
  }
}

const withoutAgain = (one: Commit): Commit => ({
  ...one,
  outcomes: one.outcomes.filter(({ state }) => state !== "again"),
});

const isOnItsWay =
  ({ rows, mark }: Durable) =>
  (at: number): boolean =>
    rows[at]?.state === "ready" && rows[at].turn <= mark;

function shown({ rows, mark }: Durable): string[] {
  return rows.map(({ state, turn }) => (state === "ready" && turn <= mark ? "on its way" : state));
}

/** In which order the ready rows have their turns. */
function order({ rows }: Durable): number[] {
  const ready = rows.map(({ state, turn }, row) => ({ state, turn, row })).filter(({ state }) => state === "ready");
  return ready.sort((one, other) => one.turn - other.turn).map(({ row }) => row);
}
