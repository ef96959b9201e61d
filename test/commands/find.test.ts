import { rmSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { run as find } from "../../src/commands/find.ts";
import { snapshotPath } from "../../src/state-dir.ts";
import { called, jsonLines } from "../support/call.ts";
import { TestDesk } from "../support/desk.ts";

const HEADER =
  "employee_no,debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,reference,bank_id";
const row = (no: string, debit: string, name: string, account: string, amount: string, reference: string): string =>
  `${no},${debit},${name},${account},SBIN0001234,${name},${amount},NEFT,${reference},1`;
const file = (...rows: string[]): string => [HEADER, ...rows, ""].join("\n");

const OCTOBER = file(
  row("007", "ACC-OPS-01", "Asha Rao", "00012345678901", "25000.00", "OCT-1"),
  row("008", "ACC-OPS-01", "Ravi  Kumar", "00012345670042", "25000.50", "OCT-2"),
);
const NOVEMBER = file(
  row("007", "ACC-OPS-01", "ASHA RAO", "00012345678901", "26000.00", "NOV-1"),
  row("008", "ACC-FIELD-02", "Ravi Kumar", "00012345670042", "25000.00", "NOV-2"),
  row("009", "ACC-FIELD-02", "Mina Das", "123", "8901.00", "NOV-3"),
);

async function twoMonths(): Promise<TestDesk> {
  const desk = await TestDesk.open();
  desk.now = Date.UTC(2026, 9, 30, 9);
  await desk.run("october.csv", OCTOBER);
  desk.now = Date.UTC(2026, 10, 26, 9);
  await desk.run("november.csv", NOVEMBER, (payload) => (payload.includes("Ravi") ? 500 : 200));
  return desk;
}

const asked = (desk: TestDesk, text: string | undefined, flags: Readonly<Record<string, unknown>> = {}) => {
  const since = { since: "2026-01-01", state_dir: desk.config.state_dir };
  return called({ run: find }, text === undefined ? [] : [text], { ...since, ...flags });
};

test("rows of two months → found by what people know of them, and nothing else", async () => {
  const desk = await twoMonths();
  const rowsFor = async (text: string | undefined, flags: Readonly<Record<string, unknown>> = {}) => {
    const { stdout } = await asked(desk, text, { ...flags, json: true });
    return jsonLines(stdout).flatMap(({ type, file, row }) =>
      type === "found" ? [`${String(file)}:${String(row)}`] : [],
    );
  };
  const [asha, ravi] = [
    ["october.csv:2", "november.csv:2"],
    ["october.csv:3", "november.csv:3"],
  ];
  expect(await rowsFor("asha rao")).toEqual(asha);
  expect(await rowsFor("Ravi Kumar"), "two blanks").toEqual(ravi);
  expect(await rowsFor("nov-2")).toEqual(["november.csv:3"]);
  expect(await rowsFor("00012345678901")).toEqual(asha);
  expect(await rowsFor("0001 2345 6789 01"), "as it is printed").toEqual(asha);
  expect(await rowsFor("8901"), "the last four, and no amount").toEqual(asha);
  expect(await rowsFor("007")).toEqual(asha);
  expect(await rowsFor(undefined, { amount: "25,000.00" })).toEqual(["october.csv:2", "november.csv:3"]);
  expect(await rowsFor(undefined, { debit: "acc-field-02" })).toEqual(["november.csv:3", "november.csv:4"]);
  expect(await rowsFor(undefined, { status: ["unknown", "invalid"] })).toEqual(["november.csv:3", "november.csv:4"]);
  expect(await rowsFor("asha", { since: "2026-11-01" })).toEqual(["november.csv:2"]);
  expect(await rowsFor("asha", { until: "2026-11-01" })).toEqual(["october.csv:2"]);
  expect(await rowsFor("nobody")).toEqual([]);
});

test("a table of a month → each row with its batch, sums by what is wanted, and no account in clear", async () => {
  const desk = await twoMonths();
  const month = { since: "2026-11-01", until: "2026-12-01", csv: true };
  const { stdout } = await asked(desk, undefined, month);
  const [header = [], ...rows] = parse(stdout, { bom: true });
  expect(rows.map((cells) => cells[header.indexOf("status")])).toEqual(["accepted", "unknown", "invalid"]);
  expect(rows.map((cells) => cells[header.indexOf("reference")])).toEqual(["NOV-1", "NOV-2", "NOV-3"]);
  const added = ["employee_no", "decided_by", "decision", "why", "held_for", "seen"];
  expect(header.slice(-6), "columns are only added at the end").toEqual(added);
  expect(rows.map((cells) => cells.at(-6))).toEqual(["007", "008", "009"]);
  expect(stdout).not.toMatch(/0001234567/);
  const sums = await asked(desk, undefined, { ...month, sum_by: "debit,status" });
  expect(parse(sums.stdout, { bom: true })).toEqual([
    ["debit", "status", "rows", "amount"],
    ["ACC-FIELD-02", "invalid", "1", "8901.00"],
    ["ACC-FIELD-02", "unknown", "1", "25000.00"],
    ["ACC-OPS-01", "accepted", "1", "26000.00"],
  ]);
  const text = await asked(desk, "asha");
  expect(text.stdout).toContain("accepted   ASHA RAO (007) ••8901   NOV-1\n");
  expect(text.stdout).toContain("2 rows found since 1 Jan 2026, 51000.00 in all");
  const inIndia = await asked(desk, "asha", { time_zone: "Asia/Kolkata" });
  expect(inIndia.stdout, "the day that was said").toContain("since 1 Jan 2026");
});

test("a copy is gone → told; its rows are found by what the journal knows, and by nothing else", async () => {
  const desk = await twoMonths();
  const [october] = await desk.store.batches({});
  rmSync(snapshotPath(desk.config.state_dir, october?.sha256 ?? ""));
  const byAmount = await asked(desk, undefined, { amount: "25000", json: true });
  expect(jsonLines(byAmount.stdout).map(({ file }) => file)).toEqual(["october.csv", "november.csv", undefined]);
  const byName = await asked(desk, "asha", { json: true });
  expect(jsonLines(byName.stdout).map(({ file }) => file)).toEqual(["november.csv", undefined]);
  for (const text of ["8901", "OCT-1", "oct 1", "7", "12345678901"]) {
    const { stdout } = await asked(desk, text, { json: true });
    expect(jsonLines(stdout)[0], text).toMatchObject({ file: "october.csv", row: 2, account: "••8901" });
  }
  expect(byName.stderr).toContain(`of batch ${october?.id} names and accounts cannot be looked at`);
});

test("who let a held row go, and why → in the ledger, by what it was held for", async () => {
  const desk = await twoMonths();
  const thief = NOVEMBER.replaceAll("00012345670042", "00099999990099").replaceAll("NOV", "DEC");
  await desk.run("december.csv", thief.replace("26000.00", "27000.00"));
  const [, , december] = await desk.store.batches({});
  const act = { ...desk.act("release"), by: "meena", note: "asked by phone" };
  await desk.store.judging(() => desk.store.move(december?.id ?? "", [{ row: 3, from: ["held"], to: "ready" }], act));
  const { stdout } = await asked(desk, undefined, { held_for: "other_account", json: true });
  expect(jsonLines(stdout)).toMatchObject([
    {
      ...{ file: "december.csv", row: 3, name: "Ravi Kumar", account: "••0099" },
      ...{ decided_by: "meena", decision: "release", why: "asked by phone", held_for: "other_account" },
    },
    { rows: 1 },
  ]);
});

test.each([
  [{ amount: "12x" }, "no_amount"],
  [{ status: ["gone"] }, "no_such_word"],
  [{ sum_by: "month" }, "no_such_word"],
  [{ since: "yesterday" }, "no_day"],
])("%o → refused", async (flags, reason) => {
  const desk = await TestDesk.open();
  await expect(asked(desk, undefined, flags)).rejects.toMatchObject({ reason });
});
