import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings, requireSending, type Loaded } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { Secret, type Secrets } from "../config/secret.ts";
import { refuseSettingsIn } from "../config/toml.ts";
import type { BatchReport } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { ACTED } from "../messages/acts.ts";
import { told } from "../messages/sentence.ts";
import { logsToStderr, withLog } from "../monitor/log.ts";
import { Monitor, monitorSettings } from "../monitor/monitor.ts";
import { errorText } from "../screen/error-text.ts";
import { flagsAgain, paperOf } from "../screen/look.ts";
import { createTeller, type Teller } from "../screen/teller.ts";
import { listenForSignals, type Call, type Listening } from "./command.ts";
import { openWork, type OpenedWork, type Surroundings } from "./open-work.ts";
import type { FolderListener } from "./folder-work.ts";

/** What a command that may send works with. */
export interface Sending {
  readonly call: Call;
  readonly config: Config;
  readonly teller: Teller;
  readonly monitor: Monitor;
  readonly listening: Listening;
  /** Rows go to a sandbox inside this process. */
  readonly isTrial: boolean;
  /** Opens the journal, in mode `send` with all that sends (see `openWork`). */
  open(mode: "send" | "act", around?: Surroundings): Promise<OpenedWork>;
}

/** Settings, keys or the sandbox, screen, log, metrics and signals: what sending begins with, and how it ends. */
export async function withSending(call: Call, work: (sending: Sending) => Promise<number>): Promise<number> {
  const isTrial = call.flags["sandbox"] === true;
  const loaded = loadSettings(call, isTrial ? "ignore" : "read");
  refuseSettingsIn(call.operands, loaded.file);
  if (!isTrial) {
    requireSending(loaded.config, loaded.secrets);
    return begin(call, loaded, isTrial, work);
  }
  if (!loaded.config.quiet && !loaded.config.json) call.stdout.write(`${ACTED.sandbox}\n`);
  return inSandbox(loaded, (trial) => begin(call, trial, isTrial, work));
}

async function begin(
  call: Call,
  loaded: Loaded,
  isTrial: boolean,
  work: (sending: Sending) => Promise<number>,
): Promise<number> {
  const { config, secrets } = loaded;
  const { json, quiet } = config;
  const [stdout, stderr] = [call.stdout, call.stderr].map((output) => paperOf(output, config, call.flags));
  if (!stdout || !stderr) throw new Error("a call has two outputs");
  const screen = createTeller({ stdout, stderr, json, quiet, isLogOnStderr: logsToStderr(config) });
  const teller = await withLog(screen, config, call.stderr);
  const monitor = new Monitor(monitorSettings(loaded, isTrial), (text) => teller.say(text));
  const listening = listenForSignals(
    (which) => teller.say(told(ACTED[which], { lanes: config.concurrency }).text),
    config.log_file === undefined,
  );
  const tell: Teller["tell"] = (event) => teller.tell(event);
  const ended = (report: BatchReport): void => {
    monitor.batchEnded(report.exitCode);
    teller.ended(report);
  };
  const open = async (mode: "send" | "act", around: Surroundings = {}): Promise<OpenedWork> => {
    const opened = await openWork(config, secrets, mode, { signals: listening.signals, tell, isTrial, ...around });
    if (mode === "send") await monitor.follow(opened.store);
    const close = async (): Promise<void> => {
      if (mode === "send") await monitor.unfollow();
      await opened.close();
    };
    return { ...opened, close };
  };
  let code = 1;
  try {
    code = await work({ call, config, teller: { ...teller, ended }, monitor, listening, isTrial, open });
    return code;
  } catch (error) {
    code = exitCodeOf(error);
    throw error;
  } finally {
    listening.close();
    await monitor.close(code);
    teller.close();
  }
}

/**
 * A sandbox in this process with its well-known keys. A trial neither touches nor reads the memory of real payments: it
 * has a state folder of its own, which is kept only where `--state-dir` names one.
 */
async function inSandbox(loaded: Loaded, work: (trial: Loaded) => Promise<number>): Promise<number> {
  const { startSandbox } = await import("../sandbox/server.ts");
  const { padding, by = "sandbox" } = loaded.config;
  const sandbox = await startSandbox({ port: 0, padding });
  const isKept = loaded.origins["state_dir"] === "--state-dir";
  const stateDir = isKept ? loaded.config.state_dir : mkdtempSync(join(tmpdir(), "paydrop-sandbox-"));
  const secrets: Secrets = {
    apiKey: new Secret(sandbox.apiKey),
    aesKey: new Secret(sandbox.aesKey),
    aesIv: new Secret(sandbox.aesIv),
  };
  const settings = { base_url: sandbox.url, environment: "test", key_encoding: "auto" } as const;
  try {
    return await work({ ...loaded, secrets, config: { ...loaded.config, ...settings, state_dir: stateDir, by } });
  } finally {
    await sandbox.close();
    if (!isKept) rmSync(stateDir, { recursive: true, force: true });
  }
}

/** Who is told what becomes of a folder. */
export function folderListener({ call, config, teller, monitor }: Sending, folder: string): FolderListener {
  return {
    say: (text, isOfCourse) => {
      if (!isOfCourse || !config.quiet) teller.say(text);
    },
    ended: (report) => teller.ended(report),
    failed: (error) => teller.say(errorText(error, config.json, config.verbose).trimEnd()),
    saw: (count) => monitor.sawInbox(folder, count),
    again: flagsAgain(call.flags),
  };
}
