import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./child.ts";
import { figure, median, megabytes, spread, table } from "./figures.ts";
import type { Format, Kind } from "./payment-files.ts";
import { clear, PEER, PEERS, type PeerName } from "./peers.ts";
import type { Bench } from "./bench.ts";
import { type Service, withService } from "./service.ts";

/** One repetition of one program. */
export interface Measured {
  readonly rows: number;
  readonly rowsPerSecond: number;
  readonly cpuSecondsPer1000: number | undefined;
  readonly peakBytes: number | undefined;
  /** How much of the time the server was busy, 0 to 1: near 1 it was the limit. */
  readonly serverBusy: number;
}

interface Job {
  readonly kind: Kind;
  readonly format: Format;
}

export interface Whole extends Job {
  readonly runs: Readonly<Partial<Record<PeerName, readonly Measured[]>>>;
}

/** Whole jobs, file in and results out: all programs in turn, again and again, so that a slow minute hits them all. */
export async function whole(bench: Bench): Promise<Whole[]> {
  const [kind = "payouts-b"] = bench.kinds;
  const formats = bench.formats.filter((format) => format !== "csv");
  const jobs: readonly Job[] = [
    ...(bench.formats.includes("csv") ? bench.kinds : []).map((one) => ({ kind: one, format: "csv" as const })),
    ...formats.map((format) => ({ kind, format })),
  ];
  const measured: Whole[] = [];
  for (const job of jobs) {
    const wanted = measured.length === 0 ? bench.peers : bench.peersElsewhere;
    const peers = PEERS.filter((name) => wanted.includes(name));
    const result = await withService({}, (service) => measure(bench, service, job, peers));
    measured.push(result);
    bench.say(`\n${job.kind}, ${job.format}, ${figure(bench.rows)} rows\n\n${wholeTable(result)}`);
  }
  return measured;
}

async function measure(bench: Bench, service: Service, job: Job, peers: readonly PeerName[]): Promise<Whole> {
  const runs: Partial<Record<PeerName, Measured[]>> = {};
  for (let repeat = 0; repeat < bench.repeat; repeat += 1) {
    for (const name of peers) {
      bench.progress(`${job.kind} ${job.format}: ${name}, ${repeat + 1} of ${bench.repeat}`);
      (runs[name] ??= []).push(await measureOne(bench, service, name, job));
    }
  }
  return { ...job, runs };
}

async function measureOne(bench: Bench, service: Service, name: PeerName, job: Job): Promise<Measured> {
  const peer = PEER[name];
  const { rows } = bench;
  const folder = join(bench.folder, "whole");
  mkdirSync(folder, { recursive: true });
  try {
    const command = peer.prepare({ folder, rows, ...job }, service.url, bench.program);
    await service.reset();
    const { wallMs, cpuMs, peakBytes } = await run(command);
    const { requests, firstAt, lastAt, cpuMs: serverCpuMs } = await service.counts();
    if (requests !== rows) throw new Error(`${name} sent ${requests} requests for ${rows} rows`);
    const takenMs = peer.isOnlySending ? lastAt - firstAt : wallMs;
    return {
      rows,
      rowsPerSecond: (rows / takenMs) * 1000,
      cpuSecondsPer1000: cpuMs === undefined ? undefined : cpuMs / rows,
      peakBytes,
      serverBusy: serverCpuMs / (lastAt - firstAt),
    };
  } finally {
    clear(folder);
  }
}

/** At most 100 columns wide. */
export function wholeTable({ runs }: Whole): string {
  const rate = (name: PeerName): number => median((runs[name] ?? []).map((one) => one.rowsPerSecond));
  const header = ["", "rows/s", "spread", "paydrop is", "CPU s/1,000 rows", "peak memory", "server busy"];
  const lines = PEERS.flatMap((name) => {
    const measured = runs[name];
    if (!measured) return [];
    const rates = measured.map((one) => one.rowsPerSecond);
    const ratio = rate("paydrop") / rate(name);
    return [
      [
        PEER[name].title,
        figure(Math.round(median(rates))),
        spread(rates),
        name === "paydrop" || !Number.isFinite(ratio) ? "" : `${figure(ratio)} ×`,
        figure(median(measured.map((one) => one.cpuSecondsPer1000 ?? NaN))),
        megabytes(median(measured.map((one) => one.peakBytes ?? NaN))),
        `${Math.round(median(measured.map((one) => one.serverBusy)) * 100)} %`,
      ],
    ];
  });
  return table(header, lines);
}
