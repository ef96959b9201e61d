/**
 * `npm run fuzz -- --files 10000 --seed 1`: files of the samples, changed as real life changes them, each checked and run
 * twice against a service that writes down what it received. Exits 1, with the seed and the file kept, where one brings the
 * program down or to a halt, a row goes that must not, or anything else is sent than what stands in the file.
 */
import { fork, type ChildProcess } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "csv-parse/sync";
import { run as check } from "../../src/commands/check.ts";
import { run } from "../../src/commands/run-watch.ts";
import { called } from "../support/calls.ts";
import { answer, startFaultServer, type FaultServer, type Received } from "../support/fault-server.ts";
import { AES_IV, AES_KEY, API_KEY } from "../support/ledger-server.ts";
import type { Ended } from "../support/paydrop.ts";
import { readings } from "./decoded.ts";
import { breaches, type Line, type Summary } from "./fuzz-oracle.ts";
import { mutated, type Mutated } from "./mutations.ts";

/** What became of one file. */
export interface Figures {
  readonly seed: number;
  /** The exit code of its first run. */
  readonly code: number;
  readonly requests: number;
  readonly faults: readonly string[];
}

/** Every sixteenth payment is refused, always the same ones. */
function service(): Promise<FaultServer> {
  return startFaultServer(({ body }) => answer(hash("sha256", body).startsWith("0") ? 422 : 200));
}

/** Files from this seed on, one after the other, each with a journal of its own. */
export async function fuzz(
  seed: number,
  files: number,
  onFile: (figures: Figures) => void,
  onBegin: (seed: number) => void = () => undefined,
): Promise<void> {
  const server = await service();
  // no disk is tested here, and one would be waited for most of the time
  const memory = "/dev/shm";
  if (existsSync(memory)) process.env["TMPDIR"] = memory;
  try {
    for (let at = seed; at < seed + files; at += 1) {
      onBegin(at);
      onFile(await oneFile(at, server));
    }
  } finally {
    await server.close();
  }
}

async function oneFile(seed: number, server: FaultServer): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-fuzz-"));
  const file = mutated(seed);
  const path = join(folder, "inbox", file.name);
  mkdirSync(join(folder, "inbox"));
  writeFileSync(path, file.bytes);
  const call = (command: typeof run, flags: Readonly<Record<string, unknown>>): Promise<Ended> =>
    called(command, {
      operands: [path],
      flags: { state_dir: join(folder, "state"), base_url: server.url, log_level: "debug", by: "fuzz", ...flags },
      env: { PAYDROP_API_KEY: API_KEY, PAYDROP_AES_KEY: AES_KEY, PAYDROP_AES_IV: AES_IV },
    }).catch((error: unknown) => ({ code: 1, stdout: "", stderr: String((error as Error).stack) }));
  const requested = async (work: () => Promise<Ended>): Promise<[Ended, Received[]]> => {
    const before = server.requests.length;
    const ended = await work();
    return [ended, server.requests.slice(before)];
  };
  const checked = await call(check, { json: true, all: true });
  // a refusal is told in the same words each time
  const isWhole = seed % 4 === 0;
  const text = isWhole ? await call(check, {}) : checked;
  const [first, requests] = await requested(() => call(run, {}));
  const [lines, summary] = [linesOf(path), summaryOf(path)];
  const again = async (): Promise<Ended> => (isWhole || lines ? call(run, { json: true }) : first);
  const [second, requestsAgain] = await requested(again);
  const kept = ["journal.db", "journal.db-wal"].map((name) => join(folder, "state", name));
  const journal = kept.map((one) => (existsSync(one) ? readFileSync(one, "latin1") : "")).join("");
  const faults = breaches({
    ...{ check: { ...checked, stderr: checked.stderr + text.stdout + text.stderr }, first, second },
    ...{ readings: readings(file.name, file.bytes), requests, requestsAgain },
    ...{ lines, linesAgain: linesOf(path), summary, secrets: secretsOf(file), journal },
  });
  server.requests.length = 0;
  if (faults.length === 0) rmSync(folder, { recursive: true });
  const where = faults.length > 0 ? [`seed ${seed}: ${path}, of ${file.of}`] : [];
  return { seed, code: first.code, requests: requests.length, faults: [...where, ...faults] };
}

