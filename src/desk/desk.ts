import { stripVTControlCharacters } from "node:util";
import type { Call, Output } from "../commands/command.ts";
import type { Config } from "../config/schema.ts";
import type { Act, JournalStore } from "../journal/store.ts";
import { errorText } from "../screen/error-text.ts";
import type { Account } from "./accounts.ts";
import type { News } from "./html.ts";

/** What the pages stand on. */
export interface Desk {
  readonly config: Config;
  readonly store: JournalStore;
  /** Flags and variables of this process, for the commands that pages call; no key to send with is among them. */
  readonly call: Pick<Call, "flags" | "env">;
  /** Inboxes that were named; those that files were taken from are known besides. */
  readonly inboxes: readonly string[];
  /** A private folder for files that are looked at before they go into an inbox. */
  readonly staging: string;
  /** For the log. */
  readonly say: (text: string) => void;
  /** Rows that a killed process left on their way get their end (I4), before anybody is told of them. */
  readonly endOfDead: () => Promise<void>;
  readonly act: (by: Account, kind: Act["kind"]) => Act;
}

export type Run = (call: Call) => Promise<number>;

/**
 * What a person does here is done by the very command: nothing is possible here that is not there, and the same is said.
 * What may go is left to whoever watches the folder: nothing is sent by this process.
 */
export async function carryOut(
  { call: { flags, env } }: Desk,
  { name }: Account,
  run: Run,
  operands: readonly string[],
  said: Readonly<Record<string, unknown>>,
): Promise<News> {
  let text = "";
  const output: Output = { write: (more) => void (text += more), isTerminal: false, columns: 100 };
  // a person reads it, whatever the settings say of programs
  const shown = { json: false, quiet: false, no_color: true };
  const all = { ...flags, ...shown, ...said, by: name };
  try {
    const call = { operands, flags: all, env: { ...env }, stdout: output, stderr: output, leavesSending: true };
    const code = await run(call);
    return { isGood: code === 0, lines: linesOf(text) };
  } catch (error) {
    return { isGood: false, lines: linesOf(text + errorText(error, false, false)) };
  }
}

/** Without what only whoever types commands can use: pages have buttons for it. */
function linesOf(text: string): string[] {
  const lines = stripVTControlCharacters(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    const [, arrow = "", rest = line] = /^(\s*→ |paydrop: )?(.*)$/.exec(line) ?? [];
    if (!arrow.includes("→")) return [rest];
    const todo = withoutCommands(rest);
    return todo === "" ? [] : [`→ ${todo}`];
  });
}

export function withoutCommands(todo: string): string {
  const sentences = todo.split(/(?<=[.:]) (?=[A-Z])/);
  return sentences.filter((one) => !/\bpaydrop [a-z]|--[a-z]/.test(one)).join(" ");
}
