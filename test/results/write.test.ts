import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parse } from "csv-parse/sync";
import { expect, onTestFinished, test } from "vitest";
import type { BatchReport } from "../../src/events.ts";
import { openTable } from "../../src/reader/open-table.ts";
import { journalPath } from "../../src/state-dir.ts";
import { workbookOf } from "../support/workbooks.ts";
import { SILENT, TestDesk, transfers, type Answers } from "../support/desk.ts";

const FILE = transfers(["ACC-1", "100.00"], ["ACC-2", "50.50", "a, b"], ["ACC-3", "x"], ["ACC-4", "7.00"]);
/** ACC-2 is refused, of ACC-4 no answer comes. */
const MIXED: Answers = (payload) => (payload.includes("ACC-2") ? 422 : payload.includes("ACC-4") ? SILENT : undefined);

function csv(text: string): Record<string, string>[] {
  return parse(text, { bom: true, columns: true });
}

test("a copy of an earlier version of the file → its results come under their batch, beside those of the newer one", async () => {
  const desk = await TestDesk.open();
  const old = transfers(["T1", "1.00"]);
  const first = await desk.run("pay.csv", old);
  const second = await desk.run("pay.csv", transfers(["T2", "2.00"]));
  const again = await desk.run("copy.csv", old);
  expect(again).toMatchObject({ batch: first.batch, requests: 0 });
  expect(desk.read("pay.csv.results.csv")).toContain(second.batch);
  expect(again.files.results).toMatch(new RegExp(`/pay\\.csv\\.results\\.${first.batch}\\.csv$`));
  // the old version itself, where it lay: it is what the names are of
  await desk.run("pay.csv", old);
  expect(desk.read("pay.csv.results.csv")).toContain(first.batch);
});

test("every row has one line in input order, and the sums equal the file", async () => {
  const desk = await TestDesk.open();
  const report = await desk.run("pay.csv", FILE, MIXED);
  const results = desk.read("pay.csv.results.csv");
  const before = "result_row,result_status,result_http_status,result_message,result_action";
  const after =
    "result_operation,result_amount,result_reference,result_attempts,result_sent_at,result_duration_ms,result_response,result_duplicate_of,result_settled_by,result_batch,result_seen";
  expect(results.split("\r\n")[0]).toBe(`\uFEFF${before},from_account,to_account,amount,notes,${after}`);
  expect(
    csv(results).map((row) => [row["result_row"], row["result_status"], row["result_http_status"], row["notes"]]),
  ).toEqual([
    ["2", "accepted", "200", ""],
    ["3", "rejected", "422", "a, b"],
    ["4", "invalid", "", ""],
    ["5", "unknown", "", ""],
  ]);
  expect(csv(desk.read("pay.csv.retry.csv")).map((row) => [row["to_account"], row["amount"], row["retry_of"]])).toEqual(
    [
      ["ACC-2", "50.50", `${report.batch}:3`],
      ["ACC-3", "x", `${report.batch}:4`],
    ],
  );
  const summary = JSON.parse(desk.read("pay.csv.summary.json")) as Record<string, unknown>;
  expect(Object.keys(summary)[0]).toBe("paydrop");
  expect(summary).toMatchObject({
    ...{ batch: report.batch, file: "pay.csv", operation: "transfer", exit_code: 4, requests: 3 },
    control: { in: { rows: 4, total: "157.50" }, out: { rows: 4, total: "157.50" } },
    rows: { total: 4, accepted: 1, rejected: 1, unknown: 1, not_sent: 0, invalid: 1 },
    amount: { total: "157.50", accepted: "100.00", unknown: "7.00" },
    by_account: [{ account: "ACC-OPS-01", rows: 4, total: "157.50", accepted: "100.00" }],
    runs: [{ login: "asha", host: "pay1", exit_code: 4, requests: 3 }],
  });
  expect(report).toMatchObject({
    exitCode: 4,
    files: { retryRows: 2 },
    rowsToLookAt: { unknown: [5], rejected: [3], invalid: [4] },
  });
  expect(report.remarks).toEqual([{ code: "without_amount", facts: { rows: 1 } }]);
});

