import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { putAnswer } from "../../src/results/answers/files.ts";
import { notYetAnswer, refusedAnswer } from "../../src/results/answers/answers.ts";
import { transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import type { Office } from "../support/people.ts";
import { accountOf, accountOfRow, openOffice } from "../support/people.ts";

test("a copy that sends what was left says so beside the first file too: there it read as not sent", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("payroll.csv", transfersCsv(3));
  expect((await office.run("payroll.csv")).code).toBe(7);
  expect(office.statuses("payroll.csv")).toEqual({ 2: "rejected", 3: "not_sent", 4: "not_sent" });

  office.server.use(() => wire.answer(200));
  office.write("payroll-again.csv", transfersCsv(3));
  expect((await office.run("payroll-again.csv")).counts).toEqual({ accepted: 3 });
  expect(office.statuses("payroll.csv")).toEqual({ 2: "accepted", 3: "accepted", 4: "accepted" });
  const summary = readFileSync(join(office.folder, "payroll.csv.summary.json"), "utf8");
  expect(JSON.parse(summary)).toMatchObject({ rows: { total: 3, accepted: 3 } });
  expect(office.server.requests).toHaveLength(4);
});

test("what a copy waited for with the file is over with it; that what lies there now was refused stays said", async () => {
  const office = await openOffice(() => wire.answer(401));
  const names = ["payroll.csv", "payroll (1).csv", "payroll (2).csv"];
  for (const name of names) office.write(name, transfersCsv(3));
  for (const name of names) expect((await office.run(name)).code).toBe(7);
  // as a drop folder says it of each while nothing goes
  for (const name of names) {
    const path = join(office.folder, name);
    await putAnswer(path, notYetAnswer(path, "its_turn"));
  }
  const refused = join(office.folder, "payroll (2).csv");
  await putAnswer(refused, refusedAnswer(refused, { faults: [] }));

  office.server.use(() => wire.answer(200));
  expect((await office.run("payroll.csv")).counts).toEqual({ accepted: 3 });
  expect(names.map((name) => office.statuses(name)[2])).toEqual(["accepted", "accepted", "accepted"]);
  const answers = readdirSync(office.folder).filter((name) => /\.(?:waiting|refused)\.txt$/.test(name));
  expect(answers).toEqual(["payroll (2).csv.refused.txt"]);
});

test("what a person settles stands beside every copy; where no results lie, none are written", async () => {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) ? wire.reset() : wire.answer(200),
  );
  for (const name of ["first.csv", "second.csv", "third.csv"]) {
    office.write(name, transfersCsv(3));
    expect((await office.run(name)).code).toBe(4);
  }
  rmSync(join(office.folder, "third.csv.results.csv"));
  const by = ["--as", "done", "--by", "asha", "--note", "dashboard: entry 18:08"];
  expect((await office.paydrop("settle", office.batchOf("first.csv"), "--row", "3", ...by)).code).toBe(0);
  for (const name of ["first.csv", "second.csv"]) {
    expect(office.statuses(name)).toEqual({ 2: "accepted", 3: "settled_done", 4: "accepted" });
  }
  expect(existsSync(join(office.folder, "third.csv.results.csv"))).toBe(false);
});

test("what a person settles stands beside a copy too whose name another file has by now", async () => {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) ? wire.reset() : wire.answer(200),
  );
  for (const name of ["first.csv", "second.csv"]) {
    office.write(name, transfersCsv(3));
    await office.run(name);
  }
  const batch = office.batchOf("first.csv");
  office.write("second.csv", "from_account,to_account,amount\nACC-1,ACC-OTHER,5.00\n");
  await office.run("second.csv");
  const other = office.results("second.csv");
  const by = ["--as", "done", "--by", "asha", "--note", "dashboard: entry 18:08"];
  expect((await office.paydrop("settle", batch, "--row", "3", ...by)).code).toBe(0);
  const aside = readFileSync(join(office.folder, `second.csv.results.${batch}.csv`), "utf8");
  expect([aside.includes("\n3,settled_done,"), aside.includes("unknown")]).toEqual([true, false]);
  expect(office.results("second.csv")).toEqual(other);
});

