import { describe, expect, test } from "vitest";
import * as wire from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { messagesOf, openOffice } from "./office.ts";

describe("a period that is stated for a file whose name says another month", () => {
  const wages = (...more: string[]): string =>
    ["from_account,to_account,amount", "A-1,B-1,100", "A-1,B-2,200", ...more].join("\n");
  const at = (date: string, period?: string): { now: () => number; flags: Record<string, unknown> } => ({
    now: () => Date.parse(date),
    flags: period === undefined ? {} : { period },
  });

  test("frees nothing that was paid for the month of its name: a nightly run that states the month of today", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-nov-2026.csv", wages());
    await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    expect(sent()).toHaveLength(2);
    desk.write("wages-nov-2026 (1).csv", wages(""));
    expect((await desk.process("wages-nov-2026 (1).csv", at("2026-12-01", "2026-12"))).exitCode).toBe(6);
    expect(sent()).toEqual([]);
    expect(messagesOf(desk, "wages-nov-2026 (1).csv").join("\n")).toContain("its name");
  });

  test("calls nothing a duplicate: a period that was forgotten in the settings leaves no month unpaid without a word", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-nov-2026.csv", wages());
    await desk.process("wages-nov-2026.csv", at("2026-11-06", "2026-11"));
    sent();
    desk.write("wages-dec-2026.csv", wages("A-1,B-3,300"));
    expect((await desk.process("wages-dec-2026.csv", at("2026-12-06", "2026-11"))).exitCode).toBe(6);
    expect(sent().map(({ account }) => account)).toEqual(["B-3"]);
    // saved once more under a name with that month: those that went under it are surely the same
    desk.write("wages-2026-12-08.csv", wages("A-1,B-3,300", ""));
    await desk.process("wages-2026-12-08.csv", at("2026-12-08", "2026-11"));
    expect(desk.results("wages-2026-12-08.csv").map((row) => row.result_status)).toEqual(["held", "held", "duplicate"]);
  });

  test("keeps what went under it from going under the right one too, also what a retry file sent", async () => {
    const rejects = { account: "B-4" };
    const { desk, sent } = await openOffice(({ account }) => wire.answer(account === rejects.account ? 422 : 200));
    desk.write("wages-nov-2026.csv", wages());
    await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    const december = wages("A-1,B-3,300", "A-1,B-4,400");
    desk.write("wages-dec-2026.csv", december);
    const forgotten = await desk.process("wages-dec-2026.csv", at("2026-12-31", "2026-11"));
    rejects.account = "";
    const corrected = `from_account,to_account,amount,retry_of\nA-1,B-4,400,${forgotten.batch}:5\n`;
    desk.write("wages-dec-2026.csv.retry.csv", corrected);
    await desk.process("wages-dec-2026.csv.retry.csv", at("2027-01-01"));
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2", "B-3", "B-4", "B-4"]);

    const act = { by: "Meera", kind: "cancel", note: "its period is wrong" };
    await desk.inProcess((processor) => processor.journal.setPhase(forgotten.batch, "cancelled", act));
    expect((await desk.process("wages-dec-2026.csv", at("2027-01-02", "2026-12"))).exitCode).toBe(6);
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2"]);
    const states = desk.results("wages-dec-2026.csv").map((row) => row.result_status);
    expect(states).toEqual(["accepted", "accepted", "held", "held"]);
  });

  test("calls nothing a duplicate of what a late correction of another month's file paid under it", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-nov-2026.csv", wages("A-1,B-3,x"));
    await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    desk.write("wages-nov-2026 mended.csv", wages("A-1,B-3,300"));
    await desk.process("wages-nov-2026 mended.csv", at("2026-12-01", "2026-12"));
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2", "B-3"]);
    desk.write("wages-dec-2026.csv", wages("A-1,B-3,300", ""));
    await desk.process("wages-dec-2026.csv", at("2026-12-31", "2026-12"));
    expect(desk.results("wages-dec-2026.csv")[2]?.result_message).toContain("unless it is another month's");
  });

  test("is not the day in the name of a retry file, for the month that was stated for the row it corrects", async () => {
    const answers = { code: 422 };
    const { desk, sent } = await openOffice(() => wire.answer(answers.code));
    desk.write("wages-nov-2026.csv", wages());
    const { batch } = await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    answers.code = 200;
    desk.write("refused-2026-12-02.csv", `from_account,to_account,amount,retry_of\nA-1,B-2,200,${batch}:3\n`);
    await desk.process("refused-2026-12-02.csv", at("2026-12-02"));
    expect(sent()).toHaveLength(3);
    desk.write("wages-dec-2026.csv", wages(""));
    expect((await desk.process("wages-dec-2026.csv", at("2026-12-31", "2026-12"))).exitCode).toBe(0);
    expect(sent()).toHaveLength(2);
  });

  test.each([
    ["the month that is worked", ["wages-oct-2026.csv", "2026-11"], ["wages-nov-2026.csv", "2026-12"]],
    ["the day it is paid", ["wages-2026-12-01.csv", "2026-11"], ["wages-2027-01-01.csv", "2026-12"]],
  ] as const)("asks nobody where the name always says %s", async (_, [last, lastPeriod], [next, period]) => {
    const { desk, sent } = await openOffice();
    desk.write(last, wages());
    await desk.process(last, at(`${lastPeriod}-28`, lastPeriod));
    desk.write(next, wages("A-1,B-3,300"));
    expect((await desk.process(next, at(`${period}-28`, period))).exitCode).toBe(0);
    expect(sent()).toHaveLength(5);
    // last month's copy, a month later than it went
    desk.write(`copy of ${last}`, wages(""));
    await desk.process(`copy of ${last}`, at(`${period}-28`, period));
    expect(sent()).toEqual([]);
  });

  test("holds nothing of the month that was paid late into the next, at the end of that one", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-2027-01-02.csv", wages());
    await desk.process("wages-2027-01-02.csv", at("2027-01-02", "2026-12"));
    desk.write("wages-2027-01-29.csv", wages(""));
    expect((await desk.process("wages-2027-01-29.csv", at("2027-01-29", "2027-01"))).exitCode).toBe(0);
    expect(sent()).toHaveLength(4);
  });

  test("takes no next month's file of the very same bytes for the one that went: `check` says so too", async () => {
    const { desk, sent } = await openOffice();
    const json = {
      operation: "transfer",
      period: "2026-11",
      rows: [{ from_account: "A-1", to_account: "B-9", amount: 5 }],
    };
    for (const [name, text] of [
      ["csv", wages()],
      ["json", JSON.stringify(json)],
    ] as const) {
      desk.write(`wages-nov-2026.${name}`, text);
      const november = await desk.process(`wages-nov-2026.${name}`, at("2026-11-30", "2026-11"));
      sent();
      desk.write(`wages-dec-2026.${name}`, text);
      const check = ["check", "--period", "2026-11", `wages-dec-2026.${name}`];
      expect((await runProgram(check, { env: desk.env, cwd: desk.folder })).code).toBe(6);
      const held = await desk.process(`wages-dec-2026.${name}`, at("2026-12-31", "2026-11"));
      expect({ code: held.exitCode, states: Object.keys(held.byStatus) }).toEqual({ code: 6, states: ["held"] });
      expect((await desk.process(`wages-dec-2026.${name}`, at("2026-12-31", "2026-11"))).batch).toBe(held.batch);
      expect((await desk.process(`wages-nov-2026.${name}`, at("2026-12-31", "2026-11"))).batch).toBe(november.batch);
      expect(sent()).toEqual([]);
    }
    expect(messagesOf(desk, "wages-dec-2026.csv").join()).toContain("unless it is another month's");
    expect((await desk.process("wages-dec-2026.csv", at("2026-12-31", "2026-12"))).exitCode).toBe(0);
    expect(sent()).toHaveLength(2);
  });

  test("is a row's own where the row states it", async () => {
    const { desk } = await openOffice();
    const rows = (periods: readonly string[]): string =>
      `from_account,to_account,amount,period\n${periods.map((period) => `A-1,B-1,100,${period}\n`).join("")}`;
    desk.write("register-nov-2026.csv", rows(["2026-10", "2026-11"]));
    await desk.process("register-nov-2026.csv", at("2026-11-30"));
    desk.write("register-dec-2026.csv", rows(["2026-10", "2026-11", "2026-12"]));
    await desk.process("register-dec-2026.csv", at("2026-12-31"));
    const states = desk.results("register-dec-2026.csv").map((row) => row.result_status);
    expect(states).toEqual(["duplicate", "duplicate", "accepted"]);
  });
});

test("who stated the period is not told to state one, by the file or by its rows, before it runs or after", async () => {
  const { desk } = await openOffice();
  const wages = "from_account,to_account,amount\nA-1,B-1,100\n";
  desk.write("wages.csv", wages);
  await desk.process("wages.csv", { flags: { period: "2026-11-H1" } });
  desk.write("again.csv", `${wages}\n`);
  const advice = "A new month? Run it with --period";
  const check = async (...more: string[]): Promise<string> =>
    (await runProgram(["check", "again.csv", ...more], { env: desk.env, cwd: desk.folder })).stdout;
  expect(await check()).toContain(advice);
  const stated = await check("--period", "2026-11");
  expect(stated).toContain("Both meant, in the period that is stated? Release it");
  expect(stated).not.toContain(advice);
  desk.write("rows.csv", wages.replace("amount\n", "amount,period\n").replace("100\n", "100,2026-11\n"));
  for (const [name, flags] of [
    ["again.csv", { period: "2026-11" }],
    ["rows.csv", {}],
  ] as const) {
    await desk.process(name, { flags });
    const [row] = desk.results(name);
    expect([name, row?.result_status]).toEqual([name, "held"]);
    expect(row?.["result_action"]).not.toContain(advice);
  }
});
