import type { Config } from "../../config/config.ts";
import { FileRefusedError, PaydropError, describeFileFault, foreseen, messageOf } from "../../errors.ts";
import { exitCodeOf } from "../../exit-codes.ts";
import { printable } from "../../text/printable.ts";
import { folded } from "../../results/screen/folded.ts";
import type { Call, Output } from "../command.ts";
import { lookOf } from "./look-of.ts";

/**
 * Anything thrown as the last word on stderr: what was found, then one arrow line what to do; with `json` one object on
 * one line. The stack only for `verbose`: it is for us, not for a payroll clerk.
 */
export function errorText(thrown: unknown, json: boolean, verbose: boolean): string {
  const error = foreseen(thrown);
  if (json) return `${JSON.stringify(errorObject(error))}\n`;
  const stack = verbose && thrown instanceof Error && thrown.stack ? `${thrown.stack}\n` : "";
  return `${linesOf(error).join("\n")}\n${stack}`;
}

/** `errorText` by the settings, with its lines broken to fit `output`; as JSON it stays one line. */
export function errorShown(error: unknown, output: Output, call: Call, config: Config): string {
  const text = errorText(error, config.json, config.verbose);
  return config.json ? text : folded(text, lookOf(output, call, config));
}

function linesOf(error: unknown): string[] {
  if (error instanceof FileRefusedError) {
    const lines = error.faults.flatMap((fault) => withHint(describeFileFault(error.file, fault), fault.hint));
    return error.batch === undefined ? lines : [...lines, `nothing more was sent of its batch ${error.batch}`];
  }
  if (error instanceof PaydropError) return withHint(`paydrop: ${error.message}`, error.hint);
  const hint = "run it again with --verbose and send us what it prints; nothing that was sent is forgotten";
  return withHint(`paydrop: internal failure: ${messageOf(error)}`, hint);
}

function withHint(message: string, hint: string): string[] {
  const lines = message.split("\n").map((line) => printable(line));
  return hint === "" ? lines : [...lines, `  → ${printable(hint)}`];
}

function errorObject(error: unknown): Record<string, unknown> {
  const known = error instanceof PaydropError;
  return {
    type: "error",
    code: known ? error.code : "internal",
    message: messageOf(error),
    hint: known ? error.hint : "",
    exit_code: exitCodeOf(error),
    ...(error instanceof FileRefusedError ? { file: error.file, faults: error.faults } : {}),
  };
}
