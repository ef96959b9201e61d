import { describe, expect, test } from "vitest";
import { cellsOf, fileOf, readFile, faultOf } from "../support/files.ts";

/** Cases of the kind that public collections hold (csv-spectrum and its like), each with our own header and answer. */
const READ: readonly (readonly [name: string, text: string, cells: readonly (readonly string[])[]])[] = [
  [
    "commas in quotes",
    'name,amount,notes\nDoe,1,"120 any st., Anytown, WW"\n',
    [["Doe", "1", "120 any st., Anytown, WW"]],
  ],
  [
    "empty cells, quoted and not",
    'name,amount,notes\n,"",\n"",1,""\n2,3,4\n',
    [
      ["", "1", ""],
      ["2", "3", "4"],
    ],
  ],
  [
    "doubled quotes",
    'name,amount\n"a ""word"" b",1\n"""",2\n"""""",3\n',
    [
      ['a "word" b', "1"],
      ['"', "2"],
      ['""', "3"],
    ],
  ],
  [
    "JSON in a cell",
    'amount,notes\n1,"{""type"": ""Point"", ""at"": [1.5,0]}"\n',
    [["1", '{"type": "Point", "at": [1.5,0]}']],
  ],
  [
    "a line break in a cell",
    'name,amount\n"Once upon\na time",1\nB,2\n',
    [
      ["Once upon\na time", "1"],
      ["B", "2"],
    ],
  ],
  ["a CRLF in a cell", 'name,amount\r\n"Once upon\r\na time",1\r\n', [["Once upon\r\na time", "1"]]],
  ["quotes beside line breaks", 'name,amount\n"a""\n""b\n""",1\n', [['a"\n"b\n"', "1"]]],
  ["a cell of nothing but line breaks between quotes", 'name,amount,notes\n"x\n\n",1,"\n"\n', [["x\n\n", "1", "\n"]]],
  [
    "scripts of the world and emoji",
    "name,amount\nʤ ഗീത,1\n😀 शर्मा,2\n",
    [
      ["ʤ ഗീത", "1"],
      ["😀 शर्मा", "2"],
    ],
  ],
  ["spaces inside and around", "name,amount\n  A  B ,1\n", [["  A  B ", "1"]]],
  ["quoted delimiters of other dialects", 'name;amount\n"a;b,c|d\te";1\n', [["a;b,c|d\te", "1"]]],
  ["every cell quoted, with tabs", '"name"\t"amount"\n"A"\t"1"\n', [["A", "1"]]],
  ["pipes", "name|amount\nA,B|1\n", [["A,B", "1"]]],
  [
    "old Mac line ends",
    "name,amount\rA,1\rB,2\r",
    [
      ["A", "1"],
      ["B", "2"],
    ],
  ],
  [
    "line ends of every kind",
    'name,amount\r\nA,1\n"B\r",2\rC,3',
    [
      ["A", "1"],
      ["B\r", "2"],
      ["C", "3"],
    ],
  ],
  ["trailing delimiters as Excel writes them", "name,amount,,\nA,1,,\n", [["A", "1", "", ""]]],
  ["a sep= line before a header in quotes", 'sep=;\r\n"name";"amount"\r\nA;1\r\n', [["A", "1"]]],
  ["text that keeps a spreadsheet from numbers, in quotes", 'name,amount\n"=""0123""",1\n', [['="0123"', "1"]]],
  [
    "the same, bare",
    'name,amount\n="0123",1\n="",="2"\n',
    [
      ['="0123"', "1"],
      ['=""', '="2"'],
    ],
  ],
  ["the same in a file that has good quotes too", 'name,amount\n"A, B",="1"\n', [["A, B", '="1"']]],
  [
    "NULL and N/A as words",
    "name,amount\nNULL,1\nN/A,2\n",
    [
      ["NULL", "1"],
      ["N/A", "2"],
    ],
  ],
  ["single quotes, which are no quotes", "name,amount,notes\n'A,1,B'\n", [["'A", "1", "B'"]]],
  [
    "backslashes, which escape nothing",
    'name,amount\n"a\\",1\nb\\n,2\n',
    [
      ["a\\", "1"],
      ["b\\n", "2"],
    ],
  ],
  ["hash signs, which begin no comment", "name,amount\n#A,1\n", [["#A", "1"]]],
  ["a quoted header with a line break", '"name\n(full)",amount\nA,1\n', [["A", "1"]]],
];

const REFUSED: readonly (readonly [name: string, text: string, code: string, row: number | undefined])[] = [
  ["a backslash before a quote", 'name,amount\n"a \\" b",1\n', "quote_stray", 2],
  ["a quote inside a bare cell", 'name,amount\nB,2\n5" pipe,1\n', "quote_stray", 3],
  ["text behind a closing quote", 'name,amount\n"A"B,1\n', "quote_stray", 2],
  ["a space before an opening quote", 'name,amount\nA, "1,5"\n', "quote_stray", 2],
  ["a quote that is opened in the last row", 'name,amount\nA,1\n"B,2\n', "quote_unclosed", 3],
  ["a formula with a quote inside", 'name,amount\n="0"1",2\n', "quote_stray", 2],
  ["a bare formula over a delimiter", 'name,amount\n="01,23",1\n', "quote_stray", 2],
  ["a stray quote behind a bare formula", 'name,amount\n="01",1\nab"c"d,2\n', "quote_stray", 3],
  ["a comma too many", "name,amount\nA,1\nB,1,000\n", "row_ragged", 3],
  ["a comma too few", "name,amount,notes\nA,1,x\nB,2\n", "row_ragged", 3],
  ["a comment line above the header", "# made by hand\nname,amount\nA,1\n", "header_below", 2],
  ["a title line above the header", "Payroll November,,\nname,amount,notes\nA,1,x\n", "header_below", 2],
  ["NUL in the middle", "name,amount\nA,1\nB\0,2\n", "nul_bytes", 3],
];

describe("a torture of CSV", () => {
  test.each(READ)("%s is read exactly", async (_, text, cells) => {
    expect(await cellsOf("a.csv", text)).toEqual(cells);
  });

  test.each(REFUSED)("%s is refused with its row", async (_, text, code, row) => {
    expect(await faultOf(readFile(fileOf("a.csv", text)))).toMatchObject({ code, row });
  });
});
