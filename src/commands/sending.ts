import { assertSendable } from "../client/sender.ts";
import { remarkOnPath } from "../config/base-url.ts";
import type { Config } from "../config/config.ts";
import { loadSettings, requireSending } from "../config/load.ts";
import { misspeltVariables } from "../config/misspelt-variables.ts";
import { Secret } from "../config/secret.ts";
import { isNo } from "../config/values.ts";
import { OneBatchError, PaydropError } from "../errors.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { Processor } from "../processor.ts";
import type { Call } from "./command.ts";
import { refuseSettingsIn, stateRemark } from "./doctor/folders.ts";
import { withLog } from "./monitoring/log-events.ts";
import { monitored, withoutMonitors, type Monitor } from "./monitoring/monitor.ts";
import { assertOwnOutputs } from "./own-outputs.ts";
import { withSandboxState } from "./sandbox-state.ts";
import { listenForSignals, type Listening } from "./signals.ts";
import { errorText } from "./screen/error-text.ts";
import { createTeller, type Teller } from "./screen/teller.ts";

/** What a command that sends works with. */
export interface Sending {
  readonly call: Call;
  readonly config: Config;
  readonly sandbox: boolean;
  readonly monitor: Monitor;
}

/** What sending begins with: the settings, the keys or the sandbox, metrics and ping. */
export function withSending(call: Call, work: (sending: Sending) => Promise<number>): Promise<number> {
  const sandbox = call.flags["sandbox"] === true;
  const { config, file } = loadSettings({ flags: call.flags, env: call.env, secrets: sandbox ? "ignore" : "read" });
  refuseSettingsIn(operandsOf(call), file);
  if (!sandbox) {
    requireSending(config, config.operation === "payout");
    assertSendable(config);
  }
  return sandboxedIfAsked(call, config, (used) =>
    monitored(call, used, (monitor) => work({ call, config: used, sandbox, monitor })),
  );
}

/** Files and folders, `--inbox` among them. */
export function operandsOf({ operands, flags }: Call): readonly string[] {
  return [...operands, ...((flags["inbox"] ?? []) as readonly string[])];
}

/** Runs work that sends, with somebody told of it and signals heard. `isCuttingOff`: a stop now would cut rows off. */
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

/** What a person should read before anything is sent, a line each; nothing with `--quiet`. */
export function tellFirst(teller: Teller, call: Call, config: Config): void {
  if (config.quiet) return;
  const state = stateRemark(config);
  if (state !== undefined) teller.say(state);
  const odd = config.baseUrl === undefined ? undefined : remarkOnPath(config.baseUrl);
  if (odd) teller.say(`${config.origins?.["base_url"] ?? "PAYDROP_BASE_URL"}: ${odd.found}: ${odd.hint}`);
  for (const { said, found, hint } of misspeltVariables(call.env)) teller.say(`${said} ${found}: ${hint}`);
}

/** Said before anything stops: what the next Ctrl-C would do. Not in a mail of cron, where nobody can press it. */
function announceStop(which: "soft" | "hard", call: Call, config: Config, teller: Teller): void {
  if (config.quiet && !call.stderr.isTerminal) return;
  const finishing =
    `finishing the rows in flight, ${config.concurrency} at most; nothing new is sent. ` +
    "Press Ctrl-C again to stop now: they will become unknown";
  teller.say(which === "hard" ? "stopping now: rows in flight become unknown" : finishing);
}

/** Rows that people released, or let go again, while this process had the lock (DESIGN §7). */
export async function sendHandedOver(processor: Processor, teller: Teller, config: Config): Promise<number[]> {
  const codes: number[] = [];
  for (;;) {
    const batches = await processor.handedOver();
    if (batches.length === 0) return codes;
    for (const batch of batches) {
      codes.push(await sendLeft(batch, processor, teller, config));
    }
  }
}

/** What keeps one batch from going keeps no other one. */
async function sendLeft(
  batch: string,
  processor: Processor,
  teller: Teller,
  { json, verbose }: Config,
): Promise<number> {
  try {
    const report = await processor.goOn(batch);
    teller.ended(report);
    return report.exitCode;
  } catch (error) {
    if (!(error instanceof OneBatchError)) throw error;
    teller.say(errorText(error, json, verbose).trimEnd());
    return exitCodeOf(error);
  }
}

/** With `--sandbox` nothing is sent but to a sandbox inside this process, and no monitor is told of it. */
export function sandboxedIfAsked(
  call: Call,
  config: Config,
  work: (config: Config) => Promise<number>,
): Promise<number> {
  const isTrial = call.flags["sandbox"] === true;
  if (!isTrial) refuseTrialByVariable(call.env);
  const used = isTrial ? withoutMonitors(config) : config;
  assertOwnOutputs(used, operandsOf(call));
  if (!isTrial) return work(used);
  if (!config.quiet && !config.json) call.stdout.write("SANDBOX: nothing here moves money.\n");
  return inSandbox(used, work);
}

/** Every other flag has a variable: whoever sets one for `--sandbox` believes that no money moves. */
function refuseTrialByVariable(env: NodeJS.ProcessEnv): void {
  if (isNo(env["PAYDROP_SANDBOX"] ?? "")) return;
  throw new PaydropError(
    "usage",
    "PAYDROP_SANDBOX is set, but only the flag --sandbox chooses the sandbox: this would have gone to the service",
    "nothing was sent; write --sandbox behind the command, or unset the variable",
  );
}

/** Works with a sandbox in this process, its well-known keys and a state folder of its own. */
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
