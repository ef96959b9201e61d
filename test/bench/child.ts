import { spawn } from "node:child_process";
import type { ChildProcess, StdioOptions } from "node:child_process";
import { readFileSync } from "node:fs";

/** What one process took, from its start to its exit, as the system counted it. */
export interface Usage {
  readonly code: number | undefined;
  readonly wallMs: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** User and system time of it and of all that it waited for; undefined where there is no /proc. */
  readonly cpuMs: number | undefined;
  /** The most memory it had at once, without its own children; undefined where there is no /proc. */
  readonly peakBytes: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  readonly program: string;
  readonly operands: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Usage>;
}

/** How often the peak is looked up: it only ever grows, so what is missed is what grew in the last moment. */
const LOOK_MS = 20;
/** The unit of /proc/…/stat on every Linux that Node runs on. */
const TICK_MS = 10;

/**
 * Runs one process and nothing inside it: its CPU time is what was added to the times of ended children while it ran,
 * so only one may end at a time.
 */
export function start({ program, operands, env = {} }: Command): Running {
  const cpuBefore = cpuMsOfChildren();
  const startedAt = now();
  const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
  const child = spawn(program, operands, {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...env },
    stdio,
  });
  let peakBytes: number | undefined;
  const looking = setInterval(() => (peakBytes = peakOf(child.pid) ?? peakBytes), LOOK_MS);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout = lastOf(stdout + text)));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = lastOf(stderr + text)));
  let endedAt = 0;
  child.once("exit", () => (endedAt = now()));
  const ended = new Promise<Usage>((resolve, reject) => {
    child.once("error", (error) => {
      clearInterval(looking);
      reject(error);
    });
    child.once("close", (code) => {
      clearInterval(looking);
      const cpuAfter = cpuMsOfChildren();
      const cpuMs = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
      const wallMs = endedAt - startedAt;
      resolve({ code: code ?? undefined, wallMs, startedAt, endedAt, cpuMs, peakBytes, stdout, stderr });
    });
  });
  return { child, ended };
}

/** Throws with what it printed when it ends otherwise than with 0. */
export async function run(command: Command): Promise<Usage> {
  const usage = await start(command).ended;
  if (usage.code === 0) return usage;
  throw new Error(`${command.program} ${command.operands.join(" ")} ended with ${String(usage.code)}\n${usage.stderr}`);
}

/** Comparable over processes. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

function lastOf(text: string): string {
  return text.length > 65_536 ? text.slice(-32_768) : text;
}

/** `cutime` and `cstime` of this process, proc(5). */
function cpuMsOfChildren(): number | undefined {
  const stat = readProc("/proc/self/stat");
  // the name of the program may hold spaces
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields && (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

function peakOf(pid: number | undefined): number | undefined {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readProc(`/proc/${String(pid)}/status`) ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
