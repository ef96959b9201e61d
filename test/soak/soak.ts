/**
 * `npm run soak -- --minutes 10 --interval-ms 300 --seed 1 --kill-every-s 20`: drops a small payroll every moment into
 * the folder of a real `paydrop watch`, against a service that fails and is away now and then; with `--kill-every-s` the
 * watcher is killed at random. Done files are carried off with their results, as people do. At the end every row is
 * looked up in the service's own ledger, and what the process held is compared over time. Exits 1 on any row sent
 * twice, any outcome lost, any growth.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { systemCodeOf } from "../../src/errors.ts";
import { batchIn, hasMoreToSend } from "../crash/batch.ts";
import type { Batch } from "../crash/batch.ts";
import { share } from "../crash/ledger-server.ts";
import { journalFaults, judge } from "../crash/oracle.ts";
import { flatness, type Flatness } from "./flat.ts";
import { startService, type Service } from "./service.ts";
import { Watcher } from "./watcher.ts";

export interface Soak {
  /** Files to drop. */
  readonly files: number;
  readonly intervalMs: number;
  readonly seed: number;
  /** On average so many files between two kills; left out: none. */
  readonly killEvery?: number;
  /** So many files between two absences of the service. */
  readonly awayEvery: number;
  readonly onProgress?: (figures: Figures) => void;
}

export interface Figures {
  files: number;
  rows: number;
  requests: number;
  lives: number;
  kills: number;
  /** How often a person had to say resume. */
  resumes: number;
  away: number;
  double: number;
  lost: number;
  wrong: number;
  unknown: number;
  flat?: Flatness;
  readonly faults: string[];
}

const AWAY_MS = 3000;
const ROWS_MAX = 12;
/** A done file lies in the folder for so many files after it. */
const CARRIED_OFF_AFTER = 60;
const ROTATED_EVERY = 100;

export async function soak(options: Soak): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-soak-"));
  for (const name of ["inbox", "done"]) mkdirSync(join(folder, name), { recursive: true });
  const figures: Figures = {
    ...{ files: 0, rows: 0, requests: 0, lives: 0, kills: 0, resumes: 0, away: 0 },
    ...{ double: 0, lost: 0, wrong: 0, unknown: 0, faults: [] },
  };
  const service = await startService(options.seed);
  const watcher = new Watcher(folder, service.url);
  try {
    const batches = await dropAll(folder, options, service, watcher, figures);
    await untilAllIsDone(batches, watcher);
    const flat = flatness(watcher.samples());
    if (flat) figures.flat = flat;
    const { code, output } = await watcher.stop();
    if (code !== 0) figures.faults.push(`the watcher ended with ${String(code)}: ${output.slice(-2000)}`);
    account(folder, batches, service, watcher, figures);
  } finally {
    await watcher.stop();
    await service.close();
  }
  figures.faults.push(...(figures.flat?.faults ?? []));
  if (figures.faults.length === 0) rmSync(folder, { recursive: true, force: true });
  else figures.faults.push(`everything is kept in ${folder}`);
  return figures;
}

async function dropAll(
  folder: string,
  { files, intervalMs, seed, killEvery, awayEvery, onProgress }: Soak,
  service: Service,
  watcher: Watcher,
  figures: Figures,
): Promise<Batch[]> {
  const batches: Batch[] = [];
  let absence: Promise<void> | undefined;
  for (let file = 1; file <= files; file += 1) {
    const dice = (what: string): number => share(seed, `${what} ${file}`);
    const startedAt = performance.now();
    batches.push(batchIn(folder, `s${seed}f${file}`, 1 + Math.floor(dice("rows") * ROWS_MAX)));
    if (file % awayEvery === 0 && !absence) {
      figures.away += 1;
      absence = service.goAway(AWAY_MS).finally(() => (absence = undefined));
    }
    if (killEvery !== undefined && dice("kill") < 1 / killEvery) {
      await sleep(dice("moment") * intervalMs);
      await watcher.killAndStart();
    }
    if (file % ROTATED_EVERY === 0) watcher.rotateLog();
    await watcher.resumeIfHeld();
    carryOff(folder, batches.slice(0, -CARRIED_OFF_AFTER));
    figures.files = file;
    figures.requests = service.requests;
    [figures.lives, figures.kills, figures.resumes] = [watcher.lives, watcher.kills, watcher.resumes];
    onProgress?.(figures);
    await sleep(Math.max(0, intervalMs - (performance.now() - startedAt)));
  }
  await absence;
  return batches;
}

