import { spawn, type ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the tests run is bundled (`built.ts`). */
export const LAUNCHER: string =
  process.env["PAYDROP_TEST_LAUNCHER"] ?? fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

/**
 * The whole environment of a process of paydrop, but for what a test adds: no keys, no home of the developer. Half of
 * its short life would be spent on compiling, so what is compiled is kept.
 */
export const BARE_ENV: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  // of this user alone: in the one that somebody else made nothing can be kept
  NODE_COMPILE_CACHE: join(tmpdir(), `paydrop-compile-cache-${process.getuid?.() ?? ""}`),
};

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
  /** Resolves when the process is gone and all that it printed was read; rejects where it lived too long. */
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
  /** Who runs it, where root starts it; no groups beside its own. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** Longer than this only a process lives that hangs. */
const LIVES_MS = 240_000;

/** From the start of a process to its end, which comes: one that hangs is killed, and what it printed is in the error. */
export function follow(what: string, child: ChildProcess, livesMs = LIVES_MS): Program {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<ProgramEnded>((resolve, reject) => {
    const tooLate = (): void => {
      child.kill("SIGKILL");
      reject(new Error(`${what} did not end within ${livesMs / 1000} s\n${stdout}${stderr}`));
    };
    const late = livesMs === Infinity ? undefined : setTimeout(tooLate, livesMs);
    child.on("error", reject).on("close", (code, signal) => {
      clearTimeout(late);
      resolve({ code: code ?? undefined, signal: signal ?? undefined, stdout, stderr });
    });
  });
  // whoever waits for it hears of it; a test that waits for nothing any more does not
  ended.catch(() => undefined);
  return { child, pid: child.pid ?? 0, ended, stdout: () => stdout, stderr: () => stderr };
}

/** The command line in a process of its own, as it would run for a person. */
export function startProgram(operands: readonly string[], options: ProgramOptions = {}): Program {
  const { env = {}, cwd = tmpdir(), nodeArgs = [], user } = options;
  const child = spawn(process.execPath, [...nodeArgs, LAUNCHER, ...operands], {
    env: { ...BARE_ENV, ...env },
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  return follow(`paydrop ${operands.join(" ")}`, child);
}

export function runProgram(operands: readonly string[], options: ProgramOptions = {}): Promise<ProgramEnded> {
  return startProgram(operands, options).ended;
}
