import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import type { Office } from "../support/people.ts";
import { accountOf, accountOfRow, openOffice, requestsTo } from "../support/people.ts";

/** Row 3 of this file is unknown, the others are accepted; from then on the service takes everything. */
async function officeWithUnknown(name: string, csv: string): Promise<Office> {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) ? wire.reset() : wire.answer(200),
  );
  office.write(name, csv);
  expect((await office.run(name)).code).toBe(4);
  office.server.use(() => wire.answer(200));
  return office;
}

/** A person says that row 3 was not carried out. */
async function settleRow3(office: Office, name: string): Promise<string> {
  const by = ["--as", "not-done", "--by", "asha", "--note", "dashboard: no entry"];
  const { code, stdout } = await office.paydrop("settle", office.batchOf(name), "--row", "3", ...by);
  expect(code).toBe(0);
  return stdout;
}

test("a file held as a whole stays so: the row that also waited for an unknown one does not go alone", async () => {
  const office = await officeWithUnknown("payroll-2026-10.csv", transfersCsv(3));
  office.write("payroll-2026-11.csv", transfersCsv(3));
  expect((await office.run("payroll-2026-11.csv")).counts).toEqual({ held: 3 });

  expect(await settleRow3(office, "payroll-2026-10.csv")).toContain("is now held for another reason");
  const again = await office.run("payroll-2026-11.csv");
  expect({ code: again.code, counts: again.counts }).toEqual({ code: 6, counts: { held: 3 } });
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);

  const by = ["--all", "--by", "ravi", "--reason", "it is November"];
  expect((await office.paydrop("release", office.batchOf("payroll-2026-11.csv"), ...by)).code).toBe(0);
  expect(office.server.requests).toHaveLength(6);
});

test("all or nothing: nor does it go alone out of a file of which everything waits", async () => {
  const office = await officeWithUnknown("first.csv", transfersCsv(2));
  office.env["PAYDROP_ALL_OR_NOTHING"] = "true";
  const others = transfersCsv(3).replaceAll(/(?<=602000000000)0(?=[13],)/g, "7");
  office.write("second.csv", others);
  expect((await office.run("second.csv")).counts).toEqual({ held: 3 });

  await settleRow3(office, "first.csv");
  expect((await office.run("second.csv")).counts).toEqual({ held: 3 });
  expect(office.server.requests).toHaveLength(2);

  const by = ["--all", "--by", "ravi", "--reason", "all of it"];
  expect((await office.paydrop("release", office.batchOf("second.csv"), ...by)).code).toBe(0);
  expect(office.server.requests).toHaveLength(5);
});

test("the same bytes under another stated operation are a batch of their own, and each of them goes once", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("both.csv", "borrower_id,vpa,amount,tenure\nBRW-1,asha@demobank,5,6\n");
  const paths = (): string[] => office.server.requests.map(({ path }) => path);
  expect((await office.run("both.csv", "--operation", "loan")).code).toBe(0);
  const check = await office.paydrop("check", "--operation", "collection", "both.csv");
  expect(check.stdout).toContain("1 ready");
  const asked = await office.run("both.csv", "--operation", "collection");
  expect(asked.results[0]).toMatchObject({ result_operation: "collection", result_message: "Request created" });
  expect(paths()).toEqual(["/v1/lending/loan/apply", "/v1/upi/collect"]);

  for (const flags of [["--operation", "loan"], ["--operation", "collection"], []]) {
    expect((await office.run("both.csv", ...flags)).stdout).toContain("nothing was sent in this run");
  }
  // dropped among the loans, it is the batch of loans again
  mkdirSync(join(office.folder, "loans"));
  office.write("loans/copy.csv", "borrower_id,vpa,amount,tenure\nBRW-1,asha@demobank,5,6\n");
  expect((await office.run("loans/copy.csv")).stdout).toContain("nothing was sent in this run");
  expect(office.server.requests).toHaveLength(2);
});

