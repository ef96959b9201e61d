import { describe, expect, test } from "vitest";
import { mayBeSamePeriod, monthOf } from "../../src/checks/duplicates/same-period.ts";

describe("two periods", () => {
  test.each([
    ["2026-11", "2026-11"],
    ["2026-11", "202611"],
    ["2026-11", "2026/11"],
    ["2026-11", "2026.11"],
    ["2026-11", " 2026 11 "],
    ["2026-11", "2026,11"],
    ["2026-11", "(Nov '26)"],
    ["2026-W47", "2026:W47."],
    ["2026-11", "11-2026"],
    ["2026-11", "112026"],
    ["2026-11", "Nov-26"],
    ["2026-11", "Nov2026"],
    ["2026-11", "NOVEMBER-2026"],
    ["2026-11", "2026-nov"],
    ["2026-09", "Sept 2026"],
    ["2026-01", "2026-1"],
    ["2026-11", "2026-1"],
    ["2026-11", "2026"],
    ["2026-11", "2026-11-06"],
    ["202611", "2026-11-06"],
    ["20261106", "2026-11-06"],
    ["2026-11", "20261106"],
    ["2026-01-05", "2026-1-5"],
    ["20260105", "2026/1/5"],
    ["2026-01", "2026-1-5"],
    ["2026-W45", "2026-w45"],
    ["2026-11-A", "202611-a"],
    ["2026-11", "11/26"],
    ["2026-09", "9-26"],
    ["2026-11", "november"],
    ["2026-11-06", "Nov"],
    ["Nov 26", "NOVEMBER"],
    ["Bonus", "BONUS"],
    ["2026-11", "2026M11"],
    ["2026-11", "2026-M11"],
    ["2026-W47", "2026W47"],
    ["2026-W47", "W47-2026"],
    ["2026-Q4", "q4 2026"],
    ["2026-11-A", "A-2026-11"],
    ["2026-11", "6Nov2026"],
    ["2026-11-06", "06-Nov-2026"],
    ["2026-11-06", "Nov 6, 2026"],
    ["2026-11-06", "2026Nov06"],
    ["2026-W07", "2026-W7"],
    ["2026-W47", "W47"],
    ["2026-W47", "W47-26"],
    ["2026-W47", "26-W47"],
    ["2026-W47", "wk47-2026"],
    ["2026-W47", "week 47"],
    ["2026-Q4", "Q4"],
    ["2026-Q4", "Q4-26"],
    ["2026-11-H1", "Nov-2026-H1"],
    ["2026-11-H1", "November H1"],
    ["2026-11", "November-H1"],
    ["November bonus", "2026-11"],
    ["2026-11", "NOV-2026-salary"],
    ["2026-11", "salary nov 2026"],
    ["2026-11", "11-2026 salary"],
    ["2026-11", "Nov-1-26"],
    ["2026-11-30", "30 November"],
  ])("%s and %s may be one", (one, other) => {
    expect([mayBeSamePeriod(one, other), mayBeSamePeriod(other, one)]).toEqual([true, true]);
  });

  test("every month has its names", () => {
    const names = Array.from({ length: 12 }, (_, month) =>
      new Date(Date.UTC(2026, month)).toLocaleString("en", { month: "long", timeZone: "UTC" }),
    );
    const periods = names.map((_, month) => `2026-${String(month + 1).padStart(2, "0")}`);
    for (const name of names) {
      const same = periods.filter((period) => mayBeSamePeriod(period, `${name}-2026`));
      expect(same).toEqual(periods.filter((period) => mayBeSamePeriod(period, `${name.slice(0, 3)} 26`)));
      expect(same).toEqual([periods[names.indexOf(name)]]);
    }
  });

  test.each([
    ["2026-11", "2026-12"],
    ["2026-11", "202612"],
    ["2026-11", "2025-11"],
    ["2026-11", "Dec2026"],
    ["2026-11-01", "2026-11-15"],
    ["2026-1-5", "2026-01-06"],
    ["2026-11-A", "2026-11-B"],
    ["2026-W45", "2026-W46"],
    ["2026-Q4", "2026-11"],
    ["2026-Q4", "Q3-2026"],
    ["2026-M11", "2026-M12"],
    ["2026-11-01", "2026-01-11"],
    ["2026-11", "bonus"],
    ["may", "2026-11"],
    ["october", "nov"],
    ["11/26", "2026-12"],
    ["11/26", "11/25"],
    ["13/26", "2026-11"],
    ["2026-11", "loan2026"],
    ["2026-W07", "2026-W70"],
    ["2026-W07", "2026-07"],
    ["2026-Q3", "Q4"],
    ["2026-11-H1", "Nov-2026-H2"],
    ["November salary", "November bonus"],
    ["salary nov 2026", "2026-12"],
    ["oct-nov-2026", "2026-11"],
    ["festival-2026", "2026-11"],
  ])("%s and %s are two", (one, other) => {
    expect([mayBeSamePeriod(one, other), mayBeSamePeriod(other, one)]).toEqual([false, false]);
  });
});

test("December is the month before January", () => {
  expect([monthOf("2027-01") - monthOf("2026-12"), monthOf("12-2026") - monthOf("2026-11")]).toEqual([1, 1]);
});
