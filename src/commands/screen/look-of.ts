import { resolve } from "node:path";
import { readBaseUrl } from "../../config/base-url.ts";
import type { Config } from "../../config/config.ts";
import { flagOf } from "../../config/settings.ts";
import { asWord } from "../../text/printable.ts";
import type { Look } from "../../results/screen/look.ts";
import { TRYING } from "../../results/words/told-commands.ts";
import type { Call, Output } from "../command.ts";

/** Colours and broken lines only for a terminal; ASCII only where the locale says that nothing else can be shown. */
export function lookOf(output: Output, call: Call, config: Config): Look {
  return {
    color: config.color && output.isTerminal,
    width: output.columns,
    ascii: isAscii(call.env),
    folds: output.isTerminal,
    again: flagsAgain(call.flags),
  };
}

/** The flags that say where settings, memory and service are. Variables need no repeating: the next command has them. */
export function flagsAgain(flags: Call["flags"]): string[] {
  const again = { config: resolve, state_dir: resolve, base_url: rightAddress };
  const repeated = Object.entries(again).flatMap(([name, asRepeated]) => {
    const said = flags[name];
    const word = typeof said === "string" && said !== "" ? asRepeated(said) : undefined;
    return word === undefined ? [] : [`${flagOf(name)} ${asWord(word)}`];
  });
  return flags["sandbox"] === true ? [TRYING, ...repeated] : repeated;
}

/** An address that is refused is not repeated: it may hold a password. */
function rightAddress(said: string): string | undefined {
  try {
    return readBaseUrl(said);
  } catch {
    return undefined;
  }
}

export function isAscii(env: Call["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "UTF-8";
  return !/utf-?8/i.test(locale);
}
