import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";

const SAMPLE = join(import.meta.dirname, "../../samples/transfers.csv");

test("a backup takes the place of the state folder → the same file sends nothing, and its results are the same", async () => {
  const folder = temporaryFolder();
  const [file, state, copy] = [join(folder, "pay.csv"), join(folder, "state"), join(folder, "copy")];
  copyFileSync(SAMPLE, file);
  await paydrop(["run", "--sandbox", "--state-dir", state, file]);
  const results = readFileSync(`${file}.results.csv`, "utf8");
  expect(await paydrop(["backup", copy, "--state-dir", state])).toMatchObject({ code: 0 });
  expect(await paydrop(["backup", copy, "--state-dir", state])).toMatchObject({ code: 2 });
  const { stdout } = await paydrop(["run", "--sandbox", "--json", "--state-dir", copy, file]);
  expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ type: "summary", requests: 0 });
  expect(readFileSync(`${file}.results.csv`, "utf8")).toBe(results);
});
