import { FileRefusedError, foreseen, messageOf, PaydropError } from "../errors.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { tellFault } from "../messages/faults.ts";
import { todoLine, type Fault } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { messageObject } from "../results/summary.ts";

/** Anything thrown as the last word on stderr. The stack only for `verbose`: it is for us, not for a payroll clerk. */
export function errorText(thrown: unknown, json: boolean, verbose: boolean): string {
  const error = foreseen(thrown);
  if (json) return `${JSON.stringify(errorObject(error))}\n`;
  const stack = verbose && thrown instanceof Error && thrown.stack ? `${thrown.stack}\n` : "";
  return `${linesOf(error).join("\n")}\n${stack}`;
}

function linesOf(error: unknown): string[] {
  if (error instanceof FileRefusedError) {
    const lines = faultLines(error.faults, `${error.file}: `);
    return error.batch === undefined ? lines : [...lines, `Nothing more was sent of its batch ${error.batch}.`];
  }
  const known = error instanceof PaydropError ? error : new PaydropError("internal", { found: messageOf(error) });
  return withTodo(`paydrop: ${known.text}`, todoLine(known));
}

/**
 * Each fault with its row and column; those in a row that have the same advice share it. `lead`: the file's name.
 * `advice`: one for all of them.
 */
export function faultLines(faults: readonly Fault[], lead = "", advice?: string): string[] {
  const told = faults.map(tellFault).map((one) => ({ text: one.text, todo: advice ?? todoLine(one) }));
  return told.flatMap(({ text, todo }, at) => withTodo(lead + text, todo === told[at + 1]?.todo ? "" : todo));
}

function withTodo(message: string, todo: string): string[] {
  const lines = message.split("\n").map((line) => printable(line));
  return todo === "" ? lines : [...lines, `  → ${printable(todo)}`];
}

function errorObject(error: unknown): Record<string, unknown> {
  const code = error instanceof PaydropError ? error.code : "internal";
  const words = error instanceof PaydropError ? error : { text: messageOf(error), todo: "", commands: [] };
  const file = error instanceof FileRefusedError ? { file: error.file, faults: error.faults } : {};
  return { type: "error", code, ...messageObject(words), exit_code: exitCodeOf(error), ...file };
}
