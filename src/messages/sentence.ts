import { asWord } from "../printable.ts";

/** What a sentence tells of: plain data, already masked, so that it can be kept, logged and sent between threads. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/** Flags of a command by their names with `_`, as settings have them; `true`: it has no value. */
export type Flags = Readonly<Record<string, string | true>>;

/** A command of paydrop as data: whoever tells of it shows it in their own way. What is to be filled in is in capitals. */
export interface Command {
  /** `release`, `journal copy`; undefined: flags to add to the command that was typed. */
  readonly name?: string;
  readonly batch?: string;
  /** A file, a folder or a topic that stands behind the name. */
  readonly operand?: string;
  readonly flags: Flags;
  /** What it is for: `If it is meant once more`. */
  readonly lead?: string;
  /** The file that takes what it writes. */
  readonly into?: string;
}

/** The command of a sentence, by its facts. */
export type CommandOf = (facts: Facts) => Command;

/**
 * What was found and, behind an arrow, one thing to do about it; beside these words the commands by which it may be done.
 * `{name}` is filled from the facts, `{rows:row}` with the counted thing: `1 row`, `12 rows`; `{rows:row is|rows are}` says
 * both forms. A function chooses among such sentences by the facts; it never puts them in.
 */
export type Sentence = Words | ((facts: Facts) => Words);
type Words = string | readonly [words: string, ...commands: CommandOf[]];

export type Catalogue = Readonly<Record<string, Sentence>>;

export type CodeIn<Groups> = { [Group in keyof Groups]: keyof Groups[Group] & string }[keyof Groups];

export function foundIn<Groups extends Readonly<Record<string, Catalogue>>>(
  groups: Groups,
  code: CodeIn<Groups>,
): readonly [group: keyof Groups, sentence: Sentence] {
  for (const group of Object.keys(groups)) {
    const sentence = groups[group]?.[code];
    if (sentence !== undefined) return [group, sentence];
  }
  throw new Error(`no sentence has the code ${code}`);
}

/** A sentence with its facts in it. `todo` and `commands` are empty where nothing is to be done. */
export interface Told {
  readonly text: string;
  readonly todo: string;
  readonly commands: readonly Command[];
}

/** One thing that is wrong, or only pointed out, with a row of a file, or a whole file. Its sentence is found by `code`. */
export interface Fault {
  readonly code: string;
  /** As a spreadsheet shows it. */
  readonly row?: number;
  /** The column's own header. */
  readonly column?: string;
  /** `G14`, where the file is a table. */
  readonly cell?: string;
  readonly facts?: Facts;
}

export function told(sentence: Sentence, facts: Facts = {}): Told {
  const words = typeof sentence === "function" ? sentence(facts) : sentence;
  const [said, ...commands] = typeof words === "string" ? [words] : words;
  const [text = "", todo = ""] = said.split(/\s+→(?= )/);
  return {
    ...{ text: filled(text, facts), todo: filled(todo.trimStart(), facts) },
    commands: commands.map((commandOf) => commandOf(facts)),
  };
}

/** As it is typed: `paydrop settle K7Q29F3M --row 7 --by NAME`. `more`: flags that it needs besides. */
export function commandLine({ name, batch, operand, flags, into }: Command, more: Flags = {}): string {
  const said = Object.entries({ ...flags, ...more }).map(
    ([flag, value]) => `--${flag.replaceAll("_", "-")}${value === true ? "" : ` ${asWord(value)}`}`,
  );
  const words = [batch, operand].flatMap((word) => (word === undefined ? [] : [asWord(word)]));
  const called = name === undefined ? [] : ["paydrop", name];
  return [...called, ...words, ...said, into && `> ${asWord(into)}`].filter(Boolean).join(" ");
}

/** `If it is meant once more:`, before a command; empty where nothing is to be said. */
export function leadOf({ lead = "" }: Command): string {
  return lead === "" || /[,:]$/.test(lead) ? lead : `${lead}:`;
}

/** What to do, for whoever types commands: in one line, with the commands to copy. */
export function todoLine({ todo, commands }: Pick<Told, "todo" | "commands">, more: Flags = {}): string {
  if (commands.length === 0) return todo;
  const typed = commands.map((one) => [leadOf(one), commandLine(one, more)].filter(Boolean).join(" "));
  return sentencesOf([todo, ...typed]);
}

/** What was found and, below it, what to do. */
export function toldLines(one: Told, more: Flags = {}): string {
  const todo = todoLine(one, more);
  return todo === "" ? one.text : `${one.text}\n  → ${todo}`;
}

/** Beside each other, each with its end but the last one. */
export function sentencesOf(parts: readonly string[]): string {
  const said = parts.filter(Boolean);
  return said.map((part, at) => (at === said.length - 1 || /[.:?!]$/.test(part) ? part : `${part}.`)).join(" ");
}

/** Without its full stop: the sentence goes on. */
export function unended(text: string): string {
  return text.replace(/\.$/, "");
}

/** As a line of its own; the name of a file stays as it is. */
export function asSentence(text: string): string {
  const first = /^\S+\.\w/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.:?!]$/.test(first) ? first : `${first}.`;
}

export function filled(text: string, facts: Facts): string {
  return text.replaceAll(/\{(\w+)(?::([\w |]+))?\}/g, (_, name: string, thing: string | undefined) => {
    const fact = facts[name];
    return thing === undefined ? String(fact ?? "") : counted(Number(fact ?? 0), thing);
  });
}

/** `1 row`, `12 rows`; also for any other thing that takes an s, or is said in both forms. */
export function counted(count: number, thing = "row"): string {
  const [one = "", more = `${one}s`] = thing.split("|");
  return `${count} ${count === 1 ? one : more}`;
}

/** `2 unknown, 3 rejected and 1 held`. */
export function listed(parts: readonly string[], word: "and" | "or" = "and"): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} ${word} ${last}`;
}
