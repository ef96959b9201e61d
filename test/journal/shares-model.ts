/**
 * A model of one share and the hosts that send it (README §13): every order of claims, commits, lost answers, sends,
 * refusals of the server, answers, ends, kills, leases that are over, takeovers, and a person who settles a row as not done.
 */
export interface ModelRow {
  readonly state: "ready" | "accepted" | "unknown";
  readonly turn: number;
}

export interface AnswerOf {
  readonly row: number;
  readonly kind: "accepted" | "again";
}

/** What a commit says: the same when it is said again. */
export interface Said {
  readonly answers: readonly AnswerOf[];
  readonly free: number;
}

interface Host {
  /** It holds the share, or believes so. */
  isUp: boolean;
  epoch: number;
  /** The guard: its last commit began a short while ago. A lease is never over before the guard is. */
  isFresh: boolean;
  /** Rows on the wire whose answers it waits for, or has. */
  lanes: number[];
  answers: AnswerOf[];
  /** Rows that commits let go and that have not left yet. */
  letGo: number[];
  /** A commit without an answer. `isDone`: the database made it, and only its answer was lost. */
  asked?: (Said & { readonly isDone: boolean; readonly leaving: readonly number[] }) | undefined;
  /** The server refused a commit: what came back is saved if it can be, and the share is left to its lease (I15). */
  isRefused?: boolean | undefined;
}

export interface ModelState {
  /** What the database holds. `isOver`: the lease, by its clock. */
  readonly durable: {
    epoch: number;
    owner?: number;
    isOver: boolean;
    mark: number;
    nextTurn: number;
    rows: ModelRow[];
  };
  readonly hosts: readonly Host[];
  /** Requests on the wire, and what happened outside, row by row. */
  readonly wire: { readonly host: number; readonly row: number }[];
  readonly world: { sent: number[]; again: number[]; taken: number[]; settled: number[] };
  faults: number;
}

/**
 * `again`: a commit that is said again is made again; `renew`: it keeps a lease that is over; `end`: a share is ended after a
 * refusal.
 */
export type Break = "fence" | "guard" | "settle" | "take" | "again" | "renew" | "end";

export interface Limits {
  readonly rows: number;
  readonly lanes: number;
  /** Kills, 429s, refusals, and commits without an answer. */
  readonly faults: number;
  /** A mistake to be found. */
  readonly broken?: Break;
}

/** What is done to the database; the rest happens in the hosts and outside. */
export type Act =
  | { readonly do: "claim"; readonly host: number; readonly epoch: number }
  | { readonly do: "take over"; readonly unknown: readonly number[] }
  | {
      readonly do: "commit" | "commit again";
      readonly host: number;
      readonly epoch: number;
      readonly said: Said;
      /** undefined: it is fenced. */
      readonly leaving?: readonly number[];
    }
  | { readonly do: "end"; readonly host: number; readonly epoch: number; readonly isHeld: boolean }
  | { readonly do: "lease over" }
  | { readonly do: "settle"; readonly row: number };

export interface Step {
  readonly name: string;
  readonly act?: Act;
  readonly to: ModelState;
}

const away = (): Host => ({ isUp: false, epoch: 0, isFresh: false, lanes: [], answers: [], letGo: [] });

export function first({ rows }: Limits): ModelState {
  const zeros = (): number[] => new Array<number>(rows).fill(0);
  return {
    durable: {
      ...{ epoch: 0, isOver: false, mark: 0, nextTurn: rows + 1 },
      rows: Array.from({ length: rows }, (_, at) => ({ state: "ready", turn: at + 1 })),
    },
    hosts: [away(), away()],
    wire: [],
    world: { sent: zeros(), again: zeros(), taken: zeros(), settled: zeros() },
    faults: 0,
  };
}

export function* steps(state: ModelState, limits: Limits): Generator<Step> {
  for (const at of state.hosts.keys()) yield* stepsOf(at, state, limits);
  for (const at of state.wire.keys()) yield* answers(at, state, limits);
  const { durable, wire, world } = state;
  if (durable.owner !== undefined && !durable.isOver) {
    const to = copyOf(state);
    to.durable.isOver = true;
    if (limits.broken !== "guard") hostOf(to, durable.owner).isFresh = false;
    yield { name: "the lease is over", act: { do: "lease over" }, to };
  }
  if (durable.owner !== undefined && (durable.isOver || limits.broken === "take")) yield takeOver(state);
  // after guard and timeout are over, and the service's own books say that it was not taken
  for (const [row, { state: is }] of durable.rows.entries()) {
    const isQuiet = limits.broken === "settle" || !wire.some((one) => one.row === row);
    if (is !== "unknown" || !isQuiet || world.taken[row] !== 0 || world.settled[row] !== 0) continue;
    const to = copyOf(state);
    count(to.world.settled, row);
    newTurn(to, row);
    yield { name: `${row + 1} is settled as not done, and goes again`, act: { do: "settle", row }, to };
  }
}

