import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { beforeEach, describe, expect, test } from "vitest";
import type { RowRecord } from "../../src/journal/row-record.ts";
import type { Sheet } from "../../src/reader/row.ts";
import { writeResults } from "../../src/results/write-results.ts";
import { batchRecord, resultsInput, rowRecord, sheetOf } from "../support/records.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryDirectory();
});

const FAULT = {
  code: "ifsc",
  column: "ifsc_code",
  cell: "B4",
  message: '"SBIN00123" has 9 characters; an IFSC is 4 letters, a zero, 6 letters or digits',
  hint: "look up the branch code on the cheque or passbook",
};

const CELLS = [
  ["ACC-OPS-01", "SBIN0001234", "S1", 'say "hi", all'],
  ["ACC-OPS-01", "SBIN0001235", "S2", "=1+1"],
  ["123456789012", "SBIN00123", "S3", "two\nlines"],
  ["123456789012", "SBIN0001236", "S4", "-5"],
] as const;

const RECORDS: readonly RowRecord[] = [
  rowRecord(2, { amount: "52250.00", response: '{"id":1}' }),
  rowRecord(3, {
    state: "rejected",
    code: "refused",
    attempts: 1,
    httpStatus: 422,
    durationMs: 80.4,
    response: "=bad\u001b[31m",
  }),
  rowRecord(4, { state: "invalid", code: "ifsc", faults: [FAULT] }),
  rowRecord(5, { state: "unknown", code: "no_answer", attempts: 1, durationMs: 30_000, amount: "0.5" }),
];

function payroll(): Sheet {
  const columns = ["debit_account_id", "ifsc_code", "reference", "@note"];
  return sheetOf("csv", columns, CELLS.length, (index) => CELLS[index] ?? []);
}

const HEADER =
  "result_row,result_status,result_http_status,result_message,result_action,debit_account_id,ifsc_code,reference,'@note," +
  "result_operation,result_amount,result_reference,result_attempts,result_sent_at,result_duration_ms,result_response," +
  "result_duplicate_of,result_settled_by,result_batch";

