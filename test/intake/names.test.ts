import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inputName, isStopName, mayGiveWork } from "../../src/intake/names.ts";
import { isOwnHeader } from "../../src/intake/own.ts";
import { guessPeriod } from "../../src/intake/period.ts";
import { temporaryFolder } from "../support/files.ts";

describe("names that may be input", () => {
  test.each([
    ["payroll.csv", "csv"],
    ["PAYROLL.CSV", "csv"],
    ["Unicode Text.txt", "csv"],
    ["a.tsv", "csv"],
    ["gehälter 😀.json", "json"],
    ["a.jsonl", "jsonl"],
    ["a.NdJson", "jsonl"],
    ["-rf.csv", "csv"],
    ["%s%n.csv", "csv"],
    ["con.csv", "csv"],
    ["results.csv", "csv"],
    ["e\u0301.csv", "csv"],
    [`${"x".repeat(196)}.csv`, "csv"],
  ])("%s", (name, format) => {
    expect(inputName(name)).toEqual({ format });
  });
});

describe("names that never are input", () => {
  test.each([
    "~$x.csv",
    ".~lock.x.csv#",
    "._x.csv",
    ".hidden.csv",
    "..csv",
    "x.csv.crdownload",
    "x.csv.part",
    "x.csv.partial",
    "x.csv.filepart",
    "x.csv.TMP",
    "Thumbs.db",
    "payroll.xls",
    "payroll",
    "payroll.csv.results.csv",
    "payroll.csv.results.K7Q29F3M.csv",
    "payroll.json.results.json",
    "payroll.csv.summary.json",
    "payroll.csv.summary.K7Q29F3M.json",
    "payroll.xlsm.summary.K7Q29F3M.json",
    "payroll.xlsm.report.K7Q29F3M.txt",
    "payroll.xlsm.check.txt",
    `${"x".repeat(196)}.csv.results.csv`,
    `${"x".repeat(196)}.csv.retry.csv`,
    "payroll.csv.refused.txt",
    "payroll.csv.waiting.txt",
    "payroll.csv.control",
    "payroll.csv.control.txt",
    "payroll.XLSX.control.txt",
  ])("%s is passed over without a word", (name) => {
    expect(inputName(name)).toMatchObject({ ignored: expect.stringMatching(/^it/) as string, report: false });
  });

  test.each([
    ["control characters", "pay\u001b[31m.csv"],
    ["a line end", "pay\nroll.csv"],
    ["a bidi control", "pay\u202evsc.csv"],
    ["bytes that are not UTF-8", "pay\ufffd.csv"],
    ["more than 200 bytes", `${"é".repeat(98)}x.csv`],
    ["a name like that of results", "march.results.csv"],
    ["a name like that of a summary", "march.summary.json"],
  ])("%s: ignored, but a person hears of it", (_, name) => {
    expect(inputName(name)).toMatchObject({ ignored: expect.any(String) as string, report: true });
  });

  test("a name that is not UTF-8 on the disk is seen as such", () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(join(folder, "pay")), Buffer.from([0xff]), Buffer.from(".csv")]), "x");
    expect(readdirSync(folder).map((name) => inputName(name))).toMatchObject([{ report: true }]);
  });

  test("our retry file is told apart: it is input once a person has changed it", () => {
    expect(inputName("payroll.csv.retry.csv")).toMatchObject({ report: false, unlessChanged: "csv" });
  });
});

describe("a file with which a person says stop", () => {
  test.each(["STOP", "stop", "Stop.txt", "STOP.txt.txt", "STOP.rtf", "stop.docx"])("%s", (name) => {
    expect([isStopName(name), mayGiveWork(name), inputName(name).ignored]).toEqual([true, true, "it asks to stop"]);
  });

  test.each(["stop.csv", "stop.xlsx", "nonstop.txt", "STOP - held 12.04, nothing was on its way.txt"])(
    "not %s",
    (name) => {
      expect(isStopName(name)).toBe(false);
    },
  );
});

test("a file that was closed gives work, whatever it is: the mark that goes is heard of", () => {
  expect(["~$a.xlsx", ".~lock.a.xlsx#", ".~lock.a.csv.retry.csv#"].filter(mayGiveWork)).toHaveLength(3);
});

test.each(["a.csv", "a.csv.retry.csv", "a.csv.control", "a.csv.control.txt", "a.zip", "Payouts"])(
  "a change of %s gives work; our own files and notes give none",
  (name) => {
    expect(mayGiveWork(name)).toBe(true);
    expect(["a.csv.results.csv", "a.csv.refused.txt", "a.csv.tmp", "notes.md"].filter(mayGiveWork)).toEqual([]);
  },
);

describe("our own results, renamed", () => {
  test("are known by their header in any writing", () => {
    expect(isOwnHeader(["result_row", "result_status", "name"])).toBe(true);
    expect(isOwnHeader(["name", "Result Status", "RESULT-ROW"])).toBe(true);
    expect(isOwnHeader(["name", "result_status"])).toBe(false);
  });

  test("are known without their first column, or where another program put a mark before its name", () => {
    expect(isOwnHeader(["result_status", "result_message", "name"])).toBe(true);
    expect(isOwnHeader(["ï»¿result_row", "result_status", "result_message", "name"])).toBe(true);
  });
});

describe("the month in a name", () => {
  test.each([
    ["payroll-2026-11-06.csv", "2026-11"],
    ["nov-2026.csv", "2026-11"],
    ["November 2026.csv", "2026-11"],
    ["salaries_2026_11.csv", "2026-11"],
    ["2026.11.csv", "2026-11"],
    ["payroll_20261106.csv", "2026-11"],
    ["payroll202611.csv", "2026-11"],
    ["11-2026.csv", "2026-11"],
    ["25-11-2026.csv", "2026-11"],
    ["11-25-2026.csv", "2026-11"],
    ["25-12-2026.csv", "2026-12"],
    ["payroll 2 25-11-2026.csv", "2026-11"],
    ["6nov2026.csv", "2026-11"],
    ["nov-06-2026.csv", "2026-11"],
    ["2026-sept.csv", "2026-09"],
    ["May2026 payroll.csv", "2026-05"],
    ["payroll-nov-2026-11-06.csv", "2026-11"],
    ["2026-1.csv", "2026-01"],
  ])("%s speaks of %s", (name, period) => {
    expect(guessPeriod(name)).toBe(period);
  });

  test.each([
    "payroll.csv",
    "112026.csv",
    "201112.csv",
    "06-11-2026.csv",
    "2026-13.csv",
    "nov-26.csv",
    "november.csv",
    "oct-nov-2026.csv",
    "2026-10 and 2026-11.csv",
    "nov-2025-nov-2026.csv",
    "mayor-2026.csv",
    "50100212345678.csv",
    "2026-110.csv",
    "52026-11.csv",
    "520261106.csv",
    "202611061.csv",
    "2026111.csv",
    "20261141.csv",
    "25-00-2026.csv",
    "2026-marketing.csv",
    "dismay-2026.csv",
    "2026.csv",
  ])("%s speaks of no month, or of more than one", (name) => {
    expect(guessPeriod(name)).toBeUndefined();
  });

  test("a name made of digits takes no time", () => {
    const start = performance.now();
    guessPeriod(`${"2026-11-".repeat(10_000)}.csv`);
    guessPeriod(`${"nov ".repeat(20_000)}.csv`);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
