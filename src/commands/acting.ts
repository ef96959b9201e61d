import { writeAgain, type Work } from "../batch.ts";
import type { Config } from "../config/schema.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord } from "../journal/store.ts";
import { ACTED } from "../messages/acts.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { renewOpenAnswer } from "../results/answers.ts";
import { optionOf, type Call } from "./command.ts";
import { cleanName } from "./open-work.ts";

/** The person whose decision changes what becomes of money. Throws `usage` without `--by`. */
export function personNamed({ by }: Config, example: string): string {
  if (by === undefined || by.trim() === "") throw new PaydropError("by_missing", { example });
  return cleanName(by);
}

const TEXT_CHARACTERS_MAX = 1000;

/** What stood behind `--note` or `--reason`. */
export function textSaid(call: Call, option: string): string | undefined {
  const text = printable((optionOf(call, option) ?? "").trim(), TEXT_CHARACTERS_MAX);
  return text === "" ? undefined : text;
}

export function textNeeded(call: Call, option: string, example: string): string {
  const text = textSaid(call, option);
  if (text === undefined) throw new PaydropError("word_missing", { option: `--${option}`, example });
  return text;
}

const ROWS_MAX = 1_000_000;

/** `--row 91, 164-170 200`: the numbers, each once; undefined without it. Throws `usage`. */
export function rowsSaid(call: Call): readonly number[] | undefined {
  const said = call.flags["row"];
  if (said === undefined) return undefined;
  const rows = new Set<number>();
  const texts = (Array.isArray(said) ? said : [said]) as readonly string[];
  for (const part of texts
    .join(",")
    .split(/[\s,]+/)
    .filter(Boolean)) {
    const [, from = "", to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === "" || last < first || last - first > ROWS_MAX) {
      throw new PaydropError("rows_malformed", { said: printable(part, 40) });
    }
    for (let row = first; row <= last; row += 1) rows.add(row);
  }
  return [...rows].sort((one, other) => one - other);
}

/** A line for a person, and its facts as a JSON line for a program. */
export function say(call: Call, config: Config, name: keyof typeof ACTED, facts: Facts = {}): void {
  if (config.json) call.stdout.write(`${JSON.stringify({ type: name, ...facts })}\n`);
  else if (!config.quiet) {
    const { text, todo } = told(ACTED[name], facts);
    call.stdout.write(`${text}\n${todo === "" ? "" : `  → ${todo}\n`}`);
  }
}

/** The last line of a command for a program. */
export function summarize(call: Call, config: Config, code: number, facts: Facts = {}): number {
  if (config.json) call.stdout.write(`${JSON.stringify({ type: "summary", ...facts, exit_code: code })}\n`);
  return code;
}

/**
 * After an act: what lies beside the file must say so. While rows of the batch are on their way, the process that sends
 * them writes the results at its end. Gives the exit code.
 */
export async function writeAfter(
  work: Pick<Work, "store" | "config">,
  { id }: Pick<BatchRecord, "id">,
): Promise<number> {
  await work.store.setBatch(id, { owesResults: true });
  const [batch] = await work.store.batches({ id });
  if (!batch || batch.onItsWay > 0) return 0;
  const report = await writeAgain(work, id);
  await renewOpenAnswer(report);
  return report.files.elsewhere === undefined ? 0 : 74;
}
