import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Going } from "../../src/commands/release/going.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

test("150,000 rows are let go in a heap of 32 MB, and each of them has its act", async () => {
  const script = join(import.meta.dirname, "many-going.ts");
  const parameters = ["--max-old-space-size=32", "--max-semi-space-size=2", script, temporaryDirectory(), "150000"];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  const which = "150000 rows go: rows 3-150002, 15000000.00";
  expect(JSON.parse(stdout)).toEqual({
    released: 150_000,
    acts: 150_000,
    going: `${which}, other rows of this file need a correction, or a person's decision.`,
    again: `${which}, not sent.`,
  });
});

test("of many rows that go for reasons of their own the first hundred are told, and what the others come to", () => {
  const going = new Going(false);
  for (let number = 2; number < 202; number += 1) going.add({ number, amount: "1.50", why: `as row ${number}` });
  const lines = going.text().split("\n");
  expect(lines).toHaveLength(102);
  expect(lines[0]).toBe("200 rows go, 300.00 in all:");
  expect(lines[100]).toBe("  row 101, 1.50, as row 101");
  expect(lines[101]).toBe("  rows 102-201, 150.00, each for another reason (see the results file)");
});
