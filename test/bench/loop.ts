import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { run } from "./child.ts";
import { figure, table } from "./figures.ts";
import type { LoopDelay } from "./loop-delay.ts";
import { clear, emptyFolder, PEER } from "./peers.ts";
import { withService } from "./service.ts";

/** How long the main thread of paydrop answers nobody (signals, watcher, progress) while it sends as fast as it can. */
export async function loop(bench: Bench): Promise<LoopDelay[]> {
  const found: LoopDelay[] = [];
  for (let time = 1; time <= bench.repeat; time += 1) {
    bench.progress(`event loop: ${time} of ${bench.repeat}`);
    found.push(await measure(bench));
  }
  const lines = found.map(({ p50Ms, p99Ms, p999Ms, maxMs }, at) => [
    `run ${at + 1}`,
    ...[p50Ms, p99Ms, p999Ms, maxMs].map((ms) => `${figure(ms)} ms`),
  ]);
  const header = ["event loop held up", "half", "99 %", "99.9 %", "longest"];
  bench.say(`\nEvent loop, payouts-b, csv, ${figure(bench.rows)} rows at full speed\n\n${table(header, lines)}`);
  return found;
}

function measure(bench: Bench): Promise<LoopDelay> {
  return withService({}, async ({ url }) => {
    const folder = emptyFolder(bench.folder, "loop");
    const report = join(folder, "delay.json");
    const command = PEER.paydrop.prepare({ folder, kind: "payouts-b", rows: bench.rows }, url, bench.program);
    const NODE_OPTIONS = `--import=${join(import.meta.dirname, "loop-delay.ts")}`;
    await run({ ...command, env: { ...command.env, NODE_OPTIONS, LOOP_DELAY_REPORT: report } });
    const delay = JSON.parse(readFileSync(report, "utf8")) as LoopDelay;
    clear(folder);
    return delay;
  });
}
