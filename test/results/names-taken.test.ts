import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { writeResults } from "../../src/results/write-results.ts";
import { resultsInput, rowRecord, sheetOf } from "../support/records.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryDirectory();
});

const NAMES = ["payroll.csv.results.csv", "payroll.csv.summary.json"] as const;
const small = sheetOf("csv", ["amount"], 1, () => ["1"]);
const accepted = [rowRecord(2)];
const invalid = [rowRecord(2, { state: "invalid" })];

test.each(NAMES)("a file of a person at %s is never replaced; all goes to the state directory", async (name) => {
  await writeFile(join(folder, name), "name,amount\r\nAsha,1\r\n");
  const report = await writeResults(resultsInput(folder, small, accepted));
  expect(await readFile(join(folder, name), "utf8")).toBe("name,amount\r\nAsha,1\r\n");
  expect(report.files.results).toBe(join(folder, "state", "K7Q29F3M", "payroll.csv.results.csv"));
  expect(report.files.elsewhere).toBe(
    `${name} is there already and is not a file that paydrop wrote; the results are in ${join(folder, "state", "K7Q29F3M")} instead`,
  );
  expect(report.exitCode).toBe(74);
  expect((await readdir(folder)).sort()).toEqual([name, "state"]);
  expect((await stat(report.files.results ?? "")).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "state", "K7Q29F3M"))).mode & 0o777).toBe(0o700);
});

test.each<[string, string, string]>([
  ["a summary of other software", NAMES[1], '{"batch":"H2MM0000"}'],
  ["a table that has a column like ours", NAMES[0], "result_row,result_batch\r\n2,H2MM0000\r\n"],
])("%s is no file of an earlier batch that makes way", async (_, name, content) => {
  await writeFile(join(folder, name), content);
  expect((await writeResults(resultsInput(folder, small, accepted))).files.elsewhere).toContain(name);
  expect(await readFile(join(folder, name), "utf8")).toBe(content);
});

test("a file of a person under the name that an earlier batch would be kept by is not replaced", async () => {
  const input = resultsInput(folder, small, accepted);
  await writeResults({ ...input, batch: { ...input.batch, id: "H2MM0000" } });
  const theirs = join(folder, "payroll.csv.results.H2MM0000.csv");
  await writeFile(theirs, "name,amount\r\nAsha,1\r\n");
  expect((await writeResults(input)).files.elsewhere).toContain("payroll.csv.results.H2MM0000.csv is there already");
  expect(await readFile(theirs, "utf8")).toBe("name,amount\r\nAsha,1\r\n");
  expect(await readFile(join(folder, NAMES[0]), "utf8")).toContain("H2MM0000");
});

test.each(NAMES)("a link planted at %s is neither followed nor replaced", async (name) => {
  const precious = join(folder, "precious");
  await writeFile(precious, "result_row,result_status\r\n");
  await symlink(precious, join(folder, name));
  const report = await writeResults(resultsInput(folder, small, accepted));
  expect(report.files.elsewhere).toContain(`${name} is a link`);
  expect(await readFile(precious, "utf8")).toBe("result_row,result_status\r\n");
});

test("a folder at the name of the results sends them elsewhere", async () => {
  await mkdir(join(folder, NAMES[0]));
  const report = await writeResults(resultsInput(folder, small, accepted));
  expect(report.files.elsewhere).toContain("is a folder");
});

test("a file whose batch could lead to another folder is not one of ours, and stays", async () => {
  const theirs = "result_row,result_status,result_batch\r\n2,accepted,../K7Q29F3M\r\n";
  await writeFile(join(folder, NAMES[0]), theirs);
  const report = await writeResults(resultsInput(folder, small, accepted));
  expect(report.files.elsewhere).toContain("is not a file that paydrop wrote");
  expect(await readFile(join(folder, NAMES[0]), "utf8")).toBe(theirs);
});

test("of what stands under the name that a batch is put aside by, only what is of that batch ever goes", async () => {
  const theirs = {
    "payroll.csv.results.K7Q29F3M.csv": "result_row,result_status,result_batch\r\n2,accepted,H2MM0000\r\n",
    "payroll.csv.summary.K7Q29F3M.json": '{"mine":1}',
  };
  for (const [name, text] of Object.entries(theirs)) await writeFile(join(folder, name), text);
  await writeResults(resultsInput(folder, small, accepted));
  for (const [name, text] of Object.entries(theirs)) expect(await readFile(join(folder, name), "utf8")).toBe(text);
});

