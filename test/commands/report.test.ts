import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { report, results } from "../../src/commands/results-report.ts";
import { called, jsonLines } from "../support/call.ts";
import { TestDesk, transfers } from "../support/desk.ts";

const FILE = transfers(["ACC-1", "100.00"], ["ACC-2", "50.50"], ["ACC-3", "x"]);
const flagsOf = ({ config }: TestDesk, more: Readonly<Record<string, unknown>> = {}) => ({
  state_dir: config.state_dir,
  ...more,
});

test("a batch or its file → one page beside it, its first line on the screen", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", FILE);
  const path = join(desk.folder, "pay.csv.report.html");
  const told = `2 of 3 accepted; 1 invalid\nreport     ${path}\n`;
  expect(await called({ run: report }, [batch], flagsOf(desk))).toMatchObject({ code: 0, stdout: told });
  const page = desk.read("pay.csv.report.html");
  writeFileSync(join(desk.folder, "copy.csv"), FILE);
  await called({ run: report }, [join(desk.folder, "copy.csv")], flagsOf(desk));
  expect(desk.read("copy.csv.report.html")).toBe(page);
  const [line] = jsonLines(
    (await called({ run: report }, [join(desk.folder, "pay.csv")], flagsOf(desk, { json: true }))).stdout,
  );
  expect(line).toMatchObject({
    type: "summary",
    batch,
    report: path,
    headline: "2 of 3 accepted; 1 invalid",
    batch_exit_code: 3,
    exit_code: 0,
  });
  await expect(called({ run: report }, ["other.csv"], flagsOf(desk))).rejects.toMatchObject({
    reason: "no_batch_of_file",
  });
});

test("a page that is not ours → stays, and the report lies in the state directory, exit 74", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", FILE);
  desk.write("pay.csv.report.html", "mine");
  const { code, stdout } = await called({ run: report }, [batch], flagsOf(desk));
  expect([code, desk.read("pay.csv.report.html")]).toEqual([74, "mine"]);
  const path = /report {5}(\/.*)\n/.exec(stdout)?.[1] ?? "";
  expect(readFileSync(path, "utf8")).toContain(`data-paydrop-report="${batch}"`);
  // results that can be written take nothing else away
  await desk.again(batch);
  expect(existsSync(path)).toBe(true);
});

test("a later batch of the same file → each report under its own name", async () => {
  const desk = await TestDesk.open();
  const first = await desk.run("pay.csv", FILE);
  await called({ run: report }, [first.batch], flagsOf(desk));
  const second = await desk.run("pay.csv", transfers(["ACC-9", "1.00"]));
  await called({ run: report }, [second.batch], flagsOf(desk));
  await called({ run: report }, [first.batch], flagsOf(desk));
  expect(desk.names().filter((name) => name.includes("report"))).toEqual([
    `pay.csv.report.${first.batch}.html`,
    "pay.csv.report.html",
  ]);
  expect(desk.read("pay.csv.report.html")).toContain(second.batch);
});

test("results BATCH → written again, told as a run's end; --retry-xlsx: the retry file as a workbook", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", FILE);
  const { code, stdout } = await called({ run: results }, [batch], flagsOf(desk, { retry_xlsx: true }));
  expect(code).toBe(0);
  expect(stdout).toContain(`correct    ${join(desk.folder, "pay.csv.retry.xlsx")}   1 row\n`);
  const [line] = jsonLines((await called({ run: results }, [batch], flagsOf(desk, { json: true }))).stdout);
  expect(line).toMatchObject({ type: "summary", batch, exit_code: 0, batch_exit_code: 3, files: { retry_rows: 1 } });
});
