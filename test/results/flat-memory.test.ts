import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("200,000 wide rows, each with another debit account, are written in a heap of 32 MB", async () => {
  const folder = await mkdtemp(join(tmpdir(), "flat-"));
  try {
    const script = join(import.meta.dirname, "many-rows.ts");
    const parameters = ["--max-old-space-size=32", "--max-semi-space-size=2", script, folder, "200000"];
    const { stdout } = await promisify(execFile)(process.execPath, parameters);
    expect(JSON.parse(stdout)).toEqual({ rows: 200_000, amount: "20000.00" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a report on 200,000 rows is made in a heap of 48 MB, and stays a page that a browser opens", async () => {
  const script = join(import.meta.dirname, "many-reported.ts");
  const parameters = ["--max-old-space-size=48", "--max-semi-space-size=2", script, "200000"];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  expect(JSON.parse(stdout)).toEqual({ rows: 200_000, amount: "20000.00", isSmall: true });
});
