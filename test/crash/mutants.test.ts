import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MUTANTS } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "..", "..");

test("every mutant breaks a line that stands in the sources, once", () => {
  const edits = MUTANTS.flatMap(({ name, edits: all }) => all.map(([file, from]) => ({ name, file, from })));
  const stale = edits.filter(({ file, from }) => readFileSync(join(ROOT, file), "utf8").split(from).length !== 2);
  expect(edits.length).toBeGreaterThan(0);
  expect(stale).toEqual([]);
});
