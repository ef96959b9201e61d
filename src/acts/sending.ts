import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings, requireSending, type Loaded } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { Secret } from "../config/secret.ts";
import { refuseSettingsIn } from "../config/toml.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { Figures } from "../figures.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { ACTED } from "../messages/acts.ts";
import { HOST_NEWS } from "../messages/hosts.ts";
import { told, toldLines } from "../messages/sentence.ts";
import { logsToStderr, withLog } from "../monitor/log.ts";
import { Monitor, monitorSettings } from "../monitor/monitor.ts";
import { createNotices, waysOf } from "../monitor/notices.ts";
import { sightOf } from "../monitor/server-watch.ts";
import { printable } from "../printable.ts";
import { paperOf, type Call } from "../screen/look.ts";
import { createTeller, UNTOLD, type Teller } from "../screen/teller.ts";
import { clockText, openWork, type OpenedWork, type Surroundings } from "./open.ts";

export interface Sending {
  readonly call: Call;
  readonly config: Config;
  readonly teller: Teller;
  readonly monitor: Monitor;
  readonly notices: ReturnType<typeof createNotices>;
  readonly listening: Listening;
  readonly isTrial: boolean;
  open(mode: "send" | "act", around?: Surroundings): Promise<OpenedWork>;
}

type Work = (sending: Sending) => Promise<number>;

interface Listening extends Pick<OpenedWork, "signals"> {
  close(): void;
}

/** What sending begins with, and how it ends. `mayHandOver`: where another process sends, no keys are needed here. */
export async function withSending(call: Call, work: Work, { mayHandOver = false } = {}): Promise<number> {
  const isTrial = call.flags["sandbox"] === true;
  let loaded: Loaded;
  try {
    loaded = loadSettings(call, isTrial ? "trial" : "read");
    if (!isTrial && !mayHandOver) requireSending(loaded.config, loaded.secrets);
  } catch (error) {
    // whoever watches over it hears of keys that cannot be read, too
    const monitor = new Monitor(monitorSettings(loadSettings(call, "trial"), isTrial), (text) =>
      call.stderr.write(`${text}\n`),
    );
    await monitor.close(exitCodeOf(error));
    throw error;
  }
  refuseSettingsIn(call.operands, loaded.file);
  return isTrial ? inSandbox(call, loaded, work) : begin(call, loaded, { isTrial }, work);
}

async function begin(call: Call, loaded: Loaded, { isTrial }: { isTrial: boolean }, work: Work): Promise<number> {
  const { config, secrets } = loaded;
  const teller = await tellerOf(call, config, isTrial && call.flags["desk"] === true);
  const say = (text: string): void => teller.say(text);
  const sight = isTrial ? undefined : sightOf(config, (text, as) => teller.say(text, as));
  const monitor = new Monitor(monitorSettings(loaded, isTrial), say, sight);
  const notices = createNotices(
    waysOf(config.notify, secrets.smtpUrl),
    { environment: config.environment, figures: new Figures(config) },
    say,
  );
  const listening = listenForSignals(
    (which) => say(told(ACTED[which], { lanes: config.concurrency }).text),
    config.log_file === undefined,
  );
  const tell: Teller["tell"] = (event) => {
    monitor.saw(event);
    teller.tell(event);
  };
  const ended: Teller["ended"] = (report) => {
    monitor.batchEnded(report.exitCode);
    notices.ended(report);
    teller.ended(report);
  };
  const usual = { signals: listening.signals, tell, unmarked: unmarkedTold(say), isTrial, sight };
  const open: Sending["open"] = async (mode, around = {}) => {
    if (sight && mode === "send") await monitor.serve();
    const opened = await openWork(config, secrets, mode, { ...usual, ...around });
    return mode === "act" ? opened : followed(opened, sending);
  };
  const sending = { call, config, teller: { ...teller, ended }, monitor, notices, listening, isTrial, open };
  let code = 1;
  try {
    code = await work(sending);
    return code;
  } catch (error) {
    code = exitCodeOf(error);
    if (error instanceof PaydropError) teller.failed?.(error);
    throw error;
  } finally {
    listening.close();
    await monitor.close(code);
    teller.close();
  }
}

/** The screen, and the log where one is wanted. */
/** `isOnPages`: whoever tries the desk sees there what happens, and on the screen last who may sign in. */
function tellerOf({ stdout, stderr, flags }: Call, config: Config, isOnPages: boolean): Promise<Teller> {
  const [out, err] = [paperOf(stdout, config, flags), paperOf(stderr, config, flags)];
  const teller = isOnPages && !config.json ? UNTOLD : createTeller(config, out, err, logsToStderr(config));
  return withLog(teller, config, stderr);
}

