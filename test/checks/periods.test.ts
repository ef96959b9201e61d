import { expect, test } from "vitest";
import { periodInName, readPeriod } from "../../src/checks/beside.ts";
import { check, csvOf, faultsIn, GOOD } from "./checking.ts";

test.for([
  ["2026-11", "2026-11"],
  ["11/2026", "2026-11"],
  ["Nov 2026", "2026-11"],
  ["november 2026", "2026-11"],
  ["Nov-26", "2026-11"],
  ["2026-w47", "2026-W47"],
  ["2026-W53", "2026-W53"],
  ["2026-11-27", "2026-11-27"],
  ["2026-11 Bonus", "2026-11 bonus"],
  ["Nov 2026  bonus 2", "2026-11 bonus 2"],
  ["2026-W47 (late)", "2026-W47 (late)"],
] as const)("%j → the period %s", ([text, period]) => {
  expect(readPeriod(text)).toBe(period);
});

test.for([
  "2026-13",
  "2026-00",
  "2025-W53",
  "2026-W54",
  "2026-02-30",
  "2026",
  "2026-Q4",
  "November",
  "01/11/2026",
  "2026–11",
  "26-11",
  "2026/11",
  "bonus",
  "11-2026",
  "1900-01-00",
  "1970-01-01",
])("%j → refused", (text) => expect(readPeriod(text)).toBeUndefined());

test.for(["", " ", "NULL", "-", "N/A", "blank", "0"])("%j → none", (text) => {
  expect(readPeriod(text)).toBe("");
});

test.for([
  ["payroll-nov-2026.csv", "2026-11"],
  ["payroll_2026_11.csv", "2026-11"],
  ["November 2026 wages.xlsx", "2026-11"],
  ["wages 2026-W47.csv", "2026-W47"],
  ["payout.2026-11-27.csv", undefined],
  ["nov-2026 exported 2026-12-01.csv", "2026-11"],
  ["11-2026.csv", "2026-11"],
  ["payroll.csv", undefined],
  ["oct-2026-nov-2026.csv", undefined],
  ["06-11-2026.csv", undefined],
  ["payroll-november.csv", undefined],
  ["payroll-2026.csv", undefined],
  ["2026-13.csv", undefined],
] as const)("a file named %s → %s", ([name, period]) => expect(periodInName(name)).toBe(period));

test("stated by flag, wrapper, name → the first that says it; a row says its own", async () => {
  const json = JSON.stringify({ operation: "transfer", period: "2026-10", rows: [GOOD.transfer] });
  const flags = { period: "Dec 2026" };
  expect((await check("nov-2026.json", json, { flags })).opened?.period).toBe("2026-12");
  expect((await check("nov-2026.json", json)).opened?.period).toBe("2026-10");
  expect((await check("nov-2026.csv", csvOf(GOOD.transfer))).opened?.period).toBe("2026-11");
  const own = await check(
    "nov-2026.csv",
    csvOf({ ...GOOD.transfer, period: "2026-W47" }, { ...GOOD.transfer, period: "NULL" }),
  );
  expect(own.rows.map(({ period }) => period)).toEqual(["2026-W47", undefined]);
});

test("a period that is none → refused for the file, invalid in a row", async () => {
  const { refused } = await check("t.csv", csvOf(GOOD.transfer), { flags: { period: "01/11/2026" } });
  expect(refused).toMatchObject([{ code: "period_unclear" }]);
  expect(faultsIn(await check("t.csv", csvOf({ ...GOOD.transfer, period: "2026/11" })))).toEqual([
    "2: period_malformed period",
  ]);
});

test.for([
  ["INV-1", "INV-1"],
  ["0012", "12"],
  ["NULL", undefined],
] as const)("reference %j → %s", async ([text, reference]) => {
  const { rows } = await check("t.csv", csvOf({ ...GOOD.transfer, reference: text }));
  expect(rows[0]?.reference).toBe(reference);
  expect(rows[0]?.faults).toEqual([]);
});

test.for([
  ["1.5E+12", "scientific_notation"],
  ["1001.0", "number_not_text"],
  ["02-Jan", "made_a_date"],
  ["réf", "id_not_ascii"],
  ["x".repeat(65), "value_too_long"],
] as const)("reference %j → %s", async ([text, code]) => {
  expect(faultsIn(await check("t.csv", csvOf({ ...GOOD.transfer, reference: text })))).toEqual([
    `2: ${code} reference`,
  ]);
});

test("retry_of → the row that it names; anything else is invalid", async () => {
  const cells = ["k7q29f3m:14", "", "row 14"];
  const outcome = await check("t.csv", csvOf(...cells.map((cell) => ({ ...GOOD.transfer, retry_of: cell }))));
  expect(outcome.rows.map(({ retryOf }) => retryOf)).toEqual([{ batch: "K7Q29F3M", row: 14 }, undefined, undefined]);
  expect(faultsIn(outcome)).toEqual(["4: retry_of_malformed retry_of"]);
});
