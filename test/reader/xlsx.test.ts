import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { normalizeName } from "../../src/text/names.ts";
import { faultOf, readFile, temporaryFolder } from "../support/files.ts";
import { bookFile, partsOf, textRow, workbookFile, zipOf } from "../support/workbooks.ts";

const REAL = join(import.meta.dirname, "../workbook/real");
const HEADER = textRow(1, ["name", "amount", "narration"]);
const ROWS = HEADER + textRow(2, ["Asha", "1.00", "a"]);
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

function cellOf(column: string, source: string): object {
  return { token: `cell_${column}`, source };
}

test("a header that was opened in a wrong encoding and saved is told as in a CSV file; a true byte order mark is no letter", async () => {
  const beginning = (mark: string): string => bookFile({ sheets: { a: ROWS.replace("name", `${mark}name`) } });
  for (const mark of ["ï»¿", "\ufeffï»¿"]) {
    expect(await faultOf(readFile(beginning(mark)))).toMatchObject({
      ...{ code: "encoded_twice", row: 1 },
      message: expect.stringContaining('begins with "ï»¿"') as string,
    });
  }
  const { sheet, rows } = await readFile(beginning("\ufeff"), { knownNames: ["name", "amount"] });
  expect(sheet.header?.map(normalizeName)).toEqual(["name", "amount", "narration"]);
  expect(rows).toHaveLength(1);
});

describe("workbooks of other programs", () => {
  test.each(["openpyxl", "libreoffice"])("%s: every kind of cell is told apart", async (program) => {
    const { sheet, rows } = await readFile(join(REAL, `${program}.xlsx`));
    expect(sheet).toMatchObject({ format: "xlsx", sheetName: "Payout", headerRow: 3 });
    expect(sheet.header).toHaveLength(10);
    expect(rows.map(({ number }) => number)).toEqual([4, 5, 6, 7, 8, 9]);
    const pick = (column: string): unknown[] => rows.map(({ cells }) => cells[sheet.header?.indexOf(column) ?? -1]);
    expect(pick("bank_acc_num")).toMatchObject([
      "501002718281",
      cellOf("number", "501002718282"),
      // one program writes all digits, the other only those that count
      { token: "cell_number", source: expect.stringMatching(/^12345678901234(?:56|60)$/) as string },
      cellOf("date", "2026-11-02"),
      cellOf("error", "#N/A"),
      "501002718299",
    ]);
    const calculated = program === "libreoffice" ? cellOf("number", "2") : cellOf("uncalculated", "#N/A");
    expect(pick("amount").slice(0, 4)).toMatchObject([
      cellOf("number", "0.3"),
      cellOf("number", "1234.56"),
      cellOf("number", "52250"),
      cellOf("boolean", "TRUE"),
    ]);
    expect(pick("amount")[4]).toMatchObject(
      program === "libreoffice" ? { token: expect.any(String) as string } : calculated,
    );
    expect(pick("narration")[5]).toMatchObject(cellOf("date", "2026-11-02"));
    expect(pick("name")[5]).toBe("आशा राव & Söhne <1>");
    expect(sheet.remarks).toEqual([
      'the sheet "Payout" was read, not "Notes"',
      "the header is row 3; what stands above it was not read",
      "CAREFUL: 1 row (9) is hidden in the sheet; it was read like all others",
      'column F ("ifsc_code") is hidden; it was read all the same',
    ]);
  });
});

