import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { AtomicFile } from "../../src/results/disk/atomic.ts";
import { keepEdited } from "../../src/results/disk/edited.ts";
import { temporaryFolder } from "../support/files.ts";

// a stick, or a share, on which a file has one name
vi.mock(import("node:fs/promises"), async (original) => ({
  ...(await original()),
  link: () => Promise.reject(Object.assign(new Error("EPERM: operation not permitted"), { code: "EPERM" })),
}));

test("what a person wrote is kept by a copy, each time under a name that is free", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.csv.results.csv");
  for (const text of ["first", "second"]) {
    writeFileSync(path, text);
    await keepEdited(path);
  }
  const kept = ["a.csv.results.edited.csv", "a.csv.results.edited-2.csv"];
  expect(kept.map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["first", "second"]);
});

test("a mark that is new gets its name, and nothing else is left", async () => {
  const folder = temporaryFolder();
  const file = await AtomicFile.create(join(folder, ".paydrop"), 0o644);
  await file.write("{}");
  await file.finish();
  expect(await file.publishNew()).toBe(true);
  await file.discard();
  expect(readdirSync(folder)).toEqual([".paydrop"]);
});
