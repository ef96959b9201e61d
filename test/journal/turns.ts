/**
 * A model of turns and turn mark (README §3, §8): every order of commits, sends, answers, releases, clean stops and
 * crashes for a few rows and lanes. The last row is held until a person releases it.
 */
export interface ModelRow {
  readonly state: "ready" | "held" | "accepted" | "unknown";
  readonly turn: number;
}

interface AnswerOf {
  readonly row: number;
  readonly kind: "accepted" | "again";
}

export interface ModelState {
  /** What the journal holds. */
  readonly durable: { mark: number; nextTurn: number; rows: ModelRow[] };
  /** What the process knows: gone with it. `sent`: rows that left in this run and have no durable outcome. */
  readonly process: { isUp: boolean; mark: number; lanes: number[]; sent: number[]; answers: AnswerOf[] };
  /** What happened outside, row by row. */
  readonly world: { sent: number[]; again: number[]; taken: number[] };
  crashes: number;
  isReleased: boolean;
  hasCrashed: boolean;
}

export type Break = "mark" | "stop" | "release";

export interface Limits {
  readonly rows: number;
  readonly lanes: number;
  readonly crashes: number;
  /** A mistake to be found. */
  readonly broken?: Break;
}

/** What is done to the journal; the rest happens in the process and outside. */
export type Act =
  | { readonly do: "start"; readonly unknown: readonly number[] }
  | {
      readonly do: "commit";
      readonly answers: readonly AnswerOf[];
      readonly free: number;
      readonly leaving: readonly number[];
    }
  | { readonly do: "release" | "stop" | "crash" };

export interface Step {
  readonly name: string;
  readonly act?: Act;
  readonly to: ModelState;
}

export function first({ rows }: Limits): ModelState {
  const zeros = (): number[] => new Array<number>(rows).fill(0);
  return {
    durable: {
      mark: 0,
      nextTurn: rows + 1,
      rows: Array.from({ length: rows }, (_, at) => ({ state: at === rows - 1 ? "held" : "ready", turn: at + 1 })),
    },
    process: { isUp: false, mark: 0, lanes: [], sent: [], answers: [] },
    world: { sent: zeros(), again: zeros(), taken: zeros() },
    crashes: 0,
    isReleased: false,
    hasCrashed: false,
  };
}

/** Ready rows that did not leave in this run, in the order of their turns. */
function waiting({ durable, process }: ModelState): { readonly row: number; readonly turn: number }[] {
  return durable.rows
    .map(({ state, turn }, row) => ({ state, turn, row }))
    .filter(({ state, row }) => state === "ready" && !process.sent.includes(row))
    .sort((one, other) => one.turn - other.turn);
}

function count(times: number[], row: number): void {
  times[row] = (times[row] ?? 0) + 1;
}

function become({ durable }: ModelState, row: number, state: ModelRow["state"]): void {
  durable.rows[row] = { turn: 0, ...durable.rows[row], state };
}

function newTurn({ durable }: ModelState, row: number, turn?: number): void {
  durable.rows[row] = { state: "ready", turn: turn ?? durable.nextTurn++ };
}

const down = (): ModelState["process"] => ({ isUp: false, mark: 0, lanes: [], sent: [], answers: [] });

export function* steps(state: ModelState, limits: Limits): Generator<Step> {
  const { durable, process, world } = state;
  if (!process.isUp) {
    yield start(state);
    return;
  }
  const committed = commit(state, limits);
  if (committed) yield committed;
  const next = waiting(state)[0];
  if (next && next.turn <= process.mark && process.lanes.length < limits.lanes) {
    const to = structuredClone(state);
    to.process.lanes.push(next.row);
    to.process.sent.push(next.row);
    count(to.world.sent, next.row);
    yield { name: `send ${next.row + 1}`, to };
  }
  for (const row of process.lanes) {
    if (process.answers.some((one) => one.row === row)) continue;
    const taken = structuredClone(state);
    taken.process.answers.push({ row, kind: "accepted" });
    count(taken.world.taken, row);
    yield { name: `${row + 1} is accepted`, to: taken };
    if (world.again[row] !== 0) continue;
    const turnedAway = structuredClone(state);
    turnedAway.process.answers.push({ row, kind: "again" });
    count(turnedAway.world.again, row);
    yield { name: `${row + 1} gets 429`, to: turnedAway };
  }
  const last = limits.rows - 1;
  if (!state.isReleased && durable.rows[last]?.state === "held") {
    const to = { ...structuredClone(state), isReleased: true };
    newTurn(to, last, limits.broken === "release" ? limits.rows : undefined);
    yield { name: "release", act: { do: "release" }, to };
  }
  if (process.lanes.length === 0 && process.answers.length === 0) {
    const to = { ...structuredClone(state), process: down() };
    const kept = limits.broken === "stop" ? [] : waiting(state).filter(({ turn }) => turn <= durable.mark);
    for (const { row } of kept) newTurn(to, row);
    yield { name: "stop", act: { do: "stop" }, to };
  }
  if (state.crashes < limits.crashes) {
    const to = { ...structuredClone(state), process: down(), crashes: state.crashes + 1, hasCrashed: true };
    yield { name: "crash", act: { do: "crash" }, to };
  }
}

