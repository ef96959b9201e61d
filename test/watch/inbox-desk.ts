import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFailed, onTestFinished } from "vitest";
import { API_KEY, AES_IV, AES_KEY, transferCsv } from "../support/desk.ts";
import { runProgram, startProgram, type Program, type ProgramEnded } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { until } from "../support/until.ts";

/** A drop folder, a state directory and a service, as a clerk and a watcher meet. */
export interface InboxDesk {
  readonly inbox: string;
  readonly stateDir: string;
  path(name: string): string;
  names(): string[];
  read(name: string): string;
  /** `paydrop watch`, ended with the test. */
  watch(...flags: string[]): Program;
  /** The same, with arguments for Node. */
  watchWith(nodeArgs: readonly string[]): Program;
  call(...operands: string[]): Promise<ProgramEnded>;
  /** Killed at a fault point. */
  callUntil(fault: string, ...operands: string[]): Promise<ProgramEnded>;
}

export function openInboxDesk(serverUrl: string, more: Readonly<Record<string, string>> = {}): InboxDesk {
  const base = temporaryDirectory();
  const inbox = join(base, "inbox");
  const stateDir = join(base, "state");
  mkdirSync(inbox);
  const env = {
    PAYDROP_BASE_URL: serverUrl,
    PAYDROP_API_KEY: API_KEY,
    PAYDROP_AES_KEY: AES_KEY,
    PAYDROP_AES_IV: AES_IV,
    PAYDROP_STATE_DIR: stateDir,
    PAYDROP_SETTLE: "300ms",
    PAYDROP_RETRY_FOR: "0s",
    PAYDROP_WATCH_RETRY: "1s",
    HOME: base,
    ...more,
  };
  const start = (flags: readonly string[], nodeArgs: readonly string[] = []): Program => {
    const program = startProgram(["watch", ...flags, inbox], { env, cwd: base, nodeArgs });
    let soFar = "";
    onTestFailed(() => void process.stderr.write(`paydrop watch ${soFar}\n`));
    onTestFinished(async () => {
      const { exitCode, signalCode } = program.child;
      soFar = `${exitCode === null && !signalCode ? "was running" : `had ended (${exitCode ?? signalCode})`}, and had printed:\n${program.stderr()}`;
      program.child.kill("SIGKILL");
      await program.ended;
    });
    return program;
  };
  return {
    inbox,
    stateDir,
    path: (name) => join(inbox, name),
    names: () => readdirSync(inbox).sort(),
    read: (name) => readFileSync(join(inbox, name), "utf8"),
    watch: (...flags) => start(flags),
    watchWith: (nodeArgs) => start([], nodeArgs),
    call: (...operands) => runProgram(operands, { env, cwd: base }),
    callUntil: (fault, ...operands) =>
      runProgram(operands, { env: { ...env, PAYDROP_TEST: "1", PAYDROP_FAULT: `crash@${fault}` }, cwd: base }),
  };
}

/** A good file of its own goes: what lay in the folder before it was looked at as well by then, and what may go went. */
export async function untilAnotherGoes(desk: InboxDesk, name: string): Promise<void> {
  writeFileSync(desk.path(`${name}.csv`), transferCsv(`ACC-${name}`));
  await until(`results of ${name}`, () => hasResults(desk, `${name}.csv`));
}

/** The same of a folder that is held: it lay still for long enough to go, and is told that it waits. */
export async function untilAnotherWaits(desk: InboxDesk, name: string): Promise<void> {
  writeFileSync(desk.path(`${name}.csv`), transferCsv(`ACC-${name}`));
  await until(`${name} is told`, () => existsSync(desk.path(`${name}.csv.waiting.txt`)));
}

export function hasResults(desk: InboxDesk, name: string): boolean {
  return existsSync(desk.path(`${name}.results.csv`));
}