test("a folder that is gone, or a file where it was, sends them elsewhere", async () => {
  await writeFile(join(folder, "inbox"), "");
  for (const inbox of [join(folder, "inbox"), join(folder, "gone")]) {
    const target = { folder: inbox, fileName: "payroll.csv" };
    const report = await writeResults(resultsInput(folder, small, accepted, { target }));
    expect(report.files.elsewhere).toBeDefined();
    expect(await readFile(report.files.results ?? "", "utf8")).toContain("accepted");
  }
});

test("a name too long for the disk goes by the batch id", async () => {
  const target = { folder, fileName: `${"n".repeat(245)}.csv` };
  const report = await writeResults(resultsInput(folder, small, accepted, { target }));
  expect(report.files.results).toBe(join(folder, "state", "K7Q29F3M", "K7Q29F3M.results.csv"));
});

test("when the state directory cannot be written either, it throws and says so", async () => {
  const target = { folder: join(folder, "gone"), fileName: "payroll.csv" };
  await writeFile(join(folder, "file"), "");
  const fallbackFolder = join(folder, "file");
  const writing = writeResults(resultsInput(folder, small, accepted, { target, fallbackFolder }));
  await expect(writing).rejects.toMatchObject({ name: "PaydropError", code: "results_unwritable" });
});

test("results that a person edited, or saved with semicolons, are still ours and written anew", async () => {
  await writeFile(
    join(folder, NAMES[0]),
    'result_row;result_status;Note, inside;result_batch\r\n2;accepted;PAID 5" pipe;K7Q29F3M;and more\r\n',
  );
  const report = await writeResults(resultsInput(folder, small, accepted));
  expect(report.files.elsewhere).toBeUndefined();
  expect(await readFile(join(folder, NAMES[0]), "utf8")).not.toContain("PAID");
});

test("a retry file that a person is correcting is left alone; ours goes by its batch id", async () => {
  const memory = new Map<string, string>();
  await writeResults(resultsInput(folder, small, invalid, {}, memory));
  const path = join(folder, "payroll.csv.retry.csv");
  const ours = join(folder, "payroll.csv.retry.K7Q29F3M.csv");
  const corrected = (await readFile(path, "utf8")).replace("\r\n1,", "\r\n100.00,");
  await writeFile(path, corrected);
  const report = await writeResults(resultsInput(folder, small, invalid, {}, memory));
  expect(await readFile(path, "utf8")).toBe(corrected);
  expect(report.files.retry).toBe(ours);

  // that one is being corrected too: neither is written over
  const untouched = await readFile(ours, "utf8");
  await writeFile(ours, corrected);
  const elsewhere = await writeResults(resultsInput(folder, small, invalid, {}, memory));
  expect(elsewhere.files.elsewhere).toContain("payroll.csv.retry.K7Q29F3M.csv was changed by a person");
  expect([await readFile(path, "utf8"), await readFile(ours, "utf8")]).toEqual([corrected, corrected]);

  // where its own name is free again there is no second one
  await writeFile(ours, untouched);
  await rm(path);
  expect((await writeResults(resultsInput(folder, small, invalid, {}, memory))).files.retry).toBe(path);
  expect(await readdir(folder)).not.toContain("payroll.csv.retry.K7Q29F3M.csv");
});

test("our own retry file is noted before it has its name, and never stands there with the note of another", async () => {
  const memory = new Map<string, string>();
  const path = join(folder, "payroll.csv.retry.csv");
  await writeResults(resultsInput(folder, small, invalid, {}, memory));
  const seen: string[][] = [];
  const noteWritten = async (at: string, sha256: string): Promise<void> => {
    if (at === path) seen.push((await readdir(folder)).filter((name) => name.includes("retry")));
    memory.set(at, sha256).set(sha256, at);
  };
  await writeResults(resultsInput(folder, small, [rowRecord(2, { state: "rejected" })], { noteWritten }, memory));
  expect(seen).toEqual([[]]);
  expect(memory.has(path)).toBe(true);
});

test.skipIf(process.getuid?.() === 0)("a folder without the right to write sends them elsewhere", async () => {
  const inbox = join(folder, "inbox");
  await mkdir(inbox);
  await chmod(inbox, 0o500);
  const target = { folder: inbox, fileName: "payroll.csv" };
  const report = await writeResults(resultsInput(folder, small, accepted, { target }));
  expect(report.files.elsewhere).toContain("no right to write");
});
