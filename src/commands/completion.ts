import { loadWithoutKeys } from "../config/load.ts";
import { SETTINGS, SETTING_NAMES, flagOf } from "../config/settings.ts";
import { PaydropError } from "../errors.ts";
import type { Call, Command } from "./command.ts";
import { COMMANDS } from "./list.ts";

/**
 * A script for the shell to source; it knows the commands, their flags and the words that may stand for an operand or
 * behind a flag, asks `paydrop status` for batches where one belongs, and completes files elsewhere.
 */
export function run(call: Call): Promise<number> {
  loadWithoutKeys(call);
  const shell = call.operands[0] ?? "";
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!script) throw new PaydropError("usage", `no completion for "${shell}"`, "write one of bash, zsh, fish");
  call.stdout.write(script());
  return Promise.resolve(0);
}

const SCRIPTS: Readonly<Record<string, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The flags that every command has, as commander reads them: `--state-dir <folder>`, `--json`. */
function flagsOfEvery(): string[] {
  const shared = SETTING_NAMES.flatMap((name) => {
    const { flag, read } = { flag: undefined, ...SETTINGS[name] };
    if (flag === undefined) return [];
    return [flag === "" ? flagOf(name) : `${flagOf(name)} <${read.schema.enum?.join("|") ?? flag}>`];
  });
  return ["--config <file>", ...shared, "--help"];
}

function ownFlags({ options }: Command): string[] {
  return options.map(({ flags }) => flags);
}

function nameOf(flags: string): string {
  return flags.split(" ")[0] ?? "";
}

/** The values that a flag may have: `["A", "B"]` of `--option <A|B>`; undefined where anything may stand. */
function valuesOf(flags: string): readonly string[] | undefined {
  const said = /<(.*\|.*)>/.exec(flags)?.[1];
  return said?.split("|");
}

/** What the shell runs for the ids of all batches. */
const BATCHES = `paydrop status --json 2>/dev/null | sed -n 's/.*"batch":"\\([0-9A-Z]*\\)".*/\\1/p'`;

function takesBatch({ operands }: Command): boolean {
  return operands.includes("batch");
}

function bashScript(): string {
  const names = COMMANDS.map((command) => command.name).join(" ");
  const cases = COMMANDS.map((command) => {
    const flags = [...ownFlags(command), ...flagsOfEvery()].map(nameOf).join(" ");
    const words = command.words ? ` words="${command.words.join(" ")}"` : takesBatch(command) ? " words=batches" : "";
    return `    ${command.name}) flags="${flags}"${words} ;;`;
  });
  const flagged = new Set([...COMMANDS.flatMap(ownFlags), ...flagsOfEvery()]);
  const values = [...flagged].flatMap((flags) => {
    const words = valuesOf(flags);
    return words ? [`    ${nameOf(flags)}) words="${words.join(" ")}" ;;`] : [];
  });
  return `_paydrop() {
  local word="\${COMP_WORDS[COMP_CWORD]}" flags="" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  if [ "$COMP_CWORD" -gt 2 ]; then words=""; fi
  if [ "$words" = batches ]; then words="$(${BATCHES})"; fi
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
  esac
}
# where nothing of ours fits, the shell itself offers files, and quotes their names
complete -o default -F _paydrop paydrop
`;
}

/** zsh reads bash completions through its own bridge; the first Tab only loads a file that lies in `$fpath`. */
function zshScript(): string {
  return `#compdef paydrop
autoload -Uz bashcompinit && bashcompinit
${bashScript()}if [ "\${funcstack[1]}" = _paydrop ]; then _bash_complete -o default -F _paydrop; fi
`;
}

function fishScript(): string {
  const commands = COMMANDS.map((command) => {
    const shown = command.shown.replaceAll("'", "\\'");
    return `complete -c paydrop -n __fish_use_subcommand -f -a ${command.name} -d '${shown}'`;
  });
  const words = COMMANDS.flatMap((command) => {
    const of = command.words?.join(" ") ?? (takesBatch(command) ? `(${BATCHES.replaceAll("'", "\\'")})` : undefined);
    const only = command.operands.includes("file") ? "" : "-f ";
    return of === undefined ? [] : [`complete -c paydrop ${whenIn(command)}${only}-a '${of}'`];
  });
  const own = COMMANDS.flatMap((command) => ownFlags(command).map((flags) => fishFlag(flags, whenIn(command))));
  return `${[...commands, ...words, ...own, ...flagsOfEvery().map((flags) => fishFlag(flags, ""))].join("\n")}\n`;
}

function whenIn({ name }: Command): string {
  return `-n '__fish_seen_subcommand_from ${name}' `;
}

/** Behind a flag with a value stands one of its few words (`-x`), or else a file (`-r`), never an operand. */
function fishFlag(flags: string, condition: string): string {
  const words = valuesOf(flags);
  const value = words ? ` -x -a '${words.join(" ")}'` : flags.includes("<") ? " -r" : "";
  return `complete -c paydrop ${condition}-l ${nameOf(flags).slice(2)}${value}`;
}
