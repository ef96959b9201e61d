import type { Config } from "../config/config.ts";
import { misspeltVariables } from "../config/misspelt-variables.ts";
import { stateRemark } from "./doctor-folders.ts";

/** What whoever begins to send should hear first, a line each; nothing with `--quiet`. */
export function startRemarks(config: Config, env: NodeJS.ProcessEnv): readonly string[] {
  if (config.quiet) return [];
  const state = stateRemark(config);
  const misspelt = misspeltVariables(env).map(({ said, found, hint }) => `${said} ${found}: ${hint}`);
  return [...(state === undefined ? [] : [state]), ...misspelt];
}
