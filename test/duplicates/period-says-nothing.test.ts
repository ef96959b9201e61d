import { describe, expect, test } from "vitest";
import { countsOf } from "../support/desk.ts";
import { DAY_MS, NOVEMBER, openOffice } from "./office.ts";

const wages = (period: string): string =>
  ["from_account,to_account,amount,period", `A-1,B-1,100,${period}`, `A-1,B-2,200,${period}`].join("\n");
const TODAY = { now: () => NOVEMBER };
const TOMORROW = { now: () => NOVEMBER + DAY_MS };
const OF_NOVEMBER = { flags: { period: "2026-11" } };

describe("a cell that says that there is no period", () => {
  test.each(["NULL", "NA", "n/a", "None", "-", "NotApplicable", "void", "1900-01", "1899-12-30", "1970-01-01"])(
    "%s counts as empty: what went does not go again",
    async (word) => {
      const { desk, sent } = await openOffice();
      desk.write("wages.csv", wages(""));
      await desk.process("wages.csv", TODAY);
      expect(sent()).toHaveLength(2);
      desk.write("wages.csv", wages(word));
      await desk.process("wages.csv", TOMORROW);
      expect(sent()).toEqual([]);
      expect(countsOf(desk.results("wages.csv"))).toEqual({ held: 2 });
    },
  );

  test("is no period of its own beside the one that is stated for the file", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages.csv", wages(""));
    await desk.process("wages.csv", { ...TODAY, ...OF_NOVEMBER });
    expect(sent()).toHaveLength(2);
    desk.write("wages.csv", wages("NULL"));
    await desk.process("wages.csv", { ...TOMORROW, ...OF_NOVEMBER });
    expect(sent()).toEqual([]);
    expect(countsOf(desk.results("wages.csv"))).toEqual({ duplicate: 2 });
  });

  test("nor does a reference that says nothing tell two payments apart", async () => {
    const { desk, sent } = await openOffice();
    const row = (reference: string): string => `from_account,to_account,amount,reference\nA-1,B-1,100,${reference}\n`;
    desk.write("one.csv", row("NA"));
    await desk.process("one.csv", TODAY);
    expect(sent()).toHaveLength(1);
    desk.write("two.csv", row("-"));
    await desk.process("two.csv", TOMORROW);
    expect(sent()).toEqual([]);
  });
});

test.each([
  ["2026-W47", "2026-12"],
  ["2026-H2", "2027-01"],
  ["11", "2026-12"],
  ["P11", "2026-12"],
  ["48/2026", "2026-12"],
  ["2611", "2026-12"],
  ["FY2026-27", "2027-04"],
])("%s after the month that was stated first is a question, %s is none", async (period, later) => {
  const { desk, sent } = await openOffice();
  desk.write("wages.csv", wages(""));
  await desk.process("wages.csv", { ...TODAY, ...OF_NOVEMBER });
  expect(sent()).toHaveLength(2);
  await desk.process("wages.csv", { ...TOMORROW, flags: { period } });
  expect(countsOf(desk.results("wages.csv"))).toEqual({ held: 2 });
  expect(sent()).toEqual([]);
  await desk.process("wages.csv", { ...TOMORROW, flags: { period: later } });
  expect(sent()).toHaveLength(2);
});

test("no file is taken for a period that says nothing, or a date that may be a month", async () => {
  const { desk, sent } = await openOffice();
  desk.write("wages.csv", wages(""));
  for (const period of [
    "NULL",
    "n/a",
    "blank",
    "26-11",
    "0",
    "1900-01",
    "1899-12-30",
    "1970-01-01",
    "2026-W84",
    "Q5",
  ]) {
    await expect(desk.process("wages.csv", { ...TODAY, flags: { period } })).rejects.toThrow(period);
  }
  expect(sent()).toEqual([]);
});
