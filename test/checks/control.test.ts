import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { check, codesOf, csvOf, GOOD, GOOD_B, wordsOf, type Given } from "./checking.ts";

const TWO = csvOf({ ...GOOD_B, amount: "0.10" }, { ...GOOD_B, amount: "0.20" });

test.for([
  ["the flags", { flags: { expect_rows: 2, expect_total: "0.3" } }],
  ["a file", { beside: { "p.csv.control": "rows=2\r\ntotal=0.30\r\n" } }],
  ["a file of Notepad", { beside: { "p.csv.control.txt": " total = 0.30\n" } }],
  ["all of them", { flags: { expect_rows: 2 }, beside: { "p.csv.control": "total=0.3" } }],
] as const satisfies readonly (readonly [string, Given])[])(
  "totals that %s say(s), and that equal → fine",
  async ([, given]) => {
    const { refused, opened } = await check("p.csv", TWO, { ...given, toml: "require_control = true\n" });
    expect(refused).toEqual([]);
    expect(opened?.control.length).toBeGreaterThan(0);
  },
);

test.for([
  ["more rows", { flags: { expect_rows: 1 } }, "control_rows_differ"],
  ["another sum", { flags: { expect_total: "0.31" } }, "control_total_differs"],
  ["none, and they are required", { toml: "require_control = true\n" }, "control_missing"],
  ["a file that says nothing", { beside: { "p.csv.control": "\n" } }, "control_malformed"],
  ["a file with another line", { beside: { "p.csv.control": "rows: 2" } }, "control_malformed"],
  ["a file that says it twice", { beside: { "p.csv.control": "rows=2\nrows=2" } }, "control_malformed"],
  [
    "two files that differ",
    { beside: { "p.csv.control": "rows=2", "p.csv.control.txt": "rows=3" } },
    "control_rows_differ",
  ],
] as const satisfies readonly (readonly [string, Given, string])[])(
  "control totals: %s → refused",
  async ([, given, code]) => {
    expect(codesOf((await check("p.csv", TWO, given)).refused)).toEqual([code]);
  },
);

test("of the wrapper → compared, in words", async () => {
  const json = JSON.stringify({ control: { rows: 2, total: "100.00" }, rows: [GOOD.transfer] });
  const words = wordsOf((await check("t.json", json)).refused);
  expect(words).toContain('"control" in the file says 2 rows, the file has 1');
  expect(words).toContain("says 100.00, the amounts add up to 1200.50, a difference of 1100.50");
});

test("lines that are no payments → named as what to delete", async () => {
  const text = `${csvOf(GOOD.transfer)}Total,,1200.50\n`;
  const { refused } = await check("t.csv", text, { flags: { expect_rows: 1 } });
  expect(wordsOf(refused)).toContain("Delete what is no payment (row 3)");
});

test("a link in place of the file → refused, not followed", async () => {
  const { refused } = await check("p.csv", TWO, {
    before: (folder) => symlinkSync("/etc/hostname", `${folder}/p.csv.control`),
  });
  expect(codesOf(refused)).toEqual(["control_malformed"]);
});
