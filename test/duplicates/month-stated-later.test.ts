import { describe, expect, test } from "vitest";
import { countsOf } from "../support/desk.ts";
import { runProgram } from "../support/program.ts";
import { partsOf, textRow, zipOf } from "../support/workbooks.ts";
import { openOffice } from "./office.ts";

/** From the same account to B-1, B-2 …: these amounts. */
const wages = (...amounts: number[]): string =>
  ["from_account,to_account,amount", ...amounts.map((amount, at) => `A-1,B-${at + 1},${amount}`), ""].join("\n");

const at = (date: string, period?: string): { now: () => number; flags: Record<string, unknown> } => ({
  now: () => Date.parse(date),
  flags: period === undefined ? {} : { period },
});

describe("a file of which some rows went without a month, and which goes on with it", () => {
  test("pays what was held, and nothing twice: the command that its run told", async () => {
    const { desk, sent } = await openOffice();
    desk.write("nov.csv", wages(1001, 1002));
    await desk.process("nov.csv", at("2026-11-15"));
    desk.write("payroll.csv", wages(1001, 1002, 1003));
    const first = await desk.process("payroll.csv", at("2026-11-28T06:00:00Z"));
    expect([first.asksPeriod, first.byStatus.held?.rows]).toEqual(["YYYY-MM", 2]);
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2", "B-3"]);

    const stated = await desk.process("payroll.csv", at("2026-11-28T06:05:00Z", "2026-12"));
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2"]);
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ accepted: 2, held: 1 });
    expect(desk.results("payroll.csv")[2]?.result_duplicate_of).toContain(first.batch);
    const phase = await desk.inProcess(async ({ journal }) => (await journal.batch(first.batch))?.phase);
    expect(phase).toBe("cancelled");
    // whoever looks and means both lets it go
    const act = { by: "Meera", kind: "release", note: "both" };
    const rows = await desk.inProcess(({ journal }) => journal.release(stated.batch, "all", act));
    expect(rows).toEqual([4]);
  });

  test("is not told to state one for rows that have their own in a column: that one would still count", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", wages(1001, 1002));
    await desk.process("a.csv", at("2026-11-20"));
    desk.write("b.csv", "from_account,to_account,amount,Period\nA-1,B-1,1001,2026-11\nA-1,B-2,1002,\n");
    expect(await desk.process("b.csv", at("2026-11-21"))).toMatchObject({
      byStatus: { held: { rows: 2 } },
      asksPeriod: "YYYY-MM",
    });
    desk.write("c.csv", "from_account,to_account,amount,Period\nA-1,B-1,1001,2026-11\nA-1,B-3,1003,\n");
    const own = await desk.process("c.csv", at("2026-11-21"));
    expect([own.byStatus.held?.rows, own.asksPeriod]).toEqual([1, undefined]);
    expect(sent()).toHaveLength(3);
  });

  test("is not told to state the month that both names say: it would still be asked about", async () => {
    const { desk, sent } = await openOffice();
    desk.write("vendors-2026-11-10.csv", wages(1001, 1002));
    await desk.process("vendors-2026-11-10.csv", at("2026-11-10"));
    desk.write("vendors-2026-11-11.csv", wages(1001, 1003));
    const sameMonth = await desk.process("vendors-2026-11-11.csv", at("2026-11-11"));
    expect([sameMonth.asksPeriod, sameMonth.byStatus.held?.rows]).toEqual([undefined, 2]);
    desk.write("vendors-2026-12-01.csv", wages(1001));
    expect((await desk.process("vendors-2026-12-01.csv", at("2026-11-20"))).asksPeriod).toBe("2026-12");
    expect(sent()).toHaveLength(2);
    // it went in November: of a file that says no month nobody knows more
    desk.write("a.csv", wages(2001, 2002));
    await desk.process("a.csv", at("2026-11-20"));
    for (const [month, asked] of [
      ["2026-11", undefined],
      ["2026-12", "2026-12"],
    ] as const) {
      desk.write(`others-${month}.csv`, wages(2001, 2002, month === "2026-11" ? 1 : 2));
      expect((await desk.process(`others-${month}.csv`, at("2026-11-21"))).asksPeriod).toBe(asked);
    }
  });

  test("but as another month's file, where nothing of it waits: whoever names the file and states a later month pays it", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", wages(1001, 1002));
    await desk.process("a.csv", at("2026-11-24T06:00:00Z"));
    const december = at("2026-11-24T06:05:00Z", "2026-12");
    desk.write("payroll-2026-12.csv", wages(1001, 1002));
    expect((await desk.process("payroll-2026-12.csv", at("2026-11-24T06:02:00Z"))).exitCode).toBe(6);
    expect((await desk.process("payroll-2026-12.csv", december)).exitCode).toBe(0);
    expect(sent()).toHaveLength(4);
  });

  test("as `paydrop check` says before", async () => {
    const { desk } = await openOffice();
    desk.write("nov.csv", wages(1001, 1002));
    await desk.process("nov.csv");
    desk.write("payroll.csv", wages(1001, 1002, 1003));
    await desk.process("payroll.csv");
    const later = "2099-12";
    const check = await runProgram(["check", "--period", later, "payroll.csv"], { env: desk.env, cwd: desk.folder });
    expect(check.stdout).toContain("2 ready   1 held");
    expect(check.stdout).not.toContain("no end yet");
  });

  test("pays nothing twice where all of it went", async () => {
    const { desk, sent } = await openOffice();
    desk.write("salaries.csv", wages(1001, 1002));
    await desk.process("salaries.csv", at("2026-11-30T06:00:00Z"));
    expect(sent()).toHaveLength(2);
    const noticed = await desk.process("salaries.csv", at("2026-11-30T06:03:00Z", "2026-12"));
    expect(noticed.byStatus.held?.rows).toBe(2);
    expect(sent()).toEqual([]);
    // a month later it is the next one
    const late = await desk.process("salaries.csv", at("2026-12-28", "2027-01"));
    expect(late.exitCode).toBe(0);
    expect(sent()).toHaveLength(2);
  });

  test("nor do rows of a workbook", async () => {
    const { desk, sent } = await openOffice();
    const lines = wages(1001, 1002).trim().split("\n");
    const rows = lines.map((line, at) => textRow(at + 1, line.split(",")));
    desk.write("salaries.xlsx", zipOf(partsOf({ sheets: { Wages: rows.join("") } })));
    await desk.process("salaries.xlsx", at("2026-11-30T06:00:00Z"));
    expect(sent()).toHaveLength(2);
    await desk.process("salaries.xlsx", at("2026-11-30T06:03:00Z", "2026-12"));
    expect(sent()).toEqual([]);
  });

  test("leaves a rest that waits for something else, or since long ago, to a person", async () => {
    const { desk, sent } = await openOffice();
    desk.write("nov.csv", wages(1001));
    await desk.process("nov.csv", at("2026-11-15"));
    desk.write("payroll.csv", wages(1001, 1002));
    const first = await desk.process("payroll.csv", at("2026-11-28"));
    sent();
    await desk.process("payroll.csv", at("2027-01-02", "2027-01"));
    expect(sent().map(({ account }) => account)).toEqual(["B-2"]);
    const phase = await desk.inProcess(async ({ journal }) => (await journal.batch(first.batch))?.phase);
    expect(phase).toBe("open");
  });
});
