import { assertSendable } from "../client/sender.ts";
import type { Config } from "../config/config.ts";
import { configFromOptions, readOption, readSecretOption } from "../config/from-options.ts";
import type { WatchOptions } from "../config/options.ts";
import { FALLBACK_FOLDER } from "../results/disk/fallback.ts";
import type { Sandbox } from "../sandbox/server.ts";
import { assertSandbox } from "./given.ts";
import { inScratchFolder } from "../disk/scratch.ts";

/**
 * Runs a piece of work with the configuration that the options make. With a sandbox its address and keys are taken, and
 * without `stateDir` a state directory that is thrown away. Throws PaydropError `config` before anything begins.
 */
export async function withSending<Result>(
  options: WatchOptions,
  sandbox: Sandbox | undefined,
  work: (services: { readonly config: Config; readonly sandbox: boolean }) => Promise<Result>,
): Promise<Result> {
  if (!sandbox) {
    readOption("baseUrl", options.baseUrl);
    readSecretOption("apiKey", options.apiKey);
    const config = configFromOptions(options);
    assertSendable(config);
    return work({ config, sandbox: false });
  }
  return inSandbox(options, sandbox, (config) => work({ config, sandbox: true }));
}

/**
 * Runs a piece of work with the sandbox's address and keys, as `test`. Without `stateDir` the memory is thrown away:
 * the memory of real payments is neither read nor told.
 */
export async function inSandbox<Result>(
  options: WatchOptions,
  sandbox: Sandbox,
  work: (config: Config) => Promise<Result>,
): Promise<Result> {
  assertSandbox(sandbox);
  const workIn = (stateDir: string): Promise<Result> => {
    const config = configFromOptions({
      ...options,
      stateDir,
      ...{ baseUrl: sandbox.url, apiKey: sandbox.apiKey, aesKey: sandbox.aesKey, aesIv: sandbox.aesIv },
      ...{ environment: "test", keyEncoding: "auto" },
      by: options.by ?? "sandbox",
    });
    return work(config);
  };
  // `FALLBACK_FOLDER` stays: results that could not be written beside the file lie there
  if (options.stateDir === undefined)
    return inScratchFolder("sandbox", async (folder) => workIn(folder), FALLBACK_FOLDER);
  return workIn(options.stateDir);
}
