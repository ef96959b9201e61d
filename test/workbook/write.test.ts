import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { workbookOf, WorkbookPieces } from "../../src/workbook/write.ts";
import { withoutGuard } from "../../src/text/spreadsheet-text.ts";
import type { OutCell } from "../../src/workbook/write.ts";
import { readFile } from "../support/files.ts";
import { workbookFile } from "../support/workbooks.ts";

const HEADER = ["amount", "name", "c"];

async function cellsOf(rows: readonly (readonly OutCell[])[]): Promise<readonly unknown[]> {
  const { rows: read } = await readFile(workbookFile(workbookOf([{ name: "a", header: HEADER, rows }])));
  return read.map(({ cells }) => cells);
}

describe("what was written is read back", () => {
  test("any table of texts, whatever characters they have", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(...Array.from("_x0AdDF<>&\"' \t\r\n=+-@é₹\u0000\u007f\u2028\ufffe")) }),
      fc.constantFrom("_x000D_", "_x005F_x000D_", "\ud800", "=1+1", " a ", "0012", "1E5", "]]>"),
    );
    const table = fc.array(fc.array(text, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    const property = fc.asyncProperty(table, async (rows) => {
      // a `'` before what a spreadsheet would run is taken for ours
      const unguarded = rows.map((row) => row.map(withoutGuard));
      fc.pre(unguarded.every((row) => row.some((cell) => cell.trim() !== "")));
      expect(await cellsOf(rows)).toEqual(unguarded);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  test("amounts are numbers where a spreadsheet holds them exactly, else text", async () => {
    const values = ["1234.50", "999999999999999", "0.01", "1234567890123456", "12345678901234.56", ""];
    const rows = values.map((amount) => [{ amount }, "x"]);
    expect(await cellsOf(rows)).toEqual([
      [expect.objectContaining({ token: "cell_number", source: "1234.5" }), "x", ""],
      [expect.objectContaining({ token: "cell_number", source: "999999999999999" }), "x", ""],
      [expect.objectContaining({ token: "cell_number", source: "0.01" }), "x", ""],
      ["1234567890123456", "x", ""],
      ["12345678901234.56", "x", ""],
      ["", "x", ""],
    ]);
  });

  test("what another workbook's cells held keeps its kind", async () => {
    const cells = [
      { token: "cell_number", source: "1234.56", stored: "1234.5600000000001" },
      { token: "cell_date", source: "2026-11-02", stored: "46328" },
      { token: "cell_error", source: "#N/A", stored: "#N/A" },
    ] as const;
    const more = [
      { token: "cell_boolean", source: "TRUE", stored: "1" },
      { token: "cell_date", source: "2026-11-02 08:30:00", stored: "46328.354166666664" },
      { token: "cell_percentage", source: "7.5%", stored: "0.075" },
    ] as const;
    expect(await cellsOf([cells, more])).toEqual([cells, more]);
  });
});

test("the bytes do not depend on how the rows were cut into calls, nor on the hour", () => {
  const shape = [{ name: "results", header: HEADER }];
  const rows = Array.from({ length: 20_000 }, (_, index) => [`${index}.00`, `name of ${index}`, "text ".repeat(10)]);
  const inPieces = (size: number): Buffer => {
    const writer = new WorkbookPieces(shape);
    const pieces = [writer.beginSheet()];
    for (let from = 0; from < rows.length; from += size) pieces.push(writer.rows(rows.slice(from, from + size)));
    return Buffer.concat([...pieces, writer.endSheet(), writer.end()]);
  };
  expect(inPieces(7).equals(inPieces(5000))).toBe(true);
  expect(inPieces(7).equals(workbookOf([{ ...shape[0], name: "results", header: HEADER, rows }]))).toBe(true);
});

test("a sheet's name is made to fit, and every sheet is there", async () => {
  const bytes = workbookOf([
    { name: "a/b[c]: much too long a name for a sheet of Excel", header: ["x"], rows: [] },
    { name: "payouts & <more>", header: HEADER, rows: [["1.00", "A", ""]] },
  ]);
  const { sheet } = await readFile(workbookFile(bytes));
  expect(sheet.sheetName).toBe("payouts & <more>");
  expect(sheet.remarks).toEqual(['the sheet "payouts & <more>" was read, not "a b c   much too long a name fo"']);
});