test("a row of the same bytes under another operation that waited for one elsewhere goes when that is settled as not done", async () => {
  const office = await openOffice(() => wire.answer(500));
  office.write("first.csv", "amount,vpa\n5,asha@demobank\n");
  expect((await office.run("first.csv")).code).toBe(4);
  office.server.use(() => wire.answer(200));
  office.write("both.csv", "borrower_id,vpa,amount,tenure\nBRW-1,asha@demobank,5,6\n");
  expect((await office.run("both.csv", "--operation", "loan")).code).toBe(0);
  expect((await office.run("both.csv", "--operation", "collection")).counts).toEqual({ held: 1 });
  const by = ["--as", "not-done", "--by", "asha", "--note", "dashboard: no entry"];
  const settled = await office.paydrop("settle", office.batchOf("first.csv"), "--row", "2", ...by);
  expect(settled.stdout).toContain("waited for it and is now ready");
  expect((await office.run("both.csv", "--operation", "collection")).counts).toEqual({ accepted: 1 });
});

test("a mixed file that was dropped among the loans goes where it is moved to, its loans only once", async () => {
  const office = await openOffice(() => wire.answer(200));
  for (const folder of ["loans", "collections"]) mkdirSync(join(office.folder, folder));
  const csv = "operation,borrower_id,vpa,amount,tenure\nloan,BRW-1,,5,6\ncollection,,asha@demobank,5,\n";
  office.write("loans/mixed.csv", csv);
  expect((await office.run("loans/mixed.csv")).counts).toEqual({ accepted: 1, invalid: 1 });
  office.write("collections/mixed.csv", csv);
  expect((await office.run("collections/mixed.csv")).counts).toEqual({ accepted: 1, invalid: 1 });
  expect(office.server.requests.map(({ path }) => path)).toEqual(["/v1/lending/loan/apply", "/v1/upi/collect"]);
});

test("a file saved again with one amount corrected, while the first waits to be sent: not both amounts", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("payroll.csv", transfersCsv(4));
  expect((await office.run("payroll.csv")).counts).toEqual({ rejected: 1, not_sent: 3 });

  office.server.use(() => wire.answer(200));
  office.write("payroll-2.csv", transfersCsv(4).replace("103.00", "130.00"));
  const second = await office.run("payroll-2.csv");
  expect(second.counts).toEqual({ accepted: 1, held: 3 });
  const name = `row 4 of batch ${office.batchOf("payroll.csv")}`;
  expect(second.results[2]?.result_message).toBe(
    `Waiting for a person: same payee with another amount or debit account, or the other way round, as ${name}, which had no end yet and may still go by itself: one may be the correction of the other`,
  );
  expect(second.results[2]?.["result_action"]).toContain(`Cancel batch ${office.batchOf("payroll.csv")} first`);
  expect(requestsTo(office.server, accountOfRow(4))).toBe(0);

  // the first one is cancelled instead: then the second is the payroll, and the corrected amount goes by a release
  const first = office.batchOf("payroll.csv");
  expect((await office.paydrop("cancel", first, "--by", "asha", "--reason", "wrong amount")).code).toBe(0);
  expect((await office.run("payroll-2.csv")).counts).toEqual({ accepted: 3, held: 1 });
  const by = ["--row", "4", "--by", "ravi", "--reason", "130 is right"];
  expect((await office.paydrop("release", office.batchOf("payroll-2.csv"), ...by)).code).toBe(0);
  expect(requestsTo(office.server, accountOfRow(4))).toBe(1);
  // and a third one has nothing of the first in its way
  office.write("payroll-3.csv", transfersCsv(4).replace("104.00", "140.00"));
  expect((await office.run("payroll-3.csv")).counts).toEqual({ held: 4 });
});

