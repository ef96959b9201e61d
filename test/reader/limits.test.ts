import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram } from "../support/program.ts";
import { faultOf, readFile, temporaryFolder } from "../support/files.ts";

const MB = 1024 * 1024;

/** A file of `head`, then `piece` again and again up to the size, then `tail`. */
function largeFile(name: string, head: string, piece: string, sizeBytes: number, tail = ""): string {
  const path = join(temporaryFolder(), name);
  const file = openSync(path, "w");
  const block = Buffer.from(piece.repeat(Math.ceil(MB / piece.length)));
  writeSync(file, head);
  for (let written = 0; written < sizeBytes; written += block.length) writeSync(file, block);
  writeSync(file, tail);
  closeSync(file);
  return path;
}

describe("what is beyond the limits is refused quickly and without memory", () => {
  test.each([
    ["one field of 50 MB", "a.csv", "name,amount\nA,", "1", 50 * MB, "record_too_long", 2],
    ["one quoted field of 50 MB", "a.csv", 'name,amount\n"A","', "1", 50 * MB, "quote_unclosed", 2],
    ["an unclosed quote over 50 MB of rows", "a.csv", 'name,amount\n"A,1\n', "B,2\n", 50 * MB, "quote_unclosed", 2],
    ["a header of a million columns", "a.csv", "name,amount", ",x", 2 * MB, "record_too_long", 1],
    ["a row of a million cells", "a.csv", "name,amount\nA,1\n", ",", MB, "record_too_long", 3],
    ["ten million empty lines", "a.csv", "", "\n", 10 * MB, "file_blank", undefined],
    ["a header and ten million empty lines", "a.csv", "name,amount\n", "\n", 10 * MB, "no_rows", undefined],
    ["a header and a million rows of commas", "a.csv", "name,amount\n", ",\r\n", 3 * MB, "no_rows", undefined],
    ["NUL bytes of a pre-sized copy", "a.csv", "name,amount\nA,1\n", "\0", 50 * MB, "nul_bytes", 3],
    ["brackets a million deep", "a.json", "[", "[", MB, "json_too_deep", 1],
    ["brackets a million deep in a row", "a.json", '[{"a":', "[", MB, "json_too_deep", 1],
    ["objects a million deep", "a.json", "", '{"a":', 5 * MB, "json_too_deep", undefined],
    ["one text of 20 MB", "a.json", '[{"a":"', "x", 20 * MB, "record_too_long", 1],
    ["one text of 20 MB that is nothing but escapes", "a.json", '[{"a":"', '\\"', 20 * MB, "record_too_long", 1],
    ["one number of 20 MB", "a.json", "[", "1", 20 * MB, "record_too_long", 1],
    ["one key of 20 MB", "a.json", '{"', "k", 20 * MB, "record_too_long", undefined],
    ["20 MB of white space", "a.json", "[", " ", 20 * MB, "json_truncated", undefined],
    ["a line of 20 MB", "a.jsonl", '{"a":"', "x", 20 * MB, "record_too_long", 1],
    ["a line a million deep", "a.jsonl", '{"a":', "[", MB, "record_too_long", 1],
  ])("%s", async (_, name, head, piece, sizeBytes, code, row) => {
    const path = largeFile(name, head, piece, sizeBytes);
    const rssBefore = process.memoryUsage.rss();
    const fault = await faultOf(readFile(path));
    expect({ code: fault.code, row: fault.row }).toEqual({ code, row });
    expect(process.memoryUsage.rss() - rssBefore).toBeLessThan(100 * MB);
  });

  test.each([
    ["one field of 50 MB", "a.csv", "from_account,to_account,amount\nA,", "1", 50 * MB, ": row 2: the row is longer"],
    [
      "an unclosed quote",
      "a.csv",
      'from_account,to_account,amount\n"A,B,1\n',
      "A,B,2\n",
      50 * MB,
      ": row 2: a double quote",
    ],
    ["a million columns", "a.csv", "from_account,to_account,amount", ",x", 2 * MB, ": row 1: the row is longer"],
    ["JSON 100,000 deep", "a.json", '[{"amount":', "[", MB, ": row 1: the values are nested deeper"],
  ])(
    "%s is refused by a program that has 24 MB of memory for its objects",
    async (_, name, head, piece, size, words) => {
      const path = largeFile(name, head, piece, size);
      const nodeArgs = ["--max-old-space-size=24"];
      const { code, stderr } = await runProgram(["check", "--state-dir", temporaryFolder(), path], { nodeArgs });
      expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(words) as unknown });
    },
  );

  test("more than 1000 columns are too many", async () => {
    const path = largeFile("a.csv", `name${",x".repeat(1000)}\n`, "A\n", 1);
    expect(await faultOf(readFile(path))).toMatchObject({ code: "too_many_columns", row: 1 });
    const keys = Array.from({ length: 1001 }, (_, index) => `"k${index}":1`).join(",");
    const json = largeFile("a.json", `[{${keys}}`, " ", 1, "]");
    expect(await faultOf(readFile(json))).toMatchObject({ code: "too_many_columns", row: 1 });
  });

  test("ten million empty lines behind the rows are counted and passed over", async () => {
    const { rows, sheet } = await readFile(largeFile("a.csv", "name,amount\nA,1\n", "\n", 10 * MB));
    expect(rows).toHaveLength(1);
    expect(sheet.remarks).toEqual([`${10 * MB} blank rows at the end were passed over`]);
  });

  test("limits can be set", async () => {
    const path = largeFile("a.csv", `name,amount\nA,1\n${"B".repeat(100)},2\n`, "C,3\n", 1);
    const fault = await faultOf(readFile(path, { limits: { recordCharactersMax: 50 } }));
    expect(fault).toMatchObject({ code: "record_too_long", row: 3 });
    expect(fault.message).toContain("50 characters");
  });
});
