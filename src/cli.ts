import { CommanderError } from "commander";
import type { Call, Command, Output } from "./commands/command.ts";
import { errorText } from "./commands/screen/error-text.ts";
import { flagsAgain, isAscii } from "./commands/screen/look-of.ts";
import { commandLine, helpAsFlag } from "./commands/command-line.ts";
import { conceal } from "./config/conceal.ts";
import { flagOf, variableOf } from "./config/settings.ts";
import { isYes } from "./config/values.ts";
import { PaydropError, messageOf, systemCodeOf } from "./errors.ts";
import { exitCodeOf, gravest } from "./exit-codes.ts";
import { keepHeapSmall } from "./heap.ts";
import { folded } from "./results/screen/folded.ts";
import type { Look } from "./results/screen/look.ts";

const argv = helpAsFlag(process.argv.slice(2));
const stdout = outputTo(process.stdout);
const stderr = outputTo(process.stderr);
/** The flags of the command that began: commands that are told with a failure repeat them. */
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
  const start = (command: Command, call: Call) => runCommand(command, call).then((ended) => void (code = ended));
  const line = commandLine({ argv, stdout, stderr, start, lookAt, isJson: () => asked("json") });
  try {
    await line.parseAsync(argv, { from: "user" });
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

function report(error: unknown): void {
  const text = errorText(error, asked("json"), asked("verbose"));
  stderr.write(asked("json") ? text : folded(text, lookAt(stderr)));
}

/** A setting as asked for before or without a parsed command line: an error must still know how it is told. */
function asked(name: "json" | "verbose"): boolean {
  return argv.includes(flagOf(name)) || isYes(process.env[variableOf(name)] ?? "");
}

/** How lines look before the settings are read: whether and where they are broken, and with which characters. */
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
