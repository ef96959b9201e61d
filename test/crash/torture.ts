/**
 * `npm run torture -- --kills 1000 --rows 50000 --seed 1 --concurrency 8`: kills runs at random moments until so many
 * kills and rows are reached, then compares the service's own ledger with journal and results. Exits 1 on any payment
 * made twice, any outcome lost, any wrong status. With `--hosts 3 --postgres --minutes 5`: `hosts-torture.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { batchIn, hasMoreToSend, runToTheEnd } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { hostsTorture } from "./hosts-torture.ts";
import { REGULAR_EXITS, startLife, startService } from "./lives.ts";
import type { Service } from "./lives.ts";
import { serverTorture } from "./server-torture.ts";
import type { Rates } from "../support/ledger-server.ts";
import { journalFaults, judge, readLedger } from "./oracle.ts";
import { randomFrom } from "./random.ts";

export interface Torture {
  readonly kills: number;
  readonly rows: number;
  readonly seed: number;
  /** Left out: another one for each state directory. */
  readonly concurrency?: number;
  /** Called after each file. */
  readonly onProgress?: (figures: Figures) => void;
}

export interface Figures {
  kills: number;
  /** Processes started. */
  lives: number;
  files: number;
  rows: number;
  requests: number;
  double: number;
  lost: number;
  wrong: number;
  unknown: number;
  /** Of these: rows whose answer only a kill kept from being recorded. */
  unknownOfKills: number;
  /** The most that one kill may make unknown, summed up: its concurrency each. */
  unknownOfKillsMax: number;
  readonly faults: string[];
}

/** A service that fails now and then; some of it looks like success, some like failure, and is not. */
const RATES: Rates = {
  acceptThenReset: 0.008,
  resetWithoutAccepting: 0.008,
  acceptThen504: 0.008,
  refuse: 0.02,
  slowDown: 0.01,
};

/** Every file of one state directory, and the kills that it has to stand. */
const FILES_PER_STATE = 3;

export async function torture(options: Torture): Promise<Figures> {
  const figures: Figures = {
    ...{ kills: 0, lives: 0, files: 0, rows: 0, requests: 0, double: 0, lost: 0, wrong: 0 },
    ...{ unknown: 0, unknownOfKills: 0, unknownOfKillsMax: 0, faults: [] },
  };
  const random = randomFrom(options.seed);
  const folder = mkdtempSync(join(tmpdir(), "paydrop-torture-"));
  for (let turn = 1; figures.kills < options.kills || figures.rows < options.rows; turn += 1) {
    const isShort = options.rows < 5_000;
    const concurrency = options.concurrency ?? [1, 2, 4, 8, 8, 16, 32][Math.floor(random() * 7)] ?? 8;
    const name = `s${options.seed}t${turn}`;
    await oneState(join(folder, String(turn)), { name, concurrency, isShort, random }, options, figures);
  }
  if (figures.faults.length === 0) rmSync(folder, { recursive: true, force: true });
  else figures.faults.push(`everything is kept in ${folder}`);
  return figures;
}

/** One state directory, one service, some files one after the other: killed until each has come to its end. */
async function oneState(
  folder: string,
  { name, concurrency, isShort, random }: { name: string; concurrency: number; isShort: boolean; random: () => number },
  { onProgress }: Torture,
  figures: Figures,
): Promise<void> {
  const latencyMs = Math.floor(random() * 12);
  mkdirSync(folder, { recursive: true });
  const service = await startService({
    ledger: join(folder, "ledger.jsonl"),
    seed: Math.floor(random() * 1e9),
    rates: RATES,
    latencyMs,
  });
  try {
    for (let file = 1; file <= FILES_PER_STATE; file += 1) {
      // so many that several lives are needed, and not hundreds
      const rows = Math.floor((isShort ? 20 : 100) * (1 + random() * 3) * Math.sqrt(concurrency));
      const batch = batchIn(folder, `${name}f${file}`, rows);
      const kills = await killUntilDone(batch, service, concurrency, random, figures);
      const options = { stateDir: batch.stateDir, url: service.url };
      await runToTheEnd([batch], ["--quiet", "--concurrency", String(concurrency)], options);
      figures.files += 1;
      count(figures, batch, service, kills * concurrency);
      onProgress?.(figures);
    }
  } finally {
    await service.close();
  }
}

