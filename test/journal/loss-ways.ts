import { breachOf, first, steps } from "./loss-model.ts";
import type { Durable, Limits, ModelState, Step } from "./loss-states.ts";

/** The way to a state: its last step, and the way before. */
export interface Way {
  readonly step: Step;
  readonly before?: Way | undefined;
}

export function stepsOf(way: Way): Step[] {
  const all: Step[] = [];
  for (let at: Way | undefined = way; at; at = at.before) all.unshift(at.step);
  return all;
}

const ORDERS = [
  [0, 1],
  [1, 0],
] as const;
/** They are shared by many states. */
const named = new WeakMap<Durable, readonly string[]>();

/** Of the database, with its hosts in one order and in the other. */
function namesOf(durable: Durable): readonly string[] {
  let names = named.get(durable);
  if (names) return names;
  const { rows, witness, ...rest } = durable;
  names = ORDERS.map((order) => {
    const held = rows.map(({ state, owner }) => `${state}${owner === undefined ? "" : order.indexOf(owner as 0 | 1)}`);
    return JSON.stringify([held, order.map((at) => witness[at]), rest]);
  });
  named.set(durable, names);
  return names;
}

/** Which host is which does not count. */
export function nameOf({ durable, past, hosts, ...rest }: ModelState): string {
  const [one = "", other = ""] = ORDERS.map((order, at) => {
    const before = past?.map((older) => namesOf(older)[at]);
    return `${namesOf(durable)[at]}${before?.join("")}${JSON.stringify([order.map((host) => hosts[host]), rest])}`;
  });
  return one < other ? one : other;
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
        if (breachOf(step.to) !== undefined) return way;
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
