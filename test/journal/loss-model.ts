import type { Act, Durable, Host, Limits, ModelRow, ModelState, Step, Word } from "./loss-states.ts";
import { down, hostOf, withHost, withRow, withWitness, witnessOf } from "./loss-states.ts";

/**
 * A model of a journal that goes back to what it was (README §13): a standby that lagged takes over, or an older copy is put in
 * its place, at every moment; with hosts that let rows go, are killed, begin again, look at the server, and vouch; and with a
 * person who accepts. Fence and leases are `shares-model.ts`: here a host lets go one row at a time, each by a share of its own.
 *
 * Taken for granted: a host that the journal does not know to be here has looked before the wait for a lease is over;
 * and each host has looked before nobody is waited for any more after a server that only began again (`copy`).
 */
/** Commits that are lost at most. */
const LAG_MAX = 2;
const NOTHING: Word = { commits: 1, lineage: 0 };

export function first({ rows }: Limits): ModelState {
  const here = { commits: 1, isHere: true, vouchedFor: 0 };
  const host: Host = { isUp: true, looked: 0, lineage: 0, isSent: false, word: NOTHING, file: NOTHING };
  return {
    durable: {
      rows: Array.from({ length: rows }, () => ({ state: "ready" })),
      ...{ witness: [here, here], server: 0, isWaiting: false, isLost: false, lineage: 0 },
    },
    ...{
      past: [] as const,
      server: 0,
      hosts: [host, host],
      sent: new Array<number>(rows).fill(0),
      losses: 0,
      kills: 0,
    },
  };
}

export function breachOf({ sent }: ModelState): string | undefined {
  return sent.some((times) => times > 1) ? "a row left twice" : undefined;
}

/** What nothing goes for; undefined: rows go. */
export function gateOf(state: ModelState, { broken }: Pick<Limits, "broken">): string | undefined {
  const { durable, server } = state;
  if (durable.isLost) return "lost";
  if (durable.server !== server) return "other";
  return broken !== "vouching" && (durable.isWaiting || hasUnvouched(state)) ? "waits" : undefined;
}

/** A host that may be here has not looked at this server. */
const hasUnvouched = ({ durable, server }: ModelState): boolean =>
  durable.witness.some(({ isHere, vouchedFor }) => isHere && vouchedFor !== server);

export function* steps(state: ModelState, limits: Limits): Generator<Step> {
  for (const at of state.hosts.keys()) yield* stepsOf(at, state, limits);
  const { durable, past, hosts, losses, sent } = state;
  if (past) {
    const { came } = limits;
    for (const [back, older] of [durable, ...past].entries()) {
      const left = losses + 1 < limits.losses ? past.slice(back) : undefined;
      const to = { ...state, durable: older, past: left, server: state.server + 1, losses: losses + 1, came };
      yield { name: `${came}: ${back} commits are lost`, act: { do: "lose", back, came }, to };
    }
  }
  for (const [row, { state: is, owner }] of durable.rows.entries()) {
    const isQuiet = hosts.every((host) => host.row !== row || host.isSent);
    if (is === "going" && owner !== undefined && (hosts[owner]?.row !== row || durable.server !== state.server))
      yield to(state, `${row + 1} is taken over`, { do: "taken over", row }, withRow(durable, row, "unknown"));
    // the service's own books say that it was not taken
    if (is === "unknown" && isQuiet && sent[row] === 0)
      yield to(state, `${row + 1} goes again by a person`, { do: "settle", row }, withRow(durable, row, "ready"));
  }
  // whoever is not known to be here has looked, and what was let go before has left, or never will
  const isQuiet = hosts.every(
    ({ looked, row, isSent }, at) =>
      durable.witness[at]?.isHere === true || (looked === state.server && (row === undefined || isSent)),
  );
  if (durable.server === state.server && durable.isWaiting && isQuiet)
    yield to(state, "the wait is over", { do: "waited" }, { ...durable, isWaiting: false });
  if (state.came === "copy" && durable.server === state.server && hosts.every(({ tried }) => tried === state.server)) {
    const witness = durable.witness.map((one) => ({ ...one, vouchedFor: state.server }));
    yield to(
      state,
      "nobody is waited for any more",
      { do: "waited for nobody" },
      { ...durable, isWaiting: false, witness },
    );
  }
  if (durable.isLost || (durable.server === state.server && hasUnvouched(state))) yield accept(state, limits);
}

function* stepsOf(at: number, state: ModelState, limits: Limits): Generator<Step> {
  const { durable, server } = state;
  const host = hostOf(state, at);
  if (!host.isUp) {
    const { isHere, vouchedFor } = witnessOf(durable, at);
    // the others see that it says nothing more
    if (isHere && vouchedFor === server && durable.server === server)
      yield to(state, `${at} is silent`, { do: "silent", host: at }, withWitness(durable, at, { isHere: false }));
    yield { name: `${at} begins`, to: withHost(state, at, { isUp: true }) };
    return;
  }
  if (host.looked !== server) yield look(at, state, limits);
  if (host.row === undefined && host.looked === server && gateOf(state, limits) === undefined)
    for (const row of durable.rows.keys()) if (durable.rows[row]?.state === "ready") yield letGo(at, state, row);
  yield* afterCommit(at, state, limits);
  if (host.row === undefined) yield leave(at, state, limits);
  if (state.kills >= limits.kills) return;
  yield { name: `${at} is killed`, to: { ...down(state, at), kills: state.kills + 1 } };
}

