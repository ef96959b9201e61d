import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { openOffice } from "../support/people.ts";

const ACCEPTING = () => answer(200);

test.each(["--metrics-file", "--log-file"])(
  "%s without its value does not write into the file behind it",
  async (flag) => {
    const office = await openOffice(ACCEPTING);
    const october = office.write("oct.csv", transfersCsv(3));
    office.write("nov.csv", transfersCsv(2));
    const ended = await office.paydrop("run", flag, "oct.csv", "nov.csv");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(`${flag}: ${october} holds something else, and not what paydrop writes there`);
    expect(readFileSync(october, "utf8")).toBe(transfersCsv(3));
    expect(office.server.requests).toHaveLength(0);
    expect(existsSync(office.stateDir)).toBe(false);
  },
);

test.each(["--metrics-file", "--log-file"])("%s never is the file that is sent, nor the other one", async (flag) => {
  const office = await openOffice(ACCEPTING);
  office.write("pay.csv", "");
  const ended = await office.paydrop("run", flag, "pay.csv", "pay.csv");
  expect(ended.stderr).toContain("pay.csv is named for something else too");
  expect(ended.code).toBe(2);
  const both = await office.paydrop("run", "--log-file", "one", "--metrics-file", "one", "pay.csv");
  expect(both.stderr).toContain("one is named for something else too");
});

test.each(["--metrics-file", "--log-file"])("%s never lies in the state folder, nor leads into it", async (flag) => {
  const office = await openOffice(ACCEPTING);
  office.write("pay.csv", transfersCsv(1));
  expect((await office.run("pay.csv")).code).toBe(0);
  const journal = join(office.stateDir, "journal.db");
  symlinkSync(journal, join(office.folder, "link"));
  const before = readFileSync(journal);
  const names = readdirSync(office.stateDir);
  for (const path of [journal, join(office.stateDir, "new.log"), join(office.stateDir, "a", "b"), "link"]) {
    const ended = await office.paydrop("run", "pay.csv", flag, path);
    expect(ended.stderr).toContain("lies in the state folder");
    expect(ended.code).toBe(2);
  }
  expect(readFileSync(journal).equals(before)).toBe(true);
  expect(readdirSync(office.stateDir)).toEqual(names);
});

test("what paydrop wrote itself is gone on with, in either format, and so is what logrotate leaves", async () => {
  const office = await openOffice(ACCEPTING);
  office.write("pay.csv", transfersCsv(1));
  const outputs = ["--log-file", "logs/a.log", "--metrics-file", "a.prom"];
  for (const format of ["text", "text", "json"]) {
    expect((await office.run("pay.csv", ...outputs, "--log-format", format)).code).toBe(0);
  }
  const log = join(office.folder, "logs", "a.log");
  expect(readFileSync(log, "utf8").match(/ start/g)).toHaveLength(2);
  writeFileSync(log, "");
  for (let time = 1; time <= 2; time += 1) {
    expect((await office.run("pay.csv", ...outputs, "--log-format", "json")).code).toBe(0);
  }
  expect(readFileSync(log, "utf8")).toMatch(/^\{"level":"info","time":"/);
});

test.skipIf(process.platform !== "linux")(
  "a log goes to a device, a pipe, or where stderr goes; metrics do not",
  async () => {
    const office = await openOffice(ACCEPTING);
    office.write("pay.csv", transfersCsv(1));
    mkdirSync(join(office.folder, "sub"));
    office.write("cron.log", "what cron says itself\n");
    const launched = [process.execPath, join(import.meta.dirname, "../../src/bin.ts"), "run", "pay.csv"];
    const shell = async (flags: string): Promise<void> => {
      const options = { cwd: office.folder, env: { ...office.env, PATH: process.env["PATH"] ?? "" } };
      await promisify(execFile)("bash", ["-c", `'${launched.join("' '")}' ${flags}`], options);
    };
    await shell("--log-file /dev/stderr 2>> cron.log");
    await shell("--log-file /proc/self/fd/2 2>> cron.log");
    await shell("--log-file cron.log 2>> cron.log");
    await shell("--log-file /dev/stderr 2>&1 | cat > piped.log");
    await shell("--log-file /dev/null");
    const starts = (name: string): number =>
      (readFileSync(join(office.folder, name), "utf8").match(/ info .*start/g) ?? []).length;
    expect(starts("cron.log")).toBe(3);
    expect(starts("piped.log")).toBe(1);
    await promisify(execFile)("mkfifo", [join(office.folder, "pipe")]);
    await shell("--log-file pipe & cat pipe > from-pipe.log; wait");
    expect(starts("from-pipe.log")).toBe(1);
    for (const path of ["pipe", "/dev/null", "/dev/stderr", "sub"]) {
      const ended = await office.paydrop("run", "pay.csv", "--metrics-file", path);
      expect(ended.stderr).toContain("is not a file");
      expect(ended.code).toBe(2);
    }
  },
);
