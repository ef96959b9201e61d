import type { Config } from "../config/config.ts";
import { FALLBACK_FOLDER } from "../results/fallback.ts";
import { newScratchFolder, removeScratchFolder } from "../scratch.ts";

/**
 * A trial neither touches nor reads the memory of real payments: it has a state folder of its own, which is kept only
 * where `--state-dir` names one.
 */
export async function withSandboxState(config: Config, work: (config: Config) => Promise<number>): Promise<number> {
  const ownState = config.origins?.["state_dir"] === "--state-dir";
  const stateDir = ownState ? config.stateDir : await newScratchFolder("sandbox");
  try {
    return await work({ ...config, stateDir, environment: "test" });
  } finally {
    // results that could not be written beside the file lie there
    if (!ownState) await removeScratchFolder(stateDir, FALLBACK_FOLDER);
  }
}
