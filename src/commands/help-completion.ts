import { existsSync, readFileSync } from "node:fs";
import { nearest } from "../config/kinds.ts";
import {
  CAPS,
  defaultOf,
  factsOf,
  FIELD_RULES,
  flagHelp,
  flagOf,
  ANSWERS,
  NOTIFY,
  SETTING_NAMES,
} from "../config/schema.ts";
import { rulesExample } from "../config/toml.ts";
import { PaydropError } from "../errors.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { listed } from "../messages/sentence.ts";
import { OPERATION_FOLDERS } from "../operations/index.ts";
import { nameOf, type Call, type Command } from "./command.ts";

const TOPICS = {
  "By role": ["clerk", "finance", "operate", "develop"],
  "By question":
    "duplicates accounts periods corrections excel mapping unknown reconcile folder desk approval hosts settings json again".split(
      " ",
    ),
};

/** Prints a topic, in Markdown, or the list of topics. `help COMMAND` is `COMMAND --help`, which cli.ts knows. */
export async function help({ operands: [topic], stdout }: Call): Promise<number> {
  stdout.write(topic === undefined ? topicsText() : await topicText(topic));
  return 0;
}

/** A topic in Markdown. Throws PaydropError `usage` where there is none of that name. */
export function topicText(topic: string): Promise<string> {
  return filledIn(textOf(topic));
}

