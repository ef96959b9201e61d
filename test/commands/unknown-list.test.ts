import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import type { Office } from "../support/people.ts";
import { accountOf, accountOfRow, openOffice, requestsTo } from "../support/people.ts";

type ListRow = Record<string, string>;

/** Rows 3 and 5 are unknown. */
async function withUnknownRows(arrived: number[] = []): Promise<{ office: Office; batch: string }> {
  const lost = [accountOfRow(3), accountOfRow(5)];
  const office = await openOffice((request) => {
    if (!lost.includes(accountOf(request))) return wire.answer(200);
    arrived.push(Date.now());
    return wire.reset();
  });
  office.write("pay.csv", transfersCsv(5));
  expect((await office.run("pay.csv")).code).toBe(4);
  return { office, batch: office.batchOf("pay.csv") };
}

async function listOf(office: Office): Promise<ListRow[]> {
  const { stdout } = await office.paydrop("status", "--unknown", "--csv");
  return parse(stdout, { bom: true, columns: true });
}

/** As a spreadsheet of another country would save it. */
function write(office: Office, name: string, rows: readonly ListRow[]): string {
  return office.write(
    name,
    stringify([...rows], { header: true, bom: true, delimiter: ";", record_delimiter: "\r\n" }),
  );
}

test("the list names each unknown row with amount, masked account and time window, and never an account in full", async () => {
  const { office, batch } = await withUnknownRows();
  const rows = await listOf(office);
  expect(rows.map((row) => [row["batch"], row["file"], row["row"], row["amount"], row["attempt"]])).toEqual([
    [batch, "pay.csv", "3", "102.00", "1"],
    [batch, "pay.csv", "5", "104.00", "1"],
  ]);
  expect(rows[0]).toMatchObject({ from_account: "••8001", account: "••0002", operation: "transfer" });
  expect(rows[0]).toMatchObject({ as: "", by: "", note: "" });
  expect(Object.keys(rows[0] ?? {}).slice(-3)).toEqual(["as", "by", "note"]);
  expect(Date.parse(rows[0]?.["sent_until_utc"] ?? "")).toBeGreaterThanOrEqual(
    Date.parse(rows[0]?.["sent_from_utc"] ?? ""),
  );
  expect(rows[0]?.["sent_from_local"]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d$/);

  const { stdout } = await office.paydrop("status", "--unknown");
  expect(stdout).toContain("2 rows unknown, 206.00. DO NOT SEND AGAIN");
  expect(stdout).toContain("look for a transfer of 102.00 from ••8001 to ••0002");
  // nobody knows how long a service takes
  const { sent_from_utc: from, sent_until_utc: until } = rows[0] ?? {};
  expect(stdout).toContain(`left at ${from}, its answer was awaited until ${until} (here `);
  expect(stdout).toContain("); it may have been entered later than that, too\n");
  const lines = await office.lines("status", "--unknown");
  expect(lines.map((line) => line["type"])).toEqual(["unknown", "unknown", "summary"]);
  for (const text of [stdout, JSON.stringify(rows), JSON.stringify(lines)]) {
    expect(text).not.toContain(accountOfRow(3));
    expect(text).not.toContain("50100271828001");
  }
  expect(await office.paydrop("status", "--unknown", "--check", "--quiet")).toMatchObject({ code: 4 });
});

test("what is looked for tells two loans of one borrower apart by their tenure, and a collection by its currency", async () => {
  const office = await openOffice(() => wire.reset());
  office.write("loans.csv", "borrower_id,amount,tenure\r\nBRW-10017,50000,12\r\nBRW-10017,50000,24\r\n");
  office.write("dues.csv", "vpa,amount\r\nasha@okbank,300.00\r\n");
  expect((await office.run("loans.csv")).code).toBe(4);
  expect((await office.run("dues.csv")).code).toBe(4);
  const told = [
    "a loan of 50000 for ••0017, tenure 12",
    "a loan of 50000 for ••0017, tenure 24",
    "a collection of 300.00 from as••@okbank, currency INR",
  ];
  expect((await listOf(office)).map((row) => row["look_for"])).toEqual(told);
  const { stdout } = await office.paydrop("status", "--unknown");
  for (const text of told) expect(stdout).toContain(`look for ${text}`);
});

test("between the two moments of an unknown row its request came to the service", async () => {
  const arrived: number[] = [];
  const { office } = await withUnknownRows(arrived);
  const windows = (await listOf(office)).map((row) =>
    [row["sent_from_utc"], row["sent_until_utc"]].map((at) => Date.parse(at ?? "")),
  );
  const holds = ([from = 0, until = 0]: readonly number[], at: number): boolean => from <= at && at <= until;
  expect(arrived).toHaveLength(2);
  expect(arrived.filter((at) => windows.every((window) => !holds(window, at)))).toEqual([]);
});

