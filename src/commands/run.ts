import { stat } from "node:fs/promises";
import type { Config } from "../config/config.ts";
import { loadSettings, requireSending } from "../config/load.ts";
import { Secret } from "../config/secret.ts";
import { PaydropError } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { openProcessor, type Processor } from "../processor.ts";
import type { Call } from "./command.ts";
import { refuseSettingsIn } from "./doctor-folders.ts";
import { errorText } from "./error-text.ts";
import { Gate } from "../drop-folder/gate.ts";
import { withLog } from "./log-events.ts";
import { monitored, withoutMonitors, type Monitor } from "./monitor.ts";
import { withSandboxState } from "./sandbox-state.ts";
import { listenForSignals } from "./signals.ts";
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
  const sandboxed = call.flags["sandbox"] === true;
  const { config, file } = loadSettings({ flags: call.flags, env: call.env, secrets: sandboxed ? "ignore" : "read" });
  refuseSettingsIn(operandsOf(call), file);
  if (!sandboxed) {
    requireSending(config, config.operation === "payout");
    return monitored(call, config, (monitor) => work(config, false, monitor));
  }
  if (!config.quiet && !config.json) call.stdout.write("SANDBOX: nothing here moves money.\n");
  return inSandbox(withoutMonitors(config), (sandboxConfig) =>
    monitored(call, sandboxConfig, (monitor) => work(sandboxConfig, true, monitor)),
  );
}

async function sendAll(call: Call, config: Config, sandbox: boolean, monitor: Monitor): Promise<number> {
  const teller = await withLog(createTeller(call, config), call, config);
  const listening = listenForSignals(
    (which) => announceStop(which, call, config, teller),
    config.logFile === undefined,
  );
  const gate = new Gate(listening.signal);
  const codes: number[] = [];
  try {
    const named = namedIn(call);
    const onEvent = (event: RunEvent): void => {
      monitor.onEvent(event);
      teller.onEvent(event);
    };
    const processor = await openProcessor(
      { config, sandbox, signal: gate, onEvent, isLarge: await isLarge(named) },
      "send",
    );
    try {
      for (const remark of startRemarks(config, call.env)) teller.say(remark);
      await monitor.follow(processor.journal);
      for (const file of named) {
        if (listening.stopping) {
          codes.push(7);
          break;
        }
        // a STOP in the folder before it is no word about this one
        gate.open();
        try {
          if (await isFolder(file)) {
            const { runInbox } = await import("./run-inbox.ts");
            codes.push(await runInbox(file, { config, processor, teller, gate, monitor }));
            continue;
          }
          const report = await processor.processFile(file);
          codes.push(report.exitCode);
          teller.ended(report);
        } catch (error) {
          const code = exitCodeOf(error);
          // a refused file does not keep the others waiting; a failing disk or an unknown failure does
          if (code !== 5 && code !== 2) throw error;
          codes.push(code);
          teller.say(errorText(error, config.json, config.verbose).trimEnd());
        }
      }
      gate.open();
      if (!listening.stopping) codes.push(...(await sendHandedOver(processor, teller)));
    } finally {
      await monitor.unfollow();
      await processor.close();
    }
  } finally {
    listening.close();
    teller.close();
  }
  return gravest(codes);
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
  const inbox = flags["inbox"];
  return typeof inbox === "string" ? [...operands, inbox] : operands;
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
export function announceStop(which: "soft" | "hard", call: Call, config: Config, teller: Teller): void {
  if (config.quiet && !call.stderr.isTerminal) return;
  const finishing =
    `finishing the rows in flight, ${config.concurrency} at most; nothing new is sent. ` +
    "Press Ctrl-C again to stop now: they will become unknown";
  teller.say(which === "hard" ? "stopping now: rows in flight become unknown" : finishing);
}

/**
 * The sandbox inside this process, with its own well-known keys and a state folder of its own.
 */
export async function inSandbox(config: Config, work: (config: Config) => Promise<number>): Promise<number> {
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
