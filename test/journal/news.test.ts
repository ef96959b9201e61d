import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isNews, NEWS_REMARKS } from "../../src/messages/results.ts";
import { told } from "../../src/messages/sentence.ts";
import { TestDesk } from "../support/desk.ts";

const HEADER =
  "employee_no,debit_account_id,name,mobile,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,bank_id";
/** `E1 5001 100.00`: a person by number, the end of the account, and what is paid. */
function fileOf(rows: readonly string[]): string {
  const lines = rows.map((row) => {
    const [no = "", account = "", amount = ""] = row.split(" ");
    return `${no},ACC-OPS-01,Name ${no},98000000${no.slice(-2)},9001000000${account},SBIN0001234,Name ${no},${amount},NEFT,1`;
  });
  return [HEADER, ...lines, ""].join("\n");
}

/** Files in their order, 30 days apart, and what is said to be new of the last one. */
async function newsOf(...files: readonly (readonly string[])[]): Promise<string[]> {
  const desk = await TestDesk.open();
  let id = "";
  for (const [at, rows] of files.entries()) {
    desk.now = Date.UTC(2026, at, 28, 9);
    id = (await desk.run(`pay-2026-0${at + 1}.csv`, fileOf(rows))).batch;
  }
  const [batch] = await desk.store.batches({ id });
  return (batch?.remarks ?? [])
    .filter(isNews)
    .map(({ code, facts = {} }) => `${code} ${facts["rows"] ?? ""} ${facts["first"] ?? ""}`.trim());
}

const SIX = [
  "E01 5001 100.00",
  "E02 5002 200.00",
  "E03 5003 300.00",
  "E04 5004 400.00",
  "E05 5005 500.00",
  "E06 5006 600.00",
];

test.each([
  ["the first file ever → nothing", [SIX], []],
  ["the same again → said so", [SIX, SIX], ["as_last_time"]],
  [
    "another account → first, before all others",
    [SIX, ["E01 9901 100.00", ...SIX.slice(1), "E07 5007 1.00"]],
    ["other_accounts 1 row 2 ••5001 → ••9901", "new_payees 1 row 8 ••5007"],
  ],
  [
    "a payee less, one more, another amount, and one ten times as high",
    [SIX, [...SIX.slice(0, 3), "E04 5004 450.00", "E05 5005 5000.00", "E07 5007 7.00"]],
    [
      "new_payees 1 row 7 ••5007",
      "gone_payees 1 ••5006",
      "many_times 1 row 6 500.00 → 5000.00",
      "other_amounts 2 row 5 400.00 → 450.00; row 6 500.00 → 5000.00",
    ],
  ],
  [
    "two jobs of one person, of which one is raised",
    [
      ["E01 5001 100.00", "E01 5001 50.00", "E02 5002 70.00"],
      ["E01 5001 100.00", "E01 5001 60.00", "E02 5002 70.00"],
    ],
    ["other_amounts 1 row 3 50.00 → 60.00"],
  ],
  [
    "numbers that a spreadsheet took zeros from → the same people",
    [
      ["0071 5001 100.00", "0072 5002 200.00"],
      ["71 5001 100.00", "72 5002 200.00"],
    ],
    ["as_last_time"],
  ],
  [
    "a row that could not be read last time → nothing of its amount",
    [
      ["E01 5001 100.00", "E02 5002 x"],
      ["E01 5001 100.00", "E02 5002 20.00"],
    ],
    ["as_last_time"],
  ],
  [
    "dues of two leavers → nobody asks where the others are",
    [SIX, ["E05 5005 9000.00", "E06 5006 700.00"]],
    ["many_times 1 row 2 500.00 → 9000.00", "other_amounts 2 row 2 500.00 → 9000.00; row 3 600.00 → 700.00"],
  ],
  [
    "wages beside salaries → compared with the wages before",
    [["W01 7001 10.00", "W02 7002 20.00"], SIX, ["W01 7001 10.00", "W02 7002 25.00"]],
    ["other_amounts 1 row 3 20.00 → 25.00"],
  ],
  [
    "strangers to the last file → only who is new",
    [SIX, ["V01 8001 10.00", "V02 8002 20.00", "E01 5001 5.00"]],
    ["new_payees 2 row 2 ••8001; row 3 ••8002"],
  ],
])("%s", async (_name, files, news) => {
  expect(await newsOf(...files)).toEqual(news);
});

test("what is new → in the summary, by its numbers and in words, and no number of an account", async () => {
  const desk = await TestDesk.open();
  desk.now = Date.UTC(2026, 0, 28, 9);
  const first = await desk.run("pay-2026-01.csv", fileOf(SIX));
  desk.now = Date.UTC(2026, 1, 28, 9);
  const second = await desk.run("pay-2026-02.csv", fileOf(["E01 9901 100.00", ...SIX.slice(1)]));
  expect(second).toMatchObject({ exitCode: 6, byStatus: { held: { rows: 1 } } });
  const facts = { rows: 1, sum: "100.00", first: "row 2 ••5001 → ••9901" };
  expect(JSON.parse(readFileSync(second.files.summary ?? "", "utf8"))).toMatchObject({
    since_last_time: [{ code: "other_accounts", ...facts }],
    remarks: expect.arrayContaining([told(NEWS_REMARKS.other_accounts, facts).text]) as unknown,
  });
  expect(second.next.map(({ code }) => code)).toEqual(["ask_person", "decide", "release"]);
  expect(first.batch).not.toBe(second.batch);
});