test("nor where the first was refused for the key", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("november.csv", transfersCsv(3));
  await office.run("november.csv");
  office.server.use(() => wire.answer(200));
  office.write("november-2.csv", transfersCsv(3).replace("101.00", "110.00"));
  expect((await office.run("november-2.csv")).counts).toEqual({ held: 3 });
  expect((await office.run("november.csv")).counts).toEqual({ accepted: 3 });

  // December, twice: what is held goes by a person's word only, and does not hold the amounts of every later month
  office.write("december.csv", transfersCsv(3, { note: () => "december" }));
  expect((await office.run("december.csv")).counts).toEqual({ held: 3 });
  office.write("december-2.csv", transfersCsv(3, { note: () => "december" }).replace("102.00", "120.00"));
  const edited = await office.run("december-2.csv");
  expect(edited.counts).toEqual({ held: 3 });
  const november = `row 3 of batch ${office.batchOf("november.csv")}`;
  expect(edited.results[1]?.result_message).toContain(`same payee with another amount or debit account as ${november}`);
  // as if November were long ago
  office.env["PAYDROP_DUPLICATE_DAYS"] = "0";
  office.write("december-3.csv", transfersCsv(3, { note: () => "december" }).replace("102.00", "130.00"));
  expect((await office.run("december-3.csv")).counts).toEqual({ held: 2, accepted: 1 });
  expect(office.server.requests).toHaveLength(5);
});

test("the next month's file goes with other amounts while the one before still waits, if both state their periods", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("a.csv", transfersCsv(3, { period: () => "2026-10" }));
  await office.run("a.csv");
  office.server.use(() => wire.answer(200));
  office.write("b.csv", transfersCsv(3, { period: () => "2026-11" }).replace("102.00", "120.00"));
  const second = await office.run("b.csv");
  expect(second.results.map(({ result_status: status }) => status)).toEqual(["accepted", "accepted", "held"]);
});

test("the same where rows state references: another reference is another payment, the same one with another amount waits", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("october.csv", transfersCsv(3, { reference: (index) => `OCT-${index}` }));
  await office.run("october.csv");
  office.server.use(() => wire.answer(200));
  office.write("november.csv", transfersCsv(3, { reference: (index) => `NOV-${index}` }).replace("101.00", "110.00"));
  // the rows that are equal wait until October has an end, as ever; the amount that rose repeats nothing
  expect((await office.run("november.csv")).counts).toEqual({ accepted: 1, held: 2 });
  office.write("october-2.csv", transfersCsv(3, { reference: (index) => `OCT-${index}` }).replace("101.00", "115.00"));
  expect((await office.run("october-2.csv")).counts).toEqual({ held: 3 });
  expect((await office.run("october.csv")).counts).toEqual({ accepted: 3 });
  expect((await office.run("november.csv")).counts).toEqual({ accepted: 3 });
});

test("all or nothing: a file that was corrected by another one, and is released all the same, pays no old amount", async () => {
  const office = await openOffice(() => wire.answer(200), { PAYDROP_ALL_OR_NOTHING: "true" });
  office.write("payroll.csv", `${transfersCsv(3)}50100271828001,60200000000099,nine\n`);
  expect((await office.run("payroll.csv")).counts).toEqual({ held: 3, invalid: 1 });
  office.write("payroll-2.csv", `${transfersCsv(3).replace("102.00", "120.00")}50100271828001,60200000000099,9\n`);
  expect((await office.run("payroll-2.csv")).counts).toEqual({ accepted: 4 });

  const stale = office.batchOf("payroll.csv");
  const by = ["--by", "ravi", "--reason", "still waiting"];
  expect((await office.paydrop("release", stale, "--all", ...by)).code).toBe(3);
  expect(office.statuses("payroll.csv")).toEqual({ 2: "held", 3: "held", 4: "held", 5: "invalid" });
  expect(office.results("payroll.csv")[1]?.result_message).toContain(
    "same payee with another amount or debit account as row 3 of batch",
  );
  expect(office.server.requests).toHaveLength(4);
  // who has seen that, and means it, is heard
  expect((await office.paydrop("release", stale, "--row", "3", ...by)).code).toBe(3);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
});

