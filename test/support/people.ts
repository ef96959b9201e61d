import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { errorText } from "../../src/commands/screen/error-text.ts";
import { COMMANDS } from "../../src/commands/list.ts";
import { exitCodeOf } from "../../src/exit-codes.ts";
import type { Desk } from "./desk.ts";
import { openDesk } from "./desk.ts";
import type { FaultServer, Received, Script } from "./fault-server.ts";
import type { Program, ProgramEnded } from "./program.ts";
import { runProgram, startProgram } from "./program.ts";
import { startService } from "./service.ts";

/** A desk with a scripted service, and paydrop's commands as somebody types them. */
export interface Office extends Desk {
  readonly server: FaultServer;
  paydrop(...operands: string[]): Promise<ProgramEnded>;
  start(...operands: string[]): Program;
  /** The id of the batch that this file is. */
  batchOf(name: string): string;
  /** `{2: "accepted", 3: "unknown"}` by the results file. */
  statuses(name: string): Record<string, string>;
  /** A command within this process, for calls that are refused: its exit code, and what it says on stderr. */
  refused(name: string, operands: readonly string[], flags: Readonly<Record<string, unknown>>): Promise<Refused>;
  /** The JSON lines of a command. */
  lines(...operands: string[]): Promise<Record<string, unknown>[]>;
}

export interface Refused {
  readonly code: number;
  readonly stderr: string;
}

/** Ends with the test, however that ends: a watch that nobody stops goes on for ever. */
function startedForTest(...started: Parameters<typeof startProgram>): Program {
  const program = startProgram(...started);
  onTestFinished(() => void program.child.kill("SIGKILL"));
  return program;
}

export async function openOffice(script: Script, env: Readonly<Record<string, string>> = {}): Promise<Office> {
  const server = await startService(script);
  const desk = openDesk(server.url, env);
  const options = { env: desk.env, cwd: desk.folder };
  const office: Office = {
    ...desk,
    server,
    paydrop: (...operands) => runProgram(operands, options),
    start: (...operands) => startedForTest(operands, options),
    batchOf: (name) => {
      const summary = readFileSync(join(desk.folder, `${name}.summary.json`), "utf8");
      return (JSON.parse(summary) as { batch: string }).batch;
    },
    statuses: (name) => Object.fromEntries(desk.results(name).map((row) => [row.result_row, row.result_status])),
    refused: async (name, operands, flags) => {
      const command = COMMANDS.find((one) => one.name === name);
      if (!command) throw new Error(`there is no command ${name}`);
      const silent = { write: () => undefined, isTerminal: false, columns: 100 };
      const { run } = await command.load();
      try {
        const code = await run({ operands, flags, env: { ...desk.env }, stdout: silent, stderr: silent });
        return { code, stderr: "" };
      } catch (error) {
        return { code: exitCodeOf(error), stderr: errorText(error, false, false) };
      }
    },
    lines: async (...operands) => {
      const { stdout } = await office.paydrop(...operands, "--json");
      return stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
  return office;
}

/** How many requests named this account to pay. */
export function requestsTo(server: FaultServer, account: string): number {
  return server.requests.filter((request) => accountOf(request) === account).length;
}

export function accountOf(request: Received): string {
  return (JSON.parse(request.body) as { to_account: string }).to_account;
}

/** The account of a row in `transfersCsv`. */
export function accountOfRow(row: number): string {
  return `60200${String(row - 1).padStart(9, "0")}`;
}
