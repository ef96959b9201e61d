import { expect, test } from "vitest";
import { batchIdOf } from "../../src/journal/record.ts";

const FILE = { sha256: "ab".repeat(32), environment: "test" } as const;

test("a batch's id → eight letters that nobody mistakes, the same for the same file, another for another one", () => {
  const ids = [
    batchIdOf(FILE, 0),
    batchIdOf(FILE, 1),
    batchIdOf({ ...FILE, environment: "live" }, 0),
    batchIdOf({ ...FILE, period: "2026-11" }, 0),
    batchIdOf({ ...FILE, sheet: "Sheet2" }, 0),
    batchIdOf({ ...FILE, sha256: "cd".repeat(32) }, 0),
  ];
  expect(batchIdOf(FILE, 0)).toBe(ids[0]);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
});

test("ids of many files → none that a spreadsheet takes for a number", () => {
  for (let times = 0; times < 20_000; times += 1) expect(batchIdOf(FILE, times)).not.toMatch(/^\d*E?\d*$/);
});
