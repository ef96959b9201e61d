import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { guardCell, tableIn } from "../../src/results/table.ts";
import { TestDesk } from "../support/desk.ts";

const FORMULAS = [
  ...["=1+1", "=cmd|'/c calc'!A1", '=HYPERLINK("http://evil.example","look")', "@SUM(A1:A9)", "-2+3", "+91-98123", "="],
  ...["-", "+", "＝1+1", "＋1+1", "－1+1", "＠SUM(A1)", "\tx", "\nx", "\r", "\t-5"],
];
/** For a spreadsheet that ends cells at `;`, at tabs, or at a line break without looking at quotes. */
const INSIDE: readonly (readonly [string, string])[] = [
  ["x;=40+2;y", "x;'=40+2;y"],
  ["x; =40+2", "x; '=40+2"],
  ["two\n=1+1\r\n-2+3", "two\n'=1+1\r\n'-2+3"],
  ["\t=1+1", "'\t'=1+1"],
  ["=1;=2", "'=1;'=2"],
  ["x;'=1", "x;''=1"],
];
const HARMLESS = [
  ...[
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
  ],
  ...["Asha", "1-2", "a=b", "0012345", "''=x", "52,250.00", "नमस्ते", 'say "hi"'],
];

test.each(FORMULAS)("%j gets a ' before it", (text) => {
  expect(guardCell(text)).toBe(`'${text}`);
});

test.each(INSIDE)("%j becomes %j: one would run the middle of it", (text, guarded) => {
  expect(guardCell(text)).toBe(guarded);
});

test.each(HARMLESS)("%j stays as it is", (text) => {
  expect(guardCell(text)).toBe(text);
});

const CELL = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[a,;"'\r\n\t =+0-9-]*$/));

test("any cells → CSV as csv-stringify writes it", () => {
  fc.assert(
    fc.property(fc.array(fc.array(CELL, { minLength: 3, maxLength: 3 }), { minLength: 1 }), (records) => {
      const columns = ["one", "two", "three"];
      const shape = { before: ["result_row"], after: ["result_batch"], widths: {}, sheet: "", isInput: true } as const;
      const table = tableIn("csv", shape, columns);
      const rows = records.map((cells, at) => ({ before: [at], row: { number: at, columns, cells }, after: ["K7"] }));
      const expected = records.map((cells, at) => [String(at), ...cells.map(guardCell), "K7"]);
      const options = { bom: true, record_delimiter: "windows", quote_record_delimiter: true } as const;
      const header = ["result_row", ...columns, "result_batch"];
      expect(`${String(table.begin())}${String(table.rows(rows))}`).toBe(stringify([header, ...expected], options));
    }),
  );
});

test("cells of strangers in a file → none runs, acts on a terminal or is lost, and the retry file reads the same", async () => {
  const desk = await TestDesk.open();
  const cells = [
    ...FORMULAS,
    ...HARMLESS.filter((text) => text.trim() !== ""),
    ...INSIDE.map(([text]) => text),
    "\u001b[31mred",
    "\u202eturned",
  ];
  const columns = ["from_account", "to_account", "amount", ...cells.map((_, at) => `${at % 2 ? "=" : ""}c${at}`)];
  const options = { record_delimiter: "windows", quoted: true } as const;
  const file = stringify([columns, ["ACC-1", "", "x", ...cells]], options);
  await desk.run("pay.csv", file);
  const [header = [], row = []] = parse(desk.read("pay.csv.results.csv"), { bom: true });
  const runs = /^[=@\t\r\n＝＋－＠]|^[+-](?![0-9.]+$)/;
  expect([...header, ...row].filter((cell) => runs.test(cell) || /[\u0000-\u0008\u001b\u202e]/.test(cell))).toEqual([]);
  expect(row).toContain("\\u{1b}[31mred");
  // read again by our own reader, every cell is what it was
  await desk.run("again.csv", desk.read("pay.csv.retry.csv"));
  expect(parse(desk.read("again.csv.retry.csv"), { bom: true })[1]?.slice(0, -2)).toEqual(
    parse(desk.read("pay.csv.retry.csv"), { bom: true })[1]?.slice(0, -2),
  );
});
