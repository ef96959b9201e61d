import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { openSheet } from "../../src/reader/sheet.ts";
import type { Row } from "../../src/reader/row.ts";
import { guardCell } from "../../src/results/cell.ts";
import { guardsOf } from "../../src/text/spreadsheet-text.ts";
import { tableIn } from "../../src/results/table.ts";
import { writeResults } from "../../src/results/write-results.ts";
import { cellsOf } from "../support/files.ts";
import { resultsInput, rowRecord, sheetOf } from "../support/records.ts";

const FORMULAS = [
  "=1+1",
  "=cmd|'/c calc'!A1",
  '=HYPERLINK("http://evil.example","look")',
  "@SUM(A1:A9)",
  "+cmd|'/c calc'!A1",
  "-cmd|'/c calc'!A1",
  "-2+3",
  "+91-98123",
  "=",
  "-",
  "+",
];
const FULL_WIDTH_AND_LINE_FEED = ["＝1+1", "＋1+1", "－1+1", "＠SUM(A1)", "\tx", "\nx", "\r", "\t-5"];
/** For a spreadsheet that ends cells at `;`, at tabs, or at a line break without looking at quotes. */
const INSIDE: readonly (readonly [string, string])[] = [
  ["x;=40+2;y", "x;'=40+2;y"],
  ["x; =40+2", "x; '=40+2"],
  ["a\t+cmd|'/c calc'!A1", "a\t'+cmd|'/c calc'!A1"],
  ["two\n=1+1\r\n-2+3", "two\n'=1+1\r\n'-2+3"],
  ["\t=1+1", "'\t'=1+1"],
  ["=1;=2", "'=1;'=2"],
  ["x;'=1", "x;''=1"],
  ["x;＝1", "x;'＝1"],
];
const HARMLESS = [
  "a;b",
  "Dr.; +919812345678",
  "a;-5;b",
  "x;-12.50",
  "1;'x",
  "a,=b;",
  "-5",
  "-12.50",
  "+919812345678",
  "",
  " ",
  "'",
  "Asha",
  "1-2",
  "a=b",
  "0012345",
  "''=x",
  "52,250.00",
];

describe("a cell that a spreadsheet would run", () => {
  test.each([...FORMULAS, ...FULL_WIDTH_AND_LINE_FEED])("%j gets a ' before it", (text) => {
    expect(guardCell(text)).toBe(`'${text}`);
  });

  test.each(INSIDE)("%j becomes %j: one would run the middle of it", (text, guarded) => {
    expect(guardCell(text)).toBe(guarded);
  });

  test.each(HARMLESS)("%j stays as it is", (text) => {
    expect(guardCell(text)).toBe(text);
  });

  test("never stands in a file out, whatever the cells, the header and the answer say", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cell-"));
    try {
      const corpus = [...FORMULAS, ...FULL_WIDTH_AND_LINE_FEED];
      const columns = corpus.map((text, index) => `${text}${index}`);
      const sheet = sheetOf("csv", columns, 1, () => corpus);
      const record = { settledBy: "=by", other: { batch: "=B", row: 1 }, response: "\u001b]0;=x\u0007" };
      const states = ["rejected", "held", "settled_done"] as const;
      for (const state of states) {
        const report = await writeResults(resultsInput(folder, sheet, [rowRecord(2, { state, ...record })]));
        const text = await readFile(report.files.results ?? "", "utf8");
        const cells = parse(text, { bom: true }).flat();
        expect(cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !/^[+-]\d+$/.test(cell))).toEqual([]);
        expect(cells.slice(0, 5).join()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("what acts on a terminal or turns text round is shown in the results; the retry file is read again, and has it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "control-"));
  try {
    const cells = ["\u001b[31mred", "\u202edrawkcab", "two\nlines\tx", "\u0085", "क\u200dष"];
    const sheet = sheetOf("csv", ["a", "b", "c", "d", "e\u200f"], 1, () => cells);
    const { files } = await writeResults(resultsInput(folder, sheet, [rowRecord(2, { state: "invalid" })]));
    const [header, row] = parse(await readFile(files.results ?? "", "utf8"), { bom: true });
    expect(header?.[9]).toBe("e\\u{200f}");
    expect(row?.slice(5, 10)).toEqual(["\\u{1b}[31mred", "\\u{202e}drawkcab", "two\nlines\tx", "\\u{85}", "क\u200dष"]);
    expect(parse(await readFile(files.retry ?? "", "utf8"), { bom: true })[1]?.slice(0, 5)).toEqual(cells);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe("text that was read comes back as it was", () => {
  test("cells and headers through our writer and the reader", async () => {
    const folder = await mkdtemp(join(tmpdir(), "round-"));
    try {
      const cells = [
        ...FORMULAS,
        ...HARMLESS,
        ...INSIDE.map(([text]) => text),
        "two\nlines",
        "\nfeed first",
        "＝1+1",
        "＠x",
        'say "hi"',
        "é",
        "नमस्ते",
        " spaces ",
      ];
      const columns = cells.map((_, index) => `${["=", "", "x;=", ""][index % 4] ?? ""}c${index}`);
      const sheet = sheetOf("csv", columns, 1, () => cells);
      const report = await writeResults(resultsInput(folder, sheet, [rowRecord(2, { state: "invalid" })]));
      const again = await openSheet(report.files.retry ?? "", {
        fileName: "payroll.csv.retry.csv",
        encoding: "utf-8",
        knownNames: [],
      });
      expect(again.header?.slice(0, -2)).toEqual(columns);
      const rows: Row[] = [];
      for await (const chunk of again.rows()) rows.push(...chunk);
      expect(rows.map((row) => row.cells.slice(0, -2))).toEqual([cells]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("in the middle of a cell only from a retry file: anybody else's ' is theirs", async () => {
    const [own] = await cellsOf("a.csv", "a,b\r\nx;'=1,'=2\r\n");
    expect(own).toEqual(["x;'=1", "=2"]);
    const [retried] = await cellsOf("a.csv", "a,b,Retry Of\r\nx;'=1,y; ''-1,K7Q29F3M:2\r\n");
    expect(retried).toEqual(["x;=1", "y; '-1", "K7Q29F3M:2"]);
  });

  test("any text comes back from its guards", () => {
    const cell = fc.string({ unit: fc.constantFrom(...Array.from("a1;'=+-@\t\r\n .")) });
    const unguarded = guardsOf(["retry_of"]);
    fc.assert(
      fc.property(cell, (text) => {
        // a leading ' of one's own goes as it always went
        fc.pre(!/^'[=+\-@\t\r\n]/.test(text));
        expect(unguarded(guardCell(text))).toBe(text);
        expect(guardCell(text)).not.toMatch(/[;\t\r\n] *(?:[=@]|[+-](?![0-9]))/);
      }),
    );
  });

  test("any text survives the quoting", () => {
    const cell = fc.string({ unit: fc.constantFrom(...Array.from("a1,;\"'=+-@\t\r\n é\u2028")) });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1 }), (rows) => {
        const columns = ["a", "b", "c"];
        const table = tableIn("csv", { before: ["n"], after: [] }, columns);
        const out = rows.map((cells, index) => ({
          before: [index],
          row: { number: index, columns, cells },
          after: [],
        }));
        const read = parse(`${String(table.begin())}${String(table.rows(out))}`, {
          bom: true,
          record_delimiter: ["\r\n"],
          from: 2,
        });
        const expected = rows.map((cells, index) => [String(index), ...cells.map(guardCell)]);
        expect(read).toEqual(expected);
      }),
    );
  });
});