describe("cells", () => {
  test("shared texts, runs of them, their reading aids and escapes", async () => {
    const strings = [
      "<si><t>name</t></si><si><t>amount</t></si>",
      '<si><r><rPr><b/></rPr><t xml:space="preserve">Asha </t></r><r><t>Rao</t></r></si>',
      "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh><phoneticPr fontId='1'/></si>",
      "<si><t>a_x000D_\nb_x005F_x0041_ &lt;&#65;&#x42;&gt;</t></si><si/><si><t/></si>",
    ].join("");
    const cell = (place: string, index: number): string => `<c r="${place}" t="s"><v>${index}</v></c>`;
    const row = (number: number, index: number): string =>
      `<row r="${number}">${cell(`A${number}`, index)}<c r="B${number}"><v>1</v></c></row>`;
    const sheet = `<row r="1">${cell("A1", 0)}${cell("B1", 1)}</row>${[2, 3, 4, 5, 6].map((index) => row(index, index)).join("")}`;
    const { rows } = await readFile(bookFile({ sheets: { a: sheet }, strings }));
    expect(rows.map(({ cells }) => cells[0])).toEqual(["Asha Rao", "東京", "a\r\nb_x0041_ <AB>", "", ""]);
  });

  test("attributes in any order, prefixes, cells and rows that do not say their place", async () => {
    const xml =
      `<?xml version="1.0"?><x:worksheet xmlns:x="${MAIN}"><x:sheetData><x:row>` +
      '<x:c t="inlineStr"><x:is><x:t>name</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>amount</x:t></x:is></x:c></x:row>' +
      '<x:row><x:c t="str" s="0" r="A2"><x:f>"a>b"</x:f><x:v>Asha</x:v></x:c><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const { rows } = await readFile(bookFile({ sheets: { a: xml } }));
    expect(rows).toMatchObject([{ number: 2, cells: ["Asha", cellOf("number", "7")] }]);
  });

  test("numbers are dates by their format, in either calendar", async () => {
    const sheet = (serial: number): string =>
      `${HEADER}<row r="2"><c r="A2" s="1"><v>${serial}</v></c><c r="B2" s="2"><v>${serial}</v></c><c r="C2" t="d"><v>2026-11-02</v></c></row>`;
    const formats = ["dd/mm/yyyy", "0.00"];
    for (const [is1904, serial] of [
      [false, 46_328],
      [true, 44_866],
    ] as const) {
      const { rows } = await readFile(bookFile({ sheets: { a: sheet(serial) }, formats, is1904 }));
      expect(rows[0]?.cells).toMatchObject([
        { token: "cell_date", source: "2026-11-02", stored: "46328" },
        cellOf("number", String(serial)),
        cellOf("date", "2026-11-02"),
      ]);
    }
  });

  test("a number is a percentage by its format, own or built in", async () => {
    const xml =
      HEADER +
      '<row r="2"><c r="A2" s="1"><v>0.5</v></c><c r="B2" s="2"><v>50</v></c><c r="C2" s="3"><v>50</v></c></row>';
    const book = zipOf(
      partsOf({ sheets: { a: xml }, formats: ["0.0%", "0.00&quot; %&quot;"] }).map((part) =>
        part.name === "xl/styles.xml"
          ? { ...part, data: String(part.data).replace("</cellXfs>", '<xf numFmtId="9"/></cellXfs>') }
          : part,
      ),
    );
    const { rows } = await readFile(workbookFile(book));
    expect(rows[0]?.cells).toMatchObject([
      cellOf("percentage", "50%"),
      cellOf("number", "50"),
      cellOf("percentage", "5000%"),
    ]);
  });

  test("formats of conditional formats are numbered by themselves, and are those of no cell", async () => {
    const cell = (column: string, style: number, value: string): string =>
      `<c r="${column}2" s="${style}"><v>${value}</v></c>`;
    const xml = `${HEADER}<row r="2">${cell("A", 1, "0.5")}${cell("B", 2, "12.5")}${cell("C", 3, "46328")}</row>`;
    const differing =
      '<dxfs><dxf><numFmt numFmtId="200" formatCode="0.00"/></dxf><dxf><numFmt numFmtId="14" formatCode="0.00%"/></dxf></dxfs>';
    const book = partsOf({ sheets: { a: xml }, formats: ["0.0 %", "0.0"] }).map((part) =>
      part.name === "xl/styles.xml"
        ? { ...part, data: String(part.data).replace("</cellXfs>", `<xf numFmtId="14"/></cellXfs>${differing}`) }
        : part,
    );
    const { rows } = await readFile(workbookFile(zipOf(book)));
    expect(rows[0]?.cells).toMatchObject([
      cellOf("percentage", "50%"),
      cellOf("number", "12.5"),
      cellOf("date", "2026-11-02"),
    ]);
  });

  test("the apostrophe of our CSV files is taken off where a spreadsheet saved one as a workbook", async () => {
    const sheet = textRow(1, ["name", "amount", "'@note"]) + textRow(2, ["'+91 98", "1", "'quoted"]);
    const { sheet: read, rows } = await readFile(bookFile({ sheets: { a: sheet } }));
    expect([read.header, rows[0]?.cells]).toEqual([
      ["name", "amount", "@note"],
      ["+91 98", "1", "'quoted"],
    ]);
  });

  test("a formula counts by its value; an empty text is one, nothing is none", async () => {
    const row =
      '<row r="2"><c r="A2" t="str"><f>B2</f><v></v></c><c r="B2"><f>1+1</f><v>2</v></c><c r="C2"><f>1/3</f><v/></c></row>';
    const { rows } = await readFile(bookFile({ sheets: { a: HEADER + row } }));
    expect(rows[0]?.cells).toMatchObject(["", cellOf("number", "2"), cellOf("uncalculated", "#N/A")]);
  });

  test("a formula whose text nobody calculated is not an empty cell", async () => {
    const row = '<row r="2"><c r="A2" t="str"><f>B2</f></c><c r="B2" t="str"><v></v></c><c r="C2"><v>1</v></c></row>';
    const { rows } = await readFile(bookFile({ sheets: { a: HEADER + row } }));
    expect(rows[0]?.cells).toMatchObject([cellOf("uncalculated", "#N/A"), "", cellOf("number", "1")]);
  });
});

