import type { Config } from "../../config/config.ts";
import { folded } from "../../results/screen/folded.ts";
import type { Call } from "../command.ts";
import { lookOf } from "./look-of.ts";

/** Tells one thing that a command has done: text for a person, or one object for a program; nothing with `quiet`. */
export function tell(call: Call, config: Config, text: string, object: Readonly<Record<string, unknown>>): void {
  if (config.quiet) return;
  const look = lookOf(call.stdout, call, config);
  if (config.json) call.stdout.write(`${JSON.stringify(object)}\n`);
  else if (text !== "") call.stdout.write(`${folded(text, look)}\n`);
}