/** Of each folder once. */
function unmarkedTold(say: (text: string) => void): NonNullable<Surroundings["unmarked"]> {
  const folders = new Set<string>();
  return (folder, why) => {
    if (folders.has(folder)) return;
    folders.add(folder);
    say(toldLines(told(ACTED.unmarked, { folder: printable(folder), why: messageOf(why) })));
  };
}

/** Metrics and notices follow what it does, until it is closed. */
async function followed(
  opened: OpenedWork,
  { teller, monitor, notices, listening }: Pick<Sending, "teller" | "monitor" | "notices" | "listening">,
): Promise<OpenedWork> {
  const clock = await clockText(opened.store);
  if (clock !== undefined) teller.say(clock);
  const deaf = sayWaits(opened.store, (text) => teller.say(text));
  await monitor.follow(opened.store);
  notices.follow(opened.store);
  const close = async (): Promise<void> => {
    deaf();
    await notices.unfollow(listening.signals.hard.aborted);
    await monitor.unfollow();
    await opened.close();
  };
  return { ...opened, close };
}

/** Of work that goes on until it is asked to end: undefined where that was before the journal's server came. */
export function untilAsked<T>(opening: Promise<T>): Promise<T | undefined> {
  return opening.catch((error: unknown) => {
    if (error instanceof PaydropError && error.reason === "server_not_awaited") return undefined;
    throw error;
  });
}

const WAITS_ASKED_MS = 15_000;

/** Of hosts that must look at a new server of the journal before anything goes: each time that they are others. */
function sayWaits({ hosts }: Pick<OpenedWork["store"], "hosts">, say: (text: string) => void): () => void {
  let last = "";
  const look = async (): Promise<void> => {
    const names = (await hosts.waitsFor()).join(", ");
    if (names !== "" && names !== last) say(toldLines(told(HOST_NEWS.waits, { hosts: names })));
    last = names;
  };
  const timer = setInterval(() => void look().catch(() => undefined), WAITS_ASKED_MS).unref();
  return () => clearInterval(timer);
}

/**
 * A sandbox in this process with its well-known keys. A trial neither touches nor reads the memory of real payments: it
 * has a state folder of its own, which is kept only where `--state-dir` names one.
 */
async function inSandbox(call: Call, loaded: Loaded, work: Work): Promise<number> {
  const { startSandbox } = await import("../sandbox/server.ts");
  const { padding, by = "sandbox", quiet, json } = loaded.config;
  if (!quiet && !json) call.stdout.write(`${ACTED.sandbox}\n`);
  const sandbox = await startSandbox({ port: 0, padding });
  const isKept = loaded.origins["state_dir"] === "--state-dir";
  const state_dir = isKept ? loaded.config.state_dir : mkdtempSync(join(tmpdir(), "paydrop-sandbox-"));
  const secrets = {
    apiKey: new Secret(sandbox.apiKey),
    aesKey: new Secret(sandbox.aesKey),
    aesIv: new Secret(sandbox.aesIv),
  };
  const own = { base_url: sandbox.url, environment: "test", key_encoding: "auto", state_dir, by, notify: {} } as const;
  try {
    return await begin(call, { ...loaded, secrets, config: { ...loaded.config, ...own } }, { isTrial: true }, work);
  } finally {
    await sandbox.close();
    if (!isKept) rmSync(state_dir, { recursive: true, force: true });
  }
}

/**
 * The first signal asks to stop softly, the second hard; after that the system's own behaviour is back. `announce` is
 * called before anything stops: a person must know what the next Ctrl-C would do. A closed terminal (SIGHUP) is a soft
 * stop too, unless the log listens for it.
 */
function listenForSignals(announce: (which: "soft" | "hard") => void, hangUpStops: boolean): Listening {
  const soft = new AbortController();
  const hard = new AbortController();
  const names: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", ...(hangUpStops ? (["SIGHUP"] as const) : [])];
  const onSignal = (): void => {
    const which = soft.signal.aborted ? "hard" : "soft";
    announce(which);
    (which === "soft" ? soft : hard).abort();
    if (which === "hard") close();
  };
  const close = (): void => {
    for (const name of names) process.off(name, onSignal);
  };
  for (const name of names) process.on(name, onSignal);
  return { signals: { soft: soft.signal, hard: hard.signal }, close };
}
