import { FileRefusedError, foreseen, messageOf, PaydropError } from "../errors.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { tellFault } from "../messages/faults.ts";
import { printable } from "../printable.ts";

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

/** Faults of one file that have the same advice share it. */
function linesOf(error: unknown): string[] {
  if (error instanceof FileRefusedError) {
    const told = error.faults.map(tellFault);
    const lines = told.flatMap(({ text, todo }, at) =>
      withTodo(`${error.file}: ${text}`, todo === told[at + 1]?.todo ? "" : todo),
    );
    return error.batch === undefined ? lines : [...lines, `Nothing more was sent of its batch ${error.batch}.`];
  }
  if (error instanceof PaydropError) return withTodo(`paydrop: ${error.message}`, error.hint);
  const { message, hint } = new PaydropError("internal", { found: messageOf(error) });
  return withTodo(`paydrop: ${message}`, hint);
}

function withTodo(message: string, todo: string): string[] {
  const lines = message.split("\n").map((line) => printable(line));
  return todo === "" ? lines : [...lines, `  → ${printable(todo)}`];
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
