import { copyFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countsOf, transfersCsv } from "../support/desk.ts";
import { runProgram } from "../support/program.ts";
import { DAY_MS, messagesOf, NOVEMBER, openOffice } from "./office.ts";

const wages = transfersCsv(3);
const WEEK_LATER = { now: () => NOVEMBER + 7 * DAY_MS };
const IN_NOVEMBER = { flags: { period: "2026-11" } };

describe("the same wages in the file of the next week", () => {
  test.each([
    ["wages W46.csv", "wages W47.csv", { held: 3 }],
    ["wages 2026-11-13.csv", "wages 2026-11-20.csv", { held: 3 }],
    ["wages W46.csv", "wages W46 (1).csv", { accepted: 3 }],
    ["wages 2026-11-13.csv", "wages 20261113.csv", { accepted: 3 }],
  ])("where a nightly run states the month for %s and %s", async (first, second, counts) => {
    const { desk, sent } = await openOffice();
    desk.write(first, wages);
    await desk.process(first, { now: () => NOVEMBER, ...IN_NOVEMBER });
    expect(sent()).toHaveLength(3);
    desk.write(second, wages);
    await desk.process(second, { ...WEEK_LATER, ...IN_NOVEMBER });
    expect(countsOf(desk.results(second))).toEqual(counts);
    expect(sent()).toEqual([]);
  });

  test.each([
    ["november.csv", "december.csv", { held: 3 }],
    ["november.csv", "november (1).csv", { accepted: 3 }],
  ])("or of the next month, which says no year, is a question (%s, %s)", async (first, second, counts) => {
    const { desk, sent } = await openOffice();
    desk.write(first, wages);
    await desk.process(first, { now: () => NOVEMBER });
    desk.write(second, wages);
    const report = await desk.process(second, WEEK_LATER);
    expect(countsOf(desk.results(second))).toEqual(counts);
    expect([report.exitCode, report.asksPeriod]).toEqual("held" in counts ? [6, "YYYY-MM"] : [0, undefined]);
    expect(sent()).toHaveLength(3);
    // by its month it goes
    await desk.process(second, { ...WEEK_LATER, flags: { period: "2026-12" } });
    expect(sent()).toHaveLength("held" in counts ? 3 : 0);
  });

  test.each(["december.csv", "payroll.csv"])("but not twice where %s went without its month", async (first) => {
    const { desk, sent } = await openOffice();
    desk.write(first, wages);
    await desk.process(first, { now: () => NOVEMBER });
    expect(sent()).toHaveLength(3);
    desk.write("december.csv", wages);
    await desk.process("december.csv", { ...WEEK_LATER, flags: { period: "2026-12" } });
    expect(countsOf(desk.results("december.csv"))).toEqual({ held: 3 });
    expect(sent()).toEqual([]);
  });

  test("goes when a person lets it go, and each name is known afterwards", async () => {
    const { desk, sent } = await openOffice();
    const path = desk.write("wages W46.csv", wages);
    await desk.process("wages W46.csv", { now: () => NOVEMBER, ...IN_NOVEMBER });
    copyFileSync(path, join(desk.folder, "wages W47.csv"));
    const held = await desk.process("wages W47.csv", { ...WEEK_LATER, ...IN_NOVEMBER });
    expect(messagesOf(desk, "wages W47.csv")).toEqual([expect.stringContaining("this very file was sent before")]);
    sent();
    const release = ["release", held.batch, "--all", "--by", "asha", "--reason", "the next week"];
    const released = await runProgram(release, { env: desk.env, cwd: desk.folder });
    expect([released.code, sent().length]).toEqual([0, 3]);
    for (const name of ["wages W46.csv", "wages W47.csv"]) {
      utimesSync(join(desk.folder, name), new Date(), new Date());
      expect((await desk.process(name, { ...WEEK_LATER, ...IN_NOVEMBER })).exitCode).toBe(0);
    }
    expect(sent()).toEqual([]);
  });

  test("waits on where the period of another week's file is stated: nobody would be paid by a file that was cancelled", async () => {
    const { desk } = await openOffice();
    for (const name of ["wages W46.csv", "wages W47.csv"]) desk.write(name, wages);
    await desk.process("wages W46.csv", { now: () => NOVEMBER });
    const held = await desk.process("wages W47.csv", WEEK_LATER);
    await desk.process("wages W46.csv", { ...WEEK_LATER, flags: { period: "2026-W46" } });
    const phase = await desk.inProcess(async ({ journal }) => (await journal.batch(held.batch))?.phase);
    expect(phase).toBe("open");
    expect((await desk.process("wages W47.csv", WEEK_LATER)).exitCode).toBe(6);
  });
});
