import { describe, expect, test } from "vitest";
import { countsOf } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { openOffice } from "./office.ts";

type Row = readonly [account: string, ifsc: string, amount: string, debit?: string];

const payouts = (...rows: Row[]): string =>
  [
    "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode",
    ...rows.map(([account, ifsc, amount, debit = "ACC-1"]) => `${debit},Asha,${account},${ifsc},Asha,${amount},NEFT`),
    "",
  ].join("\n");

const FIRST: readonly Row[] = [
  ["60200000000001", "HDFC0000001", "100.00"],
  ["60200000000002", "HDFC0000001", "200.00"],
  ["60200000000003", "HDFC0000001", "300.00"],
];

const corrected = (at: number, ...row: Row): Row[] => FIRST.map((one, index) => (index === at ? row : one));

describe("a whole file that is corrected after it went", () => {
  test.each<[string, Row, string]>([
    ["the IFSC of a row", ["60200000000002", "SBIN0000002", "200.00"], "with another amount, debit account or IFSC as row 3"],
    ["its IFSC and its amount", ["60200000000002", "SBIN0000002", "250.00"], "as row 3"],
    ["its debit account", ["60200000000002", "HDFC0000001", "200.00", "ACC-2"], "as row 3"],
  ])("in %s pays it once", async (_what, row, told) => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", payouts(...FIRST));
    await desk.process("payroll.csv");
    expect(sent()).toHaveLength(3);
    desk.write("payroll-corrected.csv", payouts(...corrected(1, ...row)));
    await desk.process("payroll-corrected.csv");
    expect(sent()).toEqual([]);
    const results = desk.results("payroll-corrected.csv");
    expect(countsOf(results)).toEqual({ held: 3 });
    expect(results[1]?.result_message).toContain(told);
  }); // prettier-ignore

  test("pays another account, a new row, and the next month", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", payouts(...FIRST));
    await desk.process("payroll.csv", { flags: { period: "2026-11" } });
    desk.write("corrected.csv", payouts(...FIRST, ["60200000000004", "HDFC0000001", "200.00"]));
    await desk.process("corrected.csv", { flags: { period: "2026-11" } });
    expect(sent()).toHaveLength(4);
    desk.write("december.csv", payouts(...corrected(1, "60200000000002", "SBIN0000002", "200.00")));
    await desk.process("december.csv", { flags: { period: "2026-12" } });
    expect(sent()).toHaveLength(3);
  });

  test("pays a row of which the service did not take the IFSC, corrected", async () => {
    const { desk, server, sent } = await openOffice(({ account }) => wire.answer(account.endsWith("2") ? 422 : 200));
    desk.write("payroll.csv", payouts(...FIRST));
    await desk.process("payroll.csv");
    expect(sent()).toHaveLength(3);
    server.use(() => wire.answer(200));
    desk.write("corrected.csv", payouts(...corrected(1, "60200000000002", "SBIN0000002", "200.00")));
    await desk.process("corrected.csv");
    expect(sent().map(({ account }) => account)).toEqual(["60200000000002"]);
  });
});