/** Starts the batch over and over and kills it: mostly while rows are on their way, sometimes at any other moment. */
async function killUntilDone(
  batch: Batch,
  service: Service,
  concurrency: number,
  random: () => number,
  figures: Figures,
): Promise<number> {
  let [kills, lives] = [0, 0];
  const flags = ["--quiet", "--concurrency", String(concurrency)];
  while (kills === 0 || hasMoreToSend(batch)) {
    lives += 1;
    if (lives > LIVES_MAX) throw new Error(`${LIVES_MAX} lives did not bring ${batch.path} to its end`);
    const request = service.nextRequest();
    const life = startLife(["run", ...flags, batch.path], { stateDir: batch.stateDir, url: service.url });
    figures.lives += 1;
    if (random() < 0.2) await Promise.race([life.ended, sleep(random() * 700)]);
    else {
      await Promise.race([life.ended, request]);
      await Promise.race([life.ended, sleep(momentMs(random))]);
    }
    life.child.kill("SIGKILL");
    const { code, output } = await life.ended;
    if (code === undefined) kills += 1;
    else if (!REGULAR_EXITS.includes(code)) figures.faults.push(`${batch.path}: ended with ${code}: ${output}`);
    else if (!hasMoreToSend(batch)) break;
    if (figures.faults.length > FAULTS_MAX) throw new Error(figures.faults.join("\n"));
  }
  figures.kills += kills;
  return kills;
}

/** After the first request: at once, in the thick of it, or late enough for the last row and the results. */
function momentMs(random: () => number): number {
  const dice = random();
  if (dice < 0.25) return random() * 20;
  return dice < 0.75 ? 20 + random() * 380 : 400 + random() * 1_200;
}

const FAULTS_MAX = 20;
const LIVES_MAX = 1_000;

function count(figures: Figures, batch: Batch, service: Service, unknownMax: number): void {
  const ledger = readLedger(service.ledger);
  const verdict = judge(batch.path, batch.stateDir, batch.plan, ledger);
  figures.rows += verdict.rows;
  figures.double += verdict.double.length;
  figures.lost += verdict.lost.length;
  figures.wrong += verdict.wrong.length;
  figures.unknown += verdict.unknown;
  figures.unknownOfKills += verdict.unknownOfKills;
  figures.unknownOfKillsMax += unknownMax;
  for (const { marker } of batch.plan) figures.requests += ledger.get(marker)?.requests ?? 0;
  figures.faults.push(...verdict.double, ...verdict.lost, ...verdict.wrong, ...journalFaults(batch.stateDir));
  if (verdict.unknownOfKills > unknownMax) {
    figures.faults.push(`${batch.path}: ${verdict.unknownOfKills} unknown by kills, at most ${unknownMax} expected`);
  }
}

function line(figures: Figures): string {
  const { kills, files, rows, requests, double, lost, wrong, unknown, unknownOfKills } = figures;
  return (
    `kills ${kills}  files ${files}  rows ${rows}  requests ${requests}  ` +
    `double ${double}  lost ${lost}  wrong ${wrong}  unknown ${unknown} (${unknownOfKills} by kills)`
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kills: { type: "string", default: "100" },
      rows: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      concurrency: { type: "string" },
      hosts: { type: "string", default: "3" },
      minutes: { type: "string", default: "5" },
      postgres: { type: "boolean", default: false },
      faults: { type: "string" },
      only: { type: "string" },
    },
  });
  if (values.postgres) {
    const told = (line: string): void => void process.stdout.write(`${line}\n`);
    const random = randomFrom(Number(values.seed));
    if (values.faults !== undefined) {
      const faults = Number(values.faults);
      const outcomes = await serverTorture({
        faults,
        random,
        hosts: Number(values.hosts),
        only: values.only,
        onProgress: told,
      });
      process.exitCode = outcomes.every((one) => one.faults.length === 0) ? 0 : 1;
      return;
    }
    const common = { rates: RATES, random, onProgress: told };
    const figures = await hostsTorture({ ...common, hosts: Number(values.hosts), minutes: Number(values.minutes) });
    told(`\nseed ${values.seed}\n${String(figures)}`);
    for (const fault of figures.faults) told(`FAULT ${fault}`);
    process.exitCode = figures.faults.length === 0 ? 0 : 1;
    return;
  }
  const startedAt = performance.now();
  const figures = await torture({
    kills: Number(values.kills),
    rows: Number(values.rows),
    seed: Number(values.seed),
    ...(values.concurrency === undefined ? {} : { concurrency: Number(values.concurrency) }),
    onProgress: (now) => process.stdout.write(`${line(now)}\n`),
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`\nseed ${values.seed}, ${figures.lives} processes, ${seconds} s\n${line(figures)}\n`);
  for (const fault of figures.faults) process.stdout.write(`FAULT ${fault}\n`);
  process.exitCode = figures.faults.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) await main();