test("a file that goes on needs no control totals once more, where they are required: check says so too", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("payroll.csv", transfersCsv(3));
  const required = ["--require-control"];
  expect((await office.run("payroll.csv", ...required, "--expect-rows", "3")).code).toBe(7);
  const check = await office.paydrop("check", "payroll.csv", ...required);
  expect([check.code, check.stdout]).toEqual([3, expect.stringContaining("Running it again sends 3 rows.")]);
  office.server.use(() => wire.answer(200));
  expect((await office.run("payroll.csv", ...required)).counts).toEqual({ accepted: 3 });
});

test.each(["payroll.control", "payroll.csv.ctrl"])(
  "control totals under the name %s are not compared, and that is said",
  async (misnamed) => {
    const office = await openOffice(() => wire.answer(200));
    office.write("payroll.csv", transfersCsv(3).replace("\n", "\n\n"));
    office.write(misnamed, "rows=4\n");
    const required = await office.run("payroll.csv", "--require-control");
    expect([required.code, required.stderr]).toEqual([5, expect.stringContaining(`Rename ${misnamed}, which lies`)]);
    const said = `${misnamed} is not read: control totals of this file are read from payroll.csv.control`;
    const check = await office.paydrop("check", "payroll.csv");
    // beside what is found while the rows are read
    for (const remark of [said, "row 2 is blank and was passed over"]) expect(check.stdout).toContain(remark);
    expect(office.server.requests).toHaveLength(0);
    const run = await office.run("payroll.csv", "--expect-rows", "3");
    expect(run.stdout).not.toContain(misnamed);
  },
);

test("a control file in capitals holds back the file as one in small letters does", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("P.CSV", transfersCsv(3));
  office.write("P.CSV.CONTROL", "rows=4\n");
  const refused = await office.run("P.CSV", "--require-control");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringContaining("P.CSV.CONTROL says 4 rows, the file has 3: 1 too few"),
  ]);
  expect(office.server.requests).toHaveLength(0);
  office.write("P.CSV.CONTROL", "rows=3\n");
  expect((await office.run("P.CSV", "--require-control")).counts).toEqual({ accepted: 3 });
});

test("a totals row that makes the file longer than its control totals say is named where the file is refused", async () => {
  const office = await openOffice(() => wire.answer(200));
  const file = transfersCsv(2);
  office.write("t.csv", `${file}Total,,3.00,\n`);
  office.write("t.csv.control", "rows=2\n");
  const { code, stderr } = await office.run("t.csv");
  expect(code).toBe(5);
  expect(stderr).toContain("t.csv.control says 2 rows, the file has 3: 1 too many; row 4 sums up others");
  expect(stderr).toContain("Delete row 4: no payment stands there.");
  office.write("t.csv", file);
  expect((await office.run("t.csv")).counts).toEqual({ accepted: 2 });
});

test("what is left of a file goes only if its totals are those that are stated now", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("payroll.csv", transfersCsv(3));
  expect((await office.run("payroll.csv")).code).toBe(7);
  office.server.use(() => wire.answer(200));
  const stated = await office.run("payroll.csv", "--expect-rows", "4");
  expect(stated.code).toBe(5);
  expect(stated.stderr).toContain("the command line says 4 rows, the file has 3");
  expect(stated.stderr).toMatch(/\nnothing more was sent of its batch \w{8}\n$/);
  office.write("payroll.csv.control", "total=305.00\n");
  expect((await office.run("payroll.csv")).code).toBe(5);
  expect(office.server.requests).toHaveLength(1);

  office.write("payroll.csv.control", "rows=3\ntotal=306.00\n");
  expect((await office.run("payroll.csv", "--expect-total", "306")).counts).toEqual({ accepted: 3 });
  expect(office.server.requests).toHaveLength(4);
});

