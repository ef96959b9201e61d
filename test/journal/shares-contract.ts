import fc from "fast-check";
import { expect, test } from "vitest";
import { freshDatabase } from "../support/postgres.ts";
import { first, steps, type Act, type Break, type Limits, type ModelState, type Step } from "./shares-model.ts";
import { breachOf, explore, nameOfRows, type Way } from "./shares-ways.ts";
import { Shares, type Held } from "./shares.ts";

const ONE_LANE: Limits = { rows: 2, lanes: 1, faults: 1 };
/** Too many states to go through them all: walks by chance. */
const TWO_LANES: Limits = { rows: 4, lanes: 2, faults: 4 };

/** The functions in the database do what the model says, in every state of the database that the model reaches. */
export function letsRowsGoByShares(): void {
  let found: Step[][] | undefined;
  const ways = (): Step[][] => (found ??= waysThrough(ONE_LANE));

  test.each<[Break, string]>([
    ["fence", "more rows are on their way than there are lanes"],
    ["guard", "a row was paid twice"],
    ["settle", "a row was paid twice"],
    ["take", "a row was paid twice"],
    ["again", "more rows are on their way than there are lanes"],
    ["renew", "a row was paid twice"],
    ["end", "a row left too often"],
  ])("a model in which the %s is wrong → the breach is found", (broken, breach) => {
    const limits = { ...ONE_LANE, broken };
    const way = explore(limits);
    expect(way && breachOf(way.step.to, limits)).toBe(breach);
  });

  test("every order of acts → the database does as the model", async () => {
    expect(ways().length).toBeGreaterThan(100);
    const shares = await Shares.create(await freshDatabase());
    for (const [at, way] of ways().entries()) await follow(shares, `WAY${at}`, way, ONE_LANE);
  });

  test("long walks by chance → the database does as the model", async () => {
    const shares = await Shares.create(await freshDatabase());
    let walks = 0;
    const choices = fc.array(fc.nat(), { minLength: 80, maxLength: 80 });
    const walk = fc.asyncProperty(choices, (all) =>
      follow(shares, `WALK${++walks}`, walkOf(all, TWO_LANES), TWO_LANES),
    );
    await fc.assert(walk, { numRuns: 40 });
  });

  test.each<[string, string, string]>([
    ["asks for no epoch", "AND s.epoch = x.epoch AND s.owner = me", ""],
    ["makes a commit twice", "s.commitNo < x.no AS isNew", "true AS isNew"],
    ["lets go one row more", "THEN greatest(h.free, 0)", "THEN h.free + 1"],
    ["takes over what is held", "s.leaseUntil < clock_timestamp()", "true"],
    ["takes over by the old epoch", "SET epoch = s.epoch + 1, owner = NULL", "SET owner = NULL"],
    ["forgets what was on its way", "'to', 'unknown'", "'to', 'ready'"],
    ["keeps the turns at an end", "IF left_rows IS NOT NULL", "IF false"],
    ["gives a share that is held", "AND s.owner IS NULL\n", "\n"],
  ])("a database that %s → is found", async (_, right, wrong) => {
    const shares = await Shares.create(await freshDatabase(), (sql) => {
      expect(sql).toContain(right);
      return sql.replaceAll(right, wrong);
    });
    const followAll = async (): Promise<void> => {
      for (const [at, way] of ways().entries()) await follow(shares, `WAY${at}`, way, ONE_LANE);
    };
    await expect(followAll()).rejects.toThrow(/deeply equal|to be|not on its way/);
  });
}

/** The shortest way to each state of the database, with each act that is done in it: what it does hangs on nothing else. */
function waysThrough(limits: Limits): Step[][] {
  const ways = new Map<string, Way>();
  const breach = explore(limits, (from, way) => {
    const { act } = way.step;
    const name = act && JSON.stringify([nameOfRows(from.durable), from.durable.isOver, nameOfAct(from, act)]);
    if (name !== undefined && !ways.has(name)) ways.set(name, way);
  });
  expect(breach).toBeUndefined();
  // what leads to others is followed with them
  const followed = new Set<Step>();
  const longestFirst = [...ways.values()].map(stepsOf).sort((one, other) => other.length - one.length);
  return longestFirst.filter((way) => {
    const isNew = way.slice(-1).some((step) => !followed.has(step));
    for (const step of way) followed.add(step);
    return isNew;
  });
}