/** Whatever the inbox holds of a file that is done. */
function carryOff(folder: string, batches: readonly Batch[]): void {
  const inbox = join(folder, "inbox");
  const names = readdirSync(inbox);
  for (const { path, fileName } of batches) {
    if (!isAtItsEnd(`${path}.summary.json`)) continue;
    const own = names.filter((name) => name === fileName || name.startsWith(`${fileName}.`));
    for (const name of own) moveIfThere(join(inbox, name), join(folder, "done", name));
  }
}

/** The summary is written last of all. */
function isAtItsEnd(path: string): boolean {
  if (!existsSync(path)) return false;
  const { rows } = JSON.parse(readFileSync(path, "utf8")) as { rows: Readonly<Record<string, number>> };
  return (rows["not_sent"] ?? 0) === 0;
}

/** The watcher takes a note away as soon as its file is gone. */
function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
  }
}

async function untilAllIsDone(batches: readonly Batch[], watcher: Watcher): Promise<void> {
  let changedAt = performance.now();
  for (let open = [...batches]; open.length > 0;) {
    const before = open.length;
    open = open.filter((batch) => {
      const at = existsSync(batch.path) ? batch.path : batch.path.replace("/inbox/", "/done/");
      return !existsSync(`${at}.summary.json`) || hasMoreToSend(batch);
    });
    if (open.length < before) changedAt = performance.now();
    await watcher.resumeIfHeld();
    if (open.length > 0) await sleep(500);
    if (performance.now() - changedAt > STUCK_MS) throw new Error(`stuck: ${open.map(({ path }) => path).join(", ")}`);
  }
}

/** On a busy machine it takes long; but something must go on. */
const STUCK_MS = 120_000;

function account(
  folder: string,
  batches: readonly Batch[],
  service: Service,
  watcher: Watcher,
  figures: Figures,
): void {
  carryOff(folder, batches);
  for (const { path, plan, stateDir } of batches) {
    const verdict = judge(path.replace("/inbox/", "/done/"), stateDir, plan, service.ledger);
    figures.rows += verdict.rows;
    figures.double += verdict.double.length;
    figures.lost += verdict.lost.length;
    figures.wrong += verdict.wrong.length;
    figures.unknown += verdict.unknown;
    figures.faults.push(...verdict.double, ...verdict.lost, ...verdict.wrong);
  }
  figures.requests = service.requests;
  figures.faults.push(...journalFaults(watcher.stateDir));
  const left = readdirSync(watcher.inbox).filter((name) => name !== ".paydrop");
  if (left.length > 0) figures.faults.push(`left in the inbox: ${left.join(", ")}`);
}

function line(figures: Figures): string {
  const { files, rows, requests, kills, away, resumes, double, lost, wrong, unknown } = figures;
  return (
    `files ${files}  rows ${rows}  requests ${requests}  kills ${kills}  away ${away}  resumed ${resumes}  ` +
    `double ${double}  lost ${lost}  wrong ${wrong}  unknown ${unknown}`
  );
}

function flatLine({ samples, minutes, heapMB, rssMB, descriptors, timers, heapKBPerMinute }: Flatness): string {
  const pair = ([first, last]: readonly [number, number], digits = 0): string =>
    `${first.toFixed(digits)} → ${last.toFixed(digits)}`;
  return (
    `one process over ${minutes.toFixed(1)} min (${samples} looks): heap ${pair(heapMB, 1)} MB ` +
    `(${heapKBPerMinute.toFixed(0)} KB/min)  rss ${pair(rssMB)} MB  ` +
    `descriptors ${pair(descriptors)}  timers ${pair(timers)}`
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "2" },
      "interval-ms": { type: "string", default: "300" },
      seed: { type: "string", default: "1" },
      "kill-every-s": { type: "string" },
    },
  });
  const intervalMs = Number(values["interval-ms"]);
  const startedAt = performance.now();
  let toldAt = startedAt;
  const figures = await soak({
    files: Math.round((Number(values.minutes) * 60_000) / intervalMs),
    intervalMs,
    seed: Number(values.seed),
    awayEvery: Math.ceil(45_000 / intervalMs),
    ...(values["kill-every-s"] === undefined
      ? {}
      : { killEvery: (Number(values["kill-every-s"]) * 1000) / intervalMs }),
    onProgress: (now) => {
      if (performance.now() - toldAt < 15_000) return;
      toldAt = performance.now();
      process.stdout.write(`${line(now)}\n`);
    },
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`\nseed ${values.seed}, ${figures.lives} processes, ${seconds} s\n${line(figures)}\n`);
  if (figures.flat) process.stdout.write(`${flatLine(figures.flat)}\n`);
  for (const fault of figures.faults) process.stdout.write(`FAULT ${fault}\n`);
  process.exitCode = figures.faults.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) await main();
