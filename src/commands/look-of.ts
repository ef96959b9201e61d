import type { Config } from "../config/config.ts";
import type { Look } from "../results/look.ts";
import type { Call, Output } from "./command.ts";

/** Colours and broken lines only for a terminal; ASCII only where the locale says that nothing else can be shown. */
export function lookOf(output: Output, call: Call, config: Config): Look {
  const locale = call.env["LC_ALL"] || call.env["LC_CTYPE"] || call.env["LANG"] || "UTF-8";
  return {
    color: config.color && output.isTerminal,
    width: output.columns,
    ascii: !/utf-?8/i.test(locale),
    folds: output.isTerminal,
  };
}
