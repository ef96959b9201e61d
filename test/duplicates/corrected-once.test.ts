import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type InProcess } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { firstRun, HEADER, MENDED, openOffice, paydrop } from "./corrected-office.ts";

describe("one row of a file is corrected once", () => {
  const row = (batch: string, account: string, amount: string, reference = ""): string =>
    `${HEADER},retry_of\nACC-OPS-01,${account},${amount},${reference},${batch}:2\n`;

  test("twice in one file: the first goes, the other one waits, whatever was changed in it", async () => {
    const office = await openOffice();
    const { batch } = await firstRun(office);
    office.server.use(() => wire.answer(200));
    const second = `ACC-OPS-01,60200000004471,7.00,R8,${batch}:2\n`;
    office.desk.write("twice.csv", row(batch, "60200000004471", "101.00", "R1") + second);
    const ended = await office.desk.run("twice.csv", "--allow-repeats");
    expect(ended.results.map((one) => one.result_status)).toEqual(["accepted", "held"]);
    expect(ended.results[1]?.result_message).toContain("row 2 of this file corrects the same row of an earlier file");
    expect(office.sent()).toEqual(["60200000004471 101"]);
  });

  test("a second corrected file, and the correction of a correction, wait once one of them was accepted", async () => {
    const office = await openOffice();
    const { batch, retry } = await firstRun(office);
    const only2 = retry
      .split("\r\n")
      .filter((line) => !line.includes("R2"))
      .join("\r\n");
    // refused once more: its retry file names the second batch
    office.desk.write("second.csv", only2.replace("100.00", "101.00"));
    expect((await office.desk.run("second.csv")).counts).toEqual({ rejected: 1 });
    const next = readFileSync(join(office.desk.folder, "second.csv.retry.csv"), "utf8");
    office.server.use(() => wire.answer(200));
    office.sent();
    office.desk.write("third.csv", next.replace("101.00", "102.00"));
    expect((await office.desk.run("third.csv")).counts).toEqual({ accepted: 1 });
    expect(office.sent()).toEqual(["60200000004471 102"]);

    office.desk.write("late.csv", row(batch, "60200000004471", "103.00"));
    const late = await office.desk.run("late.csv");
    expect({ code: late.code, counts: late.counts }).toEqual({ code: 6, counts: { held: 1 } });
    expect(late.results[0]?.result_message).toContain("corrects the same row of an earlier file");
    office.desk.write("later.csv", next.replace("101.00", "104.00").replace("R1", "R7"));
    expect((await paydrop(office.desk, "check", "later.csv")).stdout).toContain("corrects the same row");
    expect((await office.desk.run("later.csv")).counts).toEqual({ held: 1 });
    expect(office.sent()).toEqual([]);
  });

  test("the retry file waits where the file went corrected as a whole: `check` says so too", async () => {
    const office = await openOffice();
    const { desk, sent } = office;
    const file = (amount: string): string =>
      `${HEADER}\nACC-OPS-01,60200000004471,${amount},\nACC-OPS-01,60200000005582,300.00,\n`;
    desk.write("payroll.csv", file("100.00"));
    expect((await desk.run("payroll.csv")).counts).toEqual({ accepted: 1, rejected: 1 });
    office.server.use(() => wire.answer(200));
    desk.write("payroll corrected.csv", file("101.00"));
    const own = await desk.run("payroll corrected.csv");
    expect(own.counts).toEqual({ accepted: 1, held: 1 });
    sent();
    const retry = readFileSync(join(desk.folder, "payroll.csv.retry.csv"), "utf8");
    desk.write("payroll.csv.retry.csv", retry.replace("100.00", "102.00"));
    const said = `same payee with another amount or debit account as row 2 of batch ${own.results[0]?.["result_batch"] ?? ""}, accepted`;
    const checked = await paydrop(desk, "check", "payroll.csv.retry.csv");
    expect(checked.code).toBe(6);
    expect(checked.stdout).toContain(said);
    const late = await desk.run("payroll.csv.retry.csv");
    expect({ code: late.code, counts: late.counts }).toEqual({ code: 6, counts: { held: 1 } });
    expect(late.results[0]?.result_message).toContain(said);
    expect(sent()).toEqual([]);
  });

  test("a row that was accepted has nothing to correct", async () => {
    const office = await openOffice();
    const { batch } = await firstRun(office);
    office.desk.write("again.csv", row(batch, "60200000009999", "5.00").replace(":2", ":4"));
    const ended = await office.desk.run("again.csv");
    expect(ended.counts).toEqual({ held: 1 });
    expect(ended.results[0]?.result_message).toContain(`it corrects row 4 of batch ${batch}, accepted`);

    // nor has one that was found to be another row's payment
    office.desk.write("same.csv", `${HEADER}\nACC-OPS-01,60200000006693,300.00,R3\n`);
    const same = await office.desk.run("same.csv");
    expect(same.counts).toEqual({ duplicate: 1 });
    office.desk.write("other.csv", row(same.results[0]?.["result_batch"] ?? "", "60200000006693", "301.00"));
    expect((await office.desk.run("other.csv")).counts).toEqual({ held: 1 });
    expect(office.sent()).toEqual([]);
  });

  test("a row without an end holds its correction, until a person settles it", async () => {
    const office = await openOffice(["60200000004471"], 500);
    office.desk.write("one.csv", `${HEADER}\nACC-OPS-01,60200000004471,100.00,\n`);
    const first = await office.desk.run("one.csv");
    expect(first.counts).toEqual({ unknown: 1 });
    const batch = first.results[0]?.["result_batch"] ?? "";
    office.server.use(() => wire.answer(200));
    office.sent();
    office.desk.write("fixed.csv", row(batch, "60200000004471", "99.00"));
    const held = await office.desk.run("fixed.csv");
    expect(held.counts).toEqual({ held: 1 });
    expect(held.results[0]?.result_message).toContain(`row 2 of batch ${batch}, which has no end yet`);
    const release = ["release", held.results[0]?.["result_batch"] ?? "", "--all", "--by", "r", "--reason", "x"];
    await paydrop(office.desk, ...release);
    expect(office.sent()).toEqual([]);

    await paydrop(office.desk, "settle", batch, "--row", "2", "--as", "not-done", "--by", "asha", "--note", "no entry");
    expect((await office.desk.run("fixed.csv")).counts).toEqual({ accepted: 1 });
    expect(office.sent()).toEqual(["60200000004471 99"]);
    // the row itself may not go any more: its correction did
    await paydrop(office.desk, "retry", batch, "--by", "asha");
    expect(office.sent()).toEqual([]);
    expect((await office.desk.run("one.csv")).counts).toEqual({ held: 1 });
    expect(office.sent()).toEqual([]);
  });
});

