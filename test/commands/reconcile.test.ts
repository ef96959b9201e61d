import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { run as find } from "../../src/commands/find.ts";
import { run as reconcile } from "../../src/commands/reconcile.ts";
import { report } from "../../src/commands/results-report.ts";
import { run as status } from "../../src/commands/status.ts";
import { run as settle } from "../../src/commands/settle.ts";
import { called, jsonLines } from "../support/call.ts";
import { TestDesk } from "../support/desk.ts";

const HEADER = "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,reference,bank_id";
const row = (name: string, account: string, amount: string, reference: string): string =>
  `ACC-OPS-01,${name},${account},SBIN0001234,${name},${amount},NEFT,${reference},1`;
const PAYROLL = [
  HEADER,
  row("Asha Rao", "90010000008901", "25000.00", "INV-41"),
  row("Ravi Kumar", "90010000004471", "25000.00", "INV-42"),
  row("Meena Das", "90010000002222", "31500.00", "INV-43"),
  row("Imran Sheikh", "90010000003333", "18000.00", "INV-44"),
  row("Kavita Joshi", "90010000005555", "18000.00", "INV-45"),
  "",
].join("\n");

/** As the bank writes it: `03/11/26`, a narration, what went out, what came in. */
function statementOf(lines: readonly (readonly [day: string, narration: string, out: string, into: string])[]): string {
  let balance = 50_000_000n;
  const paise = (text: string): bigint => BigInt(text.replaceAll(/[.,]/g, "") || "0");
  const shown = lines.map(([day, narration, out, into]) => {
    balance += paise(into) - paise(out);
    const text = balance.toString();
    return `${day}/11/26,"${narration}",0000,${day}/11/26,"${out}","${into}",${text.slice(0, -2)}.${text.slice(-2)}`;
  });
  const titles = ["HDFC BANK Ltd.,,,,,,", "Account No :50100000001234,,,,,,", ",,,,,,"];
  const header = "Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance";
  return [...titles, header, ...shown, ""].join("\r\n");
}

const NOVEMBER = statementOf([
  ["03", "NEFT DR-N307-ASHA RAO-INV-41", "25,000.00", ""],
  ["03", "NEFT DR-N308-RAVI KUMAR-INV-42", "25,000.00", ""],
  ["04", "ATM WDL PUNE", "2,000.00", ""],
  ["04", "IMPS-N309-MEENA DAS-INV-43", "31,500.00", ""],
  ["05", "RETURN NEFT-N309-INV-43 INVALID ACCOUNT", "", "31,500.00"],
  ["13", "RENT OFFICE", "18,000.00", ""],
]);

async function sent(): Promise<{ desk: TestDesk; say: (path: string, flags?: object) => ReturnType<typeof called> }> {
  const desk = await TestDesk.open();
  desk.now = Date.UTC(2026, 10, 3, 5);
  await desk.run("payroll.csv", PAYROLL, (payload) => (/Ravi|Kavita/.test(payload) ? 500 : 200));
  const say = (path: string, flags: object = {}) =>
    called({ run: reconcile }, [path], { state_dir: desk.config.state_dir, environment: "test", ...flags });
  return { desk, say };
}

test("a statement → seen, returned and proposed rows, a list, and results that say so", async () => {
  const { desk, say } = await sent();
  const path = join(desk.folder, "hdfc-november.txt.csv");
  writeFileSync(path, NOVEMBER);
  await expect(say(path)).rejects.toMatchObject({ reason: "statement_account" });
  const { code, stdout } = await say(path, { account: "ACC-OPS-01", json: true });
  expect(code).toBe(4);
  expect(jsonLines(stdout)).toMatchObject([
    { what: "proposed", row: 3, line: 6, as: "done", evidence: "reference", reference: "INV-42" },
    { what: "returned", row: 4, line: 9 },
    { what: "not_shown", row: 6 },
    { what: "strange", line: 7, amount: "2000.00" },
    { what: "strange", line: 10, amount: "18000.00" },
    { type: "summary", layout: "HDFC", accepted: 3, seen: 2, proposed: { rows: 1, amount: "25000.00" }, exit_code: 4 },
  ]);
  expect(stdout).not.toMatch(/9001000000/);
  const list: Record<string, string>[] = parse(readFileSync(`${path}.reconciled.csv`), { bom: true, columns: true });
  expect(list.map(({ as }) => as)).toEqual(["done", "", "", "", ""]);
  const results: Record<string, string>[] = parse(desk.read("payroll.csv.results.csv"), { bom: true, columns: true });
  expect(results.map((one) => one["result_seen"])).toEqual([
    "2026-11-03",
    "",
    "2026-11-04, returned 2026-11-05",
    "",
    "",
  ]);
});

