import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { paydrop } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { startService } from "../support/service.ts";

const REFUSED = 5;

/** A file that ran, with one row accepted and one to correct. */
async function ranFile(): Promise<{ folder: string; run: (name: string) => ReturnType<typeof paydrop> }> {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "may.csv"), "from_account,to_account,amount\nACC-1,ACC-2,100.00\nACC-1,ACC-3,0\n");
  const run = (name: string): ReturnType<typeof paydrop> =>
    paydrop(["run", "--sandbox", "--state-dir", join(folder, "state"), join(folder, name)]);
  expect((await run("may.csv")).code).toBe(3);
  return { folder, run };
}

test("a results file is never taken as an input, under its name or another", async () => {
  const { folder, run } = await ranFile();
  copyFileSync(join(folder, "may.csv.results.csv"), join(folder, "june.csv"));
  for (const name of ["may.csv.results.csv", "june.csv"]) {
    const { code, stderr } = await run(name);
    expect(code, name).toBe(REFUSED);
    expect(stderr).toContain("this is a results file that paydrop wrote");
  }
});

test("a results file that a spreadsheet took for another encoding, or lost a column of, is one still", async () => {
  const { folder, run } = await ranFile();
  const results = readFileSync(join(folder, "may.csv.results.csv"), "utf8");
  writeFileSync(join(folder, "june.csv"), results.replace("\ufeff", "\ufeffï»¿"));
  writeFileSync(join(folder, "july.csv"), results.replaceAll(/^\ufeff?\w+,/gm, ""));
  for (const name of ["june.csv", "july.csv"]) {
    expect(await run(name), name).toMatchObject({
      code: REFUSED,
      stderr: expect.stringContaining("results file") as string,
    });
  }
});

test("a retry file is taken only once it was corrected", async () => {
  const { folder, run } = await ranFile();
  const retry = join(folder, "may.csv.retry.csv");
  const untouched = await run("may.csv.retry.csv");
  expect(untouched.code).toBe(REFUSED);
  expect(untouched.stderr).toContain("nothing in it was corrected");
  copyFileSync(retry, join(folder, "may.csv.retry (conflicted copy).csv"));
  const copy = await run("may.csv.retry (conflicted copy).csv");
  expect([copy.code, copy.stderr]).toEqual([REFUSED, expect.stringContaining("nothing in it was corrected")]);
  writeFileSync(retry, readFileSync(retry, "utf8").replace("ACC-3,0", "ACC-3,250.00"));
  expect((await run("may.csv.retry.csv")).code).toBe(0);
});

test("a row in which nothing was wrong goes again as the refusal of its retry file says: no funds are no mistake of its", async () => {
  const server = await startService(({ number }) => (number === 1 ? answer(422, { error: "no funds" }) : answer(200)));
  const desk = openDesk(server.url);
  desk.write("may.csv", transfersCsv(1));
  expect((await desk.run("may.csv")).code).toBe(3);
  const untouched = await desk.run("may.csv.retry.csv");
  expect(untouched.code).toBe(REFUSED);
  expect(untouched.stderr).toContain("goes again when you empty its retry_message");
  const checked = await paydrop(["check", join(desk.folder, "may.csv.retry.csv")], desk.env);
  expect(checked).toEqual({ code: REFUSED, stdout: "", stderr: untouched.stderr });
  const retry = join(desk.folder, "may.csv.retry.csv");
  writeFileSync(retry, readFileSync(retry, "utf8").replace(/,"The service refused[^\r]*",(\w+:2)/, ",,$1"));
  expect(readFileSync(retry, "utf8")).toMatch(/,101\.00,,\w+:2\r\n$/);
  expect(await desk.run("may.csv.retry.csv")).toMatchObject({ code: 0, counts: { accepted: 1 } });
  expect(server.requests).toHaveLength(2);
});