const OBJECTS = [
  '{"from_account":"ACC-OPS-01","to_account":"ACC-1","amount":100.10,"id":12345678901234567890}',
  '{"to_account":"ACC-2","from_account":"ACC-OPS-01","amount":"x","extra":{"a":[1,\n2]}}',
];
const SHEET = {
  ...{ name: "November", header: ["from_account", "to_account", "amount"], widths: [] },
  rows: [
    ["ACC-OPS-01", "0012", { amount: "100.10" }],
    ["ACC-OPS-01", "0013", "x"],
  ],
};

test.each<[string, string | Uint8Array, string]>([
  ["pay.json", `[${OBJECTS.join(",")}]`, "json"],
  ["pay.jsonl", OBJECTS.map((one) => one.replace("\n", "")).join("\n"), "jsonl"],
  ["pay.ndjson", OBJECTS.map((one) => one.replace("\n", "")).join("\n"), "ndjson"],
  ["pay.xlsx", workbookOf(SHEET), "xlsx"],
])("%s → results and retry file in its own format", async (name, content, extension) => {
  const desk = await TestDesk.open();
  const { files, batch } = await desk.run(name, content);
  expect(desk.names()).toEqual([
    name,
    `${name}.results.${extension}`,
    `${name}.retry.${extension}`,
    `${name}.summary.json`,
  ]);
  const rowsOf = async (path: string | undefined) => {
    const rows = [];
    for await (const page of (await openTable(path ?? "", path ?? "")).rows()) rows.push(...page);
    return rows.map(({ columns, cells }) => Object.fromEntries(columns.map((column, at) => [column, cells[at]])));
  };
  const results = await rowsOf(files.results);
  expect(results.map((row) => row["result_status"])).toEqual(["accepted", "invalid"]);
  expect(results[0]?.["result_amount"]).toEqual(
    extension === "xlsx" ? expect.objectContaining({ source: "100.1" }) : "100.10",
  );
  const [retry] = await rowsOf(files.retry);
  expect(retry).toMatchObject({ amount: "x", retry_of: `${batch}:${extension === "xlsx" ? 3 : 2}` });
  if (extension === "json") expect(desk.read("pay.json.results.json")).toContain('"id":12345678901234567890,');
  if (extension === "json") expect(desk.read("pay.json.retry.json")).toContain('"extra":{"a":[1, 2]}');
});

test("what a JSON wrapper said → is said by the retry file, too, but for its control totals", async () => {
  const desk = await TestDesk.open();
  const wrapper = `{"operation":"transfer","period":"2026-11","control":{"rows":2},"rows":[${OBJECTS.join(",")}]}`;
  await desk.run("pay.json", wrapper);
  expect(desk.read("pay.json.retry.json")).toMatch(
    /^\{"operation":"transfer","period":"2026-11","rows":\[\n\{.*\}\n\]\}\n$/s,
  );
});

test("a column of ours in the file → is named input_…, and the last word is ours", async () => {
  const desk = await TestDesk.open();
  await desk.run("pay.csv", FILE.replace("notes", "Result Status"));
  expect(desk.read("pay.csv.results.csv").split("\r\n")[0]).toContain(",amount,input_Result Status,result_operation");
});

