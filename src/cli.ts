import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { Command as Parser, CommanderError, Option } from "commander";
import { nameOf, type Call, type Command, type Output } from "./commands/command.ts";
import { COMMANDS } from "./commands/list.ts";
import { isYes } from "./config/kinds.ts";
import { loadSettings } from "./config/load.ts";
import { flagHelp, flagOf, SETTING_NAMES, variableOf } from "./config/schema.ts";
import { conceal } from "./config/secret.ts";
import { looksSecret } from "./config/toml.ts";
import { userName } from "./disk.ts";
import { messageOf, PaydropError } from "./errors.ts";
import { exitCodeOf, exitStatusText, gravest } from "./exit-codes.ts";
import { listed } from "./messages/sentence.ts";
import { OPERATION_FOLDERS } from "./operations/index.ts";
import { errorText } from "./screen/error-text.ts";

const TRIAL = "paydrop template payout > try.csv && paydrop run --sandbox try.csv";
const { version: VERSION } = createRequire(import.meta.url)("paydrop/package.json") as { version: string };
const NAMES = COMMANDS.map(nameOf);
/** Measured with 100,000 rows: left alone it grows three times as large, the peak by 120 MB, and the run takes longer. */
const YOUNG_BYTES_MAX = 16 * 1024 * 1024;
const argv = helpAsFlag(process.argv.slice(2));
const stdout = outputTo(process.stdout);
const stderr = outputTo(process.stderr);

process.on("uncaughtException", (error) => {
  report(error);
  process.exit(1);
});
keepHeapSmall();
// the loop drains by itself: everything written reaches its reader
process.exitCode = await main();

async function main(): Promise<number> {
  let code = 0;
  const program = commandLine(async (command, call) => {
    if (command.settings?.includes("by")) sayWhoseFolder(call);
    const run = await command.load();
    code = await run(call, COMMANDS);
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // commander has shown its help where no command was named
    if (error instanceof CommanderError && error.code === "commander.help") return 2;
    const wrong = error instanceof CommanderError ? usageError(error) : error;
    report(wrong);
    return exitCodeOf(wrong);
  }
}

/** For commands in which a person acts: the state folder is private, and only its owner and root can change it. */
function sayWhoseFolder({ flags, env, stderr: told }: Call): void {
  if (process.getuid?.() !== 0) return;
  try {
    const { state_dir: folder, quiet } = loadSettings({ flags, env: { ...env } }).config;
    const { uid } = statSync(folder);
    const { message, hint } = new PaydropError("other_owner", { folder, user: userName(uid) ?? `#${uid}` });
    if (uid !== 0 && !quiet) told.write(`${message} ${hint}\n`);
  } catch {
    // the command itself says what is wrong with the settings; a folder that is not there belongs to nobody
  }
}

type Start = (command: Command, call: Call) => Promise<void>;

function commandLine(start: Start): Parser {
  const program = new Parser("paydrop")
    .description(
      `Sends a file of ${listed(OPERATION_FOLDERS, "or")} row by row to a payments service ` +
        "and writes next to the file what happened to each row.",
    )
    .version(VERSION, "--version", "print the version")
    .helpOption("--help", "print this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
    })
    .addHelpText("after", `\nTry it without keys:\n  ${TRIAL}\n\n${exitStatusText()}`);
  for (const command of COMMANDS) addCommand(program, command, start);
  return program;
}

function addCommand(program: Parser, command: Command, start: Start): void {
  // to try the desk no file is needed
  const usage = argv.includes("--desk") ? command.usage.replace(/<(.+)>/, "[$1]") : command.usage;
  const parser = program.command(usage).description(command.shown);
  // there are a thousand options in all: those of a command that nobody named are not asked for
  if (!argv.includes(nameOf(command))) return;
  for (const [flags, shown] of Object.entries(command.options ?? {})) parser.option(flags, shown);
  parser.helpOption("--help", "print this help").option("--config <path>", "settings file");
  for (const name of SETTING_NAMES) {
    // what is hidden would not be proposed for a misspelt flag either
    const isHidden = argv.includes("--help") && !command.settings?.includes(name);
    parser.addOption(new Option(...flagHelp(name)).hideHelp(isHidden));
  }
  const examples = command.examples.join("\n  ");
  parser.addHelpText("after", `\nExamples:\n  ${examples}\n\nEvery setting is a flag, too: paydrop help settings`);
  parser.action(() =>
    start(command, { operands: parser.args, flags: flagsOf(parser), env: process.env, stdout, stderr }),
  );
}

/** What stood on the command line, by setting name: `--state-dir` is `state_dir`, `--no-color` is `no_color`. */
function flagsOf(parser: Parser): Record<string, unknown> {
  const said = parser.options.filter((option) => parser.getOptionValueSource(option.attributeName()) === "cli");
  return Object.fromEntries(
    said.map((option) => {
      const value: unknown = parser.getOptionValue(option.attributeName());
      return [(option.long ?? "").slice(2).replaceAll("-", "_"), option.negate ? value === false : value];
    }),
  );
}

/** `help run` is `run --help`; topics are another thing, also the one that has the name of a command. */
function helpAsFlag([first, ...more]: readonly string[]): readonly string[] {
  if (first !== "help" || more[0] === "desk" || !NAMES.includes(more[0] ?? ""))
    return first === undefined ? [] : [first, ...more];
  return [...more, "--help"];
}

/** What commander found wrong, and the nearest right thing. */
function usageError({ message }: CommanderError): PaydropError {
  const option = /unknown option '(--[^'=]*)/.exec(message)?.[1];
  if (option !== undefined && looksSecret(option.slice(2))) return new PaydropError("secret_flag", { option });
  const [, found = "", meant] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(message) ?? [];
  const command = NAMES.find((name) => argv.includes(name));
  const how = `paydrop ${command === undefined ? "" : `${command} `}--help shows how it is used.`;
  return new PaydropError("usage_wrong", { found, todo: meant ?? how });
}

function report(error: unknown): void {
  stderr.write(errorText(error, asked("json"), asked("verbose")));
}

/** A setting as asked for before or without a parsed command line: an error must still know how it is told. */
function asked(name: "json" | "verbose"): boolean {
  return argv.includes(flagOf(name)) || isYes(process.env[variableOf(name)]);
}

/**
 * Left alone, V8 takes 200 MB for what is dead already while rows stream by. The sizes themselves are flags of `node`,
 * which nobody gives; how they grow can be changed at any time.
 */
function keepHeapSmall(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young && young.space_size < YOUNG_BYTES_MAX) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
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
    const lost = new PaydropError("stdout_lost", { why: messageOf(error) });
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
