import { describe, expect, test } from "vitest";
import { cellsOf, faultOf, fileOf, read, readFile } from "../support/tables.ts";

const codesOf = (remarks: readonly { readonly code: string }[]): string[] => remarks.map(({ code }) => code);

describe("delimiter", () => {
  test.each([",", ";", "\t", "|"])("names of ours in the header → %j is found", async (delimiter) => {
    const lines = [
      ["name", "Amount", "Narration"],
      ["Ravi", "100.00", '"rent, May"'],
      ["Asha", "25", '"the ""new"" flat"'],
    ];
    const text = lines.map((line) => line.join(delimiter)).join("\n") + "\n";
    expect(await cellsOf("payroll.csv", text)).toEqual([
      ["Ravi", "100.00", "rent, May"],
      ["Asha", "25", 'the "new" flat'],
    ]);
  });

  test.each([
    ["a decimal comma in the rows", 'name;amount\nA;"1,00"\nB;2,50\n', ["name", "amount"]],
    [
      "commas inside a quoted name",
      '"my, own, very, long";name;amount\nx;A;1\n',
      ["my, own, very, long", "name", "amount"],
    ],
    ["one column", "name\nRavi\n\nAsha\n", ["name"]],
    ["names of another system", "Emp No;Pay\n1;2\n", ["Emp No", "Pay"]],
  ])("%s → the header is cut right", async (_, text, header) => {
    expect((await read("a.csv", text)).table.header).toEqual(header);
  });

  test.each(["sep=;\r\n", "SEP=;\n", '"sep=;"\r\n', "\ufeffsep=;\r\n"])(
    "line %j → names the sign, is no row",
    async (line) => {
      const path = fileOf("a.csv", `${line}a,b;c\r\n1;2\r\n`);
      const { table, rows } = await readFile(path);
      expect([table.header, rows]).toMatchObject([["a,b", "c"], [{ number: 2, cells: ["1", "2"] }]]);
      expect((await readFile(path, table.reading)).rows).toEqual(rows);
    },
  );

  test("mixed line ends → cut alike, quoted ones stay", async () => {
    const text = 'name,amount\rA,1\r\nB,2\nC,3\r"D\r\nd\rd\nd",4';
    expect(await cellsOf("a.csv", text)).toEqual([
      ["A", "1"],
      ["B", "2"],
      ["C", "3"],
      ["D\r\nd\rd\nd", "4"],
    ]);
  });

  test("some rows alone are asked for → as in the whole, whatever stands before them", async () => {
    const rows = ["A,1", '"a\n,""b""",2', "", '"c,\r\nd",3', "D,4", '"E\nF",5', "", "G,6"];
    const { table, rows: all } = await read("a.csv", `name,amount\n${rows.join("\n")}\n`);
    for (const only of [[2], [3, 6], [5, 9], [7]].map((numbers) => new Set(numbers))) {
      const found: unknown[] = [];
      for await (const page of table.rows(only)) found.push(...page);
      expect(found).toEqual(all.filter(({ number }) => only.has(number)));
      expect(found).toHaveLength(only.size);
    }
  });

  test("line end on the border of two pieces → one line end", async () => {
    for (const length of [131_069, 131_070, 131_071, 131_072, 131_073]) {
      const first = `name,amount\r\n${"x".repeat(60_000)},1\r\n${"y".repeat(60_000)},1\r\n`;
      const { rows } = await read("a.csv", `${first}${"z".repeat(length - first.length - 4)},2\r\nC,3\r\n`);
      expect(rows.map((row) => [row.number, row.cells[1]])).toEqual([
        [2, "1"],
        [3, "1"],
        [4, "2"],
        [5, "3"],
      ]);
    }
  });
});