/** All topics with their titles, under headings. */
export function topics() {
  const titled = (name: string) => ({ name, title: /^# (.*)/.exec(textOf(name))?.[1] ?? "" });
  return Object.entries(TOPICS).map(([heading, names]) => ({ heading, topics: names.map(titled) }));
}

function topicsText(): string {
  const lines = topics().flatMap((group) => [
    group.heading,
    ...group.topics.map(({ name, title }) => `  ${name.padEnd(13)}${title}`),
    "",
  ]);
  return `${lines.join("\n")}\npaydrop help TOPIC prints one; paydrop COMMAND --help says how a command is used.\n`;
}

/** The topics lie beside the sources, and beside the one folder of the built program. */
function textOf(topic: string): string {
  const known = Object.values(TOPICS).flat();
  const words = nearest(topic, known) ?? known.join(", ");
  if (!known.includes(topic)) throw new PaydropError("unknown_word", { thing: "topic", said: topic, words });
  const places = ["../help/", "./help/"].map((folder) => new URL(`${folder}${topic}.md`, import.meta.url));
  return readFileSync(places.find((place) => existsSync(place)) ?? "", "utf8");
}

/** Tables that are made from what the program itself goes by, for `{{settings}}` and the like in a topic. */
const TABLES: Readonly<Record<string, () => string | Promise<string>>> = {
  settings() {
    const lines = SETTING_NAMES.map((name) => {
      const { once, kind, shown, unless } = factsOf(name);
      const value = `${flagOf(name)}${once ? "*" : ""} ${kind.word}`;
      return `  ${value}\n      ${shown}; ${defaultOf(name) ?? unless ?? "not set"}`;
    });
    return lines.join("\n");
  },
  exit_codes() {
    const rows = EXIT_CODES.map(({ code, sentence, todo }) => [code, sentence, todo]);
    return table(["Code", "Meaning", "Do"], rows);
  },
  async again() {
    const { againTable } = await import("../submission/again.ts");
    const rows = againTable().map(({ text, todo }) => [text, todo]);
    return table(["A row that is", "Goes again"], rows);
  },
  folders: () => listed(OPERATION_FOLDERS.map((folder) => `\`${folder}\``)),
  caps: () => rulesExample(CAPS),
  field_rules: () => rulesExample(FIELD_RULES),
  notify: () => rulesExample(NOTIFY),
  answers: () => rulesExample(ANSWERS),
};

async function filledIn(text: string): Promise<string> {
  let filled = text;
  for (const [placeholder, name = ""] of text.matchAll(/\{\{(\w+)\}\}/g)) {
    const made = await TABLES[name]?.();
    filled = filled.replace(placeholder, () => made ?? placeholder);
  }
  return filled;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A script for the shell to source, made from the list of commands: which words may follow which word. */
export function completion({ operands: [shell = ""], stdout }: Call, commands: readonly Command[]): Promise<number> {
  const script = { bash, zsh, fish }[shell];
  if (!script) throw new PaydropError("unknown_word", { thing: "shell", said: shell, words: "bash, zsh, fish" });
  stdout.write(script(commands));
  return Promise.resolve(0);
}

const COMMON = ["state_dir", "json", "quiet", "verbose", "no_color", "log_format", "log_file"] as const;

/** The words behind it to choose from, none where it is a file or anything else; undefined: nothing stands behind it. */
type Flag = readonly [flag: string, behind: string | undefined];

function flagIn(text: string): Flag {
  const [, flag = "", value] = /^(\S+)(?: <(.*)>)?$/.exec(text) ?? [];
  return [flag, value?.includes("|") ? value.replaceAll("|", " ") : value && ""];
}

/** Its own flags, and those that every command is called with. */
function flagsOf({ options = {}, settings = [] }: Command): readonly Flag[] {
  const said = [...settings, ...COMMON].map((name) => flagHelp(name)[0]);
  return [...Object.keys(options), ...said, "--config <path>", "--help"].map(flagIn);
}

/** The words that may be its first operand, where these are known: `config show`. */
function operandsOf({ usage }: Command, names: string): string {
  if (usage.startsWith("help ")) return `${Object.values(TOPICS).flat().join(" ")} ${names}`;
  const words = /[\w-]+(?:\|[\w-]+)+/.exec(usage)?.[0] ?? "";
  return /file|folder|batch/.test(words) ? "" : words.replaceAll("|", " ");
}

const EVERY_SETTING: readonly Flag[] = SETTING_NAMES.map((name) => flagIn(flagHelp(name)[0]));

function bash(commands: readonly Command[]): string {
  const names = commands.map(nameOf).join(" ");
  const behind = new Map([...commands.flatMap(flagsOf), ...EVERY_SETTING]);
  const line = (when: string, words: string, flags: readonly Flag[] = []): string =>
    `${when}) words="${words}" flags="${flags.map(([flag]) => flag).join(" ")}" ;;`;
  const after = [...behind].flatMap(([flag, words]) => (words === undefined ? [] : [line(flag, words)]));
  const of = commands.map((one) => line(`*" ${nameOf(one)}"`, operandsOf(one, names), flagsOf(one)));
  return `_paydrop() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" flags=""
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${after.join("\n    ")}
    *) case "$COMP_CWORD \${COMP_WORDS[1]}" in
      ${[line('"1 "*', names, ["--help", "--version"].map(flagIn)), ...of].join("\n      ")}
    esac ;;
  esac
  [[ "$word" == -* ]] && words="$flags"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
# where nothing of ours fits, the shell itself offers files, and quotes their names
complete -o default -F _paydrop paydrop
`;
}

/** zsh reads bash completions through its own bridge; the first Tab only loads a file that lies in `$fpath`. */
function zsh(commands: readonly Command[]): string {
  return `#compdef paydrop
autoload -Uz bashcompinit && bashcompinit
${bash(commands)}if [ "\${funcstack[1]}" = _paydrop ]; then _bash_complete -o default -F _paydrop; fi
`;
}

function fish(commands: readonly Command[]): string {
  const names = commands.map(nameOf).join(" ");
  const line = (when: string, words?: string, flag = ""): string =>
    `complete -c paydrop -n '${when}'${flag}${flag && words !== undefined ? " -r" : ""}${words ? ` -f -a '${words}'` : ""}`;
  const own = commands.flatMap((one) => {
    const here = `__fish_seen_subcommand_from ${nameOf(one)}`;
    const flags = flagsOf(one).map(([flag, words]) => line(here, words, ` -l ${flag.slice(2)}`));
    return [...flags, line(here, operandsOf(one, names))];
  });
  const after = EVERY_SETTING.map(([flag, words]) => (words ? line(`__fish_prev_arg_in ${flag}`, words) : ""));
  return [line("__fish_use_subcommand", names), ...own, ...after].filter(Boolean).join("\n");
}
