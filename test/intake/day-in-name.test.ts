import { expect, test } from "vitest";
import { saysOtherTime } from "../../src/intake/day-in-name.ts";

test.each([
  ["wages W46.csv", "wages W47.csv"],
  ["wages_2026-W46.csv", "wages_2026-W47.csv"],
  ["2025-W47.csv", "2026-W47.csv"],
  ["Week 9.csv", "week 10.csv"],
  ["kw46.csv", "KW47.csv"],
  ["wages 2026-11-13.csv", "wages 2026-11-20.csv"],
  ["wages 20261113.csv", "wages 2026-11-20.csv"],
  ["wages 13.11.2026.csv", "wages 20.11.2026.csv"],
  ["wages 28Nov2026.csv", "wages 5-dec-2026.csv"],
  ["wages 13 Nov.csv", "wages 20 November.csv"],
  ["november.csv", "december.csv"],
  ["Salary Nov.csv", "salary-dec.csv"],
  ["payroll-2026-11.csv", "december.csv"],
  ["wages 13 Nov.csv", "wages December.csv"],
])("%s and %s are two weeks' or two months' payments, perhaps", (one, other) => {
  expect([saysOtherTime(one, other), saysOtherTime(other, one)]).toEqual([true, true]);
});

test.each([
  ["wages W47.csv", "wages W47 (1).csv"],
  ["wages W47.csv", "wages w47 copy.csv"],
  ["wages W47.csv", "wages.csv"],
  ["export_2026-11-13.csv", "export_2026-11-14.csv"],
  ["export_20261113_0930.csv", "export_20261113_1745.csv"],
  ["payroll-2026-11.csv", "payroll-2026-12.csv"],
  ["payroll nov 2026.csv", "payroll 12 nov 2026.csv"],
  ["batch-4711.csv", "batch-4712.csv"],
  ["50100271828001.csv", "50100271828999.csv"],
  ["law46.csv", "law47.csv"],
  ["99-99-2026.csv", "20-11-2026.csv"],
  ["november.csv", "nov (1).csv"],
  ["november.csv", "payroll-2026-11.csv"],
  ["november.csv", "payroll.csv"],
  ["november.csv", "oct-nov.csv"],
  ["marchand.csv", "mayur.csv"],
])("%s and %s may be one", (one, other) => {
  expect([saysOtherTime(one, other), saysOtherTime(other, one)]).toEqual([false, false]);
});
