import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FileRefusedError } from "../../src/errors.ts";
import { READER_FAULT_CODES } from "../../src/reader/refusals.ts";
import { faultOf, readFile } from "../support/files.ts";
import { bookFile, partsOf, textRow, workbookFile, zipOf } from "../support/workbooks.ts";
import type { ZipPart } from "../support/workbooks.ts";

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

test("the workbook that the others are made from is good", async () => {
  expect((await readFile(workbookFile(zipOf(GOOD)))).rows).toMatchObject([{ number: 2, cells: ["Asha", "1.00"] }]);
});

describe("bombs are refused before they cost memory", () => {
  const spaces = (count: number): Buffer => Buffer.alloc(count, " ");
  test.each<[string, () => ZipPart[], string]>([
    ["a sheet of 150 MB", () => withPart({ name: SHEET, data: spaces(150 * MB) }), "workbook_too_large"],
    ["shared texts of 150 MB", () => withPart({ name: "xl/sharedStrings.xml", data: spaces(150 * MB) }), "workbook_too_large"], // prettier-ignore
    ["styles of 300 MB", () => withPart({ name: "xl/styles.xml", data: spaces(150 * MB) }), "workbook_too_large"],
    ["a sheet that says it is small", () => withPart({ name: SHEET, data: spaces(100 * MB), lie: { size: 1000 } }), "workbook_damaged"], // prettier-ignore
    ["entries on the same bytes", () => [...GOOD, { name: "a", data: "" }, { name: "b", data: "", overlaps: true }], "workbook_damaged"], // prettier-ignore
    ["twenty thousand parts", () => [...GOOD, ...Array.from({ length: 20_000 }, (_, index) => ({ name: `x${index}`, data: "" }))], "workbook_too_large"], // prettier-ignore
    [
      "a thousand sheets",
      () => partsOf({ sheets: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`s${index}`, ROW])) }),
      "workbook_too_large",
    ],
    [
      "tags nested ten thousand deep",
      () => withPart({ name: SHEET, data: `<worksheet>${"<a>".repeat(10_000)}` }),
      "workbook_too_large",
    ],
  ])("%s", async (_, parts, code) => {
    const path = workbookFile(zipOf(parts()));
    const before = process.memoryUsage.rss();
    expect((await faultOf(readFile(path))).code).toBe(code);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB);
  });

  test("a zip within the workbook is never opened", async () => {
    const inner = zipOf([{ name: "bomb", data: spaces(50 * MB) }]);
    const path = workbookFile(zipOf([...GOOD, { name: "xl/embeddings/inner.zip", data: inner }]));
    expect((await readFile(path)).rows).toHaveLength(1);
  });
});

describe("what no spreadsheet program writes refuses the file", () => {
  const attack = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>';
  test.each<[string, string]>([
    ["a document type with entities", attack + sheetData().replace("Asha", "&b;")],
    ["a file from outside", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + sheetData()],
    ["an entity that nobody declared", sheetData().replace("Asha", "&nbsp;")],
    ["an ampersand alone", sheetData().replace("Asha", "A & B")],
    ["a tag that closes another", sheetData().replace("</row>", "</r>")],
    ["XML that ends early", sheetData().slice(0, -20)],
    ["two beginnings", sheetData() + sheetData()],
    ["text behind its end", `${sheetData()}more`],
    ["UTF-16", `\ufeff${sheetData()}`],
    ["another encoding", `<?xml version="1.0" encoding="windows-1252"?>${sheetData()}`],
    ["rows out of order", sheetData().replace(ROW, ROW + HEADER)],
    ["a cell of another row", sheetData().replace('r="B2"', 'r="B3"')],
    ["cells out of order", sheetData().replace('r="B2"', 'r="A2"')],
    ["row 1048577", sheetData().replaceAll('2"', '1048577"')],
    ["two values in a cell", cellOf("<v>5</v><v>7</v>")],
    ["a value and a text", cellOf("<v>5</v><is><t>7</t></is>")],
    ["a text and a value", cellOf("<is><t>5</t></is><v>7</v>")],
    ["two texts", cellOf("<is><t>5</t></is><is><t>7</t></is>")],
    ["a value in a text", cellOf("<is><v>5</v></is>")],
    ["a text outside of one", cellOf("<t>5</t>")],
    ["a number that is none", sheetData().replace('t="inlineStr"><is><t xml:space="preserve">1.00</t></is>', "><v>1x</v>")], // prettier-ignore
  ])("%s", async (name, xml) => {
    const data = name === "UTF-16" ? Buffer.from(xml, "utf16le") : xml;
    expect(await codeOf(withPart({ name: SHEET, data }))).toBe("workbook_damaged");
  });

  test("a text that is not there, and missing parts", async () => {
    const xml = sheetData().replace('t="inlineStr"><is><t xml:space="preserve">Asha</t></is>', 't="s"><v>7</v>');
    expect(await codeOf(withPart({ name: SHEET, data: xml }))).toBe("workbook_damaged");
    for (const name of [SHEET, "xl/styles.xml", "xl/sharedStrings.xml", "xl/_rels/workbook.xml.rels"]) {
      expect(await codeOf(GOOD.filter((part) => part.name !== name))).toBe("workbook_damaged");
    }
  });

  test.each([
    ["a wrong checksum", { lie: { crc: 1 } }, "workbook_damaged"],
    ["a wrong size", { lie: { size: 5 } }, "workbook_damaged"],
    ["an encrypted part", { lie: { flags: 1 } }, "workbook_encrypted"],
    ["an unknown packing", { lie: { method: 14 } }, "workbook_damaged"],
  ])("%s", async (_, more, code) => {
    expect(await codeOf(withPart({ name: SHEET, data: sheetData(), ...more }))).toBe(code);
  });

  test.each(["../evil.xml", "/etc/passwd", "C:/x.xml"])("the path %s", async (name) => {
    expect(await codeOf([...GOOD, { name, data: "" }])).toBe("workbook_damaged");
  });

  test("two parts of one name, in whatever capitals", async () => {
    expect(await codeOf([...GOOD, { name: SHEET.toUpperCase(), data: "" }])).toBe("workbook_damaged");
  });
});

