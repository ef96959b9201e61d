import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { openWork } from "../../src/acts/open.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { BatchReport } from "../../src/events.ts";
import { exitCodeOf } from "../../src/exit-codes.ts";
import { runFolder } from "../../src/inbox/run-folder.ts";
import {
  SANDBOX_AES_IV,
  SANDBOX_AES_KEY,
  SANDBOX_API_KEY,
  startSandbox,
  type Sandbox,
  type SandboxOptions,
} from "../../src/sandbox/server.ts";
import { runProgram, startProgram, type Program, type ProgramEnded } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { came, until } from "../support/until.ts";

/** What works through the inbox in this process, as `watch` and `run` do. */
export interface Working {
  /** `code`: the exit code. `stderr`: what was said. */
  readonly ended: Promise<{ readonly code: number; readonly stderr: string }>;
  readonly said: string[];
  readonly reports: BatchReport[];
  /** The first signal. */
  stop(): Promise<{ readonly code: number; readonly stderr: string }>;
}

/** A real inbox, a pretended service, and the program in this process or in one of its own. */
export class Watched {
  readonly root: string = temporaryDirectory();
  readonly inbox: string = join(this.root, "inbox");
  sandbox: Sandbox | undefined;
  readonly url: string;

  constructor(url: string) {
    this.url = url;
    mkdirSync(join(this.inbox, "payouts"), { recursive: true });
  }

  static async with(options: SandboxOptions = {}): Promise<Watched> {
    const sandbox = await startSandbox({ port: 0, ...options });
    onTestFinished(() => sandbox.close());
    const watched = new Watched(sandbox.url);
    watched.sandbox = sandbox;
    return watched;
  }

  /** Requests that the service carried out. */
  get carriedOut(): number {
    return this.sandbox?.ledger().count ?? 0;
  }

  get sentTwice(): number {
    const payloads = this.sandbox?.ledger().entries.map(({ payload }) => payload) ?? [];
    return payloads.length - new Set(payloads).size;
  }

  env(stateDir = "state"): Record<string, string> {
    return {
      PAYDROP_BASE_URL: this.url,
      PAYDROP_API_KEY: SANDBOX_API_KEY,
      PAYDROP_AES_KEY: SANDBOX_AES_KEY,
      PAYDROP_AES_IV: SANDBOX_AES_IV,
      PAYDROP_STATE_DIR: join(this.root, stateDir),
      PAYDROP_SETTLE: "50ms",
    };
  }

  watch(flags: Readonly<Record<string, unknown>> = {}, stateDir?: string, isOnce = false): Working {
    const soft = new AbortController();
    const [said, reports]: [string[], BatchReport[]] = [[], []];
    const work = async (): Promise<number> => {
      const { config, secrets } = loadSettings({ flags, env: this.env(stateDir) }, "read");
      const signals = { soft: soft.signal, hard: new AbortController().signal };
      const opened = await openWork(config, secrets, "send", { signals });
      const listener = {
        say: (text: string) => void said.push(text),
        failed: (error: unknown) => void said.push(String(error)),
        ended: (report: BatchReport) => void reports.push(report),
      };
      try {
        return await runFolder(opened, this.inbox, listener, isOnce ? "once" : "watch");
      } finally {
        await opened.close();
      }
    };
    const failed = (error: unknown): number => {
      said.push(String(error));
      return exitCodeOf(error);
    };
    const ended = work()
      .catch(failed)
      .then((code) => ({ code, stderr: said.join("\n") }));
    const stop = (): Working["ended"] => {
      soft.abort();
      return ended;
    };
    onTestFinished(() => void stop());
    return { ended, said, reports, stop };
  }

  /** A single run of the folder; `said` and `reports` are whole when it resolves. */
  async once(flags: Readonly<Record<string, unknown>> = {}, stateDir?: string): Promise<Working & { code: number }> {
    const working = this.watch(flags, stateDir, true);
    return { ...working, code: (await came("the end of the run", working.ended, { withinMs: 120_000 })).code };
  }

  start(operands: readonly string[] = ["watch", this.inbox], stateDir?: string): Program {
    const program = startProgram(operands, { env: this.env(stateDir) });
    onTestFinished(() => void program.child.kill("SIGKILL"));
    return program;
  }

  run(
    operands: readonly string[],
    stateDir?: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ProgramEnded> {
    return runProgram(operands, { env: { ...this.env(stateDir), ...env } });
  }

  /** `age`: written so many hours ago. */
  put(name: string, text: string, age?: number): string {
    const path = join(this.inbox, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (age !== undefined) utimesSync(path, new Date(), Date.now() / 1000 - 3600 * age);
    return path;
  }

  read(name: string): string {
    return existsSync(join(this.inbox, name)) ? readFileSync(join(this.inbox, name), "utf8") : "";
  }

  has(name: string): boolean {
    return existsSync(join(this.inbox, name));
  }

  names(): string[] {
    return readdirSync(this.inbox).filter((name) => name !== "payouts");
  }

  /** Waits until the file beside another one says so. */
  says(name: string, text: string | RegExp, by: Pick<Program | Working, "ended">): Promise<void> {
    const isSo = (): boolean =>
      typeof text === "string" ? this.read(name).includes(text) : text.test(this.read(name));
    return until(`${name}: ${String(text)}`, isSo, { by: by.ended });
  }
}

/** Transfers that differ, as a CSV file. */
export function transfers(rows: number, from = 0): string {
  const lines = Array.from({ length: rows }, (_, index) => `${row(index + from)}\n`);
  return `${HEADER}\n${lines.join("")}`;
}

const HEADER = "from_account,to_account,amount";
const row = (index: number): string => `ACC-OPS-01,20030040${String(index).padStart(4, "0")},${index + 1}.50`;