function linesOf(path: string): readonly Line[] | undefined {
  const kind = extname(path) === ".txt" ? ".csv" : extname(path);
  const results = `${path}.results${kind}`;
  if (!existsSync(results)) return undefined;
  if (kind === ".xlsx") return workbookLines(results);
  const text = readFileSync(results, "utf8");
  if (kind === ".csv") return csvLines(parse(text, { bom: true }));
  const rows = JSON.parse(kind === ".json" ? text : `[${text.trim().split("\n").join(",")}]`) as object[];
  const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])));
}

function workbookLines(path: string): readonly Line[] {
  const [rows] = readings(basename(path), readFileSync(path));
  return csvLines([...(rows?.values() ?? [])].map((cells) => [...cells]));
}

/** Our own columns by their places: a file may have columns of the same names. */
function csvLines([header = [], ...rows]: readonly (readonly string[])[]): readonly Line[] {
  const ours = header.flatMap((name, at) => (at < 5 || at >= header.length - 10 ? [[name, at] as const] : []));
  return rows.map((cells) => Object.fromEntries(ours.map(([name, at]) => [name, cells[at] ?? ""])));
}

function summaryOf(path: string): Summary | undefined {
  const name = `${path}.summary.json`;
  return existsSync(name) ? (JSON.parse(readFileSync(name, "utf8")) as Summary) : undefined;
}

/** Accounts, mobiles, UPI ids and addresses of the samples, as far as the file still has them. */
function secretsOf({ bytes }: Mutated): readonly string[] {
  const text = bytes.toString(bytes[0] === 0xff ? "utf16le" : "utf8");
  return [...new Set(text.match(/\b(?:9001\d{10}|98000\d{5}|[a-z]+(?:\.[a-z]+)?@[a-z]+(?:\.example)?)\b/g))];
}

const FILES_PER_PROCESS = 250;
/** No file of the samples, however changed, takes a twentieth of that. */
const FILE_MS = 60_000;
const MEMORY_BYTES = 1024 ** 3;

type Told = { readonly begun: number } | { readonly ended: Figures; readonly bytes: number };

/** A process of its own that takes so many files: where one of them halts it, that one is told. */
function inProcess(seed: number, files: number, onFile: (figures: Figures) => void): Promise<void> {
  const child: ChildProcess = fork(import.meta.filename, ["--here", "--seed", String(seed), "--files", String(files)]);
  let at = seed;
  const broken = (what: string): void => {
    onFile({ seed: at, code: 1, requests: 0, faults: [`seed ${at}: ${what}`] });
    child.kill("SIGKILL");
  };
  const late = (): NodeJS.Timeout => setTimeout(() => broken(`no end within ${FILE_MS / 1000} s`), FILE_MS);
  let timer = late();
  child.on("message", (told: Told) => {
    clearTimeout(timer);
    timer = late();
    if ("begun" in told) at = told.begun;
    else {
      onFile(told.ended);
      if (told.bytes > MEMORY_BYTES) broken(`${Math.round(told.bytes / 1024 ** 2)} MB of memory`);
    }
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code !== 0 && signal !== "SIGKILL") broken(`the process ended with ${code ?? signal}`);
      // the others of its files
      resolve(at + 1 < seed + files ? inProcess(at + 1, seed + files - at - 1, onFile) : undefined);
    });
  });
}

async function main(): Promise<number> {
  const option = (value: string): { type: "string"; default: string } => ({ type: "string", default: value });
  const { values } = parseArgs({ options: { files: option("10000"), seed: option("1"), here: { type: "boolean" } } });
  const [seed, files] = [Number(values.seed), Number(values.files)];
  if (values.here) {
    const tell = (told: Told): void => void process.send?.(told);
    await fuzz(
      seed,
      files,
      (ended) => tell({ ended, bytes: process.memoryUsage.rss() }),
      (begun) => tell({ begun }),
    );
    process.disconnect();
    return 0;
  }
  let [done, sent, broken] = [0, 0, 0];
  const ends = new Map<number, number>();
  for (let from = seed; from < seed + files; from += FILES_PER_PROCESS) {
    await inProcess(from, Math.min(FILES_PER_PROCESS, seed + files - from), ({ code, requests, faults }) => {
      [done, sent] = [done + 1, sent + requests];
      ends.set(code, (ends.get(code) ?? 0) + 1);
      if (faults.length > 0) process.stdout.write(`FAULT ${faults.join("\n      ")}\n`);
      broken += faults.length > 0 ? 1 : 0;
    });
    const codes = [...ends].sort(([one], [other]) => one - other).map(([code, count]) => `${code}: ${count}`);
    process.stdout.write(`files ${done}  requests ${sent}  broken ${broken}  ends ${codes.join(", ")}\n`);
  }
  return broken === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main();