test("deleted results → rebuilt from journal and snapshot, byte for byte (I11)", async () => {
  const desk = await TestDesk.open();
  const many = transfers(...Array.from({ length: 12 }, (_, at) => [`ACC-${at}`, "1.00"] as const));
  // three unknown rows stop the run
  const report = await desk.run("pay.csv", many, (payload) => (/ACC-[2-4]"/.test(payload) ? SILENT : undefined));
  expect(report.stop?.code).toBe("unknown_in_a_row");
  const names = desk.names().filter((name) => name !== "pay.csv");
  const written = names.map((name) => desk.read(name));
  rmSync(join(desk.folder, "pay.csv"));
  for (const name of names) rmSync(join(desk.folder, name));
  const again = await desk.again(report.batch);
  expect(names.map((name) => desk.read(name))).toEqual(written);
  expect(again).toMatchObject({ exitCode: 4, requests: report.requests, stop: report.stop });
});

test("a corrected retry file → the first results say so, and its own retry file is gone", async () => {
  const desk = await TestDesk.open();
  const first = await desk.run("pay.csv", FILE, MIXED);
  const corrected = desk.read("pay.csv.retry.csv").replace(",x,", ",3.00,").replace(",50.50,", ",50.40,");
  const second = await desk.run("pay.csv.retry.csv", corrected);
  expect(second.byStatus).toEqual({ accepted: { rows: 2, amount: "53.40" } });
  await desk.again(first.batch);
  const [, refused, invalid] = csv(desk.read("pay.csv.results.csv"));
  expect(refused).toMatchObject({ result_status: "rejected", result_action: "Nothing" });
  expect(refused?.["result_message"]).toBe(
    `The service refused this row. Corrected by row 2 of batch ${second.batch}, which went`,
  );
  expect(invalid).toMatchObject({ result_status: "invalid", result_action: "Nothing" });
  // the person's own file, under the same name, stays
  expect(desk.read("pay.csv.retry.csv")).toBe(corrected);
  expect(desk.names()).not.toContain(`pay.csv.retry.${first.batch}.csv`);
});

const RESULTS = "pay.csv.results.csv";
const SUMMARY = "pay.csv.summary.json";

test.each<[string, string, (path: string) => void]>([
  ["a person's table", RESULTS, (path) => writeFileSync(path, "name,amount\r\nAsha,1\r\n")],
  [
    "a table that has one column of ours",
    RESULTS,
    (path) => writeFileSync(path, "result_row,result_batch\r\n2,H2MM0000\r\n"),
  ],
  [
    "a batch that could lead to another folder",
    RESULTS,
    (path) => writeFileSync(path, "result_row,result_status,result_batch\r\n2,x,../K7\r\n"),
  ],
  ["a summary of other software", SUMMARY, (path) => writeFileSync(path, '{"batch":"H2MM0000"}')],
  ["a link", RESULTS, (path) => symlinkSync(join(path, "..", "pay.csv"), path)],
  ["a folder", RESULTS, (path) => mkdirSync(path)],
])("%s at our name → stays, and the results lie in the state directory, exit 74", async (_what, name, plant) => {
  const desk = await TestDesk.open();
  const path = desk.write("pay.csv", FILE);
  plant(join(desk.folder, name));
  const { files, exitCode } = await desk.run("pay.csv");
  expect(exitCode).toBe(74);
  expect(files.results).toMatch(/state\/results\/[0-9A-Z]{8}\/pay\.csv\.results\.csv$/);
  expect(files.elsewhere).toContain(name);
  expect(csv(readFileSync(files.results ?? "", "utf8"))).toHaveLength(4);
  expect(desk.names()).toEqual(["pay.csv", name]);
  expect(readFileSync(path, "utf8")).toBe(FILE);
});

test("rows that add up to another sum than the file's → no results, and the old ones stay (I13)", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", FILE);
  const before = desk.read(RESULTS);
  const journal = new DatabaseSync(journalPath(desk.config.state_dir));
  onTestFinished(() => journal.close());
  journal.exec("UPDATE row SET amount = '1.01' WHERE row = 2");
  await expect(desk.again(batch)).rejects.toThrow("the results hold");
  expect(desk.read(RESULTS)).toBe(before);
});

test("a folder that is gone → results wait in the state directory, and move over when it is back", async () => {
  const desk = await TestDesk.open();
  let gone = false;
  const report = await desk.run("pay.csv", FILE, () => {
    if (!gone) renameSync(desk.folder, `${desk.folder}.away`);
    gone = true;
    return undefined;
  });
  expect(report).toMatchObject({ exitCode: 74, byStatus: { accepted: { rows: 3 } } });
  expect(report.files.elsewhere).toContain("its folder is not there any more; it lies in ");
  renameSync(`${desk.folder}.away`, desk.folder);
  const again = await desk.again(report.batch);
  expect(again.files).toMatchObject({ results: join(desk.folder, RESULTS) });
  expect(existsSync(report.files.results ?? "")).toBe(false);
});

test("a folder without the right to write → the state directory", { tags: ["no-root"] }, async () => {
  const desk = await TestDesk.open();
  desk.write("pay.csv", FILE);
  chmodSync(desk.folder, 0o500);
  expect((await desk.run("pay.csv")).files.elsewhere).toContain("no right to write");
  chmodSync(desk.folder, 0o700);
});

test("another batch of the same name → the earlier files are kept under its id, and written again there", async () => {
  const desk = await TestDesk.open();
  const first = await desk.run("pay.csv", FILE, MIXED);
  const old = desk
    .names()
    .filter((name) => name !== "pay.csv")
    .map((name) => desk.read(name));
  const second = await desk.run("pay.csv", transfers(["ACC-9", "9.00"], ["ACC-8", "y"]));
  const kept = [
    `pay.csv.results.${first.batch}.csv`,
    `pay.csv.retry.${first.batch}.csv`,
    `pay.csv.summary.${first.batch}.json`,
  ];
  expect(kept.map((name) => desk.read(name))).toEqual(old);
  const all = desk.names();
  expect(all).toHaveLength(7);
  // only written again: the names of the file stay the later batch's
  await desk.store.move(
    first.batch,
    [{ row: 5, to: "settled_done", from: ["unknown"] }],
    desk.act("settle", { batch: first.batch, rows: [5] }),
  );
  await desk.again(first.batch);
  expect(desk.names()).toEqual(all);
  expect(csv(desk.read(kept[0] ?? "")).at(-1)).toMatchObject({
    result_status: "settled_done",
    result_settled_by: "Asha Rao",
  });
  expect(desk.read(RESULTS)).toContain(second.batch);
});

test("a retry file that a person is correcting → stays, and ours goes by its batch id", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", FILE, MIXED);
  const mine = desk.read("pay.csv.retry.csv");
  const theirs = mine.replace(",x,", ",100.00,");
  desk.write("pay.csv.retry.csv", theirs);
  const { files } = await desk.again(batch);
  expect(files.retry).toBe(join(desk.folder, `pay.csv.retry.${batch}.csv`));
  expect([desk.read("pay.csv.retry.csv"), desk.read(`pay.csv.retry.${batch}.csv`)]).toEqual([theirs, mine]);
  // where its own name is free again there is no second one
  rmSync(join(desk.folder, "pay.csv.retry.csv"));
  expect((await desk.again(batch)).files.retry).toBe(join(desk.folder, "pay.csv.retry.csv"));
  expect(desk.names().filter((name) => name.includes("retry"))).toEqual(["pay.csv.retry.csv"]);
});

