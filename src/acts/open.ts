import pLimit from "p-limit";
import { hostname, userInfo } from "node:os";
import type { Work } from "../batch.ts";
import { loadSettings, type Sources } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { Secrets } from "../config/secret.ts";
import { DAY_MS, minuteOf } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { faultPoint } from "../fault-point.ts";
import { sinceWhen } from "../monitor/server-watch.ts";
import { openJournalOf } from "../open-journal.ts";
import { flagsAgain } from "../screen/look.ts";
import { isLocked, takeInstanceLock } from "../sqlite/lock.ts";
import type { JournalStore, OtherHosts, Who } from "../journal/store.ts";
import { ACTED } from "../messages/acts.ts";
import { told, toldLines } from "../messages/sentence.ts";
import { REJECTED_FOR } from "../submission/again.ts";
import { SharedPace } from "../submission/pace.ts";
import type { ShareQueue } from "../submission/queue.ts";
import { Shared } from "../submission/shared.ts";
import { nameSaid, type Open } from "./act.ts";

export interface OpenedWork extends Work {
  close(): Promise<void>;
}

export interface Surroundings extends Partial<
  Pick<Work, "signals" | "tell" | "confirm" | "unmarked" | "now" | "isTrial" | "sight">
> {
  /** Many rows are expected: the journal gets a thread of its own. */
  readonly isLarge?: boolean;
}

/**
 * `send` takes the instance lock (I9; PaydropError `locked`) and turns rows that were on their way when an earlier process
 * ended into unknown ones (I4); `act` and `read` work beside a process that sends.
 */
export type Mode = "send" | "act" | "read";

export async function openWork(
  config: Config,
  secrets: Secrets = {},
  mode: Mode = "read",
  { isLarge = false, isTrial = false, signals, tell, confirm, unmarked, sight, now }: Surroundings = {},
): Promise<OpenedWork> {
  const isSender = mode === "send";
  // hosts of one journal send beside each other, each what it has claimed
  const lock = isSender && !config.shared ? takeInstanceLock(config.state_dir) : undefined;
  try {
    const who = whoIs(config);
    const lossAcceptedBy = isSender && config.accept_lost_journal ? who : undefined;
    const sending: { shared?: Shared } = {};
    // a person's act waits for nothing: they do it again
    const isPatient = isSender && signals !== undefined;
    const waiting = { signals, isPatient, sight, isBusy: () => (sending.shared?.onTheWire ?? 0) > 0 };
    const store = await openJournalOf(config, {
      isSender,
      inThread: isLarge,
      lossAcceptedBy,
      rejectedFor: REJECTED_FOR,
      waiting,
    });
    if (isSender) {
      faultPoint("recovery.begun");
      await store.recover(who);
      faultPoint("recovery.done");
    }
    // the address of a sandbox changes from run to run, and says nothing
    const destination = isTrial ? "sandbox" : (config.base_url ?? "");
    const shared = (sending.shared = sharedOf(config, secrets, store, destination));
    const { others } = store.hosts;
    const queue = others && isSender ? await queueBeside(others, destination) : undefined;
    return {
      ...{ config, store, who, shared, isTrial, confirm, unmarked, sight },
      now: now ?? (() => store.now()),
      ...{ destination, queue },
      signals: signals ?? { soft: NEVER, hard: NEVER },
      tell: tell ?? (() => undefined),
      inTurn: turnsByName(),
      async close() {
        await queue?.close();
        await shared.close();
        await store.close();
        lock?.release();
      },
    };
  } catch (thrown) {
    lock?.release();
    throw sinceWhen(thrown, config.state_dir);
  }
}

function turnsByName(): Work["inTurn"] {
  const turns = new Map<string, ReturnType<typeof pLimit>>();
  return (name, work) => {
    const turn = turns.get(name) ?? pLimit(1);
    turns.set(name, turn);
    return turn(work).finally(() => {
      if (turn.activeCount + turn.pendingCount === 0) turns.delete(name);
    });
  };
}

