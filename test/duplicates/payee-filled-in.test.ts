import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as wire from "../support/fault-server.ts";
import { tomlAt, transferToml } from "../support/mappings.ts";
import { HEADER, openOffice, paydrop, type Office } from "./corrected-office.ts";

const PAYOUT = "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode";
const EITHER = `${PAYOUT},bene_id,bene_bank_id`;

function retryOf({ desk }: Office, name: string): string {
  return readFileSync(join(desk.folder, `${name}.retry.csv`), "utf8");
}

/** What became of each row, and what is told of its change. */
function ends(results: readonly { result_status: string; result_message: string }[]): string[][] {
  return results.map((row) => [row.result_status, row.result_message.replace(/^.*batch \w+: /, "")]);
}

test("a row without a payee is for nobody yet: it goes when somebody fills one in, and that is told", async () => {
  const office = await openOffice([]);
  const { desk, sent } = office;
  desk.write("pay.csv", `${HEADER}\nACC-1,,100.00,R1\nACC-1,60200000001234,1.234,R2\n`);
  expect((await desk.run("pay.csv")).counts).toEqual({ invalid: 2 });
  desk.write("pay.csv.retry.csv", retryOf(office, "pay.csv").replace("ACC-1,,", "ACC-1,60200000001235,").replace("1.234", "1.23")); // prettier-ignore
  const checked = await paydrop(desk, "check", "pay.csv.retry.csv");
  expect({ code: checked.code, stderr: checked.stderr }).toEqual({ code: 0, stderr: "" });
  const ended = await desk.run("pay.csv.retry.csv");
  expect(ended.stderr).not.toContain("another payee");
  expect(ends(ended.results)).toEqual([
    ["accepted", "to_account (empty) → ••1235"],
    ["accepted", "amount 1.234 → 1.23"],
  ]);
  expect(sent()).toEqual(["60200000001234 1.23", "60200000001235 100"]);
});

test("a row that lacked its payee twice goes as well; one whose payee was taken out in between waits", async () => {
  const office = await openOffice([]);
  const { desk, sent } = office;
  desk.write("pay.csv", `${HEADER}\nACC-1,,1.234,R1\nACC-1,60200000001234,1.234,R2\n`);
  await desk.run("pay.csv");
  desk.write("pay.csv.retry.csv", retryOf(office, "pay.csv").replaceAll("1.234", "1.23").replace("60200000001234", ""));
  expect((await desk.run("pay.csv.retry.csv")).counts).toEqual({ invalid: 2 });
  const second = retryOf(office, "pay.csv.retry.csv");
  desk.write("last.csv", second.replace(",,1.23,R1", ",60200000007001,1.23,R1").replace(",,1.23,R2", ",60200000007002,1.23,R2")); // prettier-ignore
  expect(ends((await desk.run("last.csv")).results)).toEqual([
    ["accepted", "to_account (empty) → ••7001"],
    ["held", "to_account (empty) → ••7002"],
  ]);
  expect(sent()).toEqual(["60200000007001 1.23"]);
});

test("of a payout the account, the branch or both are filled in; one of them that is another one waits", async () => {
  const { desk, server } = await openOffice([]);
  const row = (account: string, ifsc: string, amount: string): string =>
    `ACC-1,Asha,${account},${ifsc},Asha,${amount},NEFT`;
  const rows = [
    row("", "", "1"),
    row("60200000001", "", "2"),
    row("", "SBIN0001234", "3"),
    row("", "SBIN0001234", "4"),
  ];
  desk.write("pay.csv", `${PAYOUT}\n${rows.join("\n")}\n`);
  const { results } = await desk.run("pay.csv");
  const of = (number: number): string => `${results[0]?.["result_batch"] ?? ""}:${number}`;
  const now = [
    row("60200000009", "SBIN0001234", "1"),
    row("60200000001", "SBIN0001234", "2"),
    row("60200000003", "SBIN0001234", "3"),
    row("60200000004", "HDFC0000001", "4"),
  ];
  desk.write("mended.csv", `${PAYOUT},retry_of\n${now.map((one, at) => `${one},${of(at + 2)}`).join("\n")}\n`);
  const mended = await desk.run("mended.csv");
  expect(mended.results.map((one) => one.result_status)).toEqual(["accepted", "accepted", "accepted", "held"]);
  expect(server.requests).toHaveLength(3);
});

