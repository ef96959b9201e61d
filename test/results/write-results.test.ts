import { existsSync, rmSync, writeFileSync } from "node:fs";
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RowRecord } from "../../src/journal/row-record.ts";
import type { Sheet } from "../../src/reader/row.ts";
import { writeResults } from "../../src/results/write-results.ts";
import { batchRecord, resultsInput, rowRecord, sheetOf } from "../support/records.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "results-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
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

  test("a column of theirs that is called like ours keeps its place and text", async () => {
    const sheet = sheetOf("csv", ["result_message", "amount"], 1, () => ["mine", "1"]);
    await writeResults(resultsInput(folder, sheet, [rowRecord(2)]));
    const rows = parse(await readFile(join(folder, "payroll.csv.results.csv")), { bom: true });
    expect(rows[0]?.slice(3, 7)).toEqual(["result_message", "result_action", "result_message", "amount"]);
    expect(rows[1]?.slice(3, 7)).toEqual(["Accepted by the service", "Nothing", "mine", "1"]);
  });

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
        '"result_operation":"payout","result_amount":"100.00","result_reference":"","result_attempts":"1",' +
        '"result_sent_at":"2026-10-31T12:37:23.114Z","result_duration_ms":"120","result_response":"",' +
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

describe("what stands at the names already", () => {
  const NAMES = ["payroll.csv.results.csv", "payroll.csv.summary.json"] as const;
  const small = sheetOf("csv", ["amount"], 1, () => ["1"]);
  const accepted = [rowRecord(2)];
  const invalid = [rowRecord(2, { state: "invalid" })];

  test.each(NAMES)("a file of a person at %s is never replaced; all goes to the state directory", async (name) => {
    await writeFile(join(folder, name), "name,amount\r\nAsha,1\r\n");
    const report = await writeResults(resultsInput(folder, small, accepted));
    expect(await readFile(join(folder, name), "utf8")).toBe("name,amount\r\nAsha,1\r\n");
    expect(report.files.results).toBe(join(folder, "state", "K7Q29F3M", "payroll.csv.results.csv"));
    expect(report.files.elsewhere).toBe(
      `${name} is there already and is not a file that paydrop wrote; the results are in ${join(folder, "state", "K7Q29F3M")} instead`,
    );
    expect(report.exitCode).toBe(74);
    expect((await readdir(folder)).sort()).toEqual([name, "state"]);
    expect((await stat(report.files.results ?? "")).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "state", "K7Q29F3M"))).mode & 0o777).toBe(0o700);
  });

  test.each<[string, string, string]>([
    ["a summary of other software", NAMES[1], '{"batch":"H2MM0000"}'],
    ["a table that has a column like ours", NAMES[0], "result_row,result_batch\r\n2,H2MM0000\r\n"],
  ])("%s is no file of an earlier batch that makes way", async (_, name, content) => {
    await writeFile(join(folder, name), content);
    expect((await writeResults(resultsInput(folder, small, accepted))).files.elsewhere).toContain(name);
    expect(await readFile(join(folder, name), "utf8")).toBe(content);
  });

  test("a file of a person under the name that an earlier batch would be kept by is not replaced", async () => {
    const input = resultsInput(folder, small, accepted);
    await writeResults({ ...input, batch: { ...input.batch, id: "H2MM0000" } });
    const theirs = join(folder, "payroll.csv.results.H2MM0000.csv");
    await writeFile(theirs, "name,amount\r\nAsha,1\r\n");
    expect((await writeResults(input)).files.elsewhere).toContain("payroll.csv.results.H2MM0000.csv is there already");
    expect(await readFile(theirs, "utf8")).toBe("name,amount\r\nAsha,1\r\n");
    expect(await readFile(join(folder, NAMES[0]), "utf8")).toContain("H2MM0000");
  });

  test.each(NAMES)("a link planted at %s is neither followed nor replaced", async (name) => {
    const precious = join(folder, "precious");
    await writeFile(precious, "result_row,result_status\r\n");
    await symlink(precious, join(folder, name));
    const report = await writeResults(resultsInput(folder, small, accepted));
    expect(report.files.elsewhere).toContain(`${name} is a link`);
    expect(await readFile(precious, "utf8")).toBe("result_row,result_status\r\n");
  });

  test("a folder at the name of the results sends them elsewhere", async () => {
    await mkdir(join(folder, NAMES[0]));
    const report = await writeResults(resultsInput(folder, small, accepted));
    expect(report.files.elsewhere).toContain("is a folder");
  });

  test("a file whose batch could lead to another folder is not one of ours, and stays", async () => {
    const theirs = "result_row,result_status,result_batch\r\n2,accepted,../K7Q29F3M\r\n";
    await writeFile(join(folder, NAMES[0]), theirs);
    const report = await writeResults(resultsInput(folder, small, accepted));
    expect(report.files.elsewhere).toContain("is not a file that paydrop wrote");
    expect(await readFile(join(folder, NAMES[0]), "utf8")).toBe(theirs);
  });

  test("of what stands under the name that a batch is put aside by, only what is of that batch ever goes", async () => {
    const theirs = {
      "payroll.csv.results.K7Q29F3M.csv": "result_row,result_status,result_batch\r\n2,accepted,H2MM0000\r\n",
      "payroll.csv.summary.K7Q29F3M.json": '{"mine":1}',
    };
    for (const [name, text] of Object.entries(theirs)) await writeFile(join(folder, name), text);
    await writeResults(resultsInput(folder, small, accepted));
    for (const [name, text] of Object.entries(theirs)) expect(await readFile(join(folder, name), "utf8")).toBe(text);
  });

  test("a folder that is gone, or a file where it was, sends them elsewhere", async () => {
    await writeFile(join(folder, "inbox"), "");
    for (const inbox of [join(folder, "inbox"), join(folder, "gone")]) {
      const target = { folder: inbox, fileName: "payroll.csv" };
      const report = await writeResults(resultsInput(folder, small, accepted, { target }));
      expect(report.files.elsewhere).toBeDefined();
      expect(await readFile(report.files.results ?? "", "utf8")).toContain("accepted");
    }
  });

  test("a name too long for the disk goes by the batch id", async () => {
    const target = { folder, fileName: `${"n".repeat(245)}.csv` };
    const report = await writeResults(resultsInput(folder, small, accepted, { target }));
    expect(report.files.results).toBe(join(folder, "state", "K7Q29F3M", "K7Q29F3M.results.csv"));
  });

  test("when the state directory cannot be written either, it throws and says so", async () => {
    const target = { folder: join(folder, "gone"), fileName: "payroll.csv" };
    await writeFile(join(folder, "file"), "");
    const fallbackFolder = join(folder, "file");
    const writing = writeResults(resultsInput(folder, small, accepted, { target, fallbackFolder }));
    await expect(writing).rejects.toMatchObject({ name: "PaydropError", code: "results_unwritable" });
  });

  test("results that a person edited, or saved with semicolons, are still ours and written anew", async () => {
    await writeFile(
      join(folder, NAMES[0]),
      'result_row;result_status;Note, inside;result_batch\r\n2;accepted;PAID 5" pipe;K7Q29F3M;and more\r\n',
    );
    const report = await writeResults(resultsInput(folder, small, accepted));
    expect(report.files.elsewhere).toBeUndefined();
    expect(await readFile(join(folder, NAMES[0]), "utf8")).not.toContain("PAID");
  });

  test("what a person wrote into results is kept beside the new ones, however often", async () => {
    const memory = new Map<string, string>();
    const input = resultsInput(folder, small, [rowRecord(2, { state: "unknown" })], {}, memory);
    await writeResults(input);
    const path = join(folder, NAMES[0]);
    const untouched = await writeResults(input);
    expect(untouched.files.kept).toBeUndefined();
    expect((await readdir(folder)).sort()).toEqual([...NAMES]);

    const note = async (text: string): Promise<void> => writeFile(path, (await readFile(path, "utf8")) + text);
    await note("checked with the bank,,\r\n");
    const settled = resultsInput(folder, small, [rowRecord(2, { state: "settled_done" })], {}, memory);
    const report = await writeResults(settled);
    expect(report.files.results).toBe(path);
    const kept = join(folder, "payroll.csv.results.edited.csv");
    expect(report.files.kept).toBe(kept);
    expect(await readFile(kept, "utf8")).toContain("unknown");
    expect(await readFile(kept, "utf8")).toContain("checked with the bank");
    expect(await readFile(path, "utf8")).toContain("settled_done");

    await note("a second look,,\r\n");
    await writeResults(settled);
    expect(await readFile(kept, "utf8")).toContain("checked with the bank");
    expect(await readFile(join(folder, "payroll.csv.results.edited-2.csv"), "utf8")).toContain("a second look");
  });

  test("what another process kept meanwhile is not replaced by what this one keeps", async () => {
    const memory = new Map<string, string>();
    const input = resultsInput(folder, small, accepted, {}, memory);
    await writeResults(input);
    const path = join(folder, NAMES[0]);
    await writeFile(path, `${await readFile(path, "utf8")}checked,,\r\n`);
    const kept = join(folder, "payroll.csv.results.edited.csv");
    const records: typeof input.records = () => {
      writeFileSync(kept, "theirs");
      return input.records();
    };
    const report = await writeResults({ ...input, records });
    expect(await readFile(kept, "utf8")).toBe("theirs");
    expect(report.files.kept).toBe(join(folder, "payroll.csv.results.edited-2.csv"));
    expect(await readFile(report.files.kept ?? "", "utf8")).toContain("checked");
  });

  test("what a crash left, before or after the new results had their name, is nobody's change", async () => {
    const memory = new Map<string, string>();
    const input = resultsInput(folder, small, accepted, {}, memory);
    await writeResults(input);
    const noted = join(folder, NAMES[0]);
    const other = resultsInput(folder, small, [rowRecord(2, { state: "unknown" })], {}, memory);
    const noteWritten = async (path: string, sha256: string): Promise<void> => {
      expect(await readFile(noted, "utf8"), "they are noted before they have their name").toContain("accepted");
      await other.noteWritten(path, sha256);
      throw new Error("a crash");
    };
    await expect(writeResults({ ...other, noteWritten })).rejects.toThrow("a crash");
    expect(memory.get(noted)).toHaveLength(129);
    expect((await writeResults(other)).files.kept).toBeUndefined();
    // the note speaks of both: what stands there now is the newer one
    expect((await writeResults(input)).files.kept).toBeUndefined();
    expect((await readdir(folder)).filter((name) => name.includes("edited"))).toEqual([]);
  });

  test("results that were put aside for another batch are kept too where a person has changed them", async () => {
    const memory = new Map<string, string>();
    const mine = resultsInput(folder, small, accepted, {}, memory);
    await writeResults(mine);
    await writeResults({ ...mine, batch: { ...mine.batch, id: "H2MM0000" } });
    const aside = join(folder, "payroll.csv.results.K7Q29F3M.csv");
    const asWritten = await readFile(aside, "utf8");
    await writeFile(aside, `${asWritten}checked,,\r\n`);
    const again = await writeResults({ ...mine, staysAside: true });
    expect(again.files.results).toBe(aside);
    expect(await readFile(aside, "utf8")).toBe(asWritten);
    expect(await readFile(join(folder, "payroll.csv.results.K7Q29F3M.edited.csv"), "utf8")).toContain("checked");

    await writeFile(aside, `${asWritten}once more,,\r\n`);
    const back = await writeResults(mine);
    expect(back.files.results).toBe(join(folder, NAMES[0]));
    expect(await readdir(folder)).not.toContain("payroll.csv.results.K7Q29F3M.csv");
    expect(await readFile(join(folder, "payroll.csv.results.K7Q29F3M.edited-2.csv"), "utf8")).toContain("once more");
    expect(await readdir(folder)).toContain("payroll.csv.results.H2MM0000.csv");
  });

  test("files of another batch are kept under its id", async () => {
    const memory = new Map<string, string>();
    const input = resultsInput(folder, small, invalid, {}, memory);
    await writeResults({ ...input, batch: { ...input.batch, id: "H2MM0000" } });
    // as a person has changed it
    await appendFile(join(folder, NAMES[0]), "checked,,\r\n");
    const before = await readFile(join(folder, NAMES[0]));
    const report = await writeResults({
      ...input,
      noteWritten: (path, sha256) => {
        if (path.includes("H2MM0000")) expect(existsSync(path), `${path} is noted before it has its name`).toBe(false);
        return input.noteWritten(path, sha256);
      },
    });
    expect(report.files.elsewhere).toBeUndefined();
    expect((await readdir(folder)).sort()).toEqual([
      "payroll.csv.results.H2MM0000.csv",
      "payroll.csv.results.csv",
      "payroll.csv.retry.H2MM0000.csv",
      "payroll.csv.retry.csv",
      "payroll.csv.summary.H2MM0000.json",
      "payroll.csv.summary.json",
    ]);
    expect((await readFile(join(folder, "payroll.csv.results.H2MM0000.csv"))).equals(before)).toBe(true);
    expect(memory.get(join(folder, "payroll.csv.retry.H2MM0000.csv"))).toBeDefined();
  });

  test("what was put aside for another batch is written again where it lies; there is never a second word on a batch", async () => {
    const memory = new Map<string, string>();
    const mine = resultsInput(folder, small, invalid, {}, memory);
    const theirs = { ...mine, batch: { ...mine.batch, id: "H2MM0000" } };
    await writeResults(mine);
    await writeResults(theirs);
    const names = (await readdir(folder)).sort();
    const of = async (name: string): Promise<string> => readFile(join(folder, name), "utf8");
    const later = await of("payroll.csv.results.csv");
    await writeFile(join(folder, "payroll.csv.results.K7Q29F3M.csv"), "result_row,result_status,result_batch\r\n2,held,K7Q29F3M\r\n"); // prettier-ignore
    // as an earlier build left it
    memory.delete(join(folder, "payroll.csv.results.K7Q29F3M.csv"));
    const again = await writeResults({ ...mine, staysAside: true });
    expect(again.files).toMatchObject({ results: join(folder, "payroll.csv.results.K7Q29F3M.csv"), retryRows: 1 });
    expect((await readdir(folder)).sort()).toEqual(names);
    expect(await of("payroll.csv.results.csv")).toBe(later);
    expect(await of("payroll.csv.results.K7Q29F3M.csv")).not.toContain("held");

    // as long as nothing in it is to be corrected
    await writeResults({ ...resultsInput(folder, small, accepted, {}, memory), staysAside: true });
    expect(await readdir(folder)).not.toContain("payroll.csv.retry.K7Q29F3M.csv");
    await writeResults({ ...mine, staysAside: true });
    expect((await readdir(folder)).sort()).toEqual(names);

    // a person corrects rows in what was put aside
    const retry = join(folder, "payroll.csv.retry.K7Q29F3M.csv");
    await writeFile(retry, "amount\r\n100.00\r\n");
    await writeResults({ ...mine, staysAside: true });
    expect(await readFile(retry, "utf8")).toBe("amount\r\n100.00\r\n");
    await rm(retry);

    // the file itself lies there again
    expect((await writeResults(mine)).files.results).toBe(join(folder, "payroll.csv.results.csv"));
    expect((await readdir(folder)).sort()).toEqual(names.map((name) => name.replace("K7Q29F3M", "H2MM0000")));
  });

  test.each([["summary"], ["results", "summary"]])(
    "of what was put aside for another batch the %s was taken away: it is written beside the file",
    async (...gone) => {
      const memory = new Map<string, string>();
      const mine = resultsInput(folder, small, accepted, {}, memory);
      await writeResults(mine);
      await writeResults({ ...mine, batch: { ...mine.batch, id: "H2MM0000" } });
      const names = await readdir(folder);
      for (const name of names)
        if (gone.some((one) => name.startsWith(`payroll.csv.${one}.K7Q29F3M`))) await rm(join(folder, name));
      const again = await writeResults({ ...mine, staysAside: true });
      expect(again.files).toMatchObject({ results: join(folder, NAMES[0]) });
      expect((await readdir(folder)).sort()).toEqual(names.map((one) => one.replace("K7Q29F3M", "H2MM0000")).sort());
    },
  );

  const RETRY = "payroll.csv.retry.csv";
  test("what another process takes away while it writes the same results is no folder that is gone", async () => {
    const memory = new Map<string, string>();
    const mine = resultsInput(folder, small, invalid, {}, memory);
    const others = async (is: (name: string) => boolean): Promise<void> => {
      for (const name of await readdir(folder)) if (is(name)) await rm(join(folder, name));
    };
    await writeResults(mine);
    // it holds the lock, and takes our unfinished files for something that a crash left
    let isFirst = true;
    const swept = await writeResults({
      ...mine,
      async noteWritten(path, sha256) {
        if (isFirst) await others((name) => name.endsWith(".tmp"));
        isFirst = false;
        await mine.noteWritten(path, sha256);
      },
    });
    expect(swept.files).toMatchObject({ results: join(folder, NAMES[0]), retryRows: 1 });
    expect(swept.files.elsewhere).toBeUndefined();
    // it has removed the retry file that is out of date
    isFirst = true;
    const records = (): ReturnType<typeof mine.records> => {
      if (isFirst) rmSync(join(folder, RETRY));
      isFirst = false;
      return mine.records();
    };
    const cleared = await writeResults({ ...mine, records });
    expect(cleared.files).toMatchObject({ results: join(folder, NAMES[0]), retryRows: 1 });
    expect((await readdir(folder)).sort()).toEqual([...NAMES, RETRY].sort());
  });

  test.each(["json", "jsonl"] as const)("%s results of another batch are kept too", async (format) => {
    const sheet = sheetOf(format, ["amount"], 2, () => ["1"]);
    const input = resultsInput(folder, sheet, [rowRecord(1), rowRecord(2)]);
    await writeResults({ ...input, batch: { ...input.batch, id: "H2MM0000" } });
    await writeResults(input);
    const kept = await readFile(join(folder, `payroll.${format}.results.H2MM0000.${format}`), "utf8");
    expect(kept).toContain('"result_batch":"H2MM0000"');
  });

  test("a retry file that a person is correcting is left alone; ours goes by its batch id", async () => {
    const memory = new Map<string, string>();
    await writeResults(resultsInput(folder, small, invalid, {}, memory));
    const path = join(folder, "payroll.csv.retry.csv");
    const ours = join(folder, "payroll.csv.retry.K7Q29F3M.csv");
    const corrected = (await readFile(path, "utf8")).replace("\r\n1,", "\r\n100.00,");
    await writeFile(path, corrected);
    const report = await writeResults(resultsInput(folder, small, invalid, {}, memory));
    expect(await readFile(path, "utf8")).toBe(corrected);
    expect(report.files.retry).toBe(ours);

    // that one is being corrected too: neither is written over
    const untouched = await readFile(ours, "utf8");
    await writeFile(ours, corrected);
    const elsewhere = await writeResults(resultsInput(folder, small, invalid, {}, memory));
    expect(elsewhere.files.elsewhere).toContain("payroll.csv.retry.K7Q29F3M.csv was changed by a person");
    expect([await readFile(path, "utf8"), await readFile(ours, "utf8")]).toEqual([corrected, corrected]);

    // where its own name is free again there is no second one
    await writeFile(ours, untouched);
    await rm(path);
    expect((await writeResults(resultsInput(folder, small, invalid, {}, memory))).files.retry).toBe(path);
    expect(await readdir(folder)).not.toContain("payroll.csv.retry.K7Q29F3M.csv");
  });

  test("our own retry file is noted before it has its name, and never stands there with the note of another", async () => {
    const memory = new Map<string, string>();
    const path = join(folder, "payroll.csv.retry.csv");
    await writeResults(resultsInput(folder, small, invalid, {}, memory));
    const seen: string[][] = [];
    const noteWritten = async (at: string, sha256: string): Promise<void> => {
      if (at === path) seen.push((await readdir(folder)).filter((name) => name.includes("retry")));
      memory.set(at, sha256);
    };
    await writeResults(resultsInput(folder, small, [rowRecord(2, { state: "rejected" })], { noteWritten }, memory));
    expect(seen).toEqual([[]]);
    expect(memory.has(path)).toBe(true);
  });

  test.skipIf(process.getuid?.() === 0)("a folder without the right to write sends them elsewhere", async () => {
    const inbox = join(folder, "inbox");
    await mkdir(inbox);
    await chmod(inbox, 0o500);
    const target = { folder: inbox, fileName: "payroll.csv" };
    const report = await writeResults(resultsInput(folder, small, accepted, { target }));
    expect(report.files.elsewhere).toContain("no right to write");
  });
});
