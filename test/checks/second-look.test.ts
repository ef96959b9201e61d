import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { checkFile } from "../../src/proof-read/check-file.ts";
import type { CheckReport } from "../../src/results/screen/check-report.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/server.ts";
import { AES_IV, AES_KEY, API_KEY, openDesk, transfersCsv, type Desk } from "../support/desk.ts";

const HEADER = "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: API_KEY, aesKey: AES_KEY, aesIv: AES_IV });
});
afterAll(() => sandbox.close());

function payouts(rows: readonly (readonly [name: string, account: string, amount: string])[]): string {
  const lines = rows.map(([name, account, amount]) => `ACC-1,${name},${account},SBIN0001234,${name},${amount},imps`);
  return `${[HEADER, ...lines].join("\n")}\n`;
}

function check(desk: Desk, name: string, flags: Readonly<Record<string, unknown>> = {}): Promise<CheckReport> {
  return checkFile(join(desk.folder, name), { config: loadConfig({ env: { ...desk.env }, flags }) });
}

const warningsOf = ({ warnings }: CheckReport): string[] =>
  warnings.flatMap(({ row, warnings: all }) => all.map(({ code, message }) => `${row} ${code}: ${message}`));

const codesOf = ({ warnings }: CheckReport): (number | string)[][] =>
  warnings.map(({ row, warnings: all }) => [row, ...all.map(({ code }) => code)]);

describe("an amount nine times the middle one", () => {
  const amounts = (...said: string[]): string =>
    `from_account,to_account,amount\n${said.map((amount, index) => `A-1,B-${index},${amount}\n`).join("")}`;

  test.each([
    [["100", "101.00", "99.5", "100.00", "900.00"], ["6 amount_unusual"]],
    [["100", "101.00", "99.5", "100.00", "899.99"], []],
    // digits are compared, not texts: 9 is less than 10
    [["9", "10", "11", "9.99", "90.00"], ["6 amount_unusual"]],
    // exact where a float is not
    [["9007199254740.96", "1000799917193.44", "1000799917193.44", "1000799917193.44", "1"], ["2 amount_unusual"]],
    [["9007199254740.95", "1000799917193.44", "1000799917193.44", "1000799917193.44", "1"], []],
    // too few rows to have a usual amount
    [["1", "1", "1", "900"], []],
    // the lower one of the two in the middle
    [
      ["1", "1", "1", "9", "9", "9"],
      ["5 amount_unusual", "6 amount_unusual", "7 amount_unusual"],
    ],
  ])("%j", async (said, expected) => {
    const desk = openDesk(sandbox.url);
    desk.write("a.csv", amounts(...said));
    expect(warningsOf(await check(desk, "a.csv")).map((one) => one.split(":")[0])).toEqual(expected);
  });

  test("counts invalid rows neither way, and changes no exit code", async () => {
    const desk = openDesk(sandbox.url);
    desk.write("a.csv", amounts("100", "100", "100", "x", "y", "z", "100", "100", "1000"));
    const report = await check(desk, "a.csv");
    expect(warningsOf(report)).toEqual([`10 amount_unusual: "1000" is 10 times the middle amount of this file, 100`]);
    expect(report).toMatchObject({ exitCode: 3, warned: 1, ready: { rows: 6 } });
  });

  test("an amount of nine digits is shown where it has decimals; without them it may be an account", async () => {
    const desk = openDesk(sandbox.url);
    for (const [large, shown] of [
      ["150000000.00", "150000000.00"],
      ["150000000", "••0000"],
    ] as const) {
      desk.write("a.csv", amounts("3.00", "3.00", "3.00", "3.00", large));
      const report = await check(desk, "a.csv");
      expect(warningsOf(report)).toEqual([
        `6 amount_unusual: "${shown}" is 50000000 times the middle amount of this file, 3.00`,
      ]);
    }
  });
});

test("the same payee twice is pointed out with the first row, masked; a row that is held for it is not told twice", async () => {
  const desk = openDesk(sandbox.url);
  const rows = [
    ["Asha", "50100271828001", "100.00"],
    ["Ravi", "60200000000001", "101.00"],
    ["Asha", "50100271828001", "250.00"],
    ["Ravi", "60200000000001", "101.00"],
  ] as const;
  desk.write("a.csv", payouts(rows));
  const report = await check(desk, "a.csv");
  expect(warningsOf(report)).toEqual([
    `4 payee_twice: "••8001" stands in row 2 too, with another amount, debit account or reference`,
  ]);
  expect(report.groups.find(({ code }) => code === "payee_twice")?.first).toMatchObject([{ row: 4, cell: "C4" }]);
  expect(report.holds).toMatchObject([{ row: 5, code: "repeat_in_file" }]);
});

