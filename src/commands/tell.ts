import type { Config } from "../config/config.ts";
import { folded } from "../results/folded.ts";
import type { Call } from "./command.ts";
import { lookOf } from "./look-of.ts";

/** One thing a command has done: a line for a person, or one object for a program; with `quiet` nothing. */
export function tell(call: Call, config: Config, text: string, object: Readonly<Record<string, unknown>>): void {
  if (config.quiet) return;
  const look = lookOf(call.stdout, call, config);
  if (config.json) call.stdout.write(`${JSON.stringify(object)}\n`);
  else if (text !== "") call.stdout.write(`${folded(text, look)}\n`);
}
