import { stat } from "node:fs/promises";
import type { Config } from "../config/config.ts";
import { loadSettings, requireSending } from "../config/load.ts";
import { Secret } from "../config/secret.ts";
import { PaydropError } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { withProcessor, type Processor } from "../processor.ts";
import type { Call } from "./command.ts";
import { refuseSettingsIn } from "./doctor-folders.ts";
import { errorText } from "./error-text.ts";
import { Gate } from "../drop-folder/gate.ts";
import { withLog } from "./log-events.ts";
import { monitored, withoutMonitors, type Monitor } from "./monitor.ts";
import { withSandboxState } from "./sandbox-state.ts";
import type { RunParts } from "./run-inbox.ts";
import { listenForSignals, type Listening } from "./signals.ts";
import { startRemarks } from "./start-remarks.ts";
import { createTeller, type Teller } from "./teller.ts";

/**
 * Checks, sends and writes the results of one file after the other, and of all that is complete in a folder; the gravest
 * exit code speaks for all.
 */
export function run(call: Call): Promise<number> {
  return withSending(call, (config, sandbox, monitor) => sendAll(call, config, sandbox, monitor));
}

/** What sending begins with: the settings, the keys or the sandbox, metrics and ping. */
export function withSending(
  call: Call,
  work: (config: Config, sandbox: boolean, monitor: Monitor) => Promise<number>,
): Promise<number> {
  const sandbox = call.flags["sandbox"] === true;
  const { config, file } = loadSettings({ flags: call.flags, env: call.env, secrets: sandbox ? "ignore" : "read" });
  refuseSettingsIn(operandsOf(call), file);
  if (!sandbox) requireSending(config, config.operation === "payout");
  return sandboxedIfAsked(call, config, (used) => monitored(call, used, (monitor) => work(used, sandbox, monitor)));
}

async function sendAll(call: Call, config: Config, sandbox: boolean, monitor: Monitor): Promise<number> {
  return withTeller(call, config, async (teller, listening) => {
    const named = namedIn(call);
    const gate = new Gate(listening.signal);
    const onEvent = (event: RunEvent): void => {
      monitor.onEvent(event);
      teller.onEvent(event);
    };
    const services = { config, sandbox, signal: gate, onEvent, isLarge: await isLarge(named) };
    const isSweep = (await Promise.all(named.map(isFolder))).every(Boolean);
    const ended = withProcessor(services, "send", (processor) => {
      for (const remark of startRemarks(config, call.env)) teller.say(remark);
      const parts = { config, processor, teller, gate, monitor };
      return monitor.following(processor.journal, () => sendEach(named, listening, parts));
    });
    return config.quiet && isSweep ? ended.catch(codeOfOverlap) : ended;
  });
}

async function sendEach(paths: readonly string[], listening: Listening, parts: RunParts): Promise<number> {
  const { processor, teller, gate } = parts;
  const codes: number[] = [];
  for (const path of paths) {
    if (listening.stopping) {
      codes.push(7);
      break;
    }
    // a STOP in the folder before it is no word about this one
    gate.open();
    codes.push(await sendOne(path, parts));
  }
  gate.open();
  if (!listening.stopping) codes.push(...(await sendHandedOver(processor, teller)));
  return gravest(codes);
}

/** Of a sweep that another paydrop is in the way of, nobody need hear: the next one does its work. */
function codeOfOverlap(error: unknown): number {
  if (error instanceof PaydropError && error.code === "locked") return exitCodeOf(error);
  throw error;
}

/** A file, or all that is complete in a folder. A refused one does not keep the others waiting; a failing disk does. */
async function sendOne(path: string, parts: RunParts): Promise<number> {
  const { config, processor, teller } = parts;
  try {
    if (await isFolder(path)) {
      const { runInbox } = await import("./run-inbox.ts");
      return await runInbox(path, parts);
    }
    const report = await processor.processFile(path);
    teller.ended(report);
    return report.exitCode;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code !== 5 && code !== 2) throw error;
    teller.say(errorText(error, config.json, config.verbose).trimEnd());
    return code;
  }
}

