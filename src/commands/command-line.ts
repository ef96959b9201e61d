import { createRequire } from "node:module";
import { Command as Parser } from "commander";
import { SETTINGS, SETTING_NAMES, flagOf } from "../config/settings.ts";
import { PaydropError } from "../errors.ts";
import { exitStatusText } from "../exit-codes.ts";
import { folded } from "../results/screen/folded.ts";
import type { Look } from "../results/screen/look.ts";
import type { Call, Command, Output } from "./command.ts";
import { COMMANDS } from "./list.ts";
import { errorText } from "./screen/error-text.ts";
import { HELP_SHAPE } from "./screen/help-shape.ts";

const DESCRIPTION =
  "Sends a file of payouts, transfers, loan applications or collection requests row by row to a payments service " +
  "and writes next to the file what happened to each row.";

/** One command line, where its words go, and what starts the command that it names. */
interface Spoken {
  readonly argv: readonly string[];
  readonly stdout: Output;
  readonly stderr: Output;
  readonly start: (command: Command, call: Call) => Promise<void>;
  readonly lookAt: (output: Output) => Look;
  /** Whether what is wrong with it is told as JSON. */
  readonly isJson: () => boolean;
}

/** Every command with its options and its help, as commander reads them. */
export function commandLine(spoken: Spoken): Parser {
  const { stdout, stderr, lookAt } = spoken;
  const program = new Parser("paydrop")
    .description(DESCRIPTION)
    .version(versionOf(), "--version", "print the version")
    .helpOption("--help", "print this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(usageError(text, spoken)),
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
    })
    .configureHelp(HELP_SHAPE)
    .addHelpText("after", ({ error }) => {
      const trial = "Try it without keys:\n  paydrop template payout > try.csv && paydrop run --sandbox try.csv";
      return folded(`\n${trial}\n\n${exitStatusText()}`, lookAt(error ? stderr : stdout));
    });
  for (const command of COMMANDS) addCommand(program, command, spoken);
  return program;
}

function addCommand(program: Parser, command: Command, spoken: Spoken): void {
  const { argv, stdout, stderr, start, lookAt } = spoken;
  const parser = program.command(`${command.name} ${command.operands}`.trim()).description(command.shown);
  // there are five hundred options in all: those of a command that nobody named are not asked for
  if (!argv.includes(command.name)) return;
  for (const option of command.options) parser.option(option.flags, option.shown);
  parser
    .optionsGroup("Options of every command:")
    .helpOption("--help", "print this help")
    .option("--config <file>", "settings file (default: the user's, then /etc/paydrop/paydrop.toml)");
  addSettings(parser);
  const examples = command.examples.map((example) => `  ${example}`).join("\n");
  parser.addHelpText("after", ({ error }) =>
    folded(`\nExamples:\n${examples}\n\n${exitStatusText()}`, lookAt(error ? stderr : stdout)),
  );
  parser.action(async () => {
    const operands = parser.args;
    await start(command, { operands, flags: flagsOf(parser), env: process.env, stdout, stderr });
  });
}

function addSettings(parser: Parser): void {
  for (const name of SETTING_NAMES) {
    const { flag, shown, default: usual } = { default: undefined, flag: undefined, ...SETTINGS[name] };
    if (flag === undefined) continue;
    const value = flag === "" ? "" : ` <${flag}>`;
    parser.option(
      `${flagOf(name)}${value}`,
      usual === undefined || flag === "" ? shown : `${shown} (default ${usual})`,
    );
  }
}

/** What stood on the command line, by setting name: `--state-dir` is `state_dir`, `--no-color` is `no_color`. */
function flagsOf(parser: Parser): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(parser.opts())) {
    if (parser.getOptionValueSource(key) !== "cli") continue;
    if (key === "color") flags["no_color"] = value === false;
    else flags[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  }
  return flags;
}

function versionOf(): string {
  return (createRequire(import.meta.url)("paydrop/package.json") as { version: string }).version;
}

/** `help run` is `run --help`; an unknown command stays one. */
export function helpAsFlag([first, ...more]: readonly string[]): readonly string[] {
  if (first !== "help") return first === undefined ? [] : [first, ...more];
  const [name] = more;
  return name === undefined || COMMANDS.some((command) => command.name === name) ? [...more, "--help"] : more;
}

function usageError(text: string, { argv, isJson }: Spoken): string {
  const [first = "", ...more] = text
    .trim()
    .replace(/^error: /, "")
    .split("\n");
  const meant = more.join(" ").replace(/^\((.*)\)$/, "$1");
  return errorText(new PaydropError("usage", first, meant || usageHint(first, argv)), isJson(), false);
}

/** Options are shown by the help of their command only. */
function usageHint(said: string, argv: readonly string[]): string {
  const [first = ""] = argv;
  const command = COMMANDS.find(({ name }) => argv.includes(name))?.name;
  if (first.startsWith("-") && command) return `options stand behind the command: paydrop ${command} … ${first}`;
  const help = `paydrop ${command === first ? `${command} ` : ""}--help shows how it is used`;
  return said.startsWith("too many") ? `a name with blanks stands in quotes; ${help}` : help;
}