test("a file whose name says its month, partly held, goes on with that month stated: what went is a duplicate", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("payroll-oct-2026.csv", transfersCsv(3));
  await office.run("payroll-oct-2026.csv");
  const joiner = "50100271828001,60200000000009,900.00";
  office.write("payroll-nov-2026.csv", `${transfersCsv(3)}${joiner}\n`);
  const first = await office.run("payroll-nov-2026.csv");
  expect(first.counts).toEqual({ held: 3, accepted: 1 });
  const [, command = ""] = /^ +(paydrop run --period 2026-11 .*payroll-nov-2026\.csv)$/m.exec(first.stdout) ?? [];
  const earlier = office.batchOf("payroll-nov-2026.csv");

  const ended = await office.paydrop(...command.split(" ").slice(1));
  expect(ended.code).toBe(0);
  expect(office.statuses("payroll-nov-2026.csv")).toEqual({
    2: "accepted",
    3: "accepted",
    4: "accepted",
    5: "duplicate",
  });
  expect(office.results("payroll-nov-2026.csv")[3]?.result_duplicate_of).toBe(`${earlier}:5`);
  expect(office.server.requests).toHaveLength(7);
  // what waited there must not go as well
  const by = ["--all", "--by", "ravi", "--reason", "November"];
  expect((await office.paydrop("release", earlier, ...by)).code).toBe(2);
  expect((await office.run("payroll-nov-2026.csv")).code).toBe(0);
  expect(office.server.requests).toHaveLength(7);
});

test("what is left of one month's file is not cancelled by another month's run of the same file", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("payroll-oct-2026.csv", `${transfersCsv(2)}${transfersCsv(1).split("\n")[1] ?? ""}\n`);
  expect((await office.run("payroll-oct-2026.csv")).counts).toEqual({ accepted: 2, held: 1 });
  const october = office.batchOf("payroll-oct-2026.csv");
  await office.run("payroll-oct-2026.csv", "--period", "2099-11");
  const { stdout } = await office.paydrop("status", october);
  expect(stdout).toContain("open");
  expect(stdout).toContain("held: row 4");
});

test("nor is a file that waits as a whole, where its name says another month than the one that is stated", async () => {
  const office = await openOffice(() => wire.answer(200));
  const names = ["payroll-2099-01.csv", "payroll-2099-02.csv", "payroll-2099-03.csv"] as const;
  for (const name of names) office.write(name, transfersCsv(2));
  expect((await office.run(names[0])).counts).toEqual({ accepted: 2 });
  expect((await office.run(names[1])).counts).toEqual({ held: 2 });
  expect((await office.run(names[2], "--period", "2099-03")).counts).toEqual({ accepted: 2 });
  expect((await office.run(names[1])).code).toBe(6);
  const by = ["--all", "--by", "ravi", "--reason", "February"];
  expect((await office.paydrop("release", office.batchOf(names[1]), ...by)).code).toBe(0);
  expect(office.server.requests).toHaveLength(6);
});

test("whoever lets a whole file go is told first that another file paid that month", async () => {
  const office = await openOffice(() => wire.answer(200));
  for (const name of ["payroll-2099-01.csv", "payroll-2099-02.csv"]) office.write(name, transfersCsv(2));
  await office.run("payroll-2099-01.csv");
  office.write("february.csv", transfersCsv(3));
  expect((await office.run("february.csv", "--period", "2099-02")).counts).toEqual({ accepted: 3 });
  expect((await office.run("payroll-2099-02.csv")).counts).toEqual({ held: 2 });
  const release = ["release", office.batchOf("payroll-2099-02.csv"), "--all", "--by", "ravi", "--reason", "February"];
  const told = await office.paydrop(...release);
  expect(told.code).toBe(6);
  expect(told.stdout).toContain(`same payment as row 2 of batch ${office.batchOf("february.csv")}`);
  expect(office.server.requests).toHaveLength(5);
  expect((await office.paydrop(...release)).code).toBe(0);
  expect(office.server.requests).toHaveLength(7);
});
