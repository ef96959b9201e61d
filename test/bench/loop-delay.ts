/** Loaded into a program with `--import`: writes at its exit how long its main thread was held up at a time. */
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

export interface LoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

const RESOLUTION_MS = 1;
const target = process.env["LOOP_DELAY_REPORT"];

if (isMainThread && target !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // a figure is the time between two looks: what it is above the time they should be apart is the delay
  const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on("exit", () => {
    delay.disable();
    const report: LoopDelay = {
      p50Ms: milliseconds(delay.percentile(50)),
      p99Ms: milliseconds(delay.percentile(99)),
      p999Ms: milliseconds(delay.percentile(99.9)),
      maxMs: milliseconds(delay.max),
    };
    writeFileSync(target, JSON.stringify(report));
  });
}
