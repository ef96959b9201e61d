import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { misnamedControl, readControlFile, readControlFiles } from "../../src/intake/control.ts";
import { faultOf, temporaryFolder } from "../support/files.ts";

function controlWith(text: string): string {
  const path = join(temporaryFolder(), "payroll.csv.control");
  writeFileSync(path, text);
  return path;
}

describe("the control file", () => {
  test.each([
    ["rows=240\ntotal=11087750.50\n", { rows: 240, total: "11087750.50" }],
    ["\ufeff\r\n  Rows = 240 \r\n\r\n", { rows: 240 }],
    ["\ufeffrows=240", { rows: 240 }],
    ["total=0.1\rrows=240\r", { rows: 240, total: "0.1" }],
    ["total=0.1", { total: "0.1" }],
  ])("states rows, a total, or both: %j", async (text, expected) => {
    expect(await readControlFile(controlWith(text))).toEqual(expected);
  });

  test("need not be there", async () => {
    expect(await readControlFile(join(temporaryFolder(), "payroll.csv.control"))).toBeUndefined();
  });

  test.each([
    ["rows=240\ntotal=1,000\n", "line 2"],
    ["rows=2.5", "line 1"],
    ["rows=-1", "line 1"],
    ["total=1e3", "line 1"],
    ["total=1.00001", "line 1"],
    ["rows=1\n\nsum=5", "line 3"],
    ["rows", "line 1"],
    ["rows=1\nrows=1", "line 2: rows is stated twice"],
    ["", "neither rows nor total"],
    ["\n".repeat(5000), "too long"],
  ])("that says anything else is refused with the line: %j", async (text, words) => {
    const path = controlWith(text);
    const fault = await faultOf(readControlFile(path));
    expect(fault.code).toBe("control_malformed");
    expect(fault.message).toContain(words);
    await expect(readControlFile(path)).rejects.toThrow(/^payroll\.csv\.control: /);
  });

  test("that cannot be read for now refuses nothing: the file is looked at again", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "payouts"), "a folder until just now");
    const control = readControlFile(join(folder, "payouts", "payroll.csv.control"));
    await expect(control).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("ENOTDIR") as unknown,
    });
  });

  test("cannot be there where its name would be too long: a file with a long name needs none", async () => {
    const name = `${"\u0935".repeat(80)}ab.csv`;
    expect(await readControlFile(join(temporaryFolder(), `${name}.control.txt`))).toBeUndefined();
  });

  test("must be a regular file", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "a.csv.control"));
    writeFileSync(join(folder, "target"), "rows=1\n");
    symlinkSync(join(folder, "target"), join(folder, "b.csv.control"));
    expect((await faultOf(readControlFile(join(folder, "a.csv.control")))).code).toBe("control_malformed");
    expect((await faultOf(readControlFile(join(folder, "b.csv.control")))).code).toBe("control_malformed");
    // whoever opens it as a file waits for a writer, for ever
    execFileSync("mkfifo", [join(folder, "c.csv.control")]);
    expect((await faultOf(readControlFile(join(folder, "c.csv.control")))).message).toBe("this is not a regular file");
  });
});

describe("the control files beside an input", () => {
  const input = (...others: readonly string[]): string => {
    const folder = temporaryFolder();
    for (const name of others) writeFileSync(join(folder, name), "rows=240\n");
    return join(folder, "P.CSV");
  };

  test.each([
    "P.CSV.control",
    "P.CSV.CONTROL",
    "P.CSV.Control",
    "P.CSV.CONTROL.txt",
    "P.CSV.CONTROL.TXT",
    "P.CSV.Control.txt",
  ])("are found in capitals too: %s", async (name) => {
    expect(await readControlFiles(input(name))).toEqual([{ source: name, rows: 240 }]);
  });

  test("are all read, as long as their names differ in more than capitals", async () => {
    const found = await readControlFiles(input("P.CSV.CONTROL", "P.CSV.control.txt"));
    expect(found.map(({ source }) => source)).toEqual(["P.CSV.CONTROL", "P.CSV.control.txt"]);
    const fault = await faultOf(readControlFiles(input("P.CSV.control", "P.CSV.CONTROL")));
    expect([fault.code, fault.message, fault.hint]).toEqual([
      "control_malformed",
      expect.stringMatching(/^P\.CSV\.CONTROL lies beside it, whose name differs in nothing but capitals/),
      "Remove one of the two files.",
    ]);
  });

  test("are one where the disk tells no capitals apart", async () => {
    const path = input("P.CSV.control");
    linkSync(`${path}.control`, `${path}.CONTROL`);
    expect(await readControlFiles(path)).toHaveLength(1);
  });

  test.each(["P.csv.CONTROL", "P.csv.control", "P.CONTROL", "P.CSV.CTL"])(
    "are not read under another name, and that is said: %s",
    async (name) => {
      const path = input(name);
      expect([await readControlFiles(path), await misnamedControl(path)]).toEqual([[], name]);
    },
  );
});
