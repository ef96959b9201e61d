import { createInterface } from "node:readline/promises";
import { PaydropError } from "../errors.ts";
import { folded } from "../results/screen/folded.ts";
import type { Call } from "./command.ts";

/** Whether somebody is there to answer: both ends are terminals. */
export function canAsk(call: Call): boolean {
  return process.stdin.isTTY && call.stderr.isTerminal;
}

/** One line from a person, without spaces around it. Throws PaydropError `usage` when they leave. */
export async function ask(call: Call, question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  const left = new AbortController();
  lines.once("close", () => left.abort());
  try {
    const look = { color: false, width: call.stderr.columns, folds: true };
    call.stderr.write(`${folded(question.trimEnd(), look)} `);
    return (await lines.question("", { signal: left.signal })).trim();
  } catch {
    throw new PaydropError("usage", "there was no answer", "nothing was written");
  } finally {
    lines.close();
  }
}
