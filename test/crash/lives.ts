import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AES_IV, AES_KEY, API_KEY } from "../support/ledger-server.ts";
import type { LedgerLine, ServerOptions } from "../support/ledger-server.ts";
import { BARE_ENV, follow, LAUNCHER } from "../support/program.ts";
import { came } from "../support/until.ts";

const SERVER = fileURLToPath(new URL("../support/ledger-server.ts", import.meta.url));

/** The service of the crash tests, in its own process. */
export interface Service {
  readonly url: string;
  readonly ledger: string;
  /** Resolves at the next request that arrives. */
  nextRequest(): Promise<void>;
  lines(): LedgerLine[];
  close(): Promise<void>;
}

export async function startService(options: ServerOptions): Promise<Service> {
  const child = spawn(process.execPath, [SERVER, JSON.stringify(options)], {
    env: BARE_ENV,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = follow("the service of the test", child, Infinity).ended;
  const [{ port }] = (await came("the port of the service", once(child, "message"), { by: gone })) as [
    { port: number },
  ];
  return {
    url: `http://127.0.0.1:${port}`,
    ledger: options.ledger,
    nextRequest: () =>
      new Promise((resolve) => {
        child.once("message", () => resolve());
        child.send("tell me");
      }),
    lines: () => ledgerLines(options.ledger),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function ledgerLines(path: string): LedgerLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LedgerLine);
}

export interface Life {
  readonly child: ChildProcess;
  readonly ended: Promise<LifeEnd>;
  /** What it printed so far. */
  output(): string;
}

export interface LifeEnd {
  /** undefined: killed. */
  readonly code: number | undefined;
  readonly output: string;
}

export interface LifeOptions {
  readonly stateDir: string;
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** A program that starts it, with its arguments. */
  readonly under?: readonly string[];
  /** Longer than this only a process lives that hangs: two minutes. */
  readonly timeoutMs?: number;
}

/** One process of paydrop, from its start to its end. */
export function startLife(operands: readonly string[], options: LifeOptions): Life {
  const [program = "", ...args] = [
    ...(options.under ?? []),
    ...[process.execPath, ...(options.nodeArgs ?? []), LAUNCHER, ...operands],
  ];
  const child = spawn(program, args, {
    env: {
      ...BARE_ENV,
      PAYDROP_BASE_URL: options.url,
      PAYDROP_STATE_DIR: options.stateDir,
      PAYDROP_API_KEY: API_KEY,
      PAYDROP_AES_KEY: AES_KEY,
      PAYDROP_AES_IV: AES_IV,
      PAYDROP_ENVIRONMENT: "test",
      PAYDROP_TEST: "1",
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const life = follow(`paydrop ${operands.join(" ")}`, child, options.timeoutMs ?? 120_000);
  const end = life.ended.then(({ code, signal, stdout, stderr }): LifeEnd => {
    const output = stdout + stderr;
    if (signal !== undefined && signal !== "SIGKILL") throw new Error(`ended by ${signal}\n${output}`);
    return { code, output };
  });
  // as of `follow`
  end.catch(() => undefined);
  return { child, ended: end, output: () => life.stdout() + life.stderr() };
}

export function runLife(operands: readonly string[], options: LifeOptions): Promise<LifeEnd> {
  return startLife(operands, options).ended;
}

/** What a run may end with when it was not disturbed and its file had all kinds of rows: never an internal failure. */
export const REGULAR_EXITS: readonly number[] = [0, 3, 4, 6, 7];
