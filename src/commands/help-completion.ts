import { existsSync, readFileSync } from "node:fs";
import { nearest } from "../config/kinds.ts";
import { CAPS, defaultOf, factsOf, FIELD_RULES, flagOf, SETTING_NAMES } from "../config/schema.ts";
import { rulesExample } from "../config/toml.ts";
import { PaydropError } from "../errors.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { nameOf, type Call, type Command } from "./command.ts";

const TOPICS = {
  "By role": ["clerk", "finance", "operate", "develop"],
  "By question": "duplicates periods corrections excel mapping unknown folder settings json again".split(" "),
};

/** Prints a topic, in Markdown, or the list of topics. `help COMMAND` is `COMMAND --help`, which cli.ts knows. */
export async function help({ operands: [topic], stdout }: Call): Promise<number> {
  stdout.write(topic === undefined ? topics() : await filledIn(textOf(topic)));
  return 0;
}

function topics(): string {
  const listed = Object.entries(TOPICS).flatMap(([heading, names]) => [
    heading,
    ...names.map((name) => `  ${name.padEnd(13)}${/^# (.*)/.exec(textOf(name))?.[1] ?? ""}`),
    "",
  ]);
  return `${listed.join("\n")}\npaydrop help TOPIC prints one; paydrop COMMAND --help says how a command is used.\n`;
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
  caps: () => rulesExample(CAPS),
  field_rules: () => rulesExample(FIELD_RULES),
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

/** A script for the shell to source, made from the list of commands: which words may follow which command. */
export function completion({ operands: [shell = ""], stdout }: Call, commands: readonly Command[]): Promise<number> {
  const script = { bash, zsh, fish }[shell];
  if (!script) throw new PaydropError("unknown_word", { thing: "shell", said: shell, words: "bash, zsh, fish" });
  const names = commands.map(nameOf).join(" ");
  const words = commands.map((one) => [nameOf(one), wordsOf(one).join(" ")] as const);
  stdout.write(script(names, words));
  return Promise.resolve(0);
}

const COMMON = ["--config", "--help", ...SETTING_NAMES.map(flagOf)].join(" ");

/** The own flags of a command, and the few words that may follow it: `config show`. */
function wordsOf({ usage, options = {} }: Command): readonly string[] {
  const words = /[\w-]+(?:\|[\w-]+)+/.exec(usage)?.[0] ?? "";
  const flags = Object.keys(options).map((option) => option.split(" ")[0] ?? "");
  return /file|folder|batch/.test(words) ? flags : [...words.split("|"), ...flags];
}

type Words = readonly (readonly [command: string, words: string])[];

function bash(names: string, words: Words): string {
  return `_paydrop() {
  local common="${COMMON}"
  local words="${names} --help --version"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${words.map(([command, own]) => `    ${command}) words="${own} $common" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
# where nothing of ours fits, the shell itself offers files, and quotes their names
complete -o default -F _paydrop paydrop
`;
}

/** zsh reads bash completions through its own bridge; the first Tab only loads a file that lies in `$fpath`. */
function zsh(names: string, words: Words): string {
  return `#compdef paydrop
autoload -Uz bashcompinit && bashcompinit
${bash(names, words)}if [ "\${funcstack[1]}" = _paydrop ]; then _bash_complete -o default -F _paydrop; fi
`;
}

function fish(names: string, words: Words): string {
  const follow = ([command, own]: Words[number]): string =>
    `complete -c paydrop -n '__fish_seen_subcommand_from ${command}' -a '${own}'\n`;
  const first = `complete -c paydrop -n __fish_use_subcommand -a '${names}'\n`;
  return `${first}${words.map(follow).join("")}complete -c paydrop -a '${COMMON}'\n`;
}
