import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { now, run, start } from "./child.ts";
import { figure, median, quantile, spread, table } from "./figures.ts";
import { makeFile } from "./payment-files.ts";
import { clear, emptyFolder, PEER, paydropCommand } from "./peers.ts";
import { withService } from "./service.ts";
import { until } from "../support/until.ts";

const ROWS = 10;
/** A file that is there when the watch begins is looked at twice, so long apart. */
const SETTLE_MS = 100;

export interface Small {
  /** From the start of the process to its end, without the time the server worked. */
  readonly oneFileMs: readonly number[];
  /** The same of a Node that does nothing: what no program in it can do without. */
  readonly emptyNodeMs: readonly number[];
  readonly files: number;
  readonly filesPerSecond: number;
}

/** One small file by hand, and a morning of them in a drop folder. */
export async function small(bench: Bench): Promise<Small> {
  const oneFileMs: number[] = [];
  const emptyNodeMs: number[] = [];
  for (let time = 1; time <= bench.times; time += 1) {
    bench.progress(`small: ${time} of ${bench.times}`);
    oneFileMs.push(await oneFile(bench));
    emptyNodeMs.push((await run({ program: process.execPath, operands: ["-e", "0"] })).wallMs);
  }
  const found: Small = { oneFileMs, emptyNodeMs, files: bench.files, filesPerSecond: await manyFiles(bench) };
  const line = (title: string, times: readonly number[]): string[] => [
    title,
    `${figure(median(times))} ms`,
    `${figure(quantile(times, 0.95))} ms`,
    spread(times),
  ];
  const lines = [line(`paydrop run, ${ROWS} rows`, oneFileMs), line("node -e 0", emptyNodeMs)];
  bench.say(`\nSmall files\n\n${table(["start to exit", "median", "95 of 100", "spread"], lines)}`);
  const each = `${figure(1000 / found.filesPerSecond)} ms each`;
  bench.say(
    `\n${figure(bench.files)} files of ${ROWS} rows, watched: ${figure(found.filesPerSecond)} files/s, ${each}`,
  );
  return found;
}

function oneFile(bench: Bench): Promise<number> {
  return withService({}, async (service) => {
    const folder = emptyFolder(bench.folder, "small");
    const command = PEER.paydrop.prepare({ folder, kind: "payouts-b", rows: ROWS }, service.url, bench.program);
    await service.reset();
    const { wallMs } = await run(command);
    const { requests, cpuMs } = await service.counts();
    if (requests !== ROWS) throw new Error(`${requests} requests for ${ROWS} rows`);
    clear(folder);
    return wallMs - cpuMs;
  });
}

/** From the first request to the last results file. */
function manyFiles(bench: Bench): Promise<number> {
  return withService({}, async (service) => {
    const folder = emptyFolder(bench.folder, "inbox");
    const inbox = join(folder, "payouts");
    mkdirSync(inbox);
    for (let series = 1; series <= bench.files; series += 1) {
      makeFile({ folder: inbox, kind: "payouts-b", rows: ROWS, series });
    }
    const operands = ["watch", "--state-dir", `${folder}-state`, folder];
    const { child, ended } = start(
      paydropCommand(bench.program, operands, service.url, { PAYDROP_SETTLE: `${SETTLE_MS}ms` }),
    );
    await until("all results", () => resultsIn(inbox) === bench.files, { by: ended });
    const endedAt = now();
    const { firstAt } = await service.counts();
    child.kill("SIGTERM");
    await ended;
    clear(folder);
    return (bench.files / (endedAt - firstAt)) * 1000;
  });
}

function resultsIn(folder: string): number {
  return readdirSync(folder).filter((name) => name.endsWith(".summary.json")).length;
}
