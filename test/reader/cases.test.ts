import { describe, expect, test } from "vitest";
import { todoLine } from "../../src/messages/sentence.ts";
import { headerAgain, underTable } from "../../src/reader/lines.ts";
import { faultOf, read } from "../support/tables.ts";

const HEADER = "debit_account_id,name,mobile,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode";
const ROW = "ACC-OPS-01,Payee A,9811100011,9001000000011,EXMB0100200,Payee A,1100.00,NEFT";

describe("files of real life that nobody understood why they were refused", () => {
  const MAC = Buffer.concat([
    Buffer.from(`${HEADER}\nACC-OPS-01,Paym`),
    Buffer.from([0x8e]),
    Buffer.from("e ,,,,,,\n"),
  ]);
  const SPACED = '"debit_account_id", "bene_id"\n"ACC-OPS-01", "B-1"\n';
  const BANK = "FILEHDR,ACC-OPS-01,20261128,2,2300.00\nNEFT,90010000000011,EXMB0100200,1100.00,Payee A,Salary\n";

  test.each<[string, string | Buffer, string, number | undefined, string, string]>([
    ["07.json", '{"dry_run":true,"rows":[{"amount":"1"}]}', "json_beside_rows", undefined, '"dry_run"', "Take it out"],
    ["10.csv", MAC, "not_utf8", 2, "not valid UTF-8", 'encoding = "macintosh"'],
    ["14.csv", SPACED, "quote_after_space", 1, "between the comma and the quote", "Delete the spaces"],
    ["15.csv", BANK, "bank_own_line", 1, "a bank's own (FILEHDR)", "paydrop map"],
    ["16.csv", `${HEADER}\n${ROW}\n\u001a\u001a\u001a`, "line_under_table", 3, "end-of-file marks", "Delete the line"],
  ])("case %s → told as what it is", async (name, content, code, row, text, todo) => {
    const fault = await faultOf(read(name, content));
    expect({ code: fault.code, row: fault.row }).toEqual({ code, row });
    expect(fault.text).toContain(text);
    expect(todoLine(fault)).toContain(todo);
  });

  test("11 a line break in notes → a cell as it is written", async () => {
    const { rows } = await read("a.csv", 'name,notes\nPayee A,"first line\nsecond; with ""quotes"", a comma"\n');
    expect(rows[0]?.cells[1]).toBe('first line\nsecond; with "quotes", a comma');
  });
});

describe("lines under the table", () => {
  test.each([
    [",,,,,,2300.00,", "total"],
    ["Total,,,,,,2300.00,", "total"],
    ["Rupees two thousand three hundred only,,,,,,,", "remark"],
    ["Note: paid by the head office in Pune,,,,,,,", "remark"],
    ["Prepared by,,Checked by,,,,,", "signature"],
    ["\u001a,,,,,,,", "end_marks"],
    [ROW, undefined],
    [",,,,,कुल,2300.00,", "total"],
    ["Total NEFT,,,,,,1100.00,NEFT", "total"],
    ["ACC-OPS-01,Total,,,,,2300.00,NEFT", "total"],
    [",,,,,,=SUM(G2:G3),", "total"],
    ["-----,-----,-----,-----,-----,-----,-----,-----", "dashes"],
    [",Payee B,,,,,,", undefined],
    [",,,9001000000011,EXMB0100200,,1200.00,NEFT", undefined],
    ["ACC-OPS-01,Total Systems Ltd,9811100011,9001000000011,EXMB0100200,Total Systems,5.00,NEFT", undefined],
  ])("%s → %s", (line, what) => {
    expect(underTable(line.split(","))).toBe(what);
  });

  test.each([
    [HEADER, "again"],
    ["name,debit_account_id,mobile,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode", "moved"],
    ["Debit Account ID,Name,,,,,,", "again"],
    [",Name,,,,,,", undefined],
    [ROW, undefined],
  ])("the header once more: %s → %s", (line, expected) => {
    expect(headerAgain(HEADER.split(","), line.split(","))).toBe(expected);
  });
});
