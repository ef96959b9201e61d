import type { Acted } from "../acts/act.ts";
import type { Config, SettingName } from "../config/schema.ts";
import { startOfNamedDay } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { complete } from "../messages/commands.ts";
import { ACTED, sentenceOf, type Found } from "../messages/acts.ts";
import { told, toldLines, type Facts, type Told } from "../messages/sentence.ts";
import { printable, textIn } from "../printable.ts";
import { flagsAgain, type Call } from "../screen/look.ts";

export type { Call, Output } from "../screen/look.ts";

export interface Command {
  /** Its name and operands as commander reads them: `settle [batch]`, `config [show|example|schema]`. */
  readonly usage: string;
  readonly load: () => Promise<(call: Call, commands: readonly Command[]) => Promise<number>>;
  readonly shown: string;
  /** Its own options as commander reads them (`--option <A|B>`), and what they mean. */
  readonly options?: Readonly<Record<string, string>>;
  /** Settings that its help lists, too. Every command takes all of them as flags. */
  readonly settings?: readonly SettingName[];
  readonly examples: readonly string[];
}

export function nameOf({ usage }: Command): string {
  return usage.split(" ")[0] ?? "";
}

/** The text behind an option; undefined where it was not given, or is empty. */
export function optionOf({ flags }: Call, name: string): string | undefined {
  const said = flags[name];
  return typeof said === "string" && said !== "" ? said : undefined;
}

/** The texts behind an option that takes several; none where it was not given. */
export function textsOf({ flags }: Call, name: string): readonly string[] {
  return [flags[name] ?? []].flat() as string[];
}

export function textSaid(call: Call, option: string): string | undefined {
  return textIn(optionOf(call, option));
}

export function textNeeded(call: Call, option: string, example: string): string {
  const text = textSaid(call, option);
  if (text === undefined) throw new PaydropError("word_missing", { option: `--${option}`, example });
  return text;
}

/** The beginning of the day that was said behind an option: in UTC, or in the zone that was set. Throws `usage`. */
export function daySaid(option: string, said = "", timeZone?: string): number {
  const at = startOfNamedDay(said, timeZone);
  if (at === undefined) throw new PaydropError("no_day", { option: `--${option}`, said: printable(said, 40) });
  return at;
}

const ROWS_MAX = 1_000_000;

/** `--row 91, 164-170 200`: the numbers, each once; undefined without it. Throws `usage`. */
export function rowsSaid(call: Call): readonly number[] | undefined {
  if (call.flags["row"] === undefined) return undefined;
  const rows = new Set<number>();
  const parts = textsOf(call, "row")
    .join(",")
    .split(/[\s,]+/);
  for (const part of parts.filter(Boolean)) {
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
export function say(call: Call, config: Config, code: keyof typeof ACTED, facts: Facts = {}): void {
  sayFound(call, config, [{ code, facts }]);
}

export function sayFound(call: Call, config: Config, found: readonly Found[]): void {
  for (const one of found) sayOne(call, config, one);
}

function sayOne(call: Call, config: Config, found: Found): void {
  const { code, facts } = found;
  const words = complete(told(sentenceOf(found), facts), { all: flagsAgain(call.flags, config.state_dir) });
  show(call, config, { type: code, ...facts, ...commandsIn(words) }, `${toldLines(words)}\n`);
}

/** For a program, where there are any. */
export const commandsIn = ({ commands }: Told) => commands.length > 0 && { commands };

/** What an act did, then what failed after it. Gives its exit code. */
export function tellActed(call: Call, config: Config, { found, code, failed }: Acted, facts: Facts): number {
  sayFound(call, config, found);
  if (failed) throw failed;
  return summarize(call, config, code, facts);
}

/** One line of JSON for a program, or a text for a person; with `quiet` nothing on 0. */
export function show({ stdout }: Call, { json, quiet }: Config, line: object, text = "", code = 0): void {
  if (!quiet || code !== 0) stdout.write(json ? `${JSON.stringify(line)}\n` : text);
}

export function summarize(call: Call, config: Config, code: number, facts: Facts = {}): number {
  show(call, config, { type: "summary", ...facts, exit_code: code }, "", code);
  return code;
}