test("the word that waits beside a copy goes with what a person settles", async () => {
  const office = await openOffice(() => wire.reset(), { PAYDROP_SETTLE: "0.1s" });
  const names = ["first.csv", "second.csv"];
  for (const name of names) office.write(name, transfersCsv(1));
  expect((await office.paydrop("run", "--inbox", office.folder)).code).toBe(4);
  const notes = (): string[] => readdirSync(office.folder).filter((name) => name.endsWith(".waiting.txt"));
  expect(notes().sort()).toEqual(names.map((name) => `${name}.waiting.txt`));
  const by = ["--as", "done", "--by", "asha", "--note", "dashboard: entry 18:08"];
  await office.paydrop("settle", office.batchOf("first.csv"), "--row", "2", ...by);
  expect(notes()).toEqual([]);
});

test("beside a first file whose name another one has by now, what its copy sends stands under the batch's own name", async () => {
  const office = await openOffice((request) => wire.answer(request.number === 1 ? 401 : 200));
  office.write("first.csv", transfersCsv(1));
  await office.run("first.csv");
  const batch = office.batchOf("first.csv");
  office.write("first.csv", "from_account,to_account,amount\nACC-1,ACC-OTHER,5.00\n");
  await office.run("first.csv");
  const other = office.batchOf("first.csv");
  const aside = join(office.folder, `first.csv.results.${batch}.csv`);
  expect(readFileSync(aside, "utf8")).toContain("\n2,rejected,401");
  office.write("second.csv", transfersCsv(1));
  expect((await office.run("second.csv")).counts).toEqual({ accepted: 1 });
  expect(readFileSync(aside, "utf8")).toContain("\n2,accepted,200");
  expect([office.batchOf("first.csv"), office.results("first.csv")[0]?.["result_batch"]]).toEqual([other, other]);
  expect(other).not.toBe(batch);
});

describe("where the service refused all but one row of the first file", () => {
  /** Row 2 of payroll.csv is accepted; from then on the service takes everything. */
  async function officeOfRefusals(csv: string): Promise<{ office: Office; sent: () => number }> {
    const office = await openOffice(({ body }) => wire.answer(body.includes('"amount":101.00') ? 200 : 402));
    office.write("payroll.csv", csv);
    expect((await office.run("payroll.csv")).counts["accepted"]).toBe(1);
    office.server.use(() => wire.answer(200));
    const before = office.server.requests.length;
    return { office, sent: () => office.server.requests.length - before };
  }

  test("an amount that is edited on that one waits", async () => {
    const { office, sent } = await officeOfRefusals(transfersCsv(3));
    office.write("payroll.csv", transfersCsv(3).replace("101.00", "150.00"));
    const again = await office.run("payroll.csv");
    expect({ code: again.code, counts: again.counts }).toEqual({ code: 6, counts: { held: 1, accepted: 2 } });
    expect(again.results[0]?.result_message).toContain("same payee with another amount");
    expect(sent()).toBe(2);
  });

  test("the refused ones go, dropped alone, also to a payee who has the accepted one", async () => {
    const bonus = `50100271828001,${accountOfRow(2)},250.00\n`;
    const { office, sent } = await officeOfRefusals(`${transfersCsv(2)}${bonus}`);
    const [header = "", , refused = ""] = transfersCsv(2).split("\n");
    office.write("rest.csv", `${header}\n${refused}\n${bonus}`);
    expect((await office.run("rest.csv")).counts).toEqual({ accepted: 2 });
    expect(sent()).toBe(2);
  });

  test("a raise goes with the next month's file, and a row that is added to the retry file", async () => {
    const { office, sent } = await officeOfRefusals(transfersCsv(2));
    const retry = readFileSync(join(office.folder, "payroll.csv.retry.csv"), "utf8");
    office.write("payroll.csv.retry.csv", `${retry}50100271828001,${accountOfRow(2)},77.00,,\r\n`);
    expect((await office.run("payroll.csv.retry.csv")).counts).toEqual({ accepted: 2 });
    office.write("next.csv", transfersCsv(2).replace("101.00", "150.00"));
    expect((await office.run("next.csv", "--period", "2099-01")).counts).toEqual({ accepted: 2 });
    expect(sent()).toBe(4);
  });
});

