import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bookFile, textRow } from "../support/workbooks.ts";
import { openOffice, paydrop, type Office } from "./corrected-office.ts";

const PAYOUT = "debit_account_id,bene_id,bene_bank_id,amount,payment_mode,narration,notes";
const TRANSFER = "from_account,name,to_account,amount,remarks";

/** Drops a file of two invalid rows, and gives its retry file as it was written. */
async function retryOf({ desk, sent }: Office, text: string): Promise<string> {
  desk.write("pay.csv", text);
  expect((await desk.run("pay.csv")).counts).toEqual({ invalid: 2 });
  expect(sent()).toEqual([]);
  return readFileSync(join(desk.folder, "pay.csv.retry.csv"), "utf8");
}

const FILES = [
  [
    "an amount cut in two",
    `${PAYOUT}\nACC-1,B-1,12,1000,50,NEFT,Salary,\nACC-1,B-2,12,abc,NEFT,Salary,x\n`,
    "amount",
    "1000",
  ],
  ["cells moved aside", `${TRANSFER}\nACC-1,Kumar, Ravi,5010027,500.00,\nACC-1,Asha,5010028,abc,x\n`, "to_account", ""],
] as const;

test.each(FILES)("%s stays invalid where nothing of it was changed, however often it is dropped", async (...given) => {
  const [, text, column, amount] = given;
  const office = await openOffice([]);
  const { desk } = office;
  let retry = await retryOf(office, text);
  for (const name of ["first.csv", "second.csv"]) {
    // other bytes, and nothing of the row
    desk.write(name, retry.replace("abc", "75.00").replace("Not sent", "Seen"));
    const check = await paydrop(desk, "check", name);
    const ended = await desk.run(name);
    expect([name, check.code, ended.code]).toEqual([name, 3, 3]);
    const [row] = ended.results;
    expect([row?.result_status, row?.["result_amount"]]).toEqual(["invalid", amount]);
    for (const said of [check.stdout, row?.result_message]) {
      expect(said).toContain(column);
      expect(said?.match(/this is not mended since row 2 of batch [0-9A-Z]{8}, which it corrects/g)).toHaveLength(1);
    }
    expect(
      row?.["result_action"]?.match(/If the row is right as it stands, empty its cell of retry_of\./g),
    ).toHaveLength(1);
    retry = readFileSync(join(desk.folder, `${name}.retry.csv`), "utf8");
  }
});

test("an amount that was cut goes once it is written anew, be it the same", async () => {
  const office = await openOffice([]);
  const { desk } = office;
  const retry = await retryOf(office, FILES[0][1]);
  // a text alone says nothing of the amount
  desk.write("text.csv", retry.replace("abc", "75.00").replace("Salary", "Bonus"));
  expect((await desk.run("text.csv")).counts).toEqual({ invalid: 1, accepted: 1 });
  desk.write("same.csv", retry.replace("1000,50,NEFT,Salary", "1000.00,NEFT,Salary,").replace("abc", "75.00"));
  expect((await desk.run("same.csv")).counts).toMatchObject({ accepted: 1 });
});

test("a key that stood twice is not settled by the retry file, which holds one of its values", async () => {
  const { desk, sent } = await openOffice([]);
  desk.write("pay.json", '[{"from_account":"A1","to_account":"50100271877","amount":1.00,"amount":2.00}]');
  const { results, counts } = await desk.run("pay.json");
  expect(counts).toEqual({ invalid: 1 });
  const of = `${results[0]?.["result_batch"] ?? ""}:1`;
  const row = { from_account: "A1", to_account: "50100271877", amount: 2, retry_of: of };
  desk.write("again.json", JSON.stringify([row], null, 1).replace("2,", "2.00,"));
  const again = await desk.run("again.json");
  expect(again.counts).toEqual({ invalid: 1 });
  expect(again.results[0]?.result_message).toContain('the key "amount" stands twice in this row; this is not mended');
  desk.write("mended.json", JSON.stringify([{ ...row, amount: 1 }]));
  expect((await desk.run("mended.json")).counts).toEqual({ accepted: 1 });
  expect(sent()).toEqual(["50100271877 1"]);
});

test("what the settings forbade goes as it is once they allow it", async () => {
  const office = await openOffice([]);
  const { desk, sent } = office;
  const retry = await retryOf(office, `${TRANSFER}\nACC-1,Asha,5010027,"1,000.00",x\nACC-1,Asha,5010028,abc,x\n`);
  desk.write("paydrop.toml", 'number_grouping = "western"\n');
  desk.write("allowed.csv", retry.replace("abc", "75.00"));
  const ended = await desk.run("allowed.csv", "--config", "paydrop.toml");
  expect(ended.counts).toEqual({ accepted: 2 });
  expect(sent()).toHaveLength(2);
});

const BOOK_HEADER = ["debit_account_id", "name", "bank_acc_num", "ifsc_code", "bank_owner_name", "amount", "payment_mode", "reference"]; // prettier-ignore
const BOOK_ROW = ["ACC-1", "Ravi", "60200000001", "HDFC0001234", "Ravi", "2.00", "NEFT", "R-2"];

test.each([
  ["an account that lost its zeros", "bank_acc_num", "12300002", "0012300002"],
  ["an account to pay from", "debit_account_id", "12300002", "0012300002"],
  ["a reference", "reference", "12300002", "0012300002"],
  ["an account that lost its last digits", "bank_acc_num", "1234567890123456", "1234567890123457"],
])("%s in a workbook is not settled by a save as CSV, nor by another amount", async (_, field, number, mended) => {
  const { desk, sent } = await openOffice([]);
  const at = BOOK_HEADER.indexOf(field);
  const cell = `<c r="${"ABCDEFGH".charAt(at)}2" s="1"><v>${number}</v></c>`;
  const text = textRow(2, BOOK_ROW);
  const row = text.replace(text.match(/<c .*?<\/c>/g)?.[at] ?? "", cell);
  const sheets = { Pay: textRow(1, BOOK_HEADER) + row };
  copyFileSync(bookFile({ sheets, formats: ["0000000000"] }), join(desk.folder, "p.xlsx"));
  const first = await desk.run("p.xlsx");
  expect(first.stdout).toMatch(/invalid +1 /);
  const batch = /^batch (\w+)/m.exec(first.stdout)?.[1] ?? "";
  const line = (texts: readonly string[], of: string): string => `${texts.join(",")},${of}\n`;
  const header = line(BOOK_HEADER, "retry_of");
  const unmended = BOOK_ROW.with(at, number);
  let of = `${batch}:2`;
  for (const [name, texts] of [
    ["saved.csv", unmended],
    ["amount.csv", unmended.with(5, "3.00")],
  ] as const) {
    desk.write(name, header + line(texts, of));
    const ended = await desk.run(name);
    expect([name, ended.counts]).toEqual([name, { invalid: 1 }]);
    expect(ended.results[0]?.result_message).toContain("this is not mended since row");
    expect(ended.results[0]?.["result_action"]).toContain("empty its cell of retry_of");
    of = `${ended.results[0]?.["result_batch"] ?? ""}:2`;
  }
  expect(sent()).toEqual([]);
  desk.write("mended.csv", header + line(BOOK_ROW.with(at, mended).with(5, "4.00"), of));
  const ended = await desk.run("mended.csv");
  expect(ended.results[0]?.result_message).not.toContain("not mended");
  expect(ended.results[0]?.result_status).toBe(field === "bank_acc_num" ? "held" : "accepted");
});
