import { flagOf, SETTING_NAMES } from "../config/schema.ts";
import { PaydropError } from "../errors.ts";
import { nameOf, type Call, type Command } from "./command.ts";

/** A script for the shell to source, made from the list of commands: which words may follow which command. */
export function run(call: Call, commands: readonly Command[]): Promise<number> {
  const [shell = ""] = call.operands;
  const script = { bash, zsh, fish }[shell];
  if (!script) throw new PaydropError("unknown_word", { thing: "shell", said: shell, words: "bash, zsh, fish" });
  call.stdout.write(script(commands));
  return Promise.resolve(0);
}

const COMMON = ["--config", "--help", ...SETTING_NAMES.map(flagOf)];

/** The own flags of a command, and the few words that may follow it: `config show`. */
function wordsOf({ usage, options = {} }: Command): readonly string[] {
  const words = /[\w-]+(?:\|[\w-]+)+/.exec(usage)?.[0] ?? "";
  const isOfWords = words !== "" && !/file|folder|batch/.test(words);
  return [...(isOfWords ? words.split("|") : []), ...Object.keys(options).map((flags) => flags.split(" ")[0] ?? "")];
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((one) => `    ${nameOf(one)}) words="${wordsOf(one).join(" ")} $common" ;;`);
  return `_paydrop() {
  local common="${COMMON.join(" ")}"
  local words="${commands.map(nameOf).join(" ")} --help --version"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
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
  const lines = commands.map((one) => {
    return `complete -c paydrop -n '__fish_seen_subcommand_from ${nameOf(one)}' -a '${wordsOf(one).join(" ")}'`;
  });
  const first = `complete -c paydrop -n __fish_use_subcommand -a '${commands.map(nameOf).join(" ")}'`;
  return `${[first, ...lines, `complete -c paydrop -a '${COMMON.join(" ")}'`].join("\n")}\n`;
}