describe("the files out of a CSV file", () => {
  test("the results file has one line per row, in order, with a byte order mark and CRLF", async () => {
    const report = await writeResults(resultsInput(folder, payroll(), RECORDS));
    expect(await readFile(report.files.results ?? "", "utf8")).toBe(
      [
        `\uFEFF${HEADER}`,
        '2,accepted,200,Accepted by the service,Nothing,ACC-OPS-01,SBIN0001234,S1,"say ""hi"", all",payout,52250.00,S1,1,' +
          '2026-10-31T12:37:23.114Z,120,"{""id"":1}",,,K7Q29F3M',
        "3,rejected,422,The service refused this row: =bad\\u{1b}[31m,Correct and drop again,ACC-OPS-01,SBIN0001235,S2," +
          "'=1+1,payout,100.00,S2,1,,80,'=bad\\u{1b}[31m,,,K7Q29F3M",
        '4,invalid,,"Not sent: ifsc_code (B4): ""SBIN00123"" has 9 characters; an IFSC is 4 letters, a zero, 6 letters or ' +
          'digits",Look up the branch code on the cheque or passbook,123456789012,SBIN00123,S3,"two\nlines",payout,100.00,' +
          "S3,0,,,,,,K7Q29F3M",
        "5,unknown,,We sent the row but got no answer in 30 s,Check in the dashboard first,123456789012,SBIN0001236,S4,-5," +
          "payout,0.5,S4,1,,30000,,,,K7Q29F3M",
        "",
      ].join("\r\n"),
    );
  });

  test("the retry file holds the rows to correct in their own columns, and never an unknown one", async () => {
    const report = await writeResults(resultsInput(folder, payroll(), RECORDS));
    expect(report.files.retryRows).toBe(2);
    expect(await readFile(join(folder, "payroll.csv.retry.csv"), "utf8")).toBe(
      [
        "\uFEFFdebit_account_id,ifsc_code,reference,'@note,retry_message,retry_of",
        "ACC-OPS-01,SBIN0001235,S2,'=1+1,The service refused this row: =bad\\u{1b}[31m → Correct and drop again,K7Q29F3M:3",
        '123456789012,SBIN00123,S3,"two\nlines","Not sent: ifsc_code (B4): ""SBIN00123"" has 9 characters; an IFSC is 4 ' +
          'letters, a zero, 6 letters or digits → Look up the branch code on the cheque or passbook",K7Q29F3M:4',
        "",
      ].join("\r\n"),
    );
  });

  test("the summary adds up per status and per debit account, accounts masked", async () => {
    await writeResults(resultsInput(folder, payroll(), RECORDS, { exitCode: () => 4 }));
    const text = await readFile(join(folder, "payroll.csv.summary.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({
      paydrop: { format: 1 },
      batch: "K7Q29F3M",
      control: { in: { rows: 4, total: "52450.50" }, out: { rows: 4, total: "52450.50" } },
      rows: { total: 4, accepted: 1, rejected: 1, unknown: 1, not_sent: 0, invalid: 1 },
      amount: { total: "52450.50", accepted: "52250.00", unknown: "0.50" },
      by_account: [
        { account: "ACC-OPS-01", rows: 2, total: "52350.00", accepted: "52250.00", rejected: "100.00" },
        { account: "••9012", rows: 2, total: "100.50" },
      ],
      exit_code: 4,
      started_at: "2026-10-31T12:37:22.000Z",
      files: { results: "payroll.csv.results.csv", retry: "payroll.csv.retry.csv" },
    });
    expect(text).not.toContain("123456789012");
  });

  test("no retry file is written when nothing is to correct, and an old one that nobody touched goes", async () => {
    const memory = new Map<string, string>();
    await writeResults(resultsInput(folder, payroll(), RECORDS, {}, memory));
    expect(await readdir(folder)).toContain("payroll.csv.retry.csv");
    const refusedForTheKey = [...RECORDS.slice(0, 1), ...[3, 4, 5].map((number) => rowRecord(number, { amount: "1" }))];
    const report = await writeResults(resultsInput(folder, payroll(), refusedForTheKey, {}, memory));
    expect(report.files.retry).toBeUndefined();
    expect((await readdir(folder)).sort()).toEqual(["payroll.csv.results.csv", "payroll.csv.summary.json"]);
  });

  test("a row refused for the key is not to correct", async () => {
    const records = RECORDS.map((record) => ({ ...record, state: "rejected" as const, code: "key_refused" }));
    const report = await writeResults(resultsInput(folder, payroll(), records));
    expect(report.files.retry).toBeUndefined();
  });

  test("columns of an earlier retry file are left out of the next one", async () => {
    const sheet = sheetOf("csv", ["amount", "Retry Message", "RETRY-OF"], 1, () => ["1", "old", "OLD:1"]);
    await writeResults(resultsInput(folder, sheet, [rowRecord(2, { state: "invalid" })]));
    const rows = parse(await readFile(join(folder, "payroll.csv.retry.csv")), { bom: true });
    expect(rows[0]).toEqual(["amount", "retry_message", "retry_of"]);
    expect(rows[1]).toEqual(["1", "Not sent: row 2 needs a correction → Correct and drop again", "K7Q29F3M:2"]);
  });

  test.each(["result_message", "Result Message"])(
    "a column of theirs called %s keeps its place and text, not its name",
    async (name) => {
      const sheet = sheetOf("csv", [name, "amount"], 1, () => ["mine", "1"]);
      await writeResults(resultsInput(folder, sheet, [rowRecord(2)]));
      const rows = parse(await readFile(join(folder, "payroll.csv.results.csv")), { bom: true });
      expect(rows[0]?.slice(3, 7)).toEqual(["result_message", "result_action", `input_${name}`, "amount"]);
      expect(rows[1]?.slice(3, 7)).toEqual(["Accepted by the service", "Nothing", "mine", "1"]);
    },
  );

  test("deleted results are rebuilt byte for byte", async () => {
    const path = join(folder, "payroll.csv.results.csv");
    await writeResults(resultsInput(folder, payroll(), RECORDS));
    const first = await readFile(path);
    await rm(path);
    await writeResults(resultsInput(folder, payroll(), RECORDS));
    expect((await readFile(path)).equals(first)).toBe(true);
  });

  test("no file is wider than the input, and none is ever executable", async () => {
    const before = process.umask(0);
    try {
      await writeResults(resultsInput(folder, payroll(), RECORDS, { mode: 0o100755 }));
    } finally {
      process.umask(before);
    }
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o644);
  });
});

