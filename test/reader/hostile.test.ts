import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FileRefusedError } from "../../src/errors.ts";
import { FILE_FAULTS } from "../../src/messages/faults.ts";
import { faultOf, readFile } from "../support/tables.ts";
import { partsOf, textRow, workbookFile, zipOf, type ZipPart } from "../support/workbooks.ts";

const MB = 1024 * 1024;
const HEADER = textRow(1, ["name", "amount"]);
const ROW = textRow(2, ["Asha", "1.00"]);
const GOOD = partsOf({ sheets: { payouts: HEADER + ROW }, strings: "<si><t>x</t></si>" });
const SHEET = "xl/worksheets/sheet0.xml";

/** The good workbook with one part as given. */
function withPart(part: ZipPart): ZipPart[] {
  return [...GOOD.filter((one) => one.name !== part.name), part];
}

function sheetData(): string {
  return String(GOOD.find((part) => part.name === SHEET)?.data);
}

/** The good sheet with this inside of B2. */
function cellOf(inner: string): string {
  return sheetData().replace('t="inlineStr"><is><t xml:space="preserve">1.00</t></is>', `>${inner}`);
}

async function codeOf(parts: readonly ZipPart[]): Promise<string> {
  return (await faultOf(readFile(workbookFile(zipOf(parts))))).code;
}

test("the workbook that the others are made from → good", async () => {
  expect((await readFile(workbookFile(zipOf(GOOD)))).rows).toMatchObject([{ number: 2, cells: ["Asha", "1.00"] }]);
});

describe("bombs", () => {
  const spaces = (count: number): Buffer => Buffer.alloc(count, " ");
  const STRINGS = "xl/sharedStrings.xml";
  const many = (count: number): ZipPart[] => Array.from({ length: count }, (_, at) => ({ name: `x${at}`, data: "" }));
  const packed = randomBytes(4000);
  const same = ["x", "y", "z"].map((name, at): ZipPart => ({ name, data: packed, overlaps: at > 0 }));
  const withStrings = (one: string, times: number): ZipPart[] =>
    withPart({ name: STRINGS, data: `<sst>${one.repeat(times)}</sst>` });
  const FAR = `<worksheet><sheetData>${Array.from({ length: 5000 }, (_, at) => `<row><c r="XFD${at + 1}"><v>1</v></c></row>`).join("")}`;
  const sheetOf = (data: string): ZipPart[] => withPart({ name: SHEET, data });
  test.each<[string, () => ZipPart[], string]>([
    ["a sheet of 150 MB", () => withPart({ name: SHEET, data: spaces(150 * MB) }), "workbook_too_large"],
    ["shared texts of 150 MB", () => withPart({ name: STRINGS, data: spaces(150 * MB) }), "workbook_too_large"],
    ["empty shared texts", () => withStrings("<si/>", 5_000_000), "workbook_too_large"],
    ["shared texts that hardly differ", () => withStrings("<si><t>a</t></si>", 230_000), "workbook_too_large"],
    [
      "styles without end",
      () => withPart({ name: "xl/styles.xml", data: "<styleSheet>" + "<x/>".repeat(900_000) }),
      "workbook_too_large",
    ],
    [
      "relations without end",
      () => withPart({ name: "xl/_rels/workbook.xml.rels", data: "<a>" + "<x/>".repeat(900_000) }),
      "workbook_too_large",
    ],
    [
      "sheets without end",
      () => withPart({ name: "xl/workbook.xml", data: "<workbook>" + "<x/>".repeat(900_000) }),
      "workbook_too_large",
    ],
    ["a text of a million pieces", () => withStrings(`<si>${"<r/>".repeat(150_000)}</si>`, 1), "workbook_too_large"],
    ["cells far to the right", () => sheetOf(FAR), "cell_without_header"],
    ["a lie", () => withPart({ name: SHEET, data: spaces(100 * MB), lie: { size: 1000 } }), "workbook_damaged"],
    ["the same bytes three times", () => [...GOOD, ...same], "workbook_damaged"],
    ["twenty thousand parts", () => [...GOOD, ...many(20_000)], "workbook_too_large"],
    [
      "tags nested without end",
      () => sheetOf(sheetData().replace("</worksheet>", `${"<a>".repeat(100_000)}${"</a>".repeat(100_000)}$&`)),
      "workbook_damaged",
    ],
    [
      "a tag of megabytes",
      () => sheetOf(sheetData().replace("<worksheet", `$& ${"a='b' ".repeat(300_000)}`)),
      "workbook_damaged",
    ],
  ])("%s → refused before it costs memory", async (_, parts, code) => {
    const path = workbookFile(zipOf(parts()));
    const before = process.memoryUsage.rss();
    expect((await faultOf(readFile(path))).code).toBe(code);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB);
  });
});

