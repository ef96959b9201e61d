import { stripVTControlCharacters } from "node:util";
import type { Call, Output } from "../../src/commands/command.ts";

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls a command in this process, as `cli.ts` does. `columns`: on a terminal so wide. */
export async function called(
  { run }: { readonly run: (call: Call) => Promise<number> },
  operands: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  columns?: number,
): Promise<Called> {
  const outputs = { stdout: "", stderr: "" };
  const output = (name: keyof typeof outputs): Output => ({
    write: (text) => void (outputs[name] += text),
    isTerminal: columns !== undefined,
    columns: columns ?? 80,
  });
  const code = await run({ operands, flags, env: {}, stdout: output("stdout"), stderr: output("stderr") });
  return { code, stdout: stripVTControlCharacters(outputs.stdout), stderr: outputs.stderr };
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
