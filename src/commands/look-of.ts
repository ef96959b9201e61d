import type { Config } from "../config/config.ts";
import type { Look } from "../results/look.ts";
import type { Call, Output } from "./command.ts";

/** Colours and broken lines only for a terminal; ASCII only where the locale says that nothing else can be shown. */
export function lookOf(output: Output, call: Call, config: Config): Look {
  return {
    color: config.color && output.isTerminal,
    width: output.columns,
    ascii: isAscii(call.env),
    folds: output.isTerminal,
  };
}

export function isAscii(env: Call["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "UTF-8";
  return !/utf-?8/i.test(locale);
}