test("what a statement shows → told by status, report and summary, and by results that are made again", async () => {
  const { desk, say } = await sent();
  const path = join(desk.folder, "hdfc.csv");
  writeFileSync(path, NOVEMBER);
  await say(path, { account: "ACC-OPS-01" });
  const told = "seen in the bank's statement: 2 of 3; the money of 1 row came back";
  const [batch] = await desk.store.batches({});
  const id = batch?.id ?? "";
  const { state_dir } = desk.config;
  expect((await called({ run: status }, [id], { state_dir })).stdout).toContain(told);
  expect(desk.read("payroll.csv.summary.json")).toContain(told);
  const found = await called({ run: find }, ["ACC-OPS-01"], { state_dir, since: "2026-11-01", csv: true });
  const seen: Record<string, string>[] = parse(found.stdout, { bom: true, columns: true });
  expect(seen.map((one) => one["seen"])).toEqual(["2026-11-03", "", "2026-11-04, returned 2026-11-05", "", ""]);
  const before = desk.read("payroll.csv.results.csv");
  await called({ run: report }, [id], { state_dir });
  expect(desk.read("payroll.csv.report.html")).toContain(told.replace("'", "&#39;"));
  await desk.again(id);
  expect(desk.read("payroll.csv.results.csv")).toBe(before);
});

test("the same statement again → nothing counts twice, and its account is known", async () => {
  const { desk, say } = await sent();
  const path = join(desk.folder, "hdfc.csv");
  writeFileSync(path, NOVEMBER);
  await say(path, { account: "ACC-OPS-1" });
  await expect(say(path), "nothing went of it: mistyped").rejects.toMatchObject({ reason: "statement_account" });
  await say(path, { account: "ACC-OPS-01" });
  const again = await say(path, { json: true });
  expect(jsonLines(again.stdout).at(-1)).toMatchObject({ lines: 6, lines_before: 3, accepted: 3, seen: 2 });
});

test("another account of ours for a known statement → not remembered while no line speaks for it", async () => {
  const { desk, say } = await sent();
  await desk.run(
    "rent.csv",
    [HEADER, row("Lata Shah", "90010000007777", "18000.00", "R-1"), ""]
      .join("\n")
      .replaceAll("ACC-OPS-01", "ACC-RENT-02"),
  );
  const path = join(desk.folder, "hdfc.csv");
  writeFileSync(path, NOVEMBER);
  await say(path, { account: "ACC-OPS-01" });
  const mistyped = await say(path, { account: "ACC-RENT-02", json: true });
  expect(jsonLines(mistyped.stdout).at(-1)).toMatchObject({ accepted: 1, seen: 0 });
  expect(jsonLines((await say(path, { json: true })).stdout).at(-1)).toMatchObject({ accepted: 3, seen: 2 });
});

test("what it proposes → settled by a person's name and sum, and by nothing else", async () => {
  const { desk, say } = await sent();
  const path = join(desk.folder, "hdfc.csv");
  writeFileSync(path, NOVEMBER);
  await say(path, { account: "ACC-OPS-01" });
  const from = `${path}.reconciled.csv`;
  const by = (more: object) =>
    called({ run: settle }, [], { state_dir: desk.config.state_dir, from, by: "asha", ...more });
  await expect(by({})).rejects.toMatchObject({ reason: "settle_proposed" });
  await expect(by({ total: "24000" })).rejects.toMatchObject({ reason: "settle_proposed" });
  expect(await by({ total: "25,000.00".replace(",", "") })).toMatchObject({ code: 0 });
  const [batch] = await desk.store.batches({});
  expect(await desk.store.rows({ batch: batch?.id ?? "", rows: [3] })).toMatchObject([
    { state: "settled_done", settledBy: "asha" },
  ]);
});
