import { stripVTControlCharacters } from "node:util";
import type { Call, Output } from "../../src/commands/command.ts";

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command prints to, and what it printed. `columns`: a terminal so wide. */
export function printed(columns?: number) {
  const texts = { stdout: "", stderr: "" };
  const output = (name: keyof typeof texts): Output => ({
    write: (text) => void (texts[name] += text),
    isTerminal: columns !== undefined,
    columns: columns ?? 80,
  });
  return { texts, outputs: { stdout: output("stdout"), stderr: output("stderr") } };
}

/** Calls a command in this process, as `cli.ts` does. `columns`: on a terminal so wide. */
export async function called(
  { run }: { readonly run: (call: Call) => Promise<number> },
  operands: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  columns?: number,
): Promise<Called> {
  const { texts, outputs } = printed(columns);
  const code = await run({ operands, flags, env: {}, ...outputs });
  return { code, stdout: stripVTControlCharacters(texts.stdout), stderr: texts.stderr };
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
