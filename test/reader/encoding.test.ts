import { expect, test, describe } from "vitest";
import { sensibleEncodings } from "../../src/reader/text.ts";
import { cellsOf, faultOf, read } from "../support/tables.ts";

const TEXT = "name,amount\nJosé 東京 😀,1\n";
const swapped = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le").swap16();

describe("encodings", () => {
  test.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with its mark", Buffer.from(`\ufeff${TEXT}`)],
    ["UTF-16 LE with its mark", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
    ["UTF-16 BE with its mark", swapped(TEXT)],
  ])("%s → the same cells", async (_, bytes) => {
    expect(await cellsOf("a.csv", bytes)).toEqual([["José 東京 😀", "1"]]);
  });

  test("Excel's Unicode Text, and JSON in UTF-16 → read", async () => {
    expect(await cellsOf("a.txt", Buffer.from("\ufeffname\tamount\r\né\t1\r\n", "utf16le"))).toEqual([["é", "1"]]);
    expect(await cellsOf("a.json", Buffer.from('\ufeff[{"name":"é"}]', "utf16le"))).toEqual([["é"]]);
  });

  test.each(["é", "東", "😀"])("%s on the border of two pieces → whole", async (character) => {
    for (const encoding of ["utf8", "utf16le"] as const) {
      const row = `${"x".repeat(40_000)}${character},1\n`;
      const rows = await cellsOf("a.csv", Buffer.from(`\ufeffname,amount\n${row.repeat(8)}`, encoding));
      expect(rows.every(([cell]) => cell === `${"x".repeat(40_000)}${character}`)).toBe(true);
    }
    for (let shift = 0; shift < 5; shift += 1) {
      const text = `name,amount\n${"y".repeat(60_000)},1\n${"x".repeat(60_000)},1\n${character.repeat(9000)}${"z".repeat(shift)},2\n`;
      expect((await cellsOf("a.csv", text))[2]?.[0]).toBe(character.repeat(9000) + "z".repeat(shift));
    }
  });

  test.each([
    ["windows-1252", [0xe9, 0x20, 0x80, 0x92], "é €’"],
    ["macintosh", [0x8e, 0x83], "éÉ"],
  ])("%s where it is configured → its letters", async (encoding, bytes, letters) => {
    const file = Buffer.concat([Buffer.from("name,amount\n"), Buffer.from(bytes), Buffer.from(",1\n")]);
    const { table, rows } = await read("a.csv", file, { encoding });
    expect([rows[0]?.cells[0], table.reading.encoding]).toEqual([letters, encoding]);
    expect((await read("a.csv", Buffer.from(`\ufeff${TEXT}`), { encoding })).rows[0]?.cells[0]).toBe("José 東京 😀");
  });

  test("UTF-8 from end to end, and another encoding configured → refused", async () => {
    const fault = await faultOf(read("a.csv", TEXT, { encoding: "windows-1252" }));
    expect(fault.code).toBe("encoding_differs");
    expect((await read("a.csv", "name,amount\nA,1\n", { encoding: "windows-1252" })).rows).toHaveLength(1);
  });
});

describe("bytes that cannot be read", () => {
  const broken = (bytes: readonly number[]): Buffer =>
    Buffer.concat([Buffer.from(`name,amount\n${"A,1\n".repeat(50_000)}`), Buffer.from(bytes), Buffer.from("x,2\n")]);

  test("bad bytes far down → the row, and only encodings that make sense", async () => {
    expect(await faultOf(read("a.csv", broken([0x4a, 0xe9])))).toMatchObject({ code: "not_utf8", row: 50_002 });
    const lone = Buffer.from("\ufeffname,amount\nA,1\nB\ud800,2\n", "utf16le");
    expect(await faultOf(read("a.csv", lone))).toMatchObject({
      code: "not_utf8",
      row: 3,
      facts: { encoding: "UTF-16" },
    });
  });

  test.each([
    ["José", [0x4a, 0x6f, 0x73, 0xe9], ["windows-1252"]],
    ["MÜLLER", [0x4d, 0xdc, 0x4c, 0x4c, 0x45, 0x52], ["windows-1252"]],
    ["O’Brien", [0x4f, 0x92, 0x42, 0x72, 0x69, 0x65, 0x6e], ["windows-1252"]],
    ["Paymée of a Mac", [0x50, 0x61, 0x79, 0x6d, 0x8e, 0x65], ["macintosh"]],
    ["Peña of a Mac", [0x50, 0x65, 0x96, 0x61], ["macintosh"]],
    ["Polish of windows-1250", [0x53, 0x6f, 0xb3, 0x74, 0x79, 0x73], []],
    ["Devanagari that was cut", [...Buffer.from("आशा").subarray(0, 8)], []],
  ])("%s → advice names the encodings that fit", (_, bytes, encodings) => {
    expect(sensibleEncodings(Buffer.from(bytes))).toEqual(encodings);
  });

  test.each([
    ["UTF-16 without its mark", Buffer.from(TEXT, "utf16le"), "nul_bytes", "UTF-16 without a byte order mark"],
    ["zeros", Buffer.from("name,amount\nA,1\n\0\0\0\0"), "nul_bytes", "not copied completely"],
    ["a workbook", Buffer.from("PK\u0003\u0004\0\0\0\0"), "format_differs", "a workbook (.xlsx)"],
    ["an old workbook", Buffer.from("d0cf11e0a1b11ae10000", "hex"), "format_differs", "Excel 97"],
  ])("%s → what it looks like", async (_, bytes, code, words) => {
    expect(await faultOf(read("a.csv", bytes))).toMatchObject({ code, text: expect.stringContaining(words) as string });
  });
});
