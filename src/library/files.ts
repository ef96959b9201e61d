import { configFromOptions } from "../config/from-options.ts";
import type { CheckOptions, SendOptions } from "../config/options.ts";
import type { BatchReport, RunEvent } from "../events.ts";
import { withProcessor, type StopSignal } from "../processor.ts";
import type { CheckReport } from "../results/screen/check-report.ts";
import type { Sandbox } from "../sandbox/server.ts";
import { checkFile as proofRead } from "../proof-read/check-file.ts";
import { Listener } from "./listener.ts";
import { assertFunctions, assertOptions, assertSignals, resolvedNow } from "./given.ts";
import { inSandbox, withSending } from "./sending.ts";

/** What a run is told from outside, and what it tells. */
export interface ProcessOptions extends SendOptions {
  /**
   * Sends to this sandbox (of `paydrop/sandbox`) instead: its address and keys are taken, and without `stateDir`
   * nothing is remembered.
   */
  readonly sandbox?: Sandbox;
  /**
   * Every row as it gets its end, and what else happens. What the callback throws, or rejects with meanwhile, is thrown
   * again when the run has ended. Nobody waits for a promise that it returns.
   */
  readonly onEvent?: (event: RunEvent) => unknown;
  /** Asks the run to stop: nothing new is sent, rows in flight finish, the results are written. */
  readonly signal?: AbortSignal;
  /** Does not wait for the rows in flight either: they become `unknown`. */
  readonly giveUpSignal?: AbortSignal;
}

/**
 * Checks a file, sends every valid row at most once, and writes results, retry file and summary beside it, as
 * `paydrop run` does. The same file again goes on where it stopped. The report's `exitCode` is that of the command.
 *
 * Rejects with FileRefusedError (`file_refused`: the file is broken, nothing was sent) or PaydropError: `config`,
 * `usage`, `stopped` (the file is still being written), `locked` (another run has this state directory), `destination`,
 * `journal`, `results_unwritable`.
 */
export async function processFile(path: string, options: ProcessOptions): Promise<BatchReport> {
  const file = resolvedNow("processFile", path);
  assertOptions("processFile", options);
  const { onEvent, signal, giveUpSignal, sandbox, ...sendOptions } = options;
  assertFunctions({ onEvent });
  assertSignals({ signal, giveUpSignal });
  const stop = stopSignalOf(signal, giveUpSignal);
  const listener = new Listener();
  const report = await withSending(sendOptions, sandbox, async (services) => {
    const heard = { ...services, signal: stop, onEvent: listener.guard(onEvent) };
    return withProcessor(heard, "send", (processor) => processor.processFile(file));
  });
  listener.rethrow();
  return report;
}

/**
 * Does everything of `processFile` up to sending: no network, no keys, nothing remembered, nothing written. Control
 * totals that differ are in `control.faults`, with the faults of the rows. With a sandbox only what was tried with it
 * and this `stateDir` counts as sent before. Rejects with FileRefusedError for a broken file, with PaydropError `usage`
 * for a missing one.
 */
export async function checkFile(
  path: string,
  options: CheckOptions & { readonly sandbox?: Sandbox } = {},
): Promise<CheckReport> {
  const file = resolvedNow("checkFile", path);
  assertOptions("checkFile", options);
  const { sandbox, ...checkOptions } = options;
  if (!sandbox) return proofRead(file, { config: configFromOptions(checkOptions), sandbox: false });
  return inSandbox(checkOptions, sandbox, (config) => proofRead(file, { config, sandbox: true }));
}

export function stopSignalOf(signal: AbortSignal | undefined, giveUp: AbortSignal | undefined): StopSignal {
  const hard = giveUp ?? new AbortController().signal;
  return { soft: signal ? AbortSignal.any([signal, hard]) : hard, hard };
}
