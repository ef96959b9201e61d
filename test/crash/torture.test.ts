import { expect, test } from "vitest";
import { torture } from "./torture.ts";

test("killed at random moments, no row goes twice, no outcome is lost, no status is wrong", async () => {
  const figures = await torture({ kills: 8, rows: 200, seed: 7, concurrency: 8 });
  expect(figures.faults).toEqual([]);
  expect(figures).toMatchObject({ double: 0, lost: 0, wrong: 0 });
  expect(figures.kills).toBeGreaterThanOrEqual(8);
  expect(figures.rows).toBeGreaterThanOrEqual(200);
  // what a kill may make unknown is what was in flight (I8)
  expect(figures.unknownOfKills).toBeLessThanOrEqual(figures.unknownOfKillsMax);
});
