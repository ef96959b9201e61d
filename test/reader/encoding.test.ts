import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inspectEncoding } from "../../src/reader/stated-encoding.ts";
import { cellsOf, faultOf, read } from "../support/files.ts";
import { runProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const TEXT = "name,amount\r\nRené Šťastný 😀,1\r\n";
const ROWS = [["René Šťastný 😀", "1"]];

function utf16(text: string, order: "le" | "be"): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
}

describe("encodings", () => {
  test("UTF-8 is read with and without a byte order mark", async () => {
    expect(await cellsOf("a.csv", TEXT)).toEqual(ROWS);
    const { sheet } = await read("a.csv", `\ufeff${TEXT}`);
    expect(sheet.header).toEqual(["name", "amount"]);
  });

  test.each(["le", "be"] as const)("UTF-16 %s is read by its byte order mark", async (order) => {
    expect(await cellsOf("a.csv", utf16(`\ufeff${TEXT}`, order))).toEqual(ROWS);
  });

  test("Excel's Unicode Text, UTF-16 with tabs, is read", async () => {
    expect(await cellsOf("a.txt", utf16(`\ufeff${TEXT.replaceAll(",", "\t")}`, "le"))).toEqual(ROWS);
  });

  test("JSON may begin with a byte order mark or be UTF-16", async () => {
    const json = '[{"name":"René 😀"}]';
    expect(await cellsOf("a.json", `\ufeff${json}`)).toEqual([["René 😀"]]);
    expect(await cellsOf("a.json", utf16(`\ufeff${json}`, "be"))).toEqual([["René 😀"]]);
  });

  test.each(["le", "be"] as const)("UTF-16 %s without a byte order mark is refused and named", async (order) => {
    const fault = await faultOf(read("a.csv", utf16(TEXT, order)));
    expect(fault).toMatchObject({ code: "nul_bytes", row: 1 });
    expect(fault.message).toContain("UTF-16");
  });

  test("a workbook under the name of a table is named, with or without a password, and not called half a copy", async () => {
    const zip = await faultOf(read("a.csv", Buffer.from("PK\u0003\u0004\u0014\0\0\0", "latin1")));
    expect(zip.hint).toContain(".xlsx");
    const old = await faultOf(read("a.csv", Buffer.from("d0cf11e0a1b11ae10000000000000000", "hex")));
    expect(old).toMatchObject({ code: "nul_bytes", row: 1 });
    expect(old.message).toContain("Excel 97");
    expect(old.hint).toContain("password");
  });

  test("characters of two, three and four bytes may fall on the border of two chunks", async () => {
    for (const character of ["é", "€", "😀"]) {
      for (let shift = 0; shift < 4; shift += 1) {
        const text = `name,amount\n${"x".repeat(shift)}${character.repeat(14_000)},1\n`.repeat(1);
        const rows = `${text}${`${character.repeat(10_000)},2\n`.repeat(8)}`;
        const { rows: read_ } = await read("a.csv", rows);
        expect(read_[0]?.cells[0]).toBe("x".repeat(shift) + character.repeat(14_000));
        expect(read_[8]?.cells[0]).toBe(character.repeat(10_000));
        const wide = await read("a.csv", utf16(`\ufeff${rows}`, shift % 2 ? "be" : "le"));
        expect(wide.rows).toEqual(read_);
      }
    }
  });

  test.each([
    ["latin-1", Buffer.from("name,amount\nA,1\nRené,2\n", "latin1"), 3],
    ["overlong", Buffer.concat([Buffer.from("name,amount\n"), Buffer.from([0xc0, 0xaf]), Buffer.from(",1\n")]), 2],
    ["a surrogate", Buffer.concat([Buffer.from("name,amount\nA,1\n"), Buffer.from([0xed, 0xa0, 0x80])]), 3],
    ["a character cut at the end", Buffer.concat([Buffer.from("name,amount\nA,1\nB"), Buffer.from([0xe2, 0x82])]), 3],
  ])("bytes that are not UTF-8 refuse the file with the row and name the setting: %s", async (_, bytes, row) => {
    const fault = await faultOf(read("a.csv", bytes));
    expect(fault).toMatchObject({ code: "not_utf8", row });
    expect(fault.hint).toContain('encoding = "windows-1252"');
  });

  test("bad bytes far down the file are refused with their row", async () => {
    const bytes = Buffer.concat([
      Buffer.from(`name,amount\n${"Ravi,1\n".repeat(100_000)}Ren`),
      Buffer.from([0xe9, 0x0a]),
    ]);
    expect(await faultOf(read("a.csv", bytes))).toMatchObject({ code: "not_utf8", row: 100_002 });
  });

  test("a lone surrogate in UTF-16 refuses the file with the row", async () => {
    const fault = await faultOf(read("a.csv", utf16("\ufeffname,amount\nA,1\nB\ud800,2\n", "le")));
    expect(fault).toMatchObject({ code: "not_utf8", row: 3 });
  });

  test("windows-1252 is read only where it is configured, and a byte order mark overrules it", async () => {
    const bytes = Buffer.from([
      ...Buffer.from("name,amount\nRen"),
      0xe9,
      ...Buffer.from(" "),
      0x80,
      ...Buffer.from(",1\n"),
    ]);
    const { rows } = await read("a.csv", bytes, { encoding: "windows-1252" });
    expect(rows[0]?.cells[0]).toBe("René €");
    const marked = await read("a.csv", `\ufeff${TEXT}`, { encoding: "windows-1252" });
    expect(marked.rows[0]?.cells).toEqual(ROWS[0]);
  });

  test.each([
    ["a.csv", "ï»¿name,amount\nA,5\n"],
    ["a.csv", '\ufeff"ï»¿name",amount\nA,5\n'],
    ["a.csv", "\nï»¿name,amount\nA,5\n"],
    ["a.json", 'ï»¿[{"name":"A"}]'],
  ])("%s that is UTF-8 of UTF-8 is told as that: %j", async (name, text) => {
    expect(await faultOf(read(name, text))).toMatchObject({
      code: "encoded_twice",
      message: expect.stringContaining('begins with "ï»¿"') as string,
    });
  });

  test.each(["name,ï»¿\nA,5\n", "naïve,amount\nï»¿,5\n", "\ufeffname,amount\nÃ©,5\n", "ï,amount\nA,5\n"])(
    "elsewhere such letters are letters: %j",
    async (text) => {
      expect((await read("a.csv", text)).rows).toHaveLength(1);
    },
  );

  test("what is UTF-8 from its first byte to its last is not taken for windows-1252", async () => {
    const folder = temporaryDirectory();
    const row = "René 中,1111111111,2222222222,5\n";
    const text = `note,from_account,to_account,amount\n${row.repeat(5000)}`;
    const old = Buffer.from("Ren\u00e9,1111111111,2222222222,5\n", "latin1");
    const files = {
      "utf-8.csv": text,
      "marked.csv": `\ufeff${text}`,
      "ascii.csv": text.replaceAll("é 中", "e"),
      "mixed.csv": Buffer.concat([Buffer.from(text), old]),
    };
    const codes: Record<string, string | undefined> = {};
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), content);
      codes[name] = (await inspectEncoding(join(folder, name), "windows-1252"))?.code;
      expect(await inspectEncoding(join(folder, name), "utf-8")).toBeUndefined();
    }
    expect(codes).toEqual({ "utf-8.csv": "encoding_differs" });
    const env = { HOME: folder, PAYDROP_ENCODING: "windows-1252" };
    const { code, stdout, stderr } = await runProgram(["check", "utf-8.csv", "mixed.csv"], { env, cwd: folder });
    expect(code).toBe(5);
    expect(stdout + stderr).toMatch(/utf-8\.csv: all of its text is UTF-8, and the settings say/);
    expect(stdout).toContain("5001 rows");
  });

  test("a lone surrogate escaped in JSON is handed on exactly", async () => {
    expect(await cellsOf("a.json", String.raw`[{"name":"\ud800"}]`)).toEqual([["\ud800"]]);
  });
});