test("where the copy of the earlier file is gone, nobody can say whose account it was: the row waits", async () => {
  const office = await openOffice();
  const { retry } = await firstRun(office);
  rmSync(join(office.desk.stateDir, "snapshots"), { recursive: true });
  office.desk.write("mended.csv", retry.replace(MENDED, "1200.00"));
  const ended = await office.desk.run("mended.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 6, counts: { held: 2 } });
  expect(ended.results[0]?.result_message).toContain("what was changed cannot be told");
  expect(office.sent()).toEqual([]);
});

describe("a corrected row is of the period that was stated for the row it corrects", () => {
  const at = (date: string, period?: string): InProcess => ({
    now: () => Date.parse(date),
    flags: period === undefined ? {} : { period },
  });
  const wages = (...more: string[]): string =>
    ["from_account,to_account,amount", "ACC-OPS-01,60200000004471,100", "ACC-OPS-01,60200000005582,200", ...more].join(
      "\n",
    );

  test("the whole file of that month, saved again weeks later, does not pay it once more", async () => {
    const refuses = ["60200000004471"];
    const { desk, sent } = await openOffice(refuses);
    desk.write("wages.csv", wages());
    expect((await desk.process("wages.csv", at("2026-11-06", "2026-11"))).byStatus).toMatchObject({
      accepted: { rows: 1 },
      rejected: { rows: 1 },
    });
    refuses.pop();
    const retry = readFileSync(join(desk.folder, "wages.csv.retry.csv"), "utf8");
    desk.write("retry.csv", retry.replace(/"?The service[^,]*,/, ","));
    expect((await desk.process("retry.csv", at("2026-11-07"))).byStatus).toMatchObject({ accepted: { rows: 1 } });
    sent();
    desk.write("wages again.csv", wages("ACC-OPS-01,60200000006693,300"));
    await desk.process("wages again.csv", at("2026-12-05", "2026-11"));
    expect(sent()).toEqual(["60200000006693 300"]);
    expect(desk.results("wages again.csv").map((row) => row.result_status)).toEqual([
      "duplicate",
      "duplicate",
      "accepted",
    ]);
  });

  test("the month before holds it no more than the row that it corrects", async () => {
    const refuses: string[] = [];
    const { desk, sent } = await openOffice(refuses);
    desk.write("october.csv", wages());
    await desk.process("october.csv", at("2026-10-31", "2026-10"));
    refuses.push("60200000004471");
    desk.write("november.csv", wages("ACC-OPS-01,60200000006693,300"));
    await desk.process("november.csv", at("2026-11-06", "2026-11"));
    refuses.pop();
    sent();
    const retry = readFileSync(join(desk.folder, "november.csv.retry.csv"), "utf8");
    desk.write("retry.csv", retry.replace(/"?The service[^,]*,/, ","));
    await desk.process("retry.csv", at("2026-11-07"));
    expect(sent()).toEqual(["60200000004471 100"]);
  });

  test.each([
    ["in a retry file", "retry.csv"],
    ["in the retry file of a retry file", "once more.csv"],
  ])("the month that a nightly run states for it is not its own: %s", async (_where, name) => {
    const refuses = ["60200000004471"];
    const { desk, sent } = await openOffice(refuses);
    desk.write("wages.csv", wages());
    await desk.process("wages.csv", at("2026-11-28", "2026-11"));
    const emptied = (file: string): string =>
      readFileSync(join(desk.folder, `${file}.retry.csv`), "utf8").replace(/"?The service.*(?=,\w{8}:\d)/, "");
    desk.write("retry.csv", emptied("wages.csv"));
    if (name !== "retry.csv") {
      await desk.process("retry.csv", at("2026-12-01", "2026-12"));
      desk.write(name, emptied("retry.csv"));
    }
    refuses.pop();
    sent();
    const kept = "its values are as they were; its period is 2026-11, not the one stated for this file";
    const checked = await paydrop(desk, "check", "--period", "2026-12", name);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(kept) as string });
    const ended = await desk.run(name, "--period", "2026-12");
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(kept) as string });
    expect(ended.results[0]?.result_message).toContain(kept);
    expect(sent()).toEqual(["60200000004471 100"]);

    // neither is the next month unpaid, nor this one paid again
    desk.write("next.csv", wages("ACC-OPS-01,60200000006693,300"));
    expect((await desk.process("next.csv", at("2026-12-28", "2026-12"))).byStatus).toMatchObject({
      accepted: { rows: 3 },
    });
    desk.write("again.csv", wages(""));
    expect((await desk.process("again.csv", at("2026-12-29", "2026-11"))).byStatus).toMatchObject({
      duplicate: { rows: 2 },
    });
  });

  test("its own column says another one; without one on either side the run's is taken", async () => {
    const refuses = ["60200000004471", "60200000005582"];
    const { desk, sent } = await openOffice(refuses);
    desk.write("wages.csv", wages());
    const { batch } = await desk.process("wages.csv", at("2026-11-28", "2026-11"));
    desk.write("other.csv", wages("ACC-OPS-01,60200000005582,201"));
    const { batch: none } = await desk.process("other.csv", at("2026-11-28"));
    refuses.splice(0);
    sent();
    const head = "from_account,to_account,amount,period,retry_of";
    desk.write(
      "mended.csv",
      `${head}\nACC-OPS-01,60200000004471,101,2026-12,${batch}:2\nACC-OPS-01,60200000005582,202,,${none}:4\n`,
    );
    await desk.process("mended.csv", at("2026-12-02", "2027-01"));
    expect(sent()).toHaveLength(2);
    const rows = "from_account,to_account,amount,period\nACC-OPS-01,60200000004471,101,2026-12\n";
    desk.write("same.csv", `${rows}ACC-OPS-01,60200000005582,202,2027-01\n`);
    expect((await desk.process("same.csv", at("2026-12-03"))).byStatus).toMatchObject({ duplicate: { rows: 2 } });
  });
});