describe("rows", () => {
  test("blank rows between → passed over, numbers as a spreadsheet shows", async () => {
    const { table, rows } = await read("a.csv", 'name,amount\nA,1\n\n,\nB,2\n"x\ny",3\n" ",\nC,4\n\n,,\n');
    expect(rows.map((row) => row.number)).toEqual([2, 5, 6, 8]);
    expect(table.remarks).toEqual([]);
  });

  test.each([
    ["blank rows before the header", "\n,\nname,amount\nA,1\n", [], 4],
    ["no last line end", "name,amount\nA,1", ["no_line_end"], 2],
  ])("%s → read, and told", async (_, text, codes, row) => {
    const { table, rows } = await read("a.csv", text);
    expect(rows).toMatchObject([{ number: row, cells: ["A", "1"] }]);
    expect(codesOf(table.remarks)).toEqual(codes);
  });

  test("read again, opened again → the same", async () => {
    const path = fileOf("a.csv", `name,amount\n${'A,1\n\n"B\nb",2\n'.repeat(30_000)}B,2`);
    const { table, rows } = await readFile(path);
    const again = [];
    let longest = 0;
    for await (const page of table.rows()) {
      longest = Math.max(longest, page.length);
      again.push(...page);
    }
    expect(again).toEqual(rows);
    expect(longest).toBe(1000);
    expect(new Set(rows.map(({ columns }) => columns)).size).toBe(1);
    expect(codesOf(table.remarks)).toEqual(["no_line_end"]);
    expect((await readFile(path, table.reading)).rows).toEqual(rows);
  });

  test.each(["=1+1", "+91 98", "-5", "@x", "\tx", "\rx"])("our guard before %j → taken off", async (text) => {
    expect(await cellsOf("a.csv", `name,amount\n"'${text}",1\n`)).toEqual([[text, "1"]]);
  });

  test("an apostrophe before anything else → stays; a guard inside only of a retry file", async () => {
    expect(await cellsOf("a.csv", "name,amount\n'0123,'\n''=x,O'=x\n")).toEqual([
      ["'0123", "'"],
      ["''=x", "O'=x"],
    ]);
    const inside = '"a;\'=b"';
    expect(await cellsOf("a.csv", `name,notes\nA,${inside}\n`)).toEqual([["A", "a;'=b"]]);
    expect(await cellsOf("a.csv", `name,notes,retry_of\nA,${inside},\n`)).toEqual([["A", "a;=b", ""]]);
  });

  test("empty cells at the end of every row and of the header → columns without a name", async () => {
    const { table, rows } = await read("a.csv", "name,amount,,\nA,1,,\n");
    expect([table.header, rows[0]?.cells]).toEqual([
      ["name", "amount", "", ""],
      ["A", "1", "", ""],
    ]);
  });
});

