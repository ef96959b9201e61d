import { first, steps, type Limits, type ModelState, type Step } from "./shares-model.ts";

/** What must never be. */
export function breachOf({ durable, world }: ModelState, { lanes }: Limits): string | undefined {
  for (const [row, { state }] of durable.rows.entries()) {
    const [sent = 0, again = 0, taken = 0, settled = 0] = [world.sent, world.again, world.taken, world.settled].map(
      (times) => times[row] ?? 0,
    );
    if (taken > 1) return "a row was paid twice";
    if (sent > 1 + again + settled) return "a row left too often";
    if (state === "accepted" && taken === 0) return "a row counts as accepted, and was not taken";
  }
  const onTheirWay = durable.rows.filter(({ state, turn }) => state === "ready" && turn <= durable.mark).length;
  return onTheirWay > lanes ? "more rows are on their way than there are lanes" : undefined;
}

/** Rows as their hosts know them: turns count only beside each other. */
export function nameOfRows({ rows, mark }: ModelState["durable"]): unknown[] {
  const turns = rows.map(({ turn }) => turn).sort((one, other) => one - other);
  return rows.map(({ state, turn }) => (state === "ready" ? [turns.indexOf(turn), turn <= mark] : state));
}

/** Two states of one name go on alike: epochs count only beside each other, and which host is which does not. */
function nameOf({ durable, hosts, wire, ...rest }: ModelState): string {
  const of = (order: readonly number[]): string => {
    const known = order.map((at) => ({ ...hosts[at], epoch: hosts[at]?.epoch === durable.epoch }));
    const sent = wire.map(({ host, row }) => [order.indexOf(host), row]).sort();
    const owner = durable.owner === undefined ? "nobody" : order.indexOf(durable.owner);
    return JSON.stringify([nameOfRows(durable), owner, durable.isOver, known, sent, rest]);
  };
  const [one, other] = [of([0, 1]), of([1, 0])];
  return one < other ? one : other;
}

/** The way to a state: its last step, and the way before. */
export interface Way {
  readonly step: Step;
  readonly before?: Way | undefined;
}

/** All states that can be reached, the nearest first; `visit` gets each step. Gives the shortest way to a breach. */
export function explore(
  limits: Limits,
  visit: (from: ModelState, way: Way) => void = () => undefined,
): Way | undefined {
  const begin: { readonly state: ModelState; readonly way?: Way } = { state: first(limits) };
  const seen = new Set([nameOf(begin.state)]);
  for (let frontier = [begin]; frontier.length > 0;) {
    const next: typeof frontier = [];
    for (const { state, way: before } of frontier) {
      for (const step of steps(state, limits)) {
        const way = { step, before };
        if (breachOf(step.to, limits) !== undefined) return way;
        visit(state, way);
        const name = nameOf(step.to);
        if (seen.has(name)) continue;
        seen.add(name);
        next.push({ state: step.to, way });
      }
    }
    frontier = next;
  }
  return undefined;
}
