import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { BatchReport } from "../../src/events.ts";
import type { Processor } from "../../src/processor.ts";
import { openProcessor } from "../../src/processor.ts";
import type { ProgramEnded } from "./program.ts";
import { runProgram } from "./program.ts";
import { temporaryDirectory } from "./state-dir.ts";

export const API_KEY = "test-key-0123456789abcdef";
export const AES_KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
export const AES_IV = "202122232425262728292a2b2c2d2e2f";

export interface ResultRow extends Readonly<Record<string, string>> {
  readonly result_row: string;
  readonly result_status: string;
  readonly result_http_status: string;
  readonly result_message: string;
  readonly result_attempts: string;
  readonly result_response: string;
  readonly result_duplicate_of: string;
}

export interface DeskRun extends ProgramEnded {
  /** The results file beside the input; empty when there is none. */
  readonly results: readonly ResultRow[];
  /** How many rows have each status: `{accepted: 2, held: 1}`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** A folder with files, a state directory and a service: what one person works with. */
export interface Desk {
  readonly folder: string;
  readonly stateDir: string;
  readonly env: Record<string, string>;
  /** Writes a file into the folder and gives its path. */
  write(name: string, content: string | Uint8Array): string;
  /** `paydrop run` in a process of its own. */
  run(name: string, ...flags: string[]): Promise<DeskRun>;
  /** The same within this process, where the clock can be set. */
  inProcess<T>(work: (processor: Processor) => Promise<T>, setting?: InProcess): Promise<T>;
  process(name: string, setting?: InProcess): Promise<BatchReport>;
  results(name: string): ResultRow[];
}

export interface InProcess {
  readonly now?: () => number;
  /** By setting name, as flags: `{period: "2026-11"}`. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

export function openDesk(serverUrl: string, env: Readonly<Record<string, string>> = {}): Desk {
  const base = temporaryDirectory();
  const folder = join(base, "files");
  const stateDir = join(base, "state");
  mkdirSync(folder);
  const all: Record<string, string> = {
    PAYDROP_BASE_URL: serverUrl,
    PAYDROP_API_KEY: API_KEY,
    PAYDROP_AES_KEY: AES_KEY,
    PAYDROP_AES_IV: AES_IV,
    PAYDROP_STATE_DIR: stateDir,
    PAYDROP_RETRY_FOR: "1s",
    HOME: base,
    ...env,
  };
  const desk: Desk = {
    folder,
    stateDir,
    env: all,
    write(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    async run(name, ...flags) {
      const ended = await runProgram(["run", ...flags, name], { env: all, cwd: folder });
      const results = desk.results(name);
      return { ...ended, results, counts: countsOf(results) };
    },
    async inProcess(work, { now, flags = {} } = {}) {
      const config: Config = loadConfig({ env: { ...all }, flags });
      const processor = await openProcessor({ config, ...(now ? { now } : {}) }, "send");
      try {
        return await work(processor);
      } finally {
        await processor.close();
      }
    },
    process: (name, setting) => desk.inProcess((processor) => processor.processFile(join(folder, name)), setting),
    results(name) {
      const extension = name.endsWith(".json") ? "json" : "csv";
      const path = join(folder, `${name}.results.${extension}`);
      if (!existsSync(path)) return [];
      const text = readFileSync(path, "utf8");
      return (extension === "json" ? JSON.parse(text) : parse(text, { bom: true, columns: true })) as ResultRow[];
    },
  };
  return desk;
}

export function countsOf(results: readonly ResultRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result_status: status } of results) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A CSV of one transfer. */
export function transferCsv(account: string, amount = "100.00"): string {
  return `from_account,to_account,amount\nACC-1,${account},${amount}\n`;
}

/** A CSV of transfers to accounts of their own, the first row's amount 101.00, the next 102.00 … */
export function transfersCsv(rows: number, more: Readonly<Record<string, (index: number) => string>> = {}): string {
  const names = Object.keys(more);
  const lines = [["from_account", "to_account", "amount", ...names].join(",")];
  for (let index = 1; index <= rows; index += 1) {
    const cells = ["50100271828001", `60200${String(index).padStart(9, "0")}`, `${100 + index}.00`];
    lines.push([...cells, ...names.map((name) => more[name]?.(index) ?? "")].join(","));
  }
  return `${lines.join("\n")}\n`;
}