test("--retry-xlsx → the retry file as a workbook, and no second one beside it", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", FILE, MIXED);
  const written: BatchReport = await desk.again(batch, { retryFormat: "xlsx" });
  expect(written.files.retry).toBe(join(desk.folder, "pay.csv.retry.xlsx"));
  expect(desk.names().filter((name) => name.includes("retry"))).toEqual(["pay.csv.retry.xlsx"]);
  const corrected = await openTable(written.files.retry ?? "", "pay.csv.retry.xlsx");
  expect(corrected.header).toEqual(["from_account", "to_account", "amount", "notes", "retry_message", "retry_of"]);
});

test("nothing to correct any more → the untouched retry file goes", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", transfers(["ACC-1", "1.00"], ["ACC-2", "2.00"]), (payload) =>
    payload.includes("ACC-2") ? 401 : undefined,
  );
  expect(desk.names()).not.toContain("pay.csv.retry.csv");
  const refused = await desk.run("other.csv", FILE, MIXED);
  await desk.run("fix.csv", desk.read("other.csv.retry.csv").replace(",x,", ",3.00,").replace(",50.50,", ",50.40,"));
  await desk.again(refused.batch);
  expect(desk.names()).not.toContain("other.csv.retry.csv");
  expect((await desk.again(batch)).goesAgain).toBe(1);
});
