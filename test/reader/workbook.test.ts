import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tellFault } from "../../src/messages/faults.ts";
import { normalizeName } from "../../src/column-name.ts";
import type { Asked, Row, Table } from "../../src/reader/row.ts";
import { dateOf, decimalOf, styleOf } from "../../src/reader/workbook-cells.ts";
import { faultOf, readFile } from "../support/tables.ts";
import { bookFile, partsOf, textRow, workbookFile, zipOf, type BookShape } from "../support/workbooks.ts";

const REAL = join(import.meta.dirname, "real");
const HEADER = textRow(1, ["name", "amount", "narration"]);
const ROWS = HEADER + textRow(2, ["Asha", "1.00", "a"]);
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

const number = (source: string, shown?: string): object => ({ token: "number", source, ...(shown && { shown }) });
const date = (source: string): object => ({ token: "date", source });
const NOT_CALCULATED = { token: "error", source: "#N/A" };
const remarksOf = ({ remarks }: Table): string[] => remarks.map((one) => tellFault(one).text);

function book(shape: BookShape, asked: Asked = {}): Promise<{ table: Table; rows: readonly Row[] }> {
  return readFile(bookFile(shape), asked);
}

describe("cells", () => {
  test.each(["openpyxl", "libreoffice"])("%s wrote it → every kind of cell is told apart", async (program) => {
    const { table, rows } = await readFile(join(REAL, `${program}.xlsx`));
    expect(table.reading).toEqual({ format: "xlsx", sheet: "Payout", headerRow: 3 });
    expect(rows.map((row) => row.number)).toEqual([4, 5, 6, 7, 8, 9]);
    const pick = (column: string): unknown[] => rows.map(({ cells }) => cells[table.header?.indexOf(column) ?? -1]);
    expect(pick("bank_acc_num")).toMatchObject([
      "501002718281",
      number("501002718282"),
      // one program writes all digits, the other only those that count
      { token: "number", source: expect.stringMatching(/^12345678901234(?:56|60)$/) as string },
      date("2026-11-02"),
      { token: "error", source: "#N/A" },
      "501002718299",
    ]);
    expect(pick("amount").slice(0, 4)).toMatchObject([
      number("0.3"),
      number("1234.56"),
      number("52250"),
      { token: "boolean", source: "TRUE" },
    ]);
    if (program === "openpyxl") expect(pick("amount")[4]).toEqual(NOT_CALCULATED);
    expect(pick("narration")[5]).toMatchObject(date("2026-11-02"));
    expect(pick("name")[5]).toBe("आशा राव & Söhne <1>");
    expect(remarksOf(table)).toEqual([
      'the sheet "Payout" was read, not "Notes"',
      'CAREFUL: hidden in the sheet, and read like all others: "ifsc_code"',
      "the header is row 3; what stands above it was not read",
      "CAREFUL: 1 row (9) hidden in the sheet: read like all others",
    ]);
  });

  test("shared texts, runs, reading aids, escapes → the text that is seen", async () => {
    const strings = [
      "<si><t>name</t></si><si><t>amount</t></si>",
      '<si><r><rPr><b/></rPr><t xml:space="preserve">Asha </t></r><r><t>Rao</t></r></si>',
      "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh><phoneticPr fontId='1'/></si>",
      "<si><t>a_x000D_\nb_x005F_x0041_ &lt;&#65;&#x42;&gt;</t></si><si/><si><t/></si>",
    ].join("");
    const cell = (place: string, index: number): string => `<c r="${place}" t="s"><v>${index}</v></c>`;
    const row = (at: number): string => `<row r="${at}">${cell(`A${at}`, at)}<c r="B${at}"><v>1</v></c></row>`;
    const sheet = `<row r="1">${cell("A1", 0)}${cell("B1", 1)}</row>${[2, 3, 4, 5, 6].map(row).join("")}`;
    const { rows } = await book({ sheets: { a: sheet }, strings });
    expect(rows.map(({ cells }) => cells[0])).toEqual(["Asha Rao", "東京", "a\r\nb_x0041_ <AB>", "", ""]);
  });

  test("attributes in any order, prefixes, no places, CDATA, entities → read", async () => {
    const xml =
      `<?xml version="1.0"?><x:worksheet xmlns:x="${MAIN}"><x:sheetData><x:row>` +
      '<x:c t="inlineStr"><x:is><x:t>name</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>amount</x:t></x:is></x:c></x:row>' +
      '<x:row><x:c t="str" s="0" r="A2"><x:f>"a>b"</x:f><x:v>R&amp;D &#x20B9; <![CDATA[<&>]]></x:v></x:c><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const { rows, table } = await book({ sheets: { "A &amp; B": xml } });
    expect(rows).toMatchObject([{ number: 2, cells: ["R&D ₹ <&>", number("7")] }]);
    expect(table.reading.sheet).toBe("A & B");
  });

  test.each([
    ["dd/mm/yyyy", false, "46328", date("2026-11-02")],
    ["dd/mm/yyyy", true, "44866", date("2026-11-02")],
    ["mmm-yy", false, "46328", date("2026-11")],
    ["[$-409]mmmm yyyy;@", false, "46327", date("2026-11")],
    ["d-mmm", false, "46328", date("2026-11-02")],
    ["mmmm", false, "46328", date("2026-11-02")],
    ["h:mm", false, "46328.4375", date("2026-11-02 10:30:00")],
    ["0.00", false, "46328", number("46328")],
    ["0.0%", false, "0.5", number("0.5", "0.0%")],
    ["0.00&quot; %&quot;", false, "50", number("50", "0.00 %")],
    ["#,##0.00", false, "1234.5", number("1234.5")],
    ["[$₹-4009] #,##0.00", false, "1234.5", number("1234.5")],
    ["&quot;Rs.&quot; 0.00", false, "12", number("12")],
    ["_(* #,##0.00_);(#,##0)", false, "12", number("12")],
    ["[$$-409]#,##0.00", false, "1250.5", number("1250.5", "$#,##0.00")],
    ["0&quot; lakh&quot;", false, "12", number("12", "0 lakh")],
    ["#,##0,", false, "52000", number("52000", "#,##0,")],
    ["0.00E+00", false, "1234", number("1234", "0.00E+00")],
    ["[Red]General", false, "12.5", number("12.5")],
  ])("a number of format %s → what it is, and what is shown", async (format, is1904, value, cell) => {
    const sheet = `${HEADER}<row r="2"><c r="A2" s="1"><v>${value}</v></c></row>`;
    const { rows } = await book({ sheets: { a: sheet }, formats: [format], is1904 });
    expect(rows[0]?.cells[0]).toEqual(cell);
  });

  test("formats of conditional formats → those of no cell", async () => {
    const dxfs = '<dxfs><dxf><numFmt numFmtId="200" formatCode="0.00"/></dxf></dxfs>';
    const parts = partsOf({
      sheets: {
        a: `${HEADER}<row r="2"><c r="A2" s="1"><v>0.5</v></c><c r="B2" s="2"><v>46328</v></c><c r="C2" s="3"><v>46328</v></c></row>`,
      },
      formats: ["0%"],
    });
    const more = parts.map((part) =>
      part.name === "xl/styles.xml"
        ? {
            ...part,
            data: String(part.data).replace("</cellXfs>", `<xf numFmtId="14"/><xf numFmtId="17"/></cellXfs>${dxfs}`),
          }
        : part,
    );
    const { rows } = await readFile(workbookFile(zipOf(more)));
    expect(rows[0]?.cells).toMatchObject([number("0.5", "0%"), date("2026-11-02"), date("2026-11")]);
  });

  test("a formula → counts by its value; without one it is no empty cell", async () => {
    const row =
      '<row r="2"><c r="A2" t="str"><f>B2</f><v></v></c><c r="B2"><f>1+1</f><v>2</v></c><c r="C2"><f>1/3</f><v/></c></row>';
    expect((await book({ sheets: { a: HEADER + row } })).rows[0]?.cells).toMatchObject([
      "",
      number("2"),
      NOT_CALCULATED,
    ]);
    const never = '<row r="2"><c r="A2" t="str"><f>B2</f></c><c r="B2" t="str"><v></v></c><c r="C2"><v>1</v></c></row>';
    expect((await book({ sheets: { a: HEADER + never } })).rows[0]?.cells).toMatchObject([
      NOT_CALCULATED,
      "",
      number("1"),
    ]);
  });

  test("our apostrophe, where a spreadsheet saved our CSV as a workbook → taken off", async () => {
    const sheet = textRow(1, ["name", "amount", "'@note"]) + textRow(2, ["'+91 98", "1", "'quoted"]);
    const { table, rows } = await book({ sheets: { a: sheet } });
    expect([table.header, rows[0]?.cells]).toEqual([
      ["name", "amount", "@note"],
      ["+91 98", "1", "'quoted"],
    ]);
    const marked = await book({ sheets: { a: ROWS.replace("name", "\ufeffname") } });
    expect(marked.table.header?.map(normalizeName)).toEqual(["name", "amount", "narration"]);
  });

  test.each([
    ["1234.5600000000001", "1234.56"],
    ["0.1", "0.1"],
    ["1e-7", "1e-7"],
    ["1.5E+10", "15000000000"],
    ["-0", "0"],
    ["999999999999.99", "999999999999.99"],
    ["1234567890123456", "1234567890123456"],
    ["1x", undefined],
    ["1e999", undefined],
  ])("stored %s → %s", (stored, decimal) => {
    expect(decimalOf(stored)).toBe(decimal);
  });

  test("every amount of up to 15 digits → comes back from the double", () => {
    for (let at = 0; at < 5000; at += 1) {
      const cents = Math.floor(((at * 7919) % 1e6) ** 2 * 13 + at) % 1e13;
      const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
      expect(decimalOf(String(Number(text)))).toBe(text.replace(/\.?0+$/, "") || "0");
    }
  });

  test("days that no calendar has → no date; styles of strangers never throw", () => {
    expect([dateOf("-1", false), dateOf("2958466", false)]).toEqual([undefined, undefined]);
    for (const code of ["", ";;;", "[", '"', "\\", "0.0.0", "?/?", "@", "_"]) expect(styleOf(code)).toBeDefined();
  });
});

