import { loadConfig } from "../config/load.ts";
import { errorText } from "./error-text.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { checkFile } from "../take-in.ts";
import type { Call } from "./command.ts";
import { checkObjects, checkText } from "./check-text.ts";

/** Everything up to sending: no network, no keys, nothing remembered. Several files: the gravest code. */
export async function run(call: Call): Promise<number> {
  const config = loadConfig({ flags: call.flags, env: call.env, secrets: "ignore" });
  const sandbox = call.flags["sandbox"] === true;
  const codes: number[] = [];
  for (const file of call.operands) {
    try {
      const report = await checkFile(file, { config, sandbox });
      codes.push(report.exitCode);
      if (config.quiet && report.exitCode === 0) continue;
      if (config.json) for (const object of checkObjects(report)) call.stdout.write(`${JSON.stringify(object)}\n`);
      else call.stdout.write(checkText(report));
    } catch (error) {
      // one broken file does not keep the others from being looked at
      codes.push(exitCodeOf(error));
      call.stderr.write(errorText(error, config.json, config.verbose));
    }
  }
  return gravest(codes);
}
