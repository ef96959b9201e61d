import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { BARE_ENV, LAUNCHER } from "./paydrop.ts";

export interface ProgramEnded {
  /** undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves when the process is gone and all that it printed was read. */
  readonly ended: Promise<ProgramEnded>;
  /** What it printed so far. */
  stdout(): string;
  stderr(): string;
}

export interface ProgramOptions {
  /** Beside the bare one. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Arguments of Node itself, such as `--import`. */
  readonly nodeArgs?: readonly string[];
  /** Killed after so long, so that a test says what hung: 300 s. */
  readonly timeoutMs?: number;
}

/** The command line in a process of its own, as it would run for a person. */
export function startProgram(operands: readonly string[], options: ProgramOptions = {}): Program {
  const { env = {}, cwd = tmpdir(), nodeArgs = [], timeoutMs = 300_000 } = options;
  const child = spawn(process.execPath, [...nodeArgs, LAUNCHER, ...operands], {
    env: { ...BARE_ENV, ...env },
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<ProgramEnded>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code: code ?? undefined, signal: signal ?? undefined, stdout, stderr }),
    );
  });
  return { child, pid: child.pid ?? 0, ended, stdout: () => stdout, stderr: () => stderr };
}

export function runProgram(operands: readonly string[], options: ProgramOptions = {}): Promise<ProgramEnded> {
  return startProgram(operands, options).ended;
}
