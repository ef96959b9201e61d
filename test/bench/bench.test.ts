import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { idealMs, type Latency } from "./latency.ts";
import type { Memory } from "./memory.ts";
import type { Past } from "./past.ts";
import { LANES } from "./peers.ts";
import { STAGES } from "./stage-times.ts";
import { median, quantile, spread, table } from "./figures.ts";
import type { Whole } from "./whole.ts";

const ROOT = join(import.meta.dirname, "../..");
const anyNumber: unknown = expect.any(Number);

/** The measurements with sizes that say nothing about speed: only that each of them still works. */
function bench(...flags: readonly string[]): Record<string, unknown> {
  const few = ["--rows", "60", "--repeat", "1", "--program", "src/bin.ts", "--json"];
  const operands = ["test/bench/bench.ts", ...few, ...flags];
  const { stdout, stderr, status } = spawnSync(process.execPath, operands, { cwd: ROOT, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.skipIf(process.platform !== "linux")("npm run bench", () => {
  test("whole jobs of every operation and format come with rates and memory", () => {
    const jobs = bench("--whole", "--peers", "paydrop,undici,usual")["whole"] as Whole[];
    expect(jobs.map(({ kind, format }) => `${kind} ${format}`)).toEqual([
      ...["payouts-b csv", "payouts-a csv", "transfers csv", "loans csv", "collections csv"],
      ...["payouts-b json", "payouts-b jsonl"],
    ]);
    for (const { runs } of jobs) {
      expect(Object.keys(runs)).toEqual(["paydrop", "undici", "usual"]);
      for (const [first] of Object.values(runs)) {
        expect(first).toMatchObject({ rows: 60, rowsPerSecond: anyNumber, peakBytes: anyNumber });
      }
    }
  });

  test("every stage is timed, and so is the event loop", () => {
    const { stages, loop } = bench("--stages", "--loop");
    const [times] = (stages as { runs: Record<string, unknown>[] }).runs;
    expect(Object.keys(times ?? {}).sort()).toEqual([...STAGES].sort());
    expect(loop).toEqual([{ p50Ms: anyNumber, p99Ms: anyNumber, p999Ms: anyNumber, maxMs: anyNumber }]);
  });

  test("slow answers are compared with what the lanes can carry", () => {
    const found = bench("--latency", "--seconds", "0.1")["latency"] as Latency[];
    expect(found.map((one) => one.aim)).toEqual([0.97, 0.94, 0.95]);
    for (const { reached } of found) expect(reached).toEqual([anyNumber]);
  });

  test("memory is looked at for both commands and all formats", () => {
    const found = bench("--memory", "--sizes", "200") as { memory: Memory[] };
    expect(found.memory.map(({ command, format }) => `${command} ${format}`)).toEqual([
      ...["check csv", "run csv", "check json", "run json", "check jsonl", "run jsonl"],
    ]);
    for (const { peakBytes } of found.memory) expect(peakBytes).toBeGreaterThan(10_000_000);
  });

  test("small files, one by one and in a drop folder; a small one behind a large one", () => {
    const { small, fair } = bench("--small", "--times", "1", "--files", "3", "--fair");
    expect(small).toMatchObject({ oneFileMs: [anyNumber], files: 3, filesPerSecond: anyNumber });
    expect(fair).toEqual([{ firstRequestMs: anyNumber, largeSent: anyNumber, largeRows: 60 }]);
  });

  test("a journal with a past is one that paydrop takes for its own", () => {
    const found = bench("--past", "1000")["past"] as Past[];
    expect(found.map(({ what }) => what)).toEqual([
      ...["empty journal", "large past"].flatMap((journal) => [
        `10 rows, first start, ${journal}`,
        `10 rows, ${journal}`,
        `60 rows, ${journal}`,
        `status, ${journal}`,
      ]),
      "resume of 200 rows at 199",
    ]);
  });
});

test("what the lanes can carry: the first row alone, then as many at once as there are lanes", () => {
  expect(idealMs(1, { delayMs: 100 })).toBe(100);
  expect(idealMs(LANES, { delayMs: 100 })).toBe(200);
  expect(idealMs(1 + 2 * LANES, { delayMs: 100 })).toBe(300);
  expect(idealMs(100, { delayMs: 20, slowShare: 0.01, slowMs: 2000 })).toBe(2040);
});

describe("figures", () => {
  test("median, spread and quantile", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, NaN]);
    expect([spread([90, 100, 110]), spread([7])]).toEqual(["±10 %", ""]);
    expect(quantile([5, 1, 4, 2, 3], 0.99)).toBe(5);
  });

  test("a table is as wide as its cells", () => {
    expect(table(["", "rows/s"], [["paydrop", "28,000"]])).toBe(
      ["|         | rows/s |", "| ------- | -----: |", "| paydrop | 28,000 |"].join("\n"),
    );
  });
});
