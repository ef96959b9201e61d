import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inputName } from "../../src/intake/names.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { runProgram } from "../support/program.ts";
import { canMount, makeReadOnly, smallDisk } from "../support/small-disk.ts";

const check = (desk: Desk, ...operands: string[]) =>
  runProgram(["check", ...operands], { env: desk.env, cwd: desk.folder });
const noteOf = (desk: Desk, name: string) => readFileSync(join(desk.folder, `${name}.check.txt`), "utf8");

test("--write leaves the answer beside each file, with its rights, and a later check writes it again", async () => {
  const desk = openDesk("http://127.0.0.1:9");
  const good = transfersCsv(3);
  chmodSync(desk.write("a.csv", good.replace(",102.00", ',"1,02"')), 0o640);
  desk.write("b.csv", good.slice(0, -8) + '"\n');
  const ended = await check(desk, "--write", "a.csv", "b.csv");
  expect(ended.code).toBe(5);
  expect(noteOf(desk, "a.csv")).toMatch(/^paydrop: a\.csv was checked\. Nothing was sent\.\r\n/);
  expect(noteOf(desk, "a.csv")).toContain("row 3, column amount (C3)");
  expect(noteOf(desk, "a.csv").replaceAll("\r\n", "")).not.toContain("\n");
  expect(statSync(join(desk.folder, "a.csv.check.txt")).mode & 0o777).toBe(0o640);
  expect(noteOf(desk, "b.csv")).toContain("refused as a whole");

  desk.write("a.csv", good);
  expect(await check(desk, "--quiet", "a.csv")).toMatchObject({ code: 0, stdout: "" });
  expect(noteOf(desk, "a.csv")).toContain("3 ready");
  expect(noteOf(desk, "a.csv")).not.toContain("row 3");
});

test("without --write nothing is written, and a file that is not ours stays", async () => {
  const desk = openDesk("http://127.0.0.1:9");
  desk.write("a.csv", transfersCsv(3));
  expect(await check(desk, "a.csv")).toMatchObject({ code: 0 });
  expect(existsSync(join(desk.folder, "a.csv.check.txt"))).toBe(false);
  writeFileSync(join(desk.folder, "a.csv.check.txt"), "my own notes");
  expect(await check(desk, "a.csv")).toMatchObject({ code: 0 });
  expect(await check(desk, "--write", "a.csv")).toMatchObject({ code: 74 });
  expect(noteOf(desk, "a.csv")).toBe("my own notes");
});

test.skipIf(!canMount)("an answer that cannot be left beside the file is on the screen all the same", async () => {
  const desk = openDesk("http://127.0.0.1:9");
  const disk = smallDisk(64);
  writeFileSync(join(disk, "a.csv"), transfersCsv(3));
  writeFileSync(join(disk, "b.csv"), "from_account,to_account,amount\n");
  makeReadOnly(disk);
  const { code, stdout, stderr } = await check(desk, "--write", join(disk, "a.csv"), join(disk, "b.csv"));
  expect(code).toBe(74);
  expect(stdout).toContain("3 ready");
  expect(stderr).toContain("b.csv: the file has a header");
  expect(stderr.match(/\.check\.txt cannot be written: the disk is read-only\n {2}→ .*$/gm)).toHaveLength(2);
  expect(stderr).toContain("then check again with --write");
  expect(stderr).not.toContain("paydrop results");
});

test("the answer is never taken for a file to send", () => {
  expect(inputName("payroll.csv.check.txt")).toMatchObject({ ignored: "it is our own note" });
  expect(inputName("quality.check.txt")).toEqual({ format: "csv" });
});

test("control totals that differ are told together with the faults of the rows", async () => {
  const desk = openDesk("http://127.0.0.1:9");
  desk.write("a.csv", transfersCsv(3).replace(",102.00", ",-102.00"));
  desk.write("a.csv.control", "rows=4\n");
  const { code, stdout } = await check(desk, "a.csv");
  expect(code).toBe(5);
  expect(stdout).toContain("a.csv.control says 4 rows, the file has 3: 1 too few");
  expect(stdout).toContain("row 3, column amount (C3)");
});