describe("what breaks the file", () => {
  test.each([
    ["a cell too few", "name,amount\nA,1\nB\n", "row_ragged", 3, "1 cell, the header has 2 columns"],
    ["a row cut at the end of the file", "name,amount,mode\nA,1,x\nB,", "row_ragged", 3, "ends in the middle"],
    ["a whole row in quotes", 'name,amount\n"A,1"\n', "row_ragged", 2, "in one pair of quotes"],
    ["a cell too many", "name,amount\nA,1,2\n", "row_ragged", 2, "3 cells"],
    ["an empty cell too many in every row", "name,amount\nA,1,\nB,2,\n", "row_ragged", 2, "3 cells"],
    [
      "a comma in a name, the last cell empty",
      "name,owner,notes\nA,B,c\nKumar, Ravi,Ravi,\n",
      "row_ragged",
      3,
      "4 cells",
    ],
    ["the same in the first row", "name,owner,notes\nKumar,Ravi,Ravi,\nA,B,c\n", "row_ragged", 2, "4 cells"],
    ["the same in the only row", "name,owner,notes\nKumar, Ravi,Ravi,\n", "row_ragged", 2, "4 cells"],
    ["thousands outside quotes", "name,amount,mode,notes\nA,4,000.00,NEFT,\n", "row_ragged", 2, '"4,000.00"'],
    ["lakhs outside quotes, notes empty", "name,amount,a,b,c\nA,₹ 1,04,000,NEFT,,\n", "row_ragged", 2, "1,04,000"],
    ["a currency before it", "name,amount,mode,notes\nA,Rs. 4,000,NEFT,\n", "row_ragged", 2, "Rs. 4,000"],
    ["an unclosed quote", 'name,amount\nA,1\n"B,2\nC,3\n', "quote_unclosed", 3, "never closed"],
    ["a quote inside a cell", 'name,amount\nA,1\n5" pipe,2\n', "quote_stray", 3, "middle of a cell"],
    ["text behind a quoted cell", 'name,amount\n"A","x"\n"B"b,2\n', "quote_stray", 3, "middle of a cell"],
    ["a space before the quote", '"name"; "amount"\n"A"; "1"\n', "quote_after_space", 1, "semicolon and the quote"],
    ["two equal names", "name,amount,name\nA,1,B\n", "header_duplicate", 1, 'names "name" twice'],
    ["two names that compare equal", "bene id,BENE_ID\nA,1\n", "header_duplicate", 1, '"bene id" and "BENE_ID"'],
    ["a value under an empty name", "name,,amount\nA,,1\nB,x,1\n", "cell_without_header", 3, "cell 2"],
    ["NUL bytes", "name,amount\nA,1\nB,\0\0\0", "nul_bytes", 3, "not copied completely"],
    ["another sep=", "sep=:\nname:amount\nA:1\n", "delimiter_unknown", 1, '":"'],
    ["nothing", "", "file_empty", undefined, "0 bytes"],
    ["white space", " \r\n\t\n", "file_blank", undefined, "white space"],
    ["a byte order mark", "\ufeff", "file_blank", undefined, "nothing"],
    ["empty cells", ",,,\n,\n", "file_blank", undefined, "empty cells"],
    ["a header alone", "name,amount\n\n,\n", "no_rows", undefined, "no rows"],
    ["too many columns", `${"a,".repeat(1001)}\n`, "too_many_columns", 1, "1000 columns"],
    ["a row without end", `name,amount\nA,1\nB,"${"x\n".repeat(60_000)}`, "record_too_long", 3, "65536"],
    ["a line without end", `name,amount\nA,1\n${"x".repeat(70_000)}`, "record_too_long", 3, "65536"],
  ])("%s → refused with its row", async (_, text, code, row, words) => {
    const fault = await faultOf(read("payroll.csv", text));
    expect({ code: fault.code, row: fault.row }).toEqual({ code, row });
    expect(fault.text).toContain(words);
    expect(fault.todo).not.toBe("");
  });

  test.each([
    ["end-of-file marks", "\u001a\u001a\u001a", "line_under_table", "end-of-file marks"],
    ["one of them", "\u001a", "line_under_table", "end-of-file marks"],
    ["a total", "Grand Total,2300.00", "line_under_table", "a total"],
    ["what is left to pay", "Net payable,2300.00", "line_under_table", "a total"],
    ["a tax", "Less: TDS,300.00", "line_under_table", "a total"],
    ["a count", "Count,12", "line_under_table", "a total"],
    ["errors excepted", "E. & O.E.", "line_under_table", "a remark"],
    ["a signature line", "Prepared by,Checked by", "line_under_table", "for names or signatures"],
    ["the amount in words", "Rupees two thousand only", "line_under_table", "a remark"],
  ])("a short line with %s under the table → told as that", async (_, line, code, words) => {
    const fault = await faultOf(read("a.csv", `name,amount,mode\nA,1,NEFT\n${line}\n`));
    expect(fault).toMatchObject({ code, row: 3, text: expect.stringContaining(words) as string });
    expect(fault.todo).toMatch(/^Delete/);
  });

  test("values where a header should stand → shown to nobody", async () => {
    const fault = await faultOf(read("a.csv", "ACC1,501000011101,501000011101,100\nACC1,2,3,4\n"));
    expect([fault.code, fault.column]).toEqual(["header_missing", undefined]);
    expect(fault.text).not.toContain("501000011101");
  });

  test("a short row → Excel's empty cells are explained", async () => {
    expect((await faultOf(read("a.csv", "name,amount,notes\nA,1,\nB,2\n"))).todo).toContain(
      "Excel leaves out empty cells",
    );
    expect((await faultOf(read("a.csv", "ABC Pvt Ltd\nSalary October\n\nEmp,Net Pay\n1,2.00\n"))).todo).toContain(
      "title",
    );
  });

  test("other endings → what such a file is", async () => {
    expect((await faultOf(read("a.csv.pgp", "x"))).text).toContain("an encrypted file");
    expect((await faultOf(read("a.dat", "x"))).text).toContain("a bank's own program");
    expect((await faultOf(read("a.csv", "%PDF-1.4"))).text).toContain("a document");
  });

  test("a stray quote far down → its row, quoted line ends and blank rows counted", async () => {
    const block = 'A,1\n\n"B\nb",2\n'.repeat(20_000);
    const fault = await faultOf(read("a.csv", `name,amount\n${block}"C"c,3\n`));
    expect(fault).toMatchObject({ code: "quote_stray", row: 60_002 });
  });
});
