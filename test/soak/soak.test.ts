import { expect, test } from "vitest";
import { flatness } from "./flat.ts";
import type { Sample } from "./probe.ts";
import { soak } from "./soak.ts";

test("files dropped while the service fails and the watcher is killed: no row goes twice, none is lost", async () => {
  const figures = await soak({ files: 40, intervalMs: 100, seed: 5, killEvery: 10, awayEvery: 25 });
  expect(figures.faults).toEqual([]);
  expect(figures).toMatchObject({ files: 40, double: 0, lost: 0, wrong: 0, away: 1 });
  expect(figures.kills).toBeGreaterThan(0);
  expect(figures.rows).toBeGreaterThan(100);
});

test("growth is told, and what only comes and goes is not", () => {
  const lives = (more: (minute: number) => Partial<Sample>): Sample[] =>
    Array.from({ length: 90 }, (_, index) => ({
      ...{ pid: 1, at: index * 60_000, rssBytes: 100e6, heapBytes: 40e6 + (index % 2) * 1e6 },
      ...{ descriptors: 30 + (index % 7), connections: (index * 7) % 64, timers: index % 3, ...more(index) },
    }));
  expect(flatness(lives(() => ({})))?.faults).toEqual([]);
  expect(flatness(lives((minute) => ({ heapBytes: 40e6 + minute * 3e5 })))).toMatchObject({
    faults: ["the heap grows"],
    heapKBPerMinute: expect.closeTo(3e5 / 1024, 0) as number,
  });
  expect(flatness(lives((minute) => ({ rssBytes: 100e6 + minute * 2e6 })))?.faults).toEqual([
    "the resident memory grows",
  ]);
  expect(flatness(lives((minute) => ({ descriptors: 30 + Math.floor(minute / 20) })))?.faults).toEqual([
    "descriptors stay open",
  ]);
  expect(flatness(lives((minute) => ({ connections: minute * 2 })))?.faults).toEqual(["connections stay open"]);
  expect(flatness(lives((minute) => ({ timers: Math.floor(minute / 20) })))?.faults).toEqual(["timers stay"]);
  expect(flatness(lives(() => ({})).slice(0, 10))).toBeUndefined();
});
