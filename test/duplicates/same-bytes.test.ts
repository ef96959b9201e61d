import { copyFileSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countsOf, transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { DAY_MS, messagesOf, NOVEMBER, openOffice } from "./office.ts";

describe("the same bytes", () => {
  test("again, touched, and under other names within the days: nothing goes, the first outcomes are shown", async () => {
    const { desk, sent } = await openOffice(({ account }) => wire.answer(account.endsWith("3") ? 422 : 200));
    const path = desk.write("payroll.csv", transfersCsv(5));
    const first = await desk.run("payroll.csv");
    expect({ code: first.code, counts: first.counts }).toEqual({ code: 3, counts: { accepted: 4, rejected: 1 } });
    expect(sent()).toHaveLength(5);

    expect((await desk.run("payroll.csv")).counts).toEqual(first.counts);
    utimesSync(path, new Date(), new Date());
    expect((await desk.run("payroll.csv")).counts).toEqual(first.counts);
    for (const name of ["copy of payroll.csv", "wages.csv"]) {
      copyFileSync(path, join(desk.folder, name));
      const run = await desk.run(name);
      expect({ code: run.code, counts: run.counts }).toEqual({ code: 3, counts: first.counts });
      expect(run.stdout + run.stderr).toMatch(/again|before|same|already|resum/i);
    }
    expect(sent()).toEqual([]);
  });

  test("next month, from the mail once more: held whole, said in the results, neither sent nor forgotten", async () => {
    const { desk, sent } = await openOffice();
    const path = desk.write("payroll.csv", transfersCsv(3));
    await desk.process("payroll.csv", { now: () => NOVEMBER });
    expect(sent()).toHaveLength(3);
    utimesSync(path, new Date(), new Date());
    const december = { now: () => NOVEMBER + 30 * DAY_MS };
    const held = await desk.process("payroll.csv", december);
    expect({ code: held.exitCode, held: held.byStatus.held?.rows }).toEqual({ code: 6, held: 3 });
    expect(messagesOf(desk, "payroll.csv")).toEqual([expect.stringContaining("this very file was sent before")]);
    expect((await desk.process("payroll.csv", december)).exitCode, "and it stays so").toBe(6);
    expect(sent()).toEqual([]);

    const stated = await desk.process("payroll.csv", { ...december, flags: { period: "2026-12" } });
    expect({ code: stated.exitCode, accepted: stated.byStatus.accepted?.rows }).toEqual({ code: 0, accepted: 3 });
    expect(sent()).toHaveLength(3);
    // the copy that was held must not go as well, whoever asks for it
    const act = { by: "Meera", kind: "release", note: "a new month" };
    const releasing = desk.inProcess((processor) => processor.journal.release(held.batch, "all", act), december);
    await expect(releasing).rejects.toThrow("cancelled");
    await desk.process("payroll.csv", december);
    await desk.process("payroll.csv", { ...december, flags: { period: "2026-12" } });
    expect(sent()).toEqual([]);
  });

  test("the next week's wages, which are those of the last one: held whole by the week in their names, then let go", async () => {
    const { desk, sent } = await openOffice();
    const path = desk.write("wages W46.csv", transfersCsv(3));
    await desk.process("wages W46.csv", { now: () => NOVEMBER });
    const next = { now: () => NOVEMBER + 7 * DAY_MS };
    copyFileSync(path, join(desk.folder, "wages W46 copy.csv"));
    expect((await desk.process("wages W46 copy.csv", next)).exitCode).toBe(0);
    copyFileSync(path, join(desk.folder, "wages W47.csv"));
    const { batch, exitCode, byStatus } = await desk.process("wages W47.csv", next);
    expect([exitCode, byStatus.held?.rows]).toEqual([6, 3]);
    expect(messagesOf(desk, "wages W47.csv")).toEqual([expect.stringContaining("this very file was sent before")]);
    utimesSync(join(desk.folder, "wages W47.csv"), new Date(), new Date());
    expect((await desk.process("wages W47.csv", next)).batch).toBe(batch);
    expect(sent()).toHaveLength(3);
    const act = { by: "Meera", kind: "release", note: "the next week" };
    await desk.inProcess((processor) => processor.journal.release(batch, "all", act), next);
    expect((await desk.process("wages W47.csv", next)).exitCode).toBe(0);
    expect(sent()).toHaveLength(3);
  });

  test("stating the period takes back the copy that waits as a whole, and no other batch of the file", async () => {
    const { desk, sent } = await openOffice();
    // one goes, one is repeated, one cannot be read, one is known by its reference
    const rows = ["1,5.00,", "2,6.00,", "2,6.00,", "3,six,", "4,7.00,R-1"].map((row) => `ACC-1,ACC-${row}\n`);
    const path = desk.write("payroll.csv", `from_account,to_account,amount,reference\n${rows.join("")}`);
    const taken = async (days: number, period?: string): Promise<string> => {
      utimesSync(path, new Date(), new Date());
      const flags = period === undefined ? {} : { period };
      const report = await desk.process("payroll.csv", { now: () => NOVEMBER + days * DAY_MS, flags });
      return report.batch;
    };
    const first = await taken(0);
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ accepted: 3, held: 1, invalid: 1 });
    const november = await taken(5, "2026-11");
    const copy = await taken(30);
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ held: 3, invalid: 1, duplicate: 1 });
    sent();
    // the repeated one waits for the first file's, which a person may still let go
    const december = await taken(31, "2026-12");
    expect(sent().map(({ account }) => account)).toEqual(["ACC-1"]);
    const phases = await desk.inProcess(async ({ journal }) =>
      Object.fromEntries((await journal.batches()).map(({ id, phase }) => [id, phase])),
    );
    expect(phases).toEqual({ [first]: "open", [november]: "open", [copy]: "cancelled", [december]: "open" });
  });

  test("stating the period takes back the copy that waits, also where the process died before it did", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll-2026-10.csv", transfersCsv(2));
    await desk.process("payroll-2026-10.csv");
    desk.write("payroll-2026-11.csv", transfersCsv(2));
    const held = await desk.process("payroll-2026-11.csv");
    expect(held.byStatus.held?.rows).toBe(2);
    const env = { ...desk.env, PAYDROP_TEST: "1", PAYDROP_FAULT: "crash@batch.opened:1" };
    const operands = ["run", "--period", "2026-11", "payroll-2026-11.csv"];
    expect((await runProgram(operands, { env, cwd: desk.folder })).signal).toBe("SIGKILL");
    await desk.process("payroll-2026-11.csv", { flags: { period: "2026-11" } });
    expect(sent()).toHaveLength(4);
    const copy = await desk.inProcess(({ journal }) => journal.batch(held.batch));
    expect(copy?.phase).toBe("cancelled");
  });

  test("a date whose month nobody can tell is no other period, wherever it is stated", async () => {
    const { desk, sent } = await openOffice();
    const rows = '[{"from_account":"ACC-1","to_account":"ACC-2","amount":5}]';
    const stating = (period: string): string => `{"operation":"transfer","period":"${period}","rows":${rows}}`;
    desk.write("first.json", stating("2026-11"));
    desk.write("second.json", stating("01/11/2026"));
    desk.write("third.json", rows.replace("[", "[ "));
    expect((await desk.run("first.json")).code).toBe(0);
    const flagged = ["third.json", "--operation=transfer"];
    for (const [name, ...flags] of [
      ["second.json"],
      [...flagged, "--period=1.11.2026"],
      [...flagged, "--period=28/11/2026"],
    ]) {
      const run = await desk.run(name ?? "", ...flags);
      expect(run.code).toBe(5);
      expect(run.stderr).toContain("a date that does not begin with its year");
    }
    expect(sent()).toHaveLength(1);
  });

  test("nor is a thirteenth month, and blanks around a month make no other one", async () => {
    const { desk, sent } = await openOffice();
    desk.write("first.csv", transfersCsv(1));
    const first = await desk.run("first.csv", "--period", "2026-11");
    expect(first.stderr).toContain(" period=2026-11\n");
    expect(first.stdout).toMatch(/^batch .*first\.csv   period 2026-11 /);
    for (const period of ["2026-13", "2026-00", "2026/14", "202699"]) {
      const run = await desk.run("first.csv", "--period", period);
      expect(run.code).toBe(5);
      expect(run.stderr).toContain("no month: they go from 01 to 12");
    }
    expect((await desk.run("first.csv", "--period", " 2026-11 ")).stdout).toContain("every row was accepted before");
    expect(sent()).toHaveLength(1);
  });

  test("a copy that was held, and cancelled, says nothing of the file that went, nor of another copy of it", async () => {
    const { desk, server, sent } = await openOffice();
    const text = transfersCsv(2);
    server.use(({ body }) => wire.answer(body.includes("102") ? 401 : 200));
    desk.write("t.csv", text);
    expect((await desk.run("t.csv")).counts).toEqual({ accepted: 1, rejected: 1 });
    desk.write("t-2026-12.csv", text);
    const held = await desk.run("t-2026-12.csv");
    expect(held.counts).toEqual({ held: 2 });

    // another copy goes on with what is left
    server.use(() => wire.answer(200));
    desk.write("copy.csv", text);
    expect((await desk.run("copy.csv")).counts).toEqual({ accepted: 2 });
    const by = ["--by", "asha", "--reason", "a copy"];
    const cancel = ["cancel", held.results[0]?.["result_batch"] ?? "", ...by];
    expect((await runProgram(cancel, { env: desk.env, cwd: desk.folder })).code).toBe(0);
    // saved again, it is another file to the system
    desk.write("kept.csv", text);
    renameSync(join(desk.folder, "kept.csv"), join(desk.folder, "t.csv"));
    const again = await desk.run("t.csv");
    expect([again.code, again.counts]).toEqual([0, { accepted: 2 }]);
    expect((await desk.run("t-2026-12.csv")).counts).toEqual({ held: 2 });
    expect(sent()).toHaveLength(3);
  });

  test("nor is a month with a dash of Word's, or digits of another script", async () => {
    const { desk, sent } = await openOffice();
    desk.write("first.csv", transfersCsv(1));
    expect((await desk.run("first.csv", "--period", "2026-11")).code).toBe(0);
    desk.write("second.csv", `${transfersCsv(1)}\n`);
    for (const [period, found] of [
      ["2026\u201311", "U+2013"],
      ["\u0968\u0966\u0968\u096c-\u0967\u0967", "U+0968"],
    ] as const) {
      const run = await desk.run("second.csv", "--period", period);
      expect({ code: run.code, isNamed: run.stderr.includes(found) }).toEqual({ code: 5, isNamed: true });
    }
    expect(sent()).toHaveLength(1);
  });

  test("the file that still lies there untouched is nothing new, however late", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", transfersCsv(3));
    await desk.process("payroll.csv", { now: () => NOVEMBER });
    const late = await desk.process("payroll.csv", { now: () => NOVEMBER + 400 * DAY_MS });
    expect({ code: late.exitCode, accepted: late.byStatus.accepted?.rows }).toEqual({ code: 0, accepted: 3 });
    expect(sent()).toHaveLength(3);
  });

  test("under a name with another month: held whole, also on the same day", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll-2026-11.csv", transfersCsv(3));
    desk.write("payroll-2026-12.csv", transfersCsv(3));
    expect((await desk.run("payroll-2026-11.csv")).code).toBe(0);
    const run = await desk.run("payroll-2026-12.csv");
    expect({ code: run.code, counts: run.counts }).toEqual({ code: 6, counts: { held: 3 } });
    expect(messagesOf(desk, "payroll-2026-12.csv")).toEqual([
      expect.stringContaining("this very file was sent before"),
    ]);
    expect(sent()).toHaveLength(3);
    const stated = await desk.run("payroll-2026-12.csv", "--period", "2026-12");
    expect({ code: stated.code, counts: stated.counts }).toEqual({ code: 0, counts: { accepted: 3 } });
    expect(sent()).toHaveLength(3);
  });

  test("first with its period, later without any: held whole, not taken for a new month", async () => {
    const { desk, sent } = await openOffice();
    const path = desk.write("payroll.csv", transfersCsv(3));
    await desk.process("payroll.csv", { now: () => NOVEMBER, flags: { period: "2026-11" } });
    expect(sent()).toHaveLength(3);
    utimesSync(path, new Date(), new Date());
    const soon = await desk.process("payroll.csv", { now: () => NOVEMBER + DAY_MS });
    expect({ code: soon.exitCode, accepted: soon.byStatus.accepted?.rows }).toEqual({ code: 0, accepted: 3 });
    copyFileSync(path, join(desk.folder, "copy.csv"));
    const late = await desk.process("copy.csv", { now: () => NOVEMBER + 60 * DAY_MS });
    expect({ code: late.exitCode, held: late.byStatus.held?.rows }).toEqual({ code: 6, held: 3 });
    expect(sent()).toEqual([]);
  });

  test("a file that stopped goes on under another name, each row once", async () => {
    const { desk, server, sent } = await openOffice();
    server.use((request) => wire.answer(request.number > 4 ? 401 : 200));
    desk.write("payroll.csv", transfersCsv(30));
    const first = await desk.run("payroll.csv", "--concurrency", "1");
    expect(first.code).toBe(7);
    server.use(() => wire.answer(200));
    desk.write("again.csv", transfersCsv(30));
    const second = await desk.run("again.csv");
    expect({ code: second.code, counts: second.counts }).toEqual({ code: 0, counts: { accepted: 30 } });
    const all = sent().map(({ account }) => account);
    // one of them was refused for the key, and went again
    expect({ requests: all.length, rows: new Set(all).size }).toEqual({ requests: 31, rows: 30 });
  });
});
