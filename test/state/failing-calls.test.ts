import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../src/disk/make-folder.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { failing, type FailingCall } from "../support/failing-calls.ts";
import { runProgram, type ProgramEnded } from "../support/program.ts";
import { canMount, makeReadOnly, smallDisk } from "../support/small-disk.ts";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const NOWHERE = "http://127.0.0.1:9";
const withDisk = describe.skipIf(!canMount);

/** A command in whose process these calls fail. */
function failed(desk: Desk, operands: readonly string[], ...calls: FailingCall[]): Promise<ProgramEnded> {
  const { env, nodeArgs } = failing(...calls);
  return runProgram(operands, { env: { ...desk.env, ...env }, nodeArgs, cwd: desk.folder, timeoutMs: 60_000 });
}

withDisk("a file that a person names with --out", () => {
  test("is there whole or not at all, and the disk that does not take it is no mistake of whoever named it", async () => {
    const desk = openDesk((await startService()).url);
    desk.write("t.csv", transfersCsv(1000));
    const batch = /batch (\w+)/.exec((await desk.run("t.csv")).stdout)?.[1] ?? "";
    const disk = smallDisk(8);
    const call = (...operands: string[]) => runProgram(operands, { env: desk.env, cwd: desk.folder });
    const made = [
      await call("template", "--from", batch, "--out", join(disk, "t.csv")),
      await call("template", "--from", batch, "--out", join(disk, "t.xlsx")),
      await call("report", batch, "--out", join(disk, "t.html")),
    ];
    for (const { code, stderr } of made) {
      expect(stderr).toMatch(/^paydrop: t\.\w+ cannot be written: the disk is full\n {2}→ make room .* with --out$/m);
      expect(code).toBe(74);
    }
    expect(readdirSync(disk)).toEqual([]);
  });

  test("in a folder that is not there is one", async () => {
    const desk = openDesk((await startService()).url);
    desk.write("t.csv", transfersCsv(2));
    await desk.run("t.csv");
    const folder = join(desk.folder, "none");
    for (const said of [
      ["report", "./t.csv", "--out", join(folder, "t.html")],
      ["template", "loan", "--out", join(folder, "t.csv")],
    ]) {
      const { code, stderr } = await runProgram(said, { env: desk.env, cwd: desk.folder });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no folder ${folder}\n  → make it, or`)]);
    }
  });
});

describe("map --write", () => {
  const FILE = "Employee,Account No,Net Pay\nAsha,60200000000001,100.00\n";
  const SAID = [
    "--set",
    "to_account=Account No",
    "amount=Net Pay",
    "--const",
    "from_account=ACC-1",
    "--unit",
    "rupees",
  ];
  const map = ["map", "pay.csv", "--write", "--name", "hrms", "--operation", "transfer", ...SAID];

  test.skipIf(!canMount)("settings that the disk does not take are its failure, and stay as they are", async () => {
    const desk = openDesk(NOWHERE);
    desk.write("pay.csv", FILE);
    const disk = smallDisk(64);
    const path = join(disk, "paydrop.toml");
    writeFileSync(path, "concurrency = 3\n", { mode: 0o600 });
    makeReadOnly(disk);
    const { code, stderr } = await runProgram([...map, "--config", path], { env: desk.env, cwd: desk.folder });
    expect(stderr).toMatch(
      /^paydrop: paydrop\.toml cannot be written: the disk is read-only\n {2}→ .* without --write$/m,
    );
    expect(code).toBe(74);
    expect(readFileSync(path, "utf8")).toBe("concurrency = 3\n");
  });

  test("a link that cannot be followed is never replaced by a file", async () => {
    const desk = openDesk(NOWHERE);
    desk.write("pay.csv", FILE);
    const real = join(temporaryDirectory(), "office.toml");
    writeFileSync(real, "concurrency = 3\n", { mode: 0o600 });
    const path = join(desk.folder, "..", "own.toml");
    symlinkSync(real, path);
    const { code, stderr } = await failed(desk, [...map, "--config", path], { call: "realpath", path: "own.toml" });
    expect([code, stderr]).toEqual([74, expect.stringContaining("own.toml cannot be written: EIO")]);
    expect([lstatSync(path).isSymbolicLink(), readFileSync(real, "utf8")]).toEqual([true, "concurrency = 3\n"]);
  });
});

describe("a check whose disk fails ends with 74, and leaves no copy of the file", () => {
  async function checked(rows: number, ...calls: FailingCall[]): Promise<ProgramEnded & { left: string[] }> {
    const desk = openDesk((await startService()).url);
    desk.write("t.csv", transfersCsv(2));
    await desk.run("t.csv");
    desk.write("u.csv", transfersCsv(rows));
    const scratch = temporaryDirectory();
    const ended = await failed({ ...desk, env: { ...desk.env, TMPDIR: scratch } }, ["check", "u.csv"], ...calls);
    return { ...ended, left: readdirSync(scratch) };
  }

  test.each([
    ["when it looks back", 3, { sql: "FROM written" }],
    ["when it begins to", 3, { sql: "main.meta WHERE key" }],
    ["when it begins to, of a file so large that the journal has a thread", 15_000, { sql: "main.meta WHERE key" }],
  ])("%s", async (_when, rows, { sql }) => {
    const { code, stderr, left } = await checked(rows, { call: "prepare", path: "state/journal.db", sql });
    expect(stderr).toMatch(
      /state\/journal\.db.* cannot be used: disk I\/O error\n {2}→ nothing was sent; check the disk/,
    );
    expect([code, left]).toEqual([74, []]);
  });

  test("what a person has to know is why the check failed, not that its copy stayed as well", async () => {
    const { code, stderr } = await checked(
      3,
      { call: "prepare", path: "state/journal.db", sql: "FROM written" },
      { call: "rm", path: ".csv" },
    );
    expect(stderr).toContain("cannot be used: disk I/O error");
    expect(stderr).not.toContain("could not be removed");
    expect(code).toBe(74);
  });

  test("where the copy cannot be removed, it says where it lies", async () => {
    const { code, stdout, stderr, left } = await checked(3, { call: "rm", path: ".csv" });
    expect(stderr).toMatch(
      /private copies of files could not be removed from .*paydrop-check-\w+: EIO.*\n {2}→ .*remove/,
    );
    expect([code, left]).toEqual([74, [expect.stringContaining("paydrop-check-")]]);
    expect(stdout).toBe("");
  });
});

withDisk("a folder of ours that a disk does not let be made", () => {
  test("is told as that, and as no folder that went away", () => {
    const disk = smallDisk(64);
    mkdirSync(join(disk, "there"));
    makeReadOnly(disk);
    makeFolder(join(disk, "there"));
    for (const folder of [join(disk, "new"), join(disk, "there", "a", "b")]) {
      expect(() => {
        makeFolder(folder);
      }).toThrow(expect.objectContaining({ code: "EROFS" }));
    }
  });

  test("is made with those above it, for its user alone", () => {
    const folder = join(temporaryDirectory(), "a", "b");
    makeFolder(folder);
    makeFolder(folder);
    expect([statSync(folder).mode & 0o777, statSync(dirname(folder)).mode & 0o777]).toEqual([0o700, 0o700]);
  });
});

test("a STOP that the disk does not give up leaves the folder held, and that is the disk's failure", async () => {
  const desk = openDesk(NOWHERE);
  const inbox = join(desk.folder, "inbox");
  mkdirSync(inbox);
  writeFileSync(join(inbox, "STOP"), "");
  const { code, stderr } = await failed(desk, ["resume", "--inbox", inbox, "--by", "asha"], {
    call: "rm",
    path: "STOP",
  });
  expect(stderr).toMatch(/the file STOP in .* cannot be removed: EIO.*\n {2}→ remove it, .*still held/);
  expect(code).toBe(74);
});

test("doctor tells of a disk that does not answer among its findings", async () => {
  const desk = openDesk(NOWHERE);
  mkdirSync(desk.stateDir, { mode: 0o700 });
  const { code, stdout } = await failed(desk, ["doctor", "--offline"], { call: "statfsSync", path: "state" });
  expect([code, stdout]).toEqual([2, expect.stringMatching(/^BAD {3}state folder +its disk does not answer: EIO/m)]);
});