function start(state: ModelState): Step {
  const to = structuredClone(state);
  const { rows, mark } = to.durable;
  const unknown = rows.flatMap(({ state: is, turn }, row) => (is === "ready" && turn <= mark ? [row] : []));
  for (const row of unknown) become(to, row, "unknown");
  return {
    name: "start",
    act: { do: "start", unknown },
    to: { ...to, process: { ...down(), isUp: true, mark }, hasCrashed: false },
  };
}

/** Outcomes and the new mark in one act. */
function commit(state: ModelState, { lanes, broken }: Limits): Step | undefined {
  const to = structuredClone(state);
  const { durable, process } = to;
  const answers = process.answers;
  for (const { row, kind } of answers) {
    if (kind === "accepted") become(to, row, "accepted");
    else newTurn(to, row);
    if (kind === "again") process.sent = process.sent.filter((one) => one !== row);
    process.lanes = process.lanes.filter((one) => one !== row);
  }
  process.answers = [];
  const letGo = waiting(to).filter(({ turn }) => turn <= durable.mark).length;
  const free = Math.max(0, lanes - process.lanes.length - letGo + (broken === "mark" ? 1 : 0));
  const leaving = waiting(to)
    .filter(({ turn }) => turn > durable.mark)
    .slice(0, free);
  durable.mark = process.mark = leaving.at(-1)?.turn ?? durable.mark;
  if (answers.length + leaving.length === 0) return undefined;
  return { name: "commit", act: { do: "commit", answers, free, leaving: leaving.map(({ row }) => row) }, to };
}

/** What must never be, after this step. */
export function breachOf(from: ModelState, { act, to }: Step, { lanes }: Limits): string | undefined {
  const { durable, world } = to;
  for (const [row, { state }] of durable.rows.entries()) {
    const [sent = 0, again = 0, taken = 0] = [world.sent[row], world.again[row], world.taken[row]];
    if (sent > 1 + again) return `row ${row + 1} left ${sent} times`;
    if (taken > 1) return `row ${row + 1} was paid twice`;
    if (state === "accepted" && taken === 0) return `row ${row + 1} counts as accepted, and was not taken`;
  }
  if (act?.do !== "start") return undefined;
  if (act.unknown.length > lanes) return `${act.unknown.length} rows unknown by one crash, with ${lanes} lanes`;
  return act.unknown.length > 0 && !from.hasCrashed ? "a clean stop made a row unknown" : undefined;
}

/** A way from the first state on, and the state at its end. */
export interface Way {
  readonly steps: readonly Step[];
  readonly state: ModelState;
}

/**
 * All states that can be reached, the nearest first; `visit` gets each step that leads out of one. Gives the shortest way
 * to a breach.
 */
export function explore(limits: Limits, visit: (way: Way, step: Step) => void = () => undefined): Way | undefined {
  const begin: Way = { steps: [], state: first(limits) };
  const seen = new Set([JSON.stringify(begin.state)]);
  for (let frontier = [begin]; frontier.length > 0;) {
    const next: Way[] = [];
    for (const way of frontier) {
      for (const step of steps(way.state, limits)) {
        const longer = { steps: [...way.steps, step], state: step.to };
        if (breachOf(way.state, step, limits) !== undefined) return longer;
        visit(way, step);
        const name = JSON.stringify(step.to);
        if (seen.has(name)) continue;
        seen.add(name);
        if (step.to.durable.nextTurn < limits.rows + 6) next.push(longer);
      }
    }
    frontier = next;
  }
  return undefined;
}
