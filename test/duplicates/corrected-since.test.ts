import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstRun, MENDED, openOffice, paydrop } from "./corrected-office.ts";

test("a row that went since, corrected, is no work any more: not in the results, the retry file, the report, or a check", async () => {
  const office = await openOffice();
  const { desk } = office;
  const { retry, batch } = await firstRun(office);
  const [header = "", refused = "", invalid = ""] = retry.split("\r\n");
  // the invalid row alone is mended
  desk.write("mended.csv", `${[header, invalid.replace(MENDED, "1200.00")].join("\r\n")}\r\n`);
  const mended = await desk.run("mended.csv");
  expect(mended.counts).toEqual({ accepted: 1 });
  const by = mended.results[0]?.["result_batch"] ?? "";

  const again = await desk.run("payroll.csv");
  expect([again.code, again.counts]).toEqual([3, { accepted: 1, rejected: 1, invalid: 1 }]);
  expect(again.results[1]).toMatchObject({
    result_status: "invalid",
    result_message: expect.stringContaining(`. Corrected by row 2 of batch ${by}, which was accepted`) as string,
    result_action: "Nothing",
  });
  expect(again.results[0]?.result_action).toBe("Correct and drop again");
  expect(again.stdout).toContain("1 row that was rejected or invalid went since, corrected");
  const left = readFileSync(join(desk.folder, "payroll.csv.retry.csv"), "utf8").trimEnd().split("\r\n");
  expect([left.length, left[1]?.split(",")[1]]).toEqual([2, refused.split(",")[1]]);
  const report = (await paydrop(desk, "report", batch, "--format", "text", "--out", "-")).stdout;
  expect(report.toUpperCase()).not.toContain("NEED A CORRECTION");

  // the other one as well, under another account, which a person lets go
  desk.write("last.csv", `${[header, refused.replace("60200000004471", "60200000004417")].join("\r\n")}\r\n`);
  const last = await desk.run("last.csv");
  const release = ["release", last.results[0]?.["result_batch"] ?? "", "--all", "--by", "ravi", "--reason", "asked"];
  expect((await paydrop(desk, ...release)).code).toBe(0);
  expect((await paydrop(desk, "check", "payroll.csv")).stdout).not.toContain("retry file");
  await paydrop(desk, "results", batch);
  expect(desk.results("payroll.csv").map((row) => row.result_action)).toEqual(["Nothing", "Nothing", "Nothing"]);
  expect(existsSync(join(desk.folder, "payroll.csv.retry.csv"))).toBe(false);
});