describe("which sheet", () => {
  const other = textRow(1, ["Department", "Head"]) + textRow(2, ["Sales", "Meena"]);

  test("the one with our columns is read, wherever it stands, and the others are named", async () => {
    const { sheet } = await readFile(bookFile({ sheets: { Notes: other, Pay: ROWS, Empty: "" } }));
    expect(sheet).toMatchObject({ sheetName: "Pay", remarks: ['the sheet "Pay" was read, not "Notes"'] });
  });

  test("the first that is not empty, where none has our columns", async () => {
    const { sheet } = await readFile(bookFile({ sheets: { Empty: "", Notes: other } }));
    expect(sheet).toMatchObject({ sheetName: "Notes", remarks: [] });
  });

  test("two months in one workbook are a question", async () => {
    const sheets = { October: ROWS, November: ROWS, Notes: other };
    const fault = await faultOf(readFile(bookFile({ sheets })));
    expect(fault).toMatchObject({ code: "sheet_ambiguous", message: expect.stringContaining('"October", "November"') as string }); // prettier-ignore
    const same = await faultOf(readFile(bookFile({ sheets: { One: other, Two: other } })));
    expect(same.code).toBe("sheet_ambiguous");
    const { sheet } = await readFile(bookFile({ sheets }), { sheetName: " november" });
    expect(sheet).toMatchObject({ sheetName: "November", remarks: [] });
    expect((await readFile(bookFile({ sheets, hidden: ["October"] }))).sheet).toMatchObject({
      sheetName: "November",
      remarks: [
        'the sheet "November" was read, not "Notes"',
        'the sheet "November" was read, not what is hidden: "October"',
      ],
    });
  });

  test("a sheet that is not there, or empty, is named with those that are", async () => {
    const sheets = { Pay: ROWS, Empty: "" };
    expect(await faultOf(readFile(bookFile({ sheets }), { sheetName: "Nov" }))).toMatchObject({
      code: "sheet_missing",
      message: 'there is no sheet "Nov"; it has "Pay", "Empty"',
    });
    expect((await faultOf(readFile(bookFile({ sheets }), { sheetName: "Empty" }))).code).toBe("file_blank");
    expect((await faultOf(readFile(bookFile({ sheets: { Pay: ROWS }, hidden: ["Pay"] })))).message).toContain("hidden");
  });

  test("the remembered header row is the one that is read, whatever stands around it", async () => {
    const path = bookFile({ sheets: { a: textRow(1, ["x"]) + textRow(2, ["y"]) + textRow(3, ["z"]) } });
    const { sheet, rows } = await readFile(path, { sheetName: "a", headerRow: 2 });
    expect(sheet.header).toEqual(["y"]);
    expect(rows).toMatchObject([{ number: 3 }]);
  });
});