function stepsOf(way: Way): Step[] {
  const all: Step[] = [];
  for (let at: Way | undefined = way; at; at = at.before) all.unshift(at.step);
  return all;
}

/** Which host does it counts only beside who holds the share. */
function nameOfAct({ durable }: ModelState, act: Act): unknown {
  if (!("host" in act)) return act;
  return {
    ...act,
    host: durable.owner === undefined || act.host === durable.owner,
    epoch: act.epoch === durable.epoch,
  };
}

function walkOf(choices: readonly number[], limits: Limits): Step[] {
  const walk: Step[] = [];
  for (const choice of choices) {
    const all = [...steps(walk.at(-1)?.to ?? first(limits), limits)];
    const step = all[choice % all.length];
    if (!step) break;
    expect(breachOf(step.to, limits)).toBeUndefined();
    walk.push(step);
  }
  return walk;
}

/** Does to a share of the database what the model does to its own, and compares them after each act. */
async function follow(shares: Shares, id: string, way: readonly Step[], { rows, lanes }: Limits): Promise<void> {
  const seq = await shares.batch(id, rows, 1, id);
  const one = { batch: seq, share: 0 };
  /** Of each epoch the number of its last commit. */
  const said = new Map<number, number>();
  const heldBy = (host: number, epoch: number): Held => ({
    ...one,
    me: `host ${host}`,
    id,
    epoch,
    lanes,
    proven: false,
  });
  for (const { act, to } of way) {
    if (!act) continue;
    if (act.do === "claim") {
      const held = await shares.claim(`host ${act.host}`, { batch: id, here: id, lanes });
      expect(held?.epoch).toBe(act.epoch);
    } else if (act.do === "commit" || act.do === "commit again") {
      const no = (said.get(act.epoch) ?? 0) + Number(act.do === "commit");
      said.set(act.epoch, no);
      const outcomes = act.said.answers.map(
        ({ row, kind }) => ({ row: row + 1, to: kind === "again" ? "ready" : kind }) as const,
      );
      const answer = await shares.commit(heldBy(act.host, act.epoch), no, outcomes, act.said.free);
      expect(answer?.leaving.map(({ row }) => row - 1)).toEqual(act.leaving);
    } else if (act.do === "take over") {
      const unknown = (await shares.takeOver()).filter(({ batch }) => batch === id).map(({ row }) => row - 1);
      expect(unknown).toEqual(act.unknown);
    } else if (act.do === "end") {
      expect(await shares.end(heldBy(act.host, act.epoch))).toBe(act.isHeld);
    } else if (act.do === "settle") {
      await shares.move(seq, [act.row + 1], ["unknown"], "settled_not_done");
      expect(await shares.move(seq, [act.row + 1], ["settled_not_done"], "ready")).toEqual([act.row + 1]);
    } else await shares.leaseIsOver(one);
    expect(await shares.ask(FOUND, seq)).toEqual([shown(to.durable)]);
  }
  await refuses(shares, id, way.at(-1)?.to.durable);
}

/** What the model never does, for it must not be done. */
async function refuses(shares: Shares, id: string, durable?: ModelState["durable"]): Promise<void> {
  if (durable?.owner === undefined) return;
  expect(await shares.claim("another host", { batch: id, here: id })).toBeUndefined();
  if (!durable.isOver) expect((await shares.takeOver()).filter(({ batch }) => batch === id)).toEqual([]);
  expect(await shares.ask("SELECT s.owner FROM share s JOIN batch b ON b.seq = s.batch WHERE b.id = $1", id)).toEqual([
    { owner: `host ${durable.owner}` },
  ]);
}

const FOUND = `SELECT s.epoch, s.owner, s.mark, s.nextTurn, s.owner IS NOT NULL AND s.leaseUntil < clock_timestamp() AS isOver,
    (SELECT json_agg(json_build_object('state', r.state, 'turn', r.turn) ORDER BY r.row) FROM rows r WHERE r.batch = s.batch) AS rows
  FROM share s WHERE s.batch = $1`;

function shown({ owner, rows, ...durable }: ModelState["durable"]): unknown {
  return { ...durable, owner: owner === undefined ? null : `host ${owner}`, rows };
}