/** Says that the clock disagrees with the journal, where it does. */
export async function clockText(store: Pick<JournalStore, "facts" | "now">): Promise<string | undefined> {
  const [now, { lastAt }] = [store.now(), await store.facts()];
  if (lastAt <= now + DAY_MS) return undefined;
  return toldLines(told(ACTED.clock_behind, { now: minuteOf(now), seen: minuteOf(lastAt) }));
}

/** Loaded, with what it needs of the journal, where several hosts share one. */
async function queueBeside(others: OtherHosts, destination: string): Promise<ShareQueue> {
  const { shareQueue } = await import("../submission/queue.ts");
  return shareQueue(others, destination);
}

const NEVER: AbortSignal = new AbortController().signal;

/** Limits hold over all hosts (§13): of the requests in flight this host takes a part, and the rate is that of all. */
function sharedOf(config: Config, secrets: Secrets, store: JournalStore, destination: string): Shared {
  // loaded by whoever sends: it takes longer to load than all else that most commands do
  const openSender = async () => (await import("../client/sender.ts")).openSender(config, secrets);
  const { others } = store.hosts;
  if (!others) return new Shared(config, { store, openSender });
  const { concurrency, host_lanes = concurrency, rate } = config;
  const pace =
    rate === undefined ? {} : { pace: new SharedPace(rate, (starts) => others.reserve(destination, starts, rate)) };
  const lanes = { concurrency: Math.min(host_lanes, concurrency) };
  // with half as many commits the server has a third less to do
  return new Shared(lanes, { store, openSender, ...pace, gatherMs: 1 });
}

export async function withWork(
  call: Sources,
  mode: Mode | "either",
  work: (opened: OpenedWork, config: Config) => Promise<number>,
): Promise<number> {
  // a trial knows no journal of other hosts
  const { config } = loadSettings(call, call.flags["sandbox"] === true ? "trial" : "ignore");
  const open = (as: Mode): Promise<OpenedWork> => openWork(config, undefined, as);
  const opened = mode === "either" ? (await openEither(open))[0] : await open(mode);
  try {
    if (mode === "read") await endOfDead(opened, open);
    return await work(opened, config);
  } finally {
    await opened.close();
  }
}

/** I4: what is told of a batch whose process was killed is what became of its rows; whoever may not write tells it as it is. */
export async function endOfDead(
  { store }: Pick<OpenedWork, "store">,
  open: (mode: Mode) => Promise<OpenedWork>,
): Promise<void> {
  const unfinished = await store.batches({ isUnfinished: true });
  if (!unfinished.some(({ onItsWay }) => onItsWay > 0)) return;
  await open("send").then(
    (sender) => sender.close(),
    (error: unknown) => {
      if (!(error instanceof PaydropError)) throw error;
    },
  );
}

/** I9: whether a process sends from this state folder now; who may not ask takes it so. */
export const isSending =
  ({ state_dir, shared }: Pick<Config, "state_dir" | "shared">) =>
  (): boolean => {
    // what a dead host held was taken over when the journal was opened
    if (shared) return true;
    return isLocked(state_dir);
  };

/** For a person's act: in mode `send`, so that rows that an ended process left on their way are unknown first (I4). */
export async function openEither<T>(
  open: (mode: "send" | "act") => Promise<T>,
): Promise<readonly [T, isSender: boolean]> {
  try {
    return [await open("send"), true];
  } catch (error) {
    // nothing goes from a journal that has forgotten commits; people say what became of its rows all the same
    const mayAct = error instanceof PaydropError && (error.code === "locked" || error.reason === "server_lost_commit");
    if (!mayAct) throw error;
    return [await open("act"), false];
  }
}

export function whoIs(config: Pick<Config, "by">): Who {
  const by = nameSaid(config.by);
  return { login: loginName(), host: hostname(), ...(by === undefined ? {} : { by }) };
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // a container whose user has no entry
    return process.getuid ? `uid ${process.getuid()}` : "unknown";
  }
}

/** What acts of this call stand on. */
export function openFor({ flags }: Pick<Sources, "flags">, { store, config }: Pick<Work, "store" | "config">): Open {
  return { store, config, again: flagsAgain(flags, config.state_dir) };
}