describe("which row is the header", () => {
  const header = ["name", "amount", "narration"];
  const row = (number: number): string => textRow(number, ["Asha", "1.00", "a"]);

  test.each([
    ["one of our words in a title", textRow(1, ["Period", "Nov 2026"]) + textRow(3, header) + row(4), 3],
    ["two of them", textRow(1, ["period", "November", "Reference", "PAY-11"]) + textRow(2, header) + row(3), 2],
    ["a list above it", textRow(1, ["name"]) + textRow(2, ["Meena"]) + textRow(5, header) + row(6), 5],
    ["none of them", textRow(1, ["Salaries"]) + textRow(2, header) + row(3), 2],
    ["one of another system, with its rows below", textRow(1, ["Emp", "amount"]) + textRow(2, ["Asha", "1"]), 1],
    ["one, above a row with another one", textRow(1, ["Emp", "amount"]) + textRow(2, ["name", "1"]), 1],
    ["as many of them", textRow(1, header) + row(2) + textRow(3, header) + row(4), 1],
  ])("%s", async (_, xml, headerRow) => {
    const { sheet } = await readFile(bookFile({ sheets: { a: xml } }), {
      knownNames: [...header, "period", "reference"],
    });
    expect(sheet.headerRow).toBe(headerRow);
    expect(sheet.remarks.some((remark) => remark.startsWith(`the header is row ${headerRow}; `))).toBe(headerRow > 1);
  });

  test("one that is all that an operation needs stays, whatever stands below it", async () => {
    const xml = textRow(1, ["name", "amount"]) + textRow(2, ["Asha", "1.00"]) + textRow(4, header) + row(5);
    const isComplete = (columns: readonly string[]): boolean => columns.join() === "name,amount";
    const fault = await faultOf(readFile(bookFile({ sheets: { a: xml } }), { isComplete }));
    expect(fault.code).toBe("cell_without_header");
  });
});

