import { expect, test } from "vitest";
import { batchIdOf } from "../../src/journal/batch-id.ts";

test("no batch has an id that a spreadsheet takes for a number, and each keeps its own", () => {
  const file = { sha256: "0".repeat(64), environment: "live" } as const;
  const ids = Array.from({ length: 50_000 }, (_, times) => batchIdOf(file, times));
  expect(ids.filter((id) => /^\d+(?:E\d+)?$/.test(id))).toEqual([]);
  expect(ids.filter((id) => !/^[0-9A-HJKMNP-TV-Z]{8}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(batchIdOf(file, 0)).toBe(ids[0]);
});
