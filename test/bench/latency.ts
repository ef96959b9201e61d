import type { Bench } from "./bench.ts";
import { run } from "./child.ts";
import { figure, median, spread, table } from "./figures.ts";
import { clear, emptyFolder, LANES, PEER, type PeerName } from "./peers.ts";
import type { ServerOptions } from "./server.ts";
import { withService } from "./service.ts";

/** A service that takes its time, and how much of what the lanes can carry then must be reached. */
const CASES = [
  { title: "every answer 100 ms", server: { delayMs: 100 }, aim: 0.97 },
  { title: "every answer 20 ms", server: { delayMs: 20 }, aim: 0.94 },
  { title: "20 ms, one in a hundred 2 s", server: { delayMs: 20, slowShare: 0.01, slowMs: 2000 }, aim: 0.95 },
] as const;

export interface Latency {
  readonly title: string;
  readonly rows: number;
  readonly rowsPerSecond: readonly number[];
  /** What the lanes could carry, 1 for all of it. */
  readonly reached: readonly number[];
  /** Of the bare loop: what the timers of the server leave of it. */
  readonly bare: number;
  readonly aim: number;
}

/** How busy the lanes are kept when the service is the limit. `--seconds`: how long each run takes at best. */
export async function latency(bench: Bench): Promise<Latency[]> {
  const found: Latency[] = [];
  for (const { title, server, aim } of CASES) {
    const rows = rowsIn(bench.seconds, server);
    const runs: { reached: number; rowsPerSecond: number }[] = [];
    for (let time = 1; time <= bench.repeat; time += 1) {
      bench.progress(`${title}: ${time} of ${bench.repeat}`);
      runs.push(await measure(bench, rows, server, "paydrop"));
    }
    bench.progress(`${title}: the bare loop`);
    const bare = (await measure(bench, rows, server, "undici")).reached;
    const [reached, rowsPerSecond] = [runs.map((one) => one.reached), runs.map((one) => one.rowsPerSecond)];
    found.push({ title, rows, reached, rowsPerSecond, bare, aim });
  }
  const lines = found.map(({ title, rows, rowsPerSecond, reached, bare, aim }) => {
    const perCent = (part: number): string => `${figure(part * 100)} %`;
    const [mine, ofBare] = [perCent(median(reached)), perCent(bare)];
    return [title, figure(rows), figure(median(rowsPerSecond)), mine, spread(reached), ofBare, perCent(aim)];
  });
  bench.say(`\nSlow answers, ${LANES} connections: first request to last answer, against what the lanes can carry\n`);
  bench.say(table(["", "rows", "rows/s", "of the ideal", "spread", "bare loop", "at least"], lines));
  return found;
}

async function measure(bench: Bench, rows: number, server: ServerOptions, peer: PeerName) {
  const folder = emptyFolder(bench.folder, "latency");
  try {
    return await withService(server, async (service) => {
      await run(PEER[peer].prepare({ folder, kind: "payouts-b", rows }, service.url, bench.program));
      const { requests, firstAt, lastAt } = await service.counts();
      if (requests !== rows) throw new Error(`${requests} requests for ${rows} rows`);
      const takenMs = lastAt - firstAt;
      return { reached: idealMs(rows, server) / takenMs, rowsPerSecond: (rows / takenMs) * 1000 };
    });
  } finally {
    clear(folder);
  }
}

function rowsIn(seconds: number, server: ServerOptions): number {
  const sample = 10_000;
  return Math.max(LANES, Math.round((seconds * 1000 * sample) / idealMs(sample, server)));
}

/** From the first request to the last answer when no lane ever waits; the first row goes alone (README §8). */
export function idealMs(rows: number, { delayMs = 0, slowShare = 0, slowMs = 0 }: ServerOptions): number {
  const slowEvery = slowShare > 0 ? Math.round(1 / slowShare) : Infinity;
  const freeAt = new Float64Array(LANES).fill(delayMs);
  for (let nth = 2; nth <= rows; nth += 1) {
    let lane = 0;
    for (let other = 1; other < LANES; other += 1) if ((freeAt[other] ?? 0) < (freeAt[lane] ?? 0)) lane = other;
    freeAt[lane] = (freeAt[lane] ?? 0) + (nth % slowEvery === 0 ? slowMs : delayMs);
  }
  return Math.max(...freeAt);
}
