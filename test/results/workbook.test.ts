import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Cell } from "../../src/reader/row.ts";
import { WorkbookPieces, type OutCell } from "../../src/results/workbook.ts";
import { readFile } from "../support/tables.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { workbookOf } from "../support/workbooks.ts";

const HEADER = ["name", "amount", "notes"];

async function roundTrip(
  rows: readonly (readonly OutCell[])[],
  header: readonly string[] = HEADER,
): Promise<readonly (readonly Cell[])[]> {
  const path = join(temporaryDirectory(), "a.xlsx");
  writeFileSync(path, workbookOf({ name: "a", header, rows }));
  return (await readFile(path)).rows.map(({ cells }) => cells);
}

test("any texts, whatever characters they have → read back the same", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom("=1+1", "'x", "0012", "_x0041_", " a\n b ", "<&>\"'", "\r\n", "50100271828001"),
    fc.constantFrom("\ud800", "\u0000", "\u001f", "\ufffe"),
  );
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.constant("x"), text, text), { minLength: 1, maxLength: 10 }),
    async (rows) => {
      // the reader takes our own guard off
      const kept = rows.map((row) => row.map((one) => (/^'[=+\-@\t\r\n＝＋－＠]/.test(one) ? "'x" : one)));
      expect(await roundTrip(kept)).toEqual(kept);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test.each<[string, OutCell, unknown]>([
  ["an amount", { amount: "52250.00" }, { token: "number", source: "52250" }],
  ["one that no spreadsheet holds exactly", { amount: "1234567890123456.78" }, "1234567890123456.78"],
  ["a number of ours", 429, { token: "number", source: "429" }],
  ["an empty cell", null, ""],
  ["a number of the file", { token: "number", source: "1234.5" }, { token: "number", source: "1234.5" }],
  ["a percentage", { token: "number", source: "0.5", shown: "0%" }, { token: "number", source: "0.5" }],
  ["a number of JSON with an exponent", { token: "number", source: "1e5" }, "1e5"],
  ["a date", { token: "date", source: "2026-11-02" }, { token: "date", source: "2026-11-02" }],
  ["a month", { token: "date", source: "2026-11" }, { token: "date", source: "2026-11" }],
  [
    "a date with a time",
    { token: "date", source: "2026-11-02 10:30:00" },
    { token: "date", source: "2026-11-02 10:30:00" },
  ],
  ["a time alone", { token: "date", source: "10:30:00" }, "10:30:00"],
  ["a boolean", { token: "boolean", source: "TRUE" }, { token: "boolean", source: "TRUE" }],
  ["an error", { token: "error", source: "#N/A" }, { token: "error", source: "#N/A" }],
  ["null of JSON", { token: "null", source: "null" }, ""],
  ["a list of JSON", { token: "nested", source: "[1]" }, "[1]"],
])("%s → is read as such again", async (_, cell, expected) => {
  expect(await roundTrip([["x", cell, "end"]])).toEqual([["x", expected, "end"]]);
});

test("rows in one call or in many, at any hour → the same bytes", () => {
  const rows = Array.from({ length: 3000 }, (_, at) => [`name ${at}`, { amount: `${at}.50` }, "x".repeat(500)]);
  const bytesOf = (size: number): Buffer => {
    const pieces = new WorkbookPieces({ name: "a", header: HEADER });
    const parts = [pieces.begin()];
    for (let at = 0; at < rows.length; at += size) parts.push(pieces.rows(rows.slice(at, at + size)));
    return Buffer.concat([...parts, pieces.end()]);
  };
  expect(bytesOf(7).equals(bytesOf(3000))).toBe(true);
});

test.each([
  ["Pay/November: [all]", "Pay November   all"],
  ["", "Sheet1"],
  ["x".repeat(60), "x".repeat(31)],
])("a sheet named %j → %j", async (name, shown) => {
  const path = join(temporaryDirectory(), "a.xlsx");
  writeFileSync(path, workbookOf({ name, header: HEADER, rows: [["A", "1", name]] }));
  expect((await readFile(path)).table.reading.sheet).toBe(shown);
});