/** Its file first, then the row; and then what became of it. */
function* afterCommit(at: number, state: ModelState, { broken }: Limits): Generator<Step> {
  const { durable } = state;
  const { row, isSent, word, file, looked } = hostOf(state, at);
  const isNoted = file.commits === word.commits && file.lineage === word.lineage;
  if (!isNoted && broken !== "witness" && (broken !== "order" || isSent || row === undefined))
    yield { name: `${at} notes`, act: { do: "note", host: at }, to: withHost(state, at, { file: word }) };
  if (row === undefined) return;
  if (!isSent && (isNoted || broken === "witness" || broken === "order")) {
    const sent = state.sent.map((times, one) => times + Number(one === row));
    yield { name: `${at} sends ${row + 1}`, to: { ...withHost(state, at, { isSent: true }), sent } };
  }
  if (isSent && isNoted && looked === state.server && gateOf(state, { ...(broken && { broken }) }) !== "other") {
    const isOurs = durable.rows[row]?.state === "going" && durable.rows[row].owner === at;
    const heard = withHost(state, at, { row: undefined, isSent: false });
    if (!isOurs) yield { name: `${at} has lost ${row + 1}`, to: heard };
    else
      yield borne(
        at,
        heard,
        `${at} hears of ${row + 1}`,
        { do: "accepted", host: at, row },
        withRow(durable, row, "accepted"),
      );
  }
}

/** At a start, and at each connection to a server that it has not seen: what is found is what the journal and its own file say. */
function look(at: number, state: ModelState, { broken, came }: Limits): Step {
  const { durable, server } = state;
  const { file, word, lineage = durable.lineage } = hostOf(state, at);
  const act = (says: "fine" | "lost" | "accepted"): Act => ({ do: "look", host: at, says });
  const tried = withHost(state, at, { tried: server });
  if (durable.isLost) return { name: `${at} is told of the loss`, act: act("lost"), to: down(tried, at) };
  const known = witnessOf(durable, at).commits;
  const isBehind =
    Math.max(lineage, file.lineage) > durable.lineage || (file.lineage === durable.lineage && known < file.commits);
  const isOther = came === "dump" && durable.server !== server;
  if (isBehind || isOther) {
    const written = broken === "written" ? durable : { ...durable, isLost: true };
    return to(down(tried, at), `${at} finds a loss`, act("lost"), written);
  }
  if (lineage < durable.lineage)
    return { name: `${at} hears that it was accepted`, act: act("accepted"), to: down(tried, at) };
  const isNew = durable.server !== server;
  const trusted = { ...durable, server, isWaiting: isNew || durable.isWaiting };
  const vouched = withWitness(trusted, at, { vouchedFor: server });
  // an answer of the server before that comes only now is none: it is asked again
  const isNoted = word.commits === file.commits && word.lineage === file.lineage;
  const host = {
    looked: server,
    tried: server,
    lineage,
    ...(isNoted || broken === "answer" ? {} : { row: undefined, word: file }),
  };
  return to(withHost(state, at, host), `${at} vouches`, act("fine"), vouched);
}

function letGo(at: number, state: ModelState, row: number): Step {
  const gone = withRow(state.durable, row, "going", at);
  const name = `${at} lets ${row + 1} go`;
  return borne(at, withHost(state, at, { row, isSent: false }), name, { do: "let go", host: at, row }, gone);
}

/** The commit counts, in its own transaction. */
function borne(at: number, state: ModelState, name: string, act: Act, durable: Durable): Step {
  const { lineage } = state.durable;
  const commits = witnessOf(durable, at).commits + 1;
  const vouchedFor = state.server;
  const step = to(state, name, act, withWitness(durable, at, { commits, isHere: true, vouchedFor }));
  return { ...step, to: withHost(step.to, at, { word: { commits, lineage }, lineage }) };
}

function leave(at: number, state: ModelState, { broken }: Limits): Step {
  const { durable, server } = state;
  const { vouchedFor } = witnessOf(durable, at);
  const isKnown = broken === "leave" || (vouchedFor === server && durable.server === server);
  const left = isKnown ? withWitness(durable, at, { isHere: false }) : durable;
  return to(down(state, at), `${at} ends`, { do: "leave", host: at }, left);
}

/** What may have left is unknown from then on. */
function accept(state: ModelState, { broken }: Limits): Step {
  const { durable, server } = state;
  const rows = durable.rows.map((row): ModelRow => {
    const isOpen = row.state === "ready" || row.state === "going";
    if (!isOpen) return row;
    return { state: broken === "unknown" && row.state === "ready" ? "ready" : "unknown" };
  });
  const witness = durable.witness.map((one) => ({ ...one, isHere: false, vouchedFor: server }));
  const accepted = { rows, witness, server, isWaiting: false, isLost: false, lineage: durable.lineage + 1 };
  return to(state, "a person accepts", { do: "accept" }, accepted);
}

function to(state: ModelState, name: string, act: Act, durable: Durable): Step {
  const isSame = JSON.stringify(durable) === JSON.stringify(state.durable);
  const past = state.past && [state.durable, ...state.past].slice(0, LAG_MAX);
  return { name, act, to: isSame ? state : { ...state, durable, past } };
}
