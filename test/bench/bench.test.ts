import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { median, quantile, spread, table } from "./figures.ts";
import type { Whole } from "./whole.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The measurements with sizes that say nothing about speed: only that each of them still works. */
function bench(...flags: readonly string[]): { json: Record<string, unknown> } {
  const operands = [
    "test/bench/bench.ts",
    "--json",
    "--rows",
    "60",
    "--repeat",
    "1",
    "--program",
    "src/bin.ts",
    ...flags,
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, operands, { cwd: ROOT, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return { json: JSON.parse(stdout) as Record<string, unknown> };
}

test("whole jobs of every operation and format come with rates, ratios and memory", () => {
  const { json } = bench("--whole", "--peers", "paydrop,undici,usual");
  const jobs = json["whole"] as Whole[];
  expect(jobs.map(({ kind, format }) => `${kind} ${format}`)).toEqual([
    ...["payouts-b csv", "payouts-a csv", "transfers csv", "loans csv", "collections csv"],
    ...["payouts-b json", "payouts-b jsonl"],
  ]);
  for (const { runs } of jobs) {
    expect(Object.keys(runs)).toEqual(["paydrop", "undici", "usual"]);
    for (const [first] of Object.values(runs)) {
      expect(first?.rows).toBe(60);
      expect(first?.rowsPerSecond).toBeGreaterThan(0);
    }
  }
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