describe("which sheet, which header", () => {
  const other = textRow(1, ["Department", "Head"]) + textRow(2, ["Sales", "Meena"]);

  test("one sheet has our columns → it is read, the others are named", async () => {
    const { table } = await book({ sheets: { Notes: other, Pay: ROWS, Empty: "" } });
    expect([table.reading.sheet, remarksOf(table)]).toEqual(["Pay", ['the sheet "Pay" was read, not "Notes"']]);
    expect((await book({ sheets: { Empty: "", Notes: other } })).table.reading.sheet).toBe("Notes");
  });

  test("two months in one workbook → a question, unless one is named or hidden", async () => {
    const sheets = { October: ROWS, November: ROWS, Notes: other };
    expect(await faultOf(book({ sheets }))).toMatchObject({
      code: "sheet_ambiguous",
      text: expect.stringContaining('"October", "November"') as string,
    });
    expect((await faultOf(book({ sheets: { One: other, Two: other } }))).code).toBe("sheet_ambiguous");
    expect((await book({ sheets }, { sheet: " november" })).table.reading.sheet).toBe("November");
    const { table } = await book({ sheets, hidden: ["October"] });
    expect([table.reading.sheet, remarksOf(table)]).toEqual([
      "November",
      [
        'the sheet "November" was read, not "Notes"',
        'CAREFUL: "October" is hidden and has payments, too: it was not read',
      ],
    ]);
  });

  test("a sheet that is not there, or empty → refused", async () => {
    const sheets = { Pay: ROWS, Empty: "" };
    expect((await faultOf(book({ sheets }, { sheet: "Nov" }))).text).toBe(
      'there is no sheet "Nov"; it has "Pay", "Empty"',
    );
    expect((await faultOf(book({ sheets }, { sheet: "Empty" }))).code).toBe("file_blank");
    expect((await faultOf(book({ sheets: { Pay: ROWS }, hidden: ["Pay"] }))).code).toBe("sheet_is_hidden");
    expect((await faultOf(book({ sheets: { Pay: textRow(1, header) }, hidden: ["Pay"] }))).code).toBe("file_blank");
  });

  const header = ["name", "amount", "narration"];
  const row = (at: number): string => textRow(at, ["Asha", "1.00", "a"]);
  test.each([
    ["one of our words in a title", textRow(1, ["Period", "Nov 2026"]) + textRow(3, header) + row(4), 3],
    ["two of them", textRow(1, ["period", "November", "Reference", "PAY-11"]) + textRow(2, header) + row(3), 2],
    ["a list above it", textRow(1, ["name"]) + textRow(2, ["Meena"]) + textRow(5, header) + row(6), 5],
    ["one of another system, with its rows below", textRow(1, ["Emp", "amount"]) + textRow(2, ["Asha", "1"]), 1],
    ["as many of them", textRow(1, header) + row(2) + textRow(3, header) + row(4), 1],
  ])("%s → the header is row of our names", async (_, xml, headerRow) => {
    const { table } = await book({ sheets: { a: xml } });
    expect(table.reading.headerRow).toBe(headerRow);
    expect(remarksOf(table).some((remark) => remark.startsWith("the header is row"))).toBe(headerRow > 1);
  });

  test("read again as before → the same sheet and header, whatever stands around", async () => {
    const path = bookFile({ sheets: { a: textRow(1, ["x"]) + textRow(2, ["y"]) + textRow(3, ["z"]) } });
    const { table, rows } = await readFile(path, { format: "xlsx", sheet: "a", headerRow: 2 });
    expect([table.header, rows]).toMatchObject([["y"], [{ number: 3 }]]);
  });
});