describe("a new account for a known name", () => {
  const october = payouts([
    ["Asha Rao", "50100271828001", "100.00"],
    ["Ravi", "60200000000001", "101.00"],
    ["Meera", "70300000000001", "SANDBOX-422"],
  ]);
  const november = payouts([
    ["ASHA  RAO", "50100271829999", "100.00"],
    ["Ravi", "60200000000001", "101.00"],
    ["Meera", "70300000000002", "102.00"],
    ["New Name", "80400000000001", "103.00"],
  ]);

  test("is pointed out with the account until now, masked, by what was accepted; other spelling is the same name", async () => {
    const desk = openDesk(sandbox.url);
    desk.write("a.csv", october.replace("SANDBOX-422,imps", "102.00,SANDBOX-422"));
    const { batch } = await desk.process("a.csv", { flags: { period: "2026-10" } });
    desk.write("b.csv", november);
    const report = await check(desk, "b.csv", { period: "2026-11" });
    expect(warningsOf(report)).toEqual([
      `2 account_new: "••9999" is a new account for this name; until now it was ••8001 (batch ${batch}, row 2)`,
    ]);
    expect(report.exitCode).toBe(0);
    expect(JSON.stringify(report)).not.toMatch(/50100271828001|50100271829999|60200000000001/);
  });

  test("is pointed out of a row that waits for a person as well: it may be why not to release it", async () => {
    const desk = openDesk(sandbox.url);
    desk.write("a.csv", payouts([["Ravi", "60200000000001", "101.00"]]));
    await desk.process("a.csv", { flags: { period: "2026-10" } });
    const twice = ["Ravi", "60200000000009", "102.00"] as const;
    desk.write("b.csv", payouts([twice, twice]));
    const report = await check(desk, "b.csv", { period: "2026-11" });
    expect(report.holds).toMatchObject([{ row: 3, code: "repeat_in_file" }]);
    expect(codesOf(report)).toEqual([
      [2, "account_new"],
      [3, "account_new"],
    ]);
  });

  test("is pointed out of what is left of a file that went in part", async () => {
    const desk = openDesk(sandbox.url);
    desk.write("a.csv", october.replace("SANDBOX-422,imps", "102.00,imps"));
    await desk.process("a.csv", { flags: { period: "2026-10" } });
    desk.write("b.csv", november);
    desk.env["PAYDROP_API_KEY"] = "a-wrong-key";
    await desk.process("b.csv", { flags: { period: "2026-11" } });
    const report = await check(desk, "b.csv", { period: "2026-11" });
    expect(report.taken?.byStatus).toMatchObject({ rejected: { rows: 1 }, not_sent: { rows: 3 } });
    expect(codesOf(report)).toEqual([[4, "account_new"]]);
  });

  test("nothing is known where nothing was accepted, or where the private copies are gone", async () => {
    const desk = openDesk(sandbox.url);
    desk.write("b.csv", november);
    expect(warningsOf(await check(desk, "b.csv"))).toEqual([]);
    desk.write("a.csv", october.replace("SANDBOX-422,imps", "102.00,imps"));
    await desk.process("a.csv", { flags: { period: "2026-10" } });
    rmSync(join(desk.stateDir, "snapshots"), { recursive: true });
    expect(warningsOf(await check(desk, "b.csv", { period: "2026-11" }))).toEqual([]);
  });
});

test("an account that was paid with zeros in front of it is known without them, whatever the name", async () => {
  const desk = openDesk(sandbox.url);
  desk.write("a.csv", payouts([["Asha Rao", "000271828001", "100.00"]]));
  const { batch } = await desk.process("a.csv", { flags: { period: "2026-10" } });
  desk.write("b.csv", payouts([["A. Rao", "271828001", "100.00"], ["Asha Rao", "000271828001", "101.00"]])); // prettier-ignore
  expect(warningsOf(await check(desk, "b.csv", { period: "2026-11" }))).toEqual([
    `2 zeros_lost: "••8001" looks like an account whose zeros in front are gone: ` +
      `••8001 of 12 digits (batch ${batch}, row 2) begins with them`,
    '3 payee_twice: "••8001" stands in row 2 too, with another amount, debit account or reference',
  ]);
});

test("what the whole file shows is found at its beginning, far behind and at its end, and of nothing between", async () => {
  const desk = openDesk(sandbox.url);
  const rows = Array.from({ length: 20_000 }, (_, index) => `A-1,B-${index},${100 + (index % 7)}`);
  for (const [index, row] of [[0, "A-1,B-0,5000"], [15_000, "A-1,B-3,77"], [19_999, "A-1,B-9,9999"]] as const) rows[index] = row; // prettier-ignore
  desk.write("a.csv", `from_account,to_account,amount\n${rows.join("\n")}\n`);
  expect(codesOf(await check(desk, "a.csv"))).toEqual([
    [2, "amount_unusual"],
    [15_002, "payee_twice"],
    [20_001, "payee_twice", "amount_unusual"],
  ]);
});

test("of a file without anything unusual nothing is pointed out", async () => {
  const desk = openDesk(sandbox.url);
  desk.write("a.csv", transfersCsv(500));
  expect(await check(desk, "a.csv")).toMatchObject({ warned: 0, exitCode: 0, ready: { rows: 500 } });
});

test("both accounts of a transfer are known without the zeros that they were paid with; names of its own tell nothing", async () => {
  const desk = openDesk(sandbox.url);
  const header = "from_account,to_account,amount,name,bank_acc_num";
  desk.env["PAYDROP_OWN_COLUMNS"] = "name,bank_acc_num";
  desk.write("a.csv", `${header}\n0501271828,000271828001,100.00,Asha Rao,1\n`);
  const { batch } = await desk.process("a.csv", { flags: { period: "2026-10", operation: "transfer" } });
  desk.write("b.csv", `${header}\n501271828,271828001,70.00,Asha Rao,2\n0501271828,271828002,71.00,Ravi,3\n`);
  const lost = (shown: string, digits: number): string =>
    `2 zeros_lost: "${shown}" looks like an account whose zeros in front are gone: ` +
    `${shown} of ${digits} digits (batch ${batch}, row 2) begins with them`;
  const flags = { period: "2026-11", operation: "transfer" };
  expect(warningsOf(await check(desk, "b.csv", flags))).toEqual([lost("••1828", 10), lost("••8001", 12)]);
});
