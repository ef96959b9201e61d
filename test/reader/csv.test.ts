import { describe, expect, test } from "vitest";
import { cellsOf, faultOf, fileOf, read, readFile } from "../support/files.ts";

describe("dialects", () => {
  const expected = [
    ["Ravi", "100.00", "rent, May"],
    ["Asha", "25", 'the "new" flat'],
  ];

  test.each([
    ["comma", ","],
    ["semicolon", ";"],
    ["tab", "\t"],
    ["pipe", "|"],
  ])("the delimiter is found from known names in the header: %s", async (_, delimiter) => {
    const lines = [
      ["name", "Amount", "Narration"],
      ["Ravi", "100.00", '"rent, May"'],
      ["Asha", "25", '"the ""new"" flat"'],
    ];
    const text = lines.map((line) => line.join(delimiter)).join("\n") + "\n";
    expect(await cellsOf("payroll.csv", text)).toEqual(expected);
  });

  test("a decimal comma in the data does not make the comma the delimiter", async () => {
    expect(await cellsOf("a.csv", 'name;amount\nA;"1,00"\nB;2,50\n')).toEqual([
      ["A", "1,00"],
      ["B", "2,50"],
    ]);
  });

  test("commas inside a quoted header name do not win over the real delimiter", async () => {
    const { sheet } = await read("a.csv", '"my, own, very, long, column";name;amount\nx;A;1\n');
    expect(sheet.header).toEqual(["my, own, very, long, column", "name", "amount"]);
  });

  test("a file of one column needs no delimiter", async () => {
    expect(await cellsOf("a.csv", "name\nRavi\n\nAsha\n")).toEqual([["Ravi"], ["Asha"]]);
  });

  test.each(["sep=;\r\n", "SEP=;\n", '"sep=;"\r\n', "\ufeffsep=;\r\n"])(
    "the line %j names the delimiter and is not a row: the header is row 1",
    async (line) => {
      const { sheet, rows } = await read("a.csv", `${line}a,b;c\r\n1;2\r\n`);
      expect(sheet.header).toEqual(["a,b", "c"]);
      expect(rows).toMatchObject([{ number: 2, cells: ["1", "2"] }]);
    },
  );

  test("a sep= line with a delimiter that cannot be read refuses the file", async () => {
    expect(await faultOf(read("a.csv", "sep=:\nname:amount\nA:1\n"))).toMatchObject({
      code: "delimiter_unknown",
      message: expect.stringContaining('":"') as string,
    });
  });

  test("CRLF, LF and CR may be mixed, and quoted cells keep theirs", async () => {
    const text = 'name,amount\rA,1\r\nB,2\nC,3\r"D\r\nd\rd\nd",4';
    expect(await cellsOf("a.csv", text)).toEqual([
      ["A", "1"],
      ["B", "2"],
      ["C", "3"],
      ["D\r\nd\rd\nd", "4"],
    ]);
  });

  test("line ends may fall on the border of two chunks", async () => {
    for (const length of [65_533, 65_534, 65_535, 65_536, 65_537]) {
      const first = `name,amount\r\n${"x".repeat(60_000)},1\r\n`;
      const text = `${first}${"y".repeat(length - first.length - 4)},2\r\nC,3\r\n`;
      const { rows } = await read("a.csv", text);
      expect(rows.map((row) => [row.number, row.cells[1]])).toEqual([
        [2, "1"],
        [3, "2"],
        [4, "3"],
      ]);
    }
  });
});