describe("the files out of a JSON file", () => {
  const NUMBER = { token: "number", source: "100.50" } as const;
  const NESTED = { token: "nested", source: '{"a":\n1.0}' } as const;

  test("results are an array of objects, one per line, with the tokens of the file", async () => {
    const columns = ["amount", "name", "extra", "result_row"];
    const sheet = sheetOf("json", columns, 2, (index) => [NUMBER, `Asha "${index}"`, NESTED, "x"]);
    await writeResults(resultsInput(folder, sheet, [rowRecord(1), rowRecord(2, { state: "ready" })]));
    const text = await readFile(join(folder, "payroll.json.results.json"), "utf8");
    expect(text.split("\n")).toEqual([
      "[",
      '{"result_row":1,"result_status":"accepted","result_http_status":200,"result_message":"Accepted by the service",' +
        '"result_action":"Nothing","amount":100.50,"name":"Asha \\"0\\"","extra":{"a": 1.0},"input_result_row":"x",' +
        '"result_operation":"payout","result_amount":"100.00","result_reference":"","result_attempts":1,' +
        '"result_sent_at":"2026-10-31T12:37:23.114Z","result_duration_ms":120,"result_response":"",' +
        '"result_duplicate_of":"","result_settled_by":"","result_batch":"K7Q29F3M"},',
      expect.stringContaining('{"result_row":2,"result_status":"not_sent","result_http_status":null,'),
      "]",
      "",
    ]);
    expect(JSON.parse(text)).toHaveLength(2);
  });

  test("a retry file keeps what the wrapper said", async () => {
    const plain = sheetOf("json", ["amount"], 1, () => [NUMBER]);
    const sheet = { ...plain, wrapper: { operation: "payout", period: "2026-11", control: { rows: 9 } } };
    await writeResults(resultsInput(folder, sheet, [rowRecord(1, { state: "invalid" })]));
    const retry = await readFile(join(folder, "payroll.json.retry.json"), "utf8");
    expect(retry.split("\n")[0]).toBe('{"operation":"payout","period":"2026-11","rows":[');
    expect(retry.split("\n")[1]).toMatch(/^\{"amount":100\.50,"retry_message":".*","retry_of":"K7Q29F3M:1"\}$/);
    expect(JSON.parse(retry)).toMatchObject({ operation: "payout", rows: [{ amount: 100.5 }] });
  });

  test("one object per line stays one object per line, .ndjson stays .ndjson", async () => {
    const sheet = sheetOf("jsonl", ["amount"], 2, () => [NUMBER]);
    const target = { folder, fileName: "Payroll.NDJSON" };
    await writeResults(resultsInput(folder, sheet, [rowRecord(1), rowRecord(2)], { target }));
    const lines = (await readFile(join(folder, "Payroll.NDJSON.results.ndjson"), "utf8")).split("\n");
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ result_row: 2, amount: 100.5 });
  });
});

describe("file and journal in lockstep", () => {
  const COUNT = 10_000;
  const sheet = sheetOf("csv", ["debit_account_id", "n"], COUNT, (index) => ["ACC", String(index)], 777);
  const records = Array.from({ length: COUNT }, (_, index) => rowRecord(index + 2));

  test("10,000 rows in pieces of different sizes meet their own records", async () => {
    await writeResults(resultsInput(folder, sheet, records));
    const rows: string[][] = parse(await readFile(join(folder, "payroll.csv.results.csv")), { bom: true, from: 2 });
    expect(rows).toHaveLength(COUNT);
    expect(rows.every((row, index) => row[0] === String(index + 2) && row[6] === String(index))).toBe(true);
  });

  test.each([
    ["the journal misses a row in the middle", records.toSpliced(5000, 1), "row 5002 of the file meets row 5003"],
    ["the journal ends early", records.slice(0, -1), "the journal ends before row 10001"],
    ["the file ends early", [...records, rowRecord(COUNT + 2)], "the file ends before row 10002"],
  ])("when %s, nothing is written and nothing is left", async (_, wrong, message) => {
    await expect(writeResults(resultsInput(folder, sheet, wrong))).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual([]);
  });

  test("sums that are not the file's are a bug, not a result", async () => {
    const batch = batchRecord({ rows: COUNT, total: "1000000.01" });
    const writing = writeResults(resultsInput(folder, sheet, records, { batch }));
    await expect(writing).rejects.toThrow(
      "the results hold 10000 rows, 1000000.00; the file held 10000 rows, 1000000.01",
    );
    expect(await readdir(folder)).toEqual([]);
  });
});