function* stepsOf(at: number, state: ModelState, limits: Limits): Generator<Step> {
  const host = hostOf(state, at);
  const { durable } = state;
  if (!host.isUp) {
    if (durable.owner !== undefined || !durable.rows.some((row) => row.state === "ready")) return;
    const to = copyOf(state);
    const epoch = durable.epoch + 1;
    Object.assign(to.durable, { epoch, owner: at, isOver: false });
    Object.assign(hostOf(to, at), { isUp: true, epoch });
    yield { name: `host ${at} claims`, act: { do: "claim", host: at, epoch }, to };
    return;
  }
  if (host.isRefused) {
    yield* refused(at, state, limits);
    return;
  }
  if (host.asked) yield commit(at, state, host.asked, limits);
  else yield* newCommits(at, state, limits);
  const [row] = host.letGo;
  if (row !== undefined && (host.isFresh || limits.broken === "guard")) {
    const to = copyOf(state);
    hostOf(to, at).letGo.shift();
    hostOf(to, at).lanes.push(row);
    to.wire.push({ host: at, row });
    count(to.world.sent, row);
    yield { name: `host ${at} sends ${row + 1}`, to };
  }
  if (host.lanes.length === 0 && !host.asked) yield end(at, state);
  if (state.faults >= limits.faults) return;
  const to = copyOf(state);
  to.faults += 1;
  forget(to, at);
  yield { name: `host ${at} is killed`, to };
}

/** Nothing more goes. What it hears yet it may save before it leaves the share. */
function* refused(at: number, state: ModelState, limits: Limits): Generator<Step> {
  const { answers: heard } = hostOf(state, at);
  if (heard.length > 0) yield commit(at, state, { answers: heard, free: 0 }, limits);
  if (limits.broken === "end") yield end(at, state);
  const to = copyOf(state);
  forget(to, at);
  yield { name: `host ${at} leaves the share to its lease`, to };
}

/** Its answer comes, or is lost, or it is refused, or it never came to the database. */
function* newCommits(at: number, state: ModelState, limits: Limits): Generator<Step> {
  const { answers: heard, lanes, letGo, isFresh } = hostOf(state, at);
  const said = { answers: heard, free: limits.lanes - lanes.length + heard.length - letGo.length };
  const step = commit(at, state, said, limits);
  const leaving = step.act?.do === "commit" ? step.act.leaving : undefined;
  if (heard.length === 0 && leaving?.length === 0 && isFresh) return;
  yield step;
  if (state.faults >= limits.faults || !leaving) return;
  const no = copyOf(state);
  no.faults += 1;
  hostOf(no, at).isRefused = true;
  yield { name: `host ${at} commits, and is refused`, to: no };
  for (const isDone of [true, false]) {
    const to = copyOf(state);
    to.faults += 1;
    if (isDone) Object.assign(to.durable, copyOf(step.to).durable);
    const host = hostOf(to, at);
    // what comes now is told by the next one
    host.lanes = host.lanes.filter((row) => !heard.some((one) => one.row === row));
    Object.assign(host, { answers: [], asked: { ...said, isDone, leaving } });
    const name = `host ${at} commits, ${isDone ? "and hears no answer" : "and the database never hears of it"}`;
    yield isDone && step.act ? { name, act: step.act, to } : { name, to };
  }
}