test("who releases a row is told that the same payment was accepted, also where another row waits for a person as well", async () => {
  const office = await openOffice(() => wire.answer(200));
  const [header = "", row = ""] = transfersCsv(1).split("\n");
  for (const [name, more] of [
    ["first.csv", "1111111111,2222222222,9.00"],
    ["second.csv", "1111111111,3333333333,9.00"],
    ["third.csv", "1111111111,4444444444,9.00"],
  ] as const) {
    office.write(name, `${header}\n${row}\n${more}\n`);
    await office.run(name);
  }
  expect(office.statuses("second.csv")).toEqual({ 2: "held", 3: "accepted" });
  const [third] = office.results("third.csv");
  expect(third?.result_status).toBe("held");
  expect(third?.result_message).toContain(`as row 2 of batch ${office.batchOf("first.csv")}, accepted`);
  expect(third?.result_message).not.toContain("no end yet");
});

test("of several equal payments that went, the likeliest is named, and how many more there are", async () => {
  const office = await openOffice(() => wire.answer(200));
  const run = async (name: string, ...flags: string[]): Promise<string | undefined> => {
    office.write(name, transfersCsv(1, { note: () => name }));
    await office.run(name, ...flags);
    return office.results(name)[0]?.result_message;
  };
  await run("november.csv");
  // of another month: whoever is told of that one alone would let a copy of November's go
  expect(await run("next.csv", "--period", "2099-01")).toContain("initiated");
  const november = `same payment as row 2 of batch ${office.batchOf("november.csv")}, accepted [^,]*`;
  expect(await run("copy.csv")).toMatch(new RegExp(`${november}, and as 1 other row$`));

  await run("second copy.csv");
  const second = office.batchOf("second copy.csv");
  await office.paydrop("release", second, "--all", "--by", "asha", "--reason", "meant");
  const { stdout } = await office.paydrop("release", office.batchOf("copy.csv"), "--all", "--by", "a", "--reason", "b");
  expect(stdout).toMatch(new RegExp(`row 2 of batch ${second}, accepted [^,]*, and as 2 other rows\\. This is new`));
});

test("of a file that was dropped with its month and without, what a person lets go holds the other one", async () => {
  const office = await openOffice(() => wire.answer(200));
  const run = async (name: string, ...flags: string[]): Promise<void> => {
    office.write(name, transfersCsv(3, { note: () => name }));
    await office.run(name, ...flags);
  };
  await run("first.csv");
  await run("second.csv");
  await run("second again.csv", "--period", "2099-12");
  // the one without its month stands in its way; a person lets that one go, since both are meant
  expect(office.statuses("second again.csv")).toEqual({ 2: "held", 3: "held", 4: "held" });
  const second = office.batchOf("second.csv");
  await office.paydrop("release", second, "--all", "--by", "asha", "--reason", "both meant");
  expect(office.statuses("second.csv")).toEqual({ 2: "accepted", 3: "accepted", 4: "accepted" });

  await office.paydrop("retry", office.batchOf("second again.csv"));
  await office.run("second again.csv", "--period", "2099-12");
  expect(office.results("second again.csv").map((row) => row.result_message)).toEqual(
    [2, 3, 4].map(
      (row) => expect.stringContaining(`same payment as row ${row} of batch ${second}, accepted`) as string,
    ),
  );
  expect(office.server.requests).toHaveLength(6);
});