describe("what is damaged on its way is refused and never half read", () => {
  const whole = zipOf(GOOD);
  const real = readFileSync(join(import.meta.dirname, "real/openpyxl.xlsx"));

  test("cut at any place", async () => {
    const property = fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), async (end) => {
      const { code } = await faultOf(readFile(workbookFile(whole.subarray(0, end))));
      expect(["workbook_damaged", "workbook_of_another_kind"]).toContain(code);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("any byte changed: read the same, or refused with a known code, and nothing else", async () => {
    const expected = (await readFile(workbookFile(real), { knownNames: ["amount", "name"] })).rows;
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: real.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, change) => {
        const bytes = Buffer.from(real);
        bytes[at] = (bytes[at] ?? 0) ^ change;
        try {
          expect((await readFile(workbookFile(bytes), { knownNames: ["amount", "name"] })).rows).toEqual(expected);
        } catch (error) {
          if (!(error instanceof FileRefusedError)) throw error;
          expect(READER_FAULT_CODES).toContain(error.faults[0]?.code);
        }
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test("empty, zeros, and text under the name of a workbook", async () => {
    const refused = async (bytes: Buffer): Promise<string> => (await faultOf(readFile(workbookFile(bytes)))).code;
    expect(await refused(Buffer.alloc(0))).toBe("workbook_damaged");
    expect(await refused(Buffer.alloc(1000))).toBe("workbook_damaged");
    expect(await refused(Buffer.from("name,amount\nA,1\n"))).toBe("workbook_of_another_kind");
    expect(await refused(Buffer.from("<html><table>"))).toBe("workbook_of_another_kind");
    expect(await refused(zipOf([{ name: "content.xml", data: "<x/>" }]))).toBe("workbook_of_another_kind");
  });
});

test("what programs add for themselves is left out, wherever it stands and whatever its names", async () => {
  const added = (inner: string): string => `<extLst><ext uri="u" xmlns:x14="v"><extLst/>${inner}</ext></extLst>`;
  const rows = '<row r="3"><c r="A3"><v>9</v></c></row>';
  const inCell = cellOf(`<f>a</f><v>5</v>${added("<t>7</t><v>8</v><c/>")}`).replace("</row>", `${added(rows)}</row>`);
  const data = inCell.replace("</sheetData>", `${added(rows)}</sheetData>${added(`<x14:sheetData>${rows}</x14:sheetData><mergeCell ref="A2:A3"/>`)}`); // prettier-ignore
  const styles = String(GOOD.find((part) => part.name === "xl/styles.xml")?.data);
  const more = styles.replace("<cellXfs>", `${added('<numFmts><numFmt numFmtId="0" formatCode="0%"/></numFmts>')}<cellXfs>${added("<xf/>")}`); // prettier-ignore
  const parts = withPart({ name: SHEET, data }).map((part) => (part.name === "xl/styles.xml" ? { ...part, data: more } : part)); // prettier-ignore
  const { rows: read, sheet } = await readFile(workbookFile(zipOf(parts)));
  expect(read).toMatchObject([{ number: 2, cells: ["Asha", { token: "cell_number", source: "5" }] }]);
  expect(sheet.remarks).toEqual([]);
});

test("an empty value beside the one, and runs of a text, are one value", async () => {
  for (const [inner, read] of [
    ["<v/><v>5</v>", "5"],
    ["<f>1</f><v>5</v>", "5"],
  ]) {
    const parts = withPart({ name: SHEET, data: cellOf(inner ?? "") });
    expect((await readFile(workbookFile(zipOf(parts)))).rows[0]?.cells[1]).toMatchObject({ source: read });
  }
  const runs = cellOf("<v/><is><r><t>1.</t></r><r><t>00</t></r><rPh><t>x</t></rPh></is>").replace('r="B2" ', 'r="B2" t="inlineStr" '); // prettier-ignore
  const parts = withPart({ name: SHEET, data: runs });
  expect((await readFile(workbookFile(zipOf(parts)))).rows[0]?.cells).toEqual(["Asha", "1.00"]);
});

test("a name in XML's own writing is the same name", async () => {
  const path = bookFile({
    sheets: { "A &amp; B": HEADER + textRow(2, ["R&amp;D &#x20B9; &#233;", "<![CDATA[1.00]]>"]) },
  });
  const { rows, sheet } = await readFile(path);
  expect(sheet.sheetName).toBe("A & B");
  expect(rows[0]?.cells).toEqual(["R&D ₹ é", "1.00"]);
});