describe("what no spreadsheet program writes", () => {
  const attack = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>';
  test.each<[string, string]>([
    ["a document type with entities", attack + sheetData().replace("Asha", "&b;")],
    ["a file from outside", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + sheetData()],
    ["XML that ends early", sheetData().slice(0, -20)],
    ["UTF-16", `\ufeff${sheetData()}`],
    ["rows out of order", sheetData().replace(ROW, ROW + HEADER)],
    ["a cell of another row", sheetData().replace('r="B2"', 'r="B3"')],
    ["cells out of order", sheetData().replace('r="B2"', 'r="A2"')],
    ["row 1048577", sheetData().replaceAll('2"', '1048577"')],
    ["two values in a cell", cellOf("<v>5</v><v>7</v>")],
    ["a value and a text", cellOf("<v>5</v><is><t>7</t></is>")],
    ["a text and a value", cellOf("<is><t>5</t></is><v>7</v>")],
    ["a number that is none", cellOf("<v>1x</v>")],
    ["a text that is not there", cellOf("<v>9</v>").replace('r="B2" ', 'r="B2" t="s" ')],
  ])("%s → damaged", async (name, xml) => {
    const data = name === "UTF-16" ? Buffer.from(xml, "utf16le") : xml;
    expect(await codeOf(withPart({ name: SHEET, data }))).toBe("workbook_damaged");
  });

  test("missing parts, two of one name, paths outside → damaged", async () => {
    for (const name of [SHEET, "xl/styles.xml", "xl/sharedStrings.xml"]) {
      expect(await codeOf(GOOD.filter((part) => part.name !== name))).toBe("workbook_damaged");
    }
    expect(await codeOf([...GOOD, { name: SHEET.toUpperCase(), data: "" }])).toBe("workbook_damaged");
    for (const name of ["../evil.xml", "/etc/passwd", "C:/x.xml"]) {
      expect(await codeOf([...GOOD, { name, data: "" }])).toBe("workbook_damaged");
    }
  });

  test.each([
    ["a wrong checksum", { lie: { crc: 1 } }, "workbook_damaged"],
    ["a wrong size", { lie: { size: 5 } }, "workbook_damaged"],
    ["an encrypted part", { lie: { flags: 1 } }, "workbook_damaged"],
    ["an unknown packing", { lie: { method: 14 } }, "workbook_damaged"],
  ])("%s → refused", async (_, more, code) => {
    expect(await codeOf(withPart({ name: SHEET, data: sheetData(), ...more }))).toBe(code);
  });

  test("what programs add for themselves → left out, whatever its names", async () => {
    const added = (inner: string): string => `<extLst><ext uri="u" xmlns:x14="v"><extLst/>${inner}</ext></extLst>`;
    const rows = '<row r="3"><c r="A3"><v>9</v></c></row>';
    const inCell = cellOf(`<f>a</f><v>5</v>${added("<t>7</t><v>8</v><c/>")}`).replace("</row>", `${added(rows)}</row>`);
    const behind = `</sheetData>${added(`<x14:sheetData>${rows}</x14:sheetData>`)}`;
    const { rows: read, table } = await readFile(
      workbookFile(zipOf(withPart({ name: SHEET, data: inCell.replace("</sheetData>", behind) }))),
    );
    expect(read).toMatchObject([{ number: 2, cells: ["Asha", { token: "number", source: "5" }] }]);
    expect(table.remarks).toEqual([]);
  });
});

describe("what was damaged on its way", () => {
  const whole = zipOf(GOOD);
  const real = readFileSync(join(import.meta.dirname, "real/openpyxl.xlsx"));

  test("cut at any place → refused", async () => {
    const property = fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), async (end) => {
      const { code } = await faultOf(readFile(workbookFile(whole.subarray(0, end))));
      expect(["workbook_damaged", "format_differs", "file_empty"]).toContain(code);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("any byte changed → the same rows, or refused, and nothing else", async () => {
    const expected = (await readFile(workbookFile(real))).rows;
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: real.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, change) => {
        const bytes = Buffer.from(real);
        bytes[at] = (bytes[at] ?? 0) ^ change;
        try {
          expect((await readFile(workbookFile(bytes))).rows).toEqual(expected);
        } catch (error) {
          if (!(error instanceof FileRefusedError)) throw error;
          expect(Object.keys(FILE_FAULTS)).toContain(error.faults[0]?.code);
        }
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test.each([
    ["nothing", Buffer.alloc(0), "file_empty"],
    ["zeros", Buffer.alloc(1000), "workbook_damaged"],
    ["text", Buffer.from("name,amount\nA,1\n"), "format_differs"],
    ["a web page", Buffer.from("<html><table>"), "format_differs"],
    ["an OpenDocument file", zipOf([{ name: "content.xml", data: "<x/>" }]), "format_differs"],
    ["an old workbook", Buffer.from(`d0cf11e0a1b11ae1${"00".repeat(600)}`, "hex"), "format_differs"],
  ])("%s under the name of a workbook → says what it is", async (_, bytes, code) => {
    expect((await faultOf(readFile(workbookFile(bytes)))).code).toBe(code);
  });
});