describe("rows", () => {
  test("gaps, empty rows at the end → numbers of the sheet", async () => {
    const styled = '<row r="9"><c r="A9" s="0"/></row><row r="10" ht="20"/>';
    const sheet = HEADER + textRow(2, ["A", "1"]) + textRow(5, ["B", "2"]) + textRow(6, [" ", "", ""]) + styled;
    const { rows, table } = await book({ sheets: { a: sheet } });
    expect([rows.map((one) => one.number), remarksOf(table)]).toEqual([[2, 5], []]);
  });

  test("formulas dragged past the table → no rows; what was typed is one", async () => {
    const calculated = (at: number, value = "<v>0</v>"): string =>
      `<row r="${at}"><c r="A${at}" t="str"><f>x</f><v></v></c><c r="B${at}"><f>x</f>${value}</c></row>`;
    const typed = '<row r="5"><c r="A5" t="str"><f>x</f><v></v></c><c r="B5"><v>0</v></c></row>';
    const xml =
      HEADER +
      textRow(2, ["A", "1"]) +
      calculated(3) +
      calculated(4, "<v>12</v>") +
      typed +
      calculated(6, "<v>0.0</v>");
    const { rows } = await book({ sheets: { a: xml } });
    expect(rows.map((one) => one.number)).toEqual([2, 4, 5]);
    expect((await faultOf(book({ sheets: { a: HEADER + calculated(2) } }))).code).toBe("no_rows");
  });

  test.each([
    ["a value without a column", ROWS + textRow(3, ["A", "1", "", "", "x"]), "cell_without_header", 3],
    ["a cell far to the right", `${ROWS}<row r="3"><c r="ALM3"><v>1</v></c></row>`, "cell_without_header", 3],
    ["a header without end", `<row r="1"><c r="A1"><v>1</v></c><c r="ALM1"><v>2</v></c></row>`, "too_many_columns", 1],
    ["too long a cell", ROWS + textRow(3, ["A".repeat(65_537)]), "record_too_long", 3],
    [
      "too long a row",
      ROWS + textRow(3, ["A".repeat(30_000), "B".repeat(30_000), "C".repeat(30_000)]),
      "record_too_long",
      3,
    ],
    ["nothing below the header", HEADER, "no_rows", undefined],
    ["an empty sheet", "", "file_blank", undefined],
    ["a name twice", textRow(1, ["name", "Name"]) + textRow(2, ["a", "b"]), "header_duplicate", 1],
  ])("%s → refused", async (_, xml, code, at) => {
    const fault = await faultOf(book({ sheets: { a: xml } }));
    expect({ code: fault.code, row: fault.row }).toEqual({ code, row: at });
  });

  test("a table read twice, and half of it → the same rows", async () => {
    const { table, rows } = await readFile(join(REAL, "openpyxl.xlsx"));
    for await (const page of table.rows()) {
      expect(page.length).toBeGreaterThan(0);
      break;
    }
    const again = [];
    for await (const page of table.rows()) again.push(...page);
    expect(again).toEqual(rows);
    expect(table.remarks).toHaveLength(4);
  });
});
