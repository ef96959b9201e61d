import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { asWord } from "../printable.ts";
import type { Look } from "../results/look.ts";
import type { Call, Output } from "./command.ts";

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

/** The flags that say where the settings and the memory are: variables say it to the next command by themselves. */
export function flagsAgain(flags: Call["flags"]): string[] {
  return Object.entries({ config: "--config", state_dir: "--state-dir" }).flatMap(([name, flag]) => {
    const said = flags[name];
    return typeof said === "string" && said !== "" ? [`${flag} ${asWord(resolve(said))}`] : [];
  });
}

export function isAscii(env: Call["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "UTF-8";
  return !/utf-?8/i.test(locale);
}