test("the list filled in is carried out once; the same list again is harmless, also after the row was sent again", async () => {
  const { office, batch } = await withUnknownRows();
  const [first = {}, second = {}] = await listOf(office);
  write(office, "list.csv", [{ ...first, as: "not-done", by: "asha", note: "no entry; asked twice" }, second]);
  const settled = await office.paydrop("settle", "--from", "list.csv");
  expect(settled.code).toBe(0);
  expect(settled.stdout).toContain(`Row 3 of batch ${batch} (102.00) settled as not done by asha.`);
  expect(settled.stdout).toContain("1 without a decision yet.");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_not_done", 5: "unknown" });

  const again = await office.paydrop("settle", "--from", "list.csv");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain(
    `Row 3 of batch ${batch} was settled as not done by asha before. Nothing was changed.`,
  );
  expect(again.stdout).toContain("Nothing was changed: 1 settled before, 1 without a decision.");

  // row 3 goes again and is unknown again: the old list says nothing about that
  await office.paydrop("retry", batch);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "unknown" });
  const stale = await office.paydrop("settle", "--from", "list.csv");
  expect(stale).toMatchObject({ code: 0 });
  expect(stale.stdout).toContain("Nothing was changed");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "unknown" });
  await office.paydrop("retry", batch);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
});

test("an old list with another decision settles nothing that was sent again since", async () => {
  const { office, batch } = await withUnknownRows();
  const [first = {}] = await listOf(office);
  await office.paydrop("settle", batch, "--row", "3", "--as", "not-done", "--by", "ravi", "--note", "none");
  await office.paydrop("retry", batch);
  for (const columns of [first, { batch, row: "3" }]) {
    const from = write(office, "list.csv", [{ ...columns, as: "not-done", by: "asha", note: "no entry" }]);
    const ended = await office.refused("settle", [], { from });
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain(`row 3 of batch ${batch} was sent again since this list was written`);
  }
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "unknown" });
});

test("a line whose row number came beside another payment settles nothing: a column was sorted without the others", async () => {
  const { office, batch } = await withUnknownRows();
  const [first = {}, second = {}] = await listOf(office);
  const decision = { as: "not-done", by: "asha", note: "no entry" };
  const swapped = { ...first, row: second["row"] ?? "", ...decision };
  for (const [line, said] of [
    [swapped, "the line says 102.00, and row 5 of batch"],
    // equal amounts: the moment still tells them apart
    [
      { ...swapped, amount: "104", sent_from_utc: "2026-01-01T00:00:00.000Z" },
      `row 5 of batch ${batch} was not sent at 2026-01-01T`,
    ],
  ] as const) {
    const ended = await office.refused("settle", [], { from: write(office, "list.csv", [line]) });
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain(said);
  }
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "unknown", 5: "unknown" });
});

test("a list that a program saved with 3.0 for 3, its amounts and times in its own way, is carried out", async () => {
  const { office } = await withUnknownRows();
  const [first = {}] = await listOf(office);
  const times = { sent_from_utc: "22/11/2026 00:07", sent_until_utc: "", amount: "1,02.00" };
  const line = { ...first, ...times, row: "3.0", attempt: "1.0", as: "Not done", by: "asha", note: "no entry" };
  const settled = await office.paydrop("settle", "--from", write(office, "list.csv", [line]));
  expect(settled).toMatchObject({ code: 0, stderr: "" });
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_not_done", 5: "unknown" });
});

test("every line is checked before any is carried out", async () => {
  const { office, batch } = await withUnknownRows();
  const good = { batch, row: "3", as: "done", by: "asha", note: "found" };
  for (const [bad, said] of [
    [{ ...good, row: "5", as: "paid" }, `row 3, column as: "paid" is neither done nor not-done`],
    [{ ...good, row: "5", by: "" }, "the name of the person is missing"],
    [{ ...good, row: "5", note: "" }, "the note is missing"],
    [{ ...good, row: "2" }, `row 2 of batch ${batch} is accepted now; a list settles unknown rows only`],
    [{ ...good, row: "99" }, `has no row "99"`],
    [{ ...good, batch: "NOSUCH00" }, `there is no batch "NOSUCH00"`],
    [good, "stands twice"],
  ] as const) {
    const from = write(office, "list.csv", [good, bad]);
    const ended = await office.refused("settle", [], { from });
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain(said);
  }
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "unknown", 5: "unknown" });
  const from = office.write("list.csv", "batch,row,as\nX,3,done\n");
  expect((await office.refused("settle", [], { from })).stderr).toContain("the list has no column by, note");
  expect(await office.refused("settle", [], { from: `${from}.gone` })).toMatchObject({ code: 2 });
});

test("the list may be named by a link; a folder is told as what it is", async () => {
  const { office } = await withUnknownRows();
  const [first = {}] = await listOf(office);
  const list = write(office, "list.csv", [{ ...first, as: "not-done", by: "asha", note: "no entry" }]);
  const link = join(office.folder, "link.csv");
  symlinkSync(resolve(office.folder, list), link);
  expect(await office.paydrop("settle", "--from", link)).toMatchObject({ code: 0 });
  mkdirSync(join(office.folder, "lists.csv"));
  const folder = await office.paydrop("settle", "--from", join(office.folder, "lists.csv"));
  expect(folder).toMatchObject({ code: 2 });
  expect(folder.stderr).toContain("lists.csv: this is a folder, not a file");
});