/** Outcomes and the new mark in one act, where the host still holds the share; once, however often it is said. */
function commit(at: number, state: ModelState, said: Said & Partial<Host["asked"]>, { broken }: Limits): Step {
  const to = copyOf(state);
  const { durable } = to;
  const host = hostOf(to, at);
  const word = said.isDone === true ? "commit again" : "commit";
  const act = { do: word, host: at, epoch: host.epoch, said: { answers: said.answers, free: said.free } } as const;
  if (broken !== "fence" && !holds(state, at)) {
    forget(to, at);
    return { name: `host ${at} is fenced`, act, to };
  }
  const isRenewed = broken !== "renew" || said.isDone !== true;
  let leaving = said.leaving ?? [];
  if (said.isDone !== true || broken === "again") {
    for (const { row, kind } of said.answers) {
      if (kind === "again") newTurn(to, row);
      else if (durable.rows[row]?.state === "ready") durable.rows[row] = { ...durable.rows[row], state: "accepted" };
    }
    const next = ready(to)
      .filter(({ turn }) => turn > durable.mark)
      .slice(0, Math.max(0, said.free));
    durable.mark = next.at(-1)?.turn ?? durable.mark;
    leaving = next.map(({ row }) => row);
  }
  if (isRenewed) durable.isOver = false;
  if (!host.asked) {
    host.lanes = host.lanes.filter((row) => !said.answers.some((one) => one.row === row));
    host.answers = [];
  }
  Object.assign(host, { asked: undefined, isFresh: true, letGo: [...host.letGo, ...leaving] });
  return {
    name: `host ${at} ${said.isDone === undefined ? "commits" : "commits again"}`,
    act: { ...act, leaving },
    to,
  };
}

/** With a word: what was let go and did not leave gets new turns. */
function end(at: number, state: ModelState): Step {
  const to = copyOf(state);
  const isHeld = holds(state, at);
  if (isHeld) {
    for (const { row, turn } of ready(state)) if (turn <= state.durable.mark) newTurn(to, row);
    delete to.durable.owner;
    to.durable.isOver = false;
  }
  forget(to, at);
  return { name: `host ${at} ends`, act: { do: "end", host: at, epoch: hostOf(state, at).epoch, isHeld }, to };
}

function takeOver(state: ModelState): Step {
  const to = copyOf(state);
  const { durable } = to;
  const lost = ready(state).filter(({ turn }) => turn <= durable.mark);
  for (const { row, turn } of lost) durable.rows[row] = { state: "unknown", turn };
  const unknown = lost.map(({ row }) => row).sort((one, other) => one - other);
  durable.epoch += 1;
  delete durable.owner;
  durable.isOver = false;
  return { name: "the share is taken over", act: { do: "take over", unknown }, to };
}

/** The service takes a row, or turns it away; whoever sent it hears of it, or is gone. What nobody waits for may be lost. */
function* answers(at: number, state: ModelState, { faults }: Limits): Generator<Step> {
  const { host, row } = state.wire[at] ?? { host: 0, row: 0 };
  const isHeard = hostOf(state, host).lanes.includes(row);
  const answered = (kind?: AnswerOf["kind"]): ModelState => {
    const to = copyOf(state);
    to.wire.splice(at, 1);
    if (kind && isHeard) hostOf(to, host).answers.push({ row, kind });
    if (kind) count(kind === "accepted" ? to.world.taken : to.world.again, row);
    if (kind === "again") to.faults += 1;
    return to;
  };
  yield { name: `${row + 1} of host ${host} is accepted`, to: answered("accepted") };
  if (!isHeard) yield { name: `${row + 1} of host ${host} is lost`, to: answered() };
  else if (state.faults < faults) yield { name: `${row + 1} of host ${host} gets 429`, to: answered("again") };
}

/** Many times as fast as `structuredClone`, and there are a million. */
function copyOf({ durable, hosts, wire, world, faults }: ModelState): ModelState {
  return {
    durable: { ...durable, rows: [...durable.rows] },
    hosts: hosts.map((host) => ({
      ...host,
      lanes: [...host.lanes],
      answers: [...host.answers],
      letGo: [...host.letGo],
    })),
    wire: [...wire],
    world: { sent: [...world.sent], again: [...world.again], taken: [...world.taken], settled: [...world.settled] },
    faults,
  };
}

function hostOf({ hosts }: ModelState, at: number): Host {
  const host = hosts[at];
  if (!host) throw new Error(`there is no host ${at}`);
  return host;
}

function holds(state: ModelState, at: number): boolean {
  return state.durable.owner === at && state.durable.epoch === hostOf(state, at).epoch;
}

/** What a host knew is gone; its requests stay on the wire. */
function forget(state: ModelState, at: number): void {
  Object.assign(hostOf(state, at), { ...away(), asked: undefined, isRefused: undefined });
}

/** In the order of their turns. */
function ready({ durable }: ModelState): { readonly row: number; readonly turn: number }[] {
  const all = durable.rows.map(({ state, turn }, row) => ({ state, turn, row }));
  return all.filter(({ state }) => state === "ready").sort((one, other) => one.turn - other.turn);
}

function newTurn({ durable }: ModelState, row: number): void {
  durable.rows[row] = { state: "ready", turn: durable.nextTurn++ };
}

function count(times: number[], row: number): void {
  times[row] = (times[row] ?? 0) + 1;
}