describe("row numbers and blank rows", () => {
  test("a row has the number that a spreadsheet shows, blank rows counted", async () => {
    const { sheet, rows } = await read("a.csv", 'name,amount\nA,1\n\n,\nB,2\n"x\ny",3\n" ",\nC,4\n\n,,\n');
    expect(rows.map((row) => row.number)).toEqual([2, 5, 6, 8]);
    expect(sheet.remarks).toEqual([
      "rows 3 to 4 are blank and were passed over",
      "row 7 is blank and was passed over",
      "2 blank rows at the end were passed over",
    ]);
  });

  test("many gaps are named up to five and then counted", async () => {
    const { sheet } = await read("a.csv", `name,amount\n${"A,1\n\n".repeat(8)}B,1\n`);
    expect(sheet.remarks).toHaveLength(6);
    expect(sheet.remarks[5]).toBe("blank rows stand in 3 more places");
  });

  test("the mark that old programs write behind the last line is no row", async () => {
    const { sheet, rows } = await read("a.csv", "name,amount\r\nA,1\r\n\u001a");
    expect(rows.map(({ cells }) => cells)).toEqual([["A", "1"]]);
    expect(sheet.remarks).toEqual(["1 blank row at the end was passed over"]);
    expect((await faultOf(read("a.csv", "name,amount\r\nA,1\r\n\u001aB\r\n"))).code).toBe("row_ragged");
  });

  test("blank rows before the header count too", async () => {
    const { rows } = await read("a.csv", "\n,\nname,amount\nA,1\n");
    expect(rows).toMatchObject([{ number: 4, cells: ["A", "1"] }]);
  });

  test("a last row without a line end is remarked on", async () => {
    const { sheet, rows } = await read("a.csv", "name,amount\nA,1\nB,25");
    expect(rows[1]?.cells).toEqual(["B", "25"]);
    expect(sheet.remarks).toEqual([expect.stringContaining("row 3, the last one, has no line end")]);
    expect((await read("a.csv", "name,amount\nA,1\nB,25\n")).sheet.remarks).toEqual([]);
  });

  test("rows can be read again, also from a sheet opened again, and come out the same", async () => {
    const path = fileOf("a.csv", `name,amount\n${"A,1\n\n".repeat(3000)}B,2`);
    const { sheet, rows } = await readFile(path);
    const again = [];
    for await (const chunk of sheet.rows()) again.push(...chunk);
    expect(again).toEqual(rows);
    expect(sheet.remarks).toHaveLength(7);
    expect((await readFile(path)).rows).toEqual(rows);
  });

  test("rows come in chunks of at most 1000 and share one array of columns", async () => {
    const { sheet } = await read("a.csv", `name,amount\n${"A,1\n".repeat(5000)}`);
    let columns: readonly string[] | undefined;
    let count = 0;
    for await (const chunk of sheet.rows()) {
      expect(chunk.length).toBeLessThanOrEqual(1000);
      for (const row of chunk) {
        columns ??= row.columns;
        expect(row.columns).toBe(columns);
        count += 1;
      }
    }
    expect(count).toBe(5000);
  });
});

describe("the apostrophe that we add ourselves", () => {
  test.each(["=1+1", "+91 98", "-5", "@x", "\tx", "\rx"])("is taken off again before %j", async (text) => {
    expect(await cellsOf("a.csv", `name,amount\n"'${text}",1\n`)).toEqual([[text, "1"]]);
  });

  test("stays in front of anything else", async () => {
    expect(await cellsOf("a.csv", "name,amount\n'0123,'\n''=x,O'=x\n")).toEqual([
      ["'0123", "'"],
      ["''=x", "O'=x"],
    ]);
  });
});