describe("rows", () => {
  test("numbers are those of the sheet; gaps are named, empty rows at the end are not", async () => {
    const styled = '<row r="9"><c r="A9" s="0"/></row><row r="10" ht="20"/>';
    const sheet = HEADER + textRow(2, ["A", "1"]) + textRow(5, ["B", "2"]) + textRow(6, [" ", "", ""]) + styled;
    const { rows, sheet: read } = await readFile(bookFile({ sheets: { a: sheet } }));
    expect(rows.map(({ number }) => number)).toEqual([2, 5]);
    expect(read.remarks).toEqual(["rows 3 to 4 are blank and were passed over"]);
  });

  test("hidden rows are read and said, with what hides them", async () => {
    const rows = [2, 3, 4, 6].map((number) => textRow(number, ["A", "1"], number === 2 ? "" : ' hidden="1"')).join("");
    const filter = '<autoFilter ref="A1:C6"><filterColumn colId="0"/></autoFilter>';
    const xml = `<worksheet xmlns="${MAIN}"><sheetData>${HEADER}${rows}</sheetData>${filter}</worksheet>`;
    const { sheet } = await readFile(bookFile({ sheets: { a: xml } }));
    expect(sheet.remarks[0]).toBe("CAREFUL: 3 rows (3-4, 6) are hidden by a filter; they were read like all others");
  });

  test("formulas dragged down past the table are no rows, and that is said; what somebody typed is one", async () => {
    const calculated = (number: number, value = "<v>0</v>", more = ""): string =>
      `<row r="${number}"${more}><c r="A${number}" t="str"><f>x</f><v></v></c><c r="B${number}"><f>x</f>${value}</c></row>`;
    const typed = '<row r="7"><c r="A7" t="str"><f>x</f><v></v></c><c r="B7"><v>0</v></c></row>';
    const named = '<row r="8"><c r="A8" t="inlineStr"><is><t>C</t></is></c><c r="B8"><f>x</f><v>0</v></c></row>';
    const xml = [
      ...[HEADER, textRow(2, ["A", "1"]), calculated(3), textRow(4, ["B", "2"]), calculated(5, "<v>12</v>")],
      ...[calculated(6, '<v>0</v></c><c r="C6" t="b"><f>x</f><v>0</v>'), typed, named],
      ...[calculated(9, "<v>0.0</v>"), calculated(10, "<v>0</v>", ' hidden="1"'), '<row r="11"><c r="C11" t="e"><f>x</f><v>#N/A</v></c></row>'], // prettier-ignore
    ].join("");
    const read = await readFile(bookFile({ sheets: { a: xml } }), { passesFormulas: true });
    expect(read.rows.map(({ number }) => number)).toEqual([2, 4, 5, 6, 7, 8, 11]);
    expect(read.sheet.remarks).toEqual([
      "3 rows (3, 9-10) hold nothing but formulas that give 0 or nothing; they were passed over",
    ]);
    // as a batch of an earlier build knows them
    const before = await readFile(bookFile({ sheets: { a: xml } }));
    expect(before.rows).toHaveLength(10);
    const only = await faultOf(readFile(bookFile({ sheets: { a: HEADER + calculated(2) } }), { passesFormulas: true }));
    expect(only.code).toBe("no_rows");
  });

  test.each([
    ["A2:A3", true],
    ["A1:B1", true],
    ["C2:D9", true],
    ["D2:D3", false],
    ["A8:C9", false],
  ])("merged cells %s refuse the file where they touch the table: %s", async (range, refused) => {
    const xml = `<worksheet xmlns="${MAIN}"><sheetData>${ROWS}</sheetData><mergeCells><mergeCell ref="${range}"/></mergeCells></worksheet>`;
    const reading = readFile(bookFile({ sheets: { a: xml } }));
    if (!refused) {
      expect((await reading).rows).toHaveLength(1);
      return;
    }
    expect(await faultOf(reading)).toMatchObject({ code: "cells_merged", message: `the cells ${range} are merged into one` }); // prettier-ignore
  });

  test("a total or a line for signatures below the table may be merged, where that hides nothing", async () => {
    const merged = (sheet: string, ...ranges: string[]): string =>
      bookFile({
        sheets: {
          a: `<worksheet xmlns="${MAIN}"><sheetData>${sheet}</sheetData><mergeCells>${ranges.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells></worksheet>`,
        },
      });
    const below = `${ROWS}${textRow(3, ["", "1.00"])}${textRow(6, ["Prepared by:  "])}`;
    const { rows } = await readFile(merged(below, "B3:C3", "A6:F6"));
    expect(rows.map(({ number, cells }) => [number, ...cells])).toEqual([
      [2, "Asha", "1.00", "a"],
      [3, "", "1.00", ""],
      [6, "Prepared by:  ", "", ""],
    ]);
    expect(await faultOf(readFile(merged(below, "A6:F6", "A2:B2")))).toMatchObject({ code: "cells_merged", row: 2 });
  });

  test("a value without a column, too many columns, too long a row", async () => {
    const refused = async (sheet: string, more = {}): Promise<unknown> =>
      faultOf(readFile(bookFile({ sheets: { a: sheet } }), more));
    expect(await refused(ROWS + textRow(3, ["A", "1", "", "", "x"]))).toMatchObject({
      code: "cell_without_header",
      message: "cell E3 holds a value, but the header gives its column no name",
    });
    const far = '<row r="3"><c r="ALM3"><v>1</v></c></row>';
    expect(await refused(ROWS + far)).toMatchObject({ code: "too_many_columns", row: 3 });
    const limits = { limits: { recordCharactersMax: 50 } };
    expect(await refused(ROWS + textRow(3, ["A".repeat(60)]), limits)).toMatchObject({
      code: "record_too_long",
      row: 3,
    });
    expect(await refused(ROWS + textRow(3, ["A".repeat(32_768)]))).toMatchObject({ code: "record_too_long", row: 3 });
  });

  test("nothing below the header", async () => {
    expect((await faultOf(readFile(bookFile({ sheets: { a: HEADER } })))).code).toBe("no_rows");
    expect((await faultOf(readFile(bookFile({ sheets: { a: "" } })))).code).toBe("file_blank");
  });
});

test("a sheet is read as often as one likes, and half of it too", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.xlsm");
  copyFileSync(join(REAL, "openpyxl.xlsx"), path);
  const { sheet, rows } = await readFile(path);
  for await (const chunk of sheet.rows()) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  const again = [];
  for await (const chunk of sheet.rows()) again.push(...chunk);
  expect(again).toEqual(rows);
  expect(sheet.remarks).toHaveLength(4);
});

test("a workbook under the name of a CSV file is told as one", async () => {
  const path = join(temporaryFolder(), "payroll.csv");
  copyFileSync(join(REAL, "openpyxl.xlsx"), path);
  expect(await faultOf(readFile(path))).toMatchObject({
    code: "nul_bytes",
    hint: expect.stringContaining(".xlsx") as string,
  });
});
