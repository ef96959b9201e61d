import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";

test("the sandbox forgets, the summary does not: its own retry file is replaced, a corrected one is left alone", async () => {
  const folder = temporaryFolder();
  await copyFile("samples/payroll.csv", join(folder, "payroll.csv"));
  const run = async (): Promise<string[]> => {
    const { code } = await paydrop(["run", "--sandbox", "--quiet", "payroll.csv"], {}, folder);
    expect(code).toBe(3);
    return (await readdir(folder)).filter((name) => name.includes(".retry.")).sort();
  };
  for (let times = 0; times < 3; times += 1) expect(await run()).toEqual(["payroll.csv.retry.csv"]);

  const retry = join(folder, "payroll.csv.retry.csv");
  await writeFile(retry, (await readFile(retry, "utf8")).replace(`"69,950.00"`, "69950.00"));
  for (let times = 0; times < 2; times += 1) expect(await run()).toHaveLength(2);
  expect(await readFile(retry, "utf8")).toContain("69950.00");
});