describe("broken files are refused with the row", () => {
  test.each([
    ["a cell too few", "name,amount\nA,1\nB\n", "row_ragged", 3, "1 cell, the header has 2 columns"],
    ["a cell too many", "name,amount\nA,1,2\n", "row_ragged", 2, "3 cells"],
    ["thousands outside quotes", "name,amount,mode,notes\nA,4,000.00,NEFT,\n", "row_ragged", 2, '"4,000.00"'],
    ["lakhs outside quotes, notes empty", "name,amount,a,b,c\nA,₹ 1,04,000,NEFT,,\n", "row_ragged", 2, "1,04,000"],
    ["an unclosed quote", 'name,amount\nA,1\n"B,2\nC,3\n', "quote_unclosed", 3, "never closed"],
    ["a quote inside a cell", 'name,amount\nA,1\n5" pipe,2\n', "quote_stray", 3, "middle of a cell"],
    ["two quotes inside a cell", 'name,amount\nA "x" b,2\nC,3\n', "quote_stray", 2, "middle of a cell"],
    ["text behind a quoted cell", 'name,amount\n"A","x"\n"B"b,2\n', "quote_stray", 3, "middle of a cell"],
    ["two equal header names", "name,amount,name\nA,1,B\n", "header_duplicate", 1, 'names "name" twice'],
    ["two header names that compare equal", "bene id,BENE_ID\nA,1\n", "header_duplicate", 1, '"bene id" and "BENE_ID"'],
    ["a title above the header", 'November\n\n"Pay\nroll"\nname;amount\nA;1\n', "header_below", 4, "stand here"],
    ["two lines of names", "Employee,Pay\nname,amount\nA,1\n", "header_below", 2, "stand here"],
    ["a value under an empty header name", "name,,amount\nA,,1\nB,x,1\n", "cell_without_header", 3, "cell 2"],
    ["a forbidden header name", "name,__proto__\nA,1\n", "header_forbidden", 1, "__proto__"],
    ["another forbidden header name", "name,Constructor\nA,1\n", "header_forbidden", 1, "Constructor"],
    ["NUL bytes", "name,amount\nA,1\nB,\0\0\0", "nul_bytes", 3, "not copied completely"],
  ])("%s", async (_, text, code, row, words) => {
    const fault = await faultOf(read("payroll.csv", text));
    expect(fault).toMatchObject({ code, row });
    expect(fault.message).toContain(words);
    expect(fault.hint).not.toBe("");
  });

  test("a row whose empty last cells Excel left out is told how to be saved, for nothing can be seen in it", async () => {
    const { hint } = await faultOf(read("a.csv", "name,amount,notes\nA,1,\nB,2\n"));
    expect(hint).toContain(
      'Excel leaves out empty cells at the end of a row: save the file as "Excel Workbook (.xlsx)"',
    );
    expect((await faultOf(read("a.csv", "name,amount\nA,1,2\n"))).hint).not.toContain("Workbook");
  });

  test.each([
    ["ABC Pvt Ltd\nSalary October\n\nEmp No,Net Pay\n1,2.00\n", true],
    ["ABC Pvt Ltd,\n,\nEmp No,Net Pay\n1,2.00\n", true],
    ["Month:,October\nEmp No,Net Pay,Mode\n1,2.00,NEFT\n", true],
    ["name,amount\nA,1\nA,1,2\n", false],
    ["name,amount,a\nA,4,000.00,x\n", false],
  ])("the names of another system below a title: %j is told of the title", async (text, isTold) => {
    const { hint } = await faultOf(read("tally.csv", text));
    expect(hint.includes("If a title stands above the names of the columns, delete it")).toBe(isTold);
  });

  test("a row where the header should stand is shown to nobody, not even a cell that stands in it twice", async () => {
    const { code, message, column } = await faultOf(read("a.csv", "ACC1,501000011101,501000011101,100\nACC1,2,3,4\n"));
    expect({ code, column }).toEqual({ code: "header_missing", column: undefined });
    expect(message).not.toContain("501000011101");
  });

  test("extra cells that are empty are no reason to refuse", async () => {
    expect(await cellsOf("a.csv", "name,amount\nA,1,,\nB,2\n")).toEqual([
      ["A", "1"],
      ["B", "2"],
    ]);
    expect(await cellsOf("a.csv", "bank,amount,months\n12,5000.00,24,\n12,5000.00,24,,\n")).toHaveLength(2);
    expect(await cellsOf("a.csv", 'name,amount,mode\nA,"4,000.00",NEFT,\n')).toEqual([["A", "4,000.00", "NEFT"]]);
    expect(await cellsOf("a.csv", "bank;amount;months\n12;250.00;24;\n")).toHaveLength(1);
  });

  test("a delimiter at the end of every row makes no number in groups of its neighbours", async () => {
    expect(await cellsOf("a.csv", "payee,sl,amount\nB-1,1,500,\nB-2,2,2500,\n")).toEqual([
      ["B-1", "1", "500"],
      ["B-2", "2", "2500"],
    ]);
    expect(await cellsOf("a.csv", "from_account,to_account,amount\nACC-1,ACC-2,500,\n")).toHaveLength(1);
  });

  test.each([
    ["beside a row without groups", "name,amount,mode,notes\nA,500,NEFT,\nB,4,000.00,NEFT,\n", 3],
    ["in every row", "name,amount,mode,notes\nA,12,500.00,NEFT,\nB,4,000.00,NEFT,\n", 2],
    ["beside a delimiter at the end of every row", "name,amount,mode\nA,500,NEFT,\nB,4,000.00,NEFT,,\n", 3],
    ["with a currency", "name,amount,mode,notes\nA,Rs. 4,000,NEFT,\n", 2],
  ])("a number in groups outside quotes moves no row aside: %s", async (_, text, row) => {
    expect(await faultOf(read("a.csv", text))).toMatchObject({ code: "row_ragged", row });
  });

  test("header names may be empty where all their cells are", async () => {
    const { sheet, rows } = await read("a.csv", "name,amount,,\nA,1,,\n");
    expect(sheet.header).toEqual(["name", "amount", "", ""]);
    expect(rows[0]?.cells).toEqual(["A", "1", "", ""]);
  });

  test("the row of a fault is right far down a large file, quoted line ends and blank rows counted", async () => {
    const block = 'A,1\n\n"B\nb",2\n'.repeat(20_000);
    expect(await faultOf(read("a.csv", `name,amount\n${block}"C"c,3\n`))).toMatchObject({
      code: "quote_stray",
      row: 60_002,
    });
  });
});

describe("files without rows", () => {
  test("each kind says what it is", async () => {
    const faults = [];
    for (const content of ["", " \r\n\t\n", "\ufeff", ",,,\n,\n", "name,amount\n", "name,amount\n\n,\n"]) {
      faults.push(await faultOf(read("payroll.csv", content)));
    }
    expect(faults.map((fault) => fault.code)).toEqual([
      "file_empty",
      "file_blank",
      "file_blank",
      "file_blank",
      "no_rows",
      "no_rows",
    ]);
    expect(new Set(faults.slice(0, 5).map((fault) => fault.message)).size).toBe(5);
  });

  test("an unknown ending is refused", async () => {
    const other = await faultOf(read("payroll.dat", "name\nA\n"));
    expect(other).toMatchObject({ code: "format_unknown", hint: expect.stringMatching(/^Save it as .*CSV UTF-8/) as string }); // prettier-ignore
  });
});