/** As long as something is sent, somebody is told of it, and signals are heard. `isCuttingOff`: a stop would cut rows off. */
export async function withTeller(
  call: Call,
  config: Config,
  work: (teller: Teller, listening: Listening) => Promise<number>,
  isCuttingOff: () => boolean = () => true,
): Promise<number> {
  const teller = await withLog(createTeller(call, config), call, config);
  const announce = (which: "soft" | "hard"): void => {
    if (isCuttingOff()) announceStop(which, call, config, teller);
  };
  const listening = listenForSignals(announce, config.logFile === undefined);
  try {
    return await work(teller, listening);
  } finally {
    listening.close();
    teller.close();
  }
}

/** Files and folders, `--inbox` among them. Throws `usage` for none. */
function namedIn(call: Call): readonly string[] {
  const named = operandsOf(call);
  if (named.length > 0) return named;
  throw new PaydropError("usage", "missing required argument 'file'", "paydrop run --help shows how it is used");
}

/** Together more than a few hundred rows, or a folder that may hold any number. */
async function isLarge(paths: readonly string[]): Promise<boolean> {
  let bytes = 0;
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory()) return true;
    bytes += stats?.size ?? 0;
  }
  return bytes > SMALL_BYTES_MAX;
}

const SMALL_BYTES_MAX = 64 * 1024;

function operandsOf({ operands, flags }: Call): readonly string[] {
  return [...operands, ...((flags["inbox"] ?? []) as readonly string[])];
}

/** A link to a folder is one too. What is not there is told as a missing file. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Rows that people released, or let go again, while this process had the lock (DESIGN §7). */
export async function sendHandedOver(processor: Processor, teller: Teller): Promise<number[]> {
  const codes: number[] = [];
  for (;;) {
    const batches = await processor.handedOver();
    if (batches.length === 0) return codes;
    for (const batch of batches) {
      const report = await processor.goOn(batch);
      codes.push(report.exitCode);
      teller.ended(report);
    }
  }
}

/** Said before anything stops: what the next Ctrl-C would do. Of no use to whoever reads a mail of cron. */
function announceStop(which: "soft" | "hard", call: Call, config: Config, teller: Teller): void {
  if (config.quiet && !call.stderr.isTerminal) return;
  const finishing =
    `finishing the rows in flight, ${config.concurrency} at most; nothing new is sent. ` +
    "Press Ctrl-C again to stop now: they will become unknown";
  teller.say(which === "hard" ? "stopping now: rows in flight become unknown" : finishing);
}

/** With `--sandbox` nothing is sent but to a sandbox inside this process, and no monitor is told of it. */
export function sandboxedIfAsked(
  call: Call,
  config: Config,
  work: (config: Config) => Promise<number>,
): Promise<number> {
  if (call.flags["sandbox"] !== true) return work(config);
  if (!config.quiet && !config.json) call.stdout.write("SANDBOX: nothing here moves money.\n");
  return inSandbox(withoutMonitors(config), work);
}

/** With its own well-known keys and a state folder of its own. */
async function inSandbox(config: Config, work: (config: Config) => Promise<number>): Promise<number> {
  const { startSandbox } = await import("../sandbox/server.ts");
  const sandbox = await startSandbox({ port: 0, padding: config.choices.padding });
  try {
    return await withSandboxState(config, (ownState) =>
      work({
        ...ownState,
        baseUrl: sandbox.url,
        apiKey: new Secret(sandbox.apiKey),
        aesKey: new Secret(sandbox.aesKey),
        aesIv: new Secret(sandbox.aesIv),
        choices: { ...config.choices, keyEncoding: "auto" },
        by: config.by ?? "sandbox",
      }),
    );
  } finally {
    await sandbox.close();
  }
}
