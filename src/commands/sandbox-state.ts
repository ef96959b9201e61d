import type { Config } from "../config/config.ts";
import { FALLBACK_FOLDER } from "../results/disk/fallback.ts";
import { inScratchFolder } from "../disk/scratch.ts";

/**
 * A trial neither touches nor reads the memory of real payments: it has a state folder of its own, which is kept only
 * where `--state-dir` names one.
 */
export async function withSandboxState(config: Config, work: (config: Config) => Promise<number>): Promise<number> {
  const ownState = config.origins?.["state_dir"] === "--state-dir";
  const workIn = (stateDir: string): Promise<number> => work({ ...config, stateDir, environment: "test" });
  // `FALLBACK_FOLDER` stays: results that could not be written beside the file lie there
  return ownState ? workIn(config.stateDir) : inScratchFolder("sandbox", workIn, FALLBACK_FOLDER);
}
