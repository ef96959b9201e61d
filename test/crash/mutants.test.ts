import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesWith, readMutants } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "../..");

test("every mutant breaks a place that stands once in the sources, and names a test that is there", () => {
  const mutants = readMutants();
  expect(mutants.length).toBeGreaterThan(100);
  const stale = mutants.filter(({ edits }) => {
    const found = edits.map(({ from }) => filesWith(ROOT, from));
    return found.some((files) => files.length !== 1 || files[0]?.[2] !== 1);
  });
  expect(stale).toEqual([]);
  expect(mutants.filter(({ test: file }) => !existsSync(join(ROOT, "test", file.replace(/#.*/, ""))))).toEqual([]);
});