test("an account in place of a beneficiary that was named waits; where neither was, it goes", async () => {
  const { desk, server } = await openOffice([]);
  const rows = ["ACC-1,,,,,1.00,NEFT,BENE-7,", "ACC-1,,,,,2.00,NEFT,,"];
  desk.write("pay.csv", `${EITHER}\n${rows.join("\n")}\n`);
  const { counts, results } = await desk.run("pay.csv");
  expect(counts).toEqual({ invalid: 2 });
  const of = (number: number): string => `${results[0]?.["result_batch"] ?? ""}:${number}`;
  const now = [1, 2].map((amount) => `ACC-1,Asha,6020000000${amount},SBIN0001234,Asha,${amount}.00,NEFT,,${of(amount + 1)}`); // prettier-ignore
  desk.write("mended.csv", `${EITHER},retry_of\n${now.join("\n").replaceAll(",,", ",,,")}\n`);
  const mended = await desk.run("mended.csv");
  expect(mended.results.map((one) => one.result_status)).toEqual(["held", "accepted"]);
  expect(server.requests).toHaveLength(1);
});

test("a branch that was left out by the rules of then was sent so: one that is filled in waits", async () => {
  const office = await openOffice([]);
  const { desk, server } = office;
  server.use(() => wire.answer(422));
  const config = tomlAt(join(desk.stateDir, "..", "paydrop.toml"), "[rules.payouts.ifsc_code]\nrequired = false\n");
  desk.env["PAYDROP_CONFIG"] = config;
  desk.write("pay.csv", `${PAYOUT}\nACC-1,Asha,60200000001,,Asha,1.00,NEFT\n`);
  expect((await desk.run("pay.csv")).counts).toEqual({ rejected: 1 });
  desk.write("pay.csv.retry.csv", retryOf(office, "pay.csv").replace(",,Asha", ",SBIN0001234,Asha"));
  expect((await desk.run("pay.csv.retry.csv")).counts).toEqual({ held: 1 });
  expect(server.requests).toHaveLength(1);
});

test("a cell that the mapping could make nothing of was somebody's: who stands there now waits", async () => {
  const office = await openOffice([]);
  const { desk, sent } = office;
  const lookup = ["[[mapping.bank.lookup]]", 'file = "people.csv"', 'by = "Ref"', 'key = "Ref"', 'fields = { to_account = "Account" }'].join("\n"); // prettier-ignore
  const toml = transferToml("bank", "rupees", lookup).replace('"Payee Account" = "to_account"\n', "");
  desk.env["PAYDROP_CONFIG"] = tomlAt(join(desk.folder, "..", "paydrop.toml"), toml);
  tomlAt(join(desk.folder, "..", "people.csv"), "Ref,Account\nR9,60200000004471\n");
  desk.write("pay.csv", "Ref,Payee Account,Net Pay\nR1,x,100.00\n");
  expect((await desk.run("pay.csv")).counts).toEqual({ invalid: 1 });
  desk.write("pay.csv.retry.csv", retryOf(office, "pay.csv").replace("R1,", "R9,"));
  const ended = await desk.run("pay.csv.retry.csv");
  expect(ends(ended.results)).toEqual([["held", expect.stringContaining("(empty) → ••4471")]]);
  expect(sent()).toEqual([]);
});

test("what a comma put aside may have been the account: who stands there now waits", async () => {
  const office = await openOffice([]);
  const { desk, sent } = office;
  const header = "from_account,name,remark,to_account,amount,note";
  desk.write("pay.csv", `${header}\nACC-1,Kumar, Ravi,,60200000001234,100.00,\n`);
  const { results } = await desk.run("pay.csv");
  expect(results[0]?.result_message).toMatch(/to_account is required; .*one column too far/);
  const of = `${results[0]?.["result_batch"] ?? ""}:2`;
  desk.write("mended.csv", `${header},retry_of\nACC-1,Kumar Ravi,,60200000001299,100.00,,${of}\n`);
  expect((await desk.run("mended.csv")).counts).toEqual({ held: 1 });
  expect(sent()).toEqual([]);
});
