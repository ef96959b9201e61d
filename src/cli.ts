import { readFileSync } from "node:fs";
import type { Command as Parser } from "commander";
import { CommanderError, Command as CommanderCommand } from "commander";
import type { Call, Command, Output } from "./commands/command.ts";
import { errorText } from "./commands/screen/error-text.ts";
import { HELP_SHAPE } from "./commands/screen/help-shape.ts";
import { flagsAgain, isAscii } from "./commands/screen/look-of.ts";
import { COMMANDS } from "./commands/list.ts";
import { conceal } from "./config/conceal.ts";
import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from "./config/settings.ts";
import { isYes } from "./config/values.ts";
import { PaydropError, messageOf, systemCodeOf } from "./errors.ts";
import { exitCodeOf, exitStatusText, gravest } from "./exit-codes.ts";
import { keepHeapSmall } from "./heap.ts";
import { folded } from "./results/screen/folded.ts";
import type { Look } from "./results/screen/look.ts";

const DESCRIPTION =
  "Sends a file of payouts, transfers, loan applications or collection requests row by row to a payments service " +
  "and writes next to the file what happened to each row.";

const argv = process.argv.slice(2);
const stdout = outputTo(process.stdout);
const stderr = outputTo(process.stderr);
/** For what is told of a failure: the flags of the command that began. */
let again: readonly string[] = [];

process.on("uncaughtException", (error) => {
  report(error);
  process.exit(1);
});
keepHeapSmall();
// the loop drains by itself: everything written reaches its reader
process.exitCode = await main();

/** argv → command → exit code. */
async function main(): Promise<number> {
  let code = 0;
  const program = programWith((command, call) => runCommand(command, call).then((ended) => void (code = ended)));
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    report(error);
    return exitCodeOf(error);
  }
}

async function runCommand(command: Command, call: Call): Promise<number> {
  again = flagsAgain(call.flags);
  assertStandsSomewhere();
  const { run } = await command.load();
  return run(call);
}

/** In a folder that was removed no name means anything, and many calls of the system fail with an error of their own. */
function assertStandsSomewhere(): void {
  try {
    process.cwd();
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    throw new PaydropError("usage", "the folder that you are in was removed", "go to one that is there, with cd");
  }
}

type Start = (command: Command, call: Call) => Promise<void>;

function programWith(start: Start): Parser {
  const program = new CommanderCommand("paydrop")
    .description(DESCRIPTION)
    .version(versionOf(), "--version", "print the version")
    .helpOption("--help", "print this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(usageError(text)),
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
    })
    .configureHelp(HELP_SHAPE)
    .addHelpText("after", ({ error }) => {
      const trial = "Try it without keys:\n  paydrop template payout > try.csv && paydrop run --sandbox try.csv";
      return folded(`\n${trial}\n\n${exitStatusText()}`, lookAt(error ? stderr : stdout));
    });
  for (const command of COMMANDS) addCommand(program, command, start);
  return program;
}

function addCommand(program: Parser, command: Command, start: Start): void {
  const parser = program.command(`${command.name} ${command.operands}`.trim()).description(command.shown);
  // there are five hundred options in all: those of a command that nobody named are not asked for
  if (!argv.includes(command.name)) return;
  for (const option of command.options) parser.option(option.flags, option.shown);
  parser
    .optionsGroup("Options of every command:")
    .helpOption("--help", "print this help")
    .option("--config <file>", "settings file (default: the user's, then /etc/paydrop/paydrop.toml)");
  for (const name of SETTING_NAMES) {
    const { flag, shown, default: usual } = { default: undefined, flag: undefined, ...SETTINGS[name] };
    if (flag === undefined) continue;
    const value = flag === "" ? "" : ` <${flag}>`;
    parser.option(
      `${flagOf(name)}${value}`,
      usual === undefined || flag === "" ? shown : `${shown} (default ${usual})`,
    );
  }
  const examples = command.examples.map((example) => `  ${example}`).join("\n");
  parser.addHelpText("after", ({ error }) =>
    folded(`\nExamples:\n${examples}\n\n${exitStatusText()}`, lookAt(error ? stderr : stdout)),
  );
  parser.action(async () => {
    const operands = parser.args;
    await start(command, { operands, flags: flagsOf(parser), env: process.env, stdout, stderr });
  });
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
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

function usageError(text: string): string {
  const [first = "", ...more] = text
    .trim()
    .replace(/^error: /, "")
    .split("\n");
  const meant = more.join(" ").replace(/^\((.*)\)$/, "$1");
  return errorText(new PaydropError("usage", first, meant || usageHint(first)), asked("json"), false);
}

/** Options are shown by the help of their command only. */
function usageHint(said: string): string {
  const [first = ""] = argv;
  const command = COMMANDS.find(({ name }) => argv.includes(name))?.name;
  if (first.startsWith("-") && command) return `options stand behind the command: paydrop ${command} … ${first}`;
  const help = `paydrop ${command === first ? `${command} ` : ""}--help shows how it is used`;
  return said.startsWith("too many") ? `a name with blanks stands in quotes; ${help}` : help;
}

function report(error: unknown): void {
  const text = errorText(error, asked("json"), asked("verbose"));
  stderr.write(asked("json") ? text : folded(text, lookAt(stderr)));
}

/** Before or without a parsed command line, an error still has to know in which form it is told. */
function asked(name: "json" | "verbose"): boolean {
  return argv.includes(flagOf(name)) || isYes(process.env[variableOf(name)] ?? "");
}

/** Before the settings are read: whether lines are broken, and where, and of which characters. */
function lookAt({ isTerminal, columns }: Output): Look {
  return { color: false, width: columns, folds: isTerminal, ascii: isAscii(process.env), again };
}

/**
 * What cannot be printed stops nothing: rows are on their way. Nor is it an error where nobody reads any more (`| head`,
 * a terminal that was closed). A program that waits for stdout hears by the exit code that its disk is full.
 */
function outputTo(stream: NodeJS.WriteStream): Output {
  let isLost = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (stream === process.stderr || isLost || error.code === "EPIPE" || error.code === "EIO") return;
    isLost = true;
    const hint = "make room; payments go on, and paydrop status shows what became of them";
    const lost = new PaydropError("results_unwritable", `stdout cannot be written: ${messageOf(error)}`, hint);
    report(lost);
    process.on("exit", (code) => (process.exitCode = gravest([code, exitCodeOf(lost)])));
  });
  return {
    write: (text) => void stream.write(conceal(text)),
    isTerminal: stream.isTTY,
    get columns() {
      return stream.columns || Number(process.env["COLUMNS"]) || 100;
    },
  };
}
