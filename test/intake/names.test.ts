import { describe, expect, test } from "vitest";
import { inputName, isOwnHeader, mayGiveWork, nameForAnswers } from "../../src/intake/names.ts";

describe("what a name says", () => {
  test.each([
    ["payroll.csv", "csv"],
    ["PAYROLL.CSV", "csv"],
    ["Unicode Text.txt", "csv"],
    ["gehälter 😀.json", "json"],
    ["a.NdJson", "jsonl"],
    ["book.xlsm", "xlsx"],
    ["-rf.csv", "csv"],
    ["%s%n.csv", "csv"],
    ["con.csv", "csv"],
    ["results.csv", "csv"],
    ["march.results.csv", "csv"],
    [`${"x".repeat(196)}.csv`, "csv"],
  ])("%s → input", (name, format) => {
    expect(inputName(name)).toEqual({ kind: "input", format });
  });

  test.each([
    ...["~$x.csv", ".~lock.x.csv#", "._x.csv", ".hidden.csv", "..csv", ".paydrop", "x.csv.crdownload", "x.csv.part"],
    ...["x.csv.filepart", "x.csv.TMP", "x.csv~", "#x.csv#", "x.xlsx.sb-1a2b3c4d-Xy12Zz", "Thumbs.db", "desktop.ini"],
    ...["a.csv.results.csv", "a.csv.results.K7Q29F3M.csv", "a.csv.results.edited.csv", "a.json.results.json"],
    ...["a.csv.summary.json", "a.xlsm.summary.K7Q29F3M.json", "a.csv.report.html", "a.csv.check.txt"],
    ...["a.csv.retry.csv.results.csv", `${"x".repeat(196)}.csv.results.csv`],
    ...["a.csv.refused.txt", "ABCD.001.refused.txt", "a.csv.waiting.txt", "a.csv.control", "a.XLSX.control.txt"],
    "STOP - held.txt",
  ])("%s → not a word", (name) => {
    expect(inputName(name)).toEqual({ kind: "passed_over" });
  });

  test.each([
    ["ABCD2611.001", "bank"],
    ["wages.prn", "bank"],
    ["wages.dat", "bank"],
    ["wages.csv.PGP", "encrypted"],
    ["payroll.xls", "workbook"],
    ["payroll.zip", "packed"],
    ["payroll.pdf", "document"],
    ["wages.csv ", "spaced"],
    ["wages", undefined],
    ["notes.md", undefined],
  ])("%j → refused as %s", (name, is) => {
    expect(inputName(name)).toEqual({ kind: "refused", fault: { code: "format_unknown", facts: { is } } });
  });

  test.each([
    ["pay\u001b[31m.csv", "name_unprintable"],
    ["pay\nroll.csv", "name_unprintable"],
    ["pay\u202evsc.csv", "name_unprintable"],
    ["pay\ufffd.csv", "name_unprintable"],
    [`${"é".repeat(98)}x.csv`, "name_too_long"],
  ])("%j → refused: %s", (name, code) => {
    expect(inputName(name)).toMatchObject({ kind: "refused", fault: { code } });
    const answer = `${nameForAnswers(name)}.refused.txt`;
    expect([inputName(answer).kind, Buffer.byteLength(answer) < 255]).toEqual(["passed_over", true]);
  });

  test.each(["STOP", "stop", "Stop.txt", "STOP.txt.txt", "STOP.rtf", "stop.docx"])("%s → stop", (name) => {
    expect([inputName(name).kind, mayGiveWork(name)]).toEqual(["stop", true]);
  });

  test.each(["stop.csv", "stop.xlsx", "nonstop.txt"])("%s → no stop", (name) => {
    expect(inputName(name).kind).toBe("input");
  });
});

test("a retry file is input once it was changed: told apart from input", () => {
  expect(inputName("a.csv.retry.csv")).toEqual({ kind: "input", format: "csv", isRetry: true });
  expect(inputName("a.csv.retry.K7Q29F3M.xlsx")).toMatchObject({ kind: "input", format: "xlsx", isRetry: true });
});

test("what we write gives no work; control files do", () => {
  const names = ["a.csv", "a.csv.retry.csv", "a.csv.control", "payouts", "a.zip"];
  expect(names.filter(mayGiveWork)).toEqual(names);
  expect(["a.csv.results.csv", "a.csv.refused.txt", "a.csv.tmp", ".paydrop"].filter(mayGiveWork)).toEqual([]);
});

test.each([
  [["result_row", "result_status", "name"], true],
  [["name", "Result Status", "RESULT-ROW"], true],
  [["result_status", "result_message"], true],
  [["ï»¿result_row", "result_status", "result_batch"], true],
  [["name", "result_status"], false],
])("the header %j is that of our results: %s", (header, isOwn) => {
  expect(isOwnHeader(header)).toBe(isOwn);
});
