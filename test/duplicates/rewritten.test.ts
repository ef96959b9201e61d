import { expect, test } from "vitest";
import { openOffice } from "./office.ts";

test("a file whose references lost their zeros in a spreadsheet pays nobody again", async () => {
  const { desk, sent } = await openOffice();
  const rows = (...references: string[]): string =>
    `from_account,to_account,amount,reference\n${references.map((one, index) => `A-1,B-${index},10${index}.00,${one}\n`).join("")}`;
  desk.write("a.csv", rows("0001", "0020", "REF-01", "000"));
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 4 });
  expect(sent()).toHaveLength(4);
  desk.write("b.csv", rows("1", "20", "REF-01", "0"));
  expect((await desk.run("b.csv")).counts).toEqual({ duplicate: 4 });
  expect(sent()).toEqual([]);
  // zeros elsewhere make a difference, and so do letters
  desk.write("c.csv", rows("10", "200", "REF-1", "0x0"));
  expect((await desk.run("c.csv")).counts).toEqual({ accepted: 4 });
});

test("a file whose accounts lost their zeros in a spreadsheet pays nobody again", async () => {
  const { desk, sent } = await openOffice();
  const file = (account: string, third: string): string =>
    `from_account,to_account,amount\n0501,${account},101.00\n0501,60200000000002,102.00\n0501,60200000000003,${third}\n`;
  desk.write("a.csv", file("00200000000001", ""));
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 2, invalid: 1 });
  sent();
  desk.write("b.csv", file("200000000001", "103").replaceAll("0501", "501"));
  expect((await desk.run("b.csv")).counts).toEqual({ held: 2, accepted: 1 });
  expect(sent().map(({ account }) => account)).toEqual(["60200000000003"]);
});

test("an id or a payment address that only looks like another one pays nobody again", async () => {
  const { desk, sent } = await openOffice();
  const wage = (account: string): string => `from_account,to_account,amount\n0501,${account},101.00\n`;
  desk.write("a.csv", wage("6020-0000-0001"));
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 1 });
  desk.write("b.csv", wage("6020\u20110000\u20110001"));
  const b = await desk.run("b.csv");
  expect(b.counts).toEqual({ invalid: 1 });
  expect(b.results[0]?.result_message).toContain("U+2011");

  const dues = (...vpas: string[]): string => `vpa,amount\n${vpas.map((vpa) => `${vpa},499\n`).join("")}`;
  desk.write("c.csv", dues("asha@demobank"));
  expect((await desk.run("c.csv")).counts).toEqual({ accepted: 1 });
  sent();
  const twins = [
    "asha\u00ad@demobank",
    "asha\u200d@demobank",
    "asha\u00a0@demobank",
    "asha @demobank",
    "asha\uff20demobank",
  ];
  desk.write("d.csv", dues(...twins, "ASHA@DemoBank"));
  expect((await desk.run("d.csv")).counts).toEqual({ invalid: 5, held: 1 });
  expect(sent()).toEqual([]);
});

const REWRITTEN = [
  ["1-2", "02-Jan-26"],
  ["MAR1", "01/03/2026"],
  ["3/4", "03. Apr"],
  ["NOV26", "Nov-26"],
  ["1E5", "100000"],
  ["1.50", "1.5"],
  ["1234567890123456", "1234567890123450"],
  ["06/11/2026", "06-11-2026"],
  ["REF-1", "REF-2"],
] as const;

test.each([
  ["a spreadsheet rewrote", REWRITTEN],
  ["a person typed again", REWRITTEN.map(([typed, saved]) => [saved, typed] as const)],
])("references that %s free no row", async (_, pairs) => {
  const { desk, sent } = await openOffice();
  const write = (name: string, references: readonly string[]): string =>
    desk.write(
      name,
      `from_account,to_account,amount,reference\n${references.map((one, index) => `A-1,B-${index},10${index}.00,${one}\n`).join("")}`,
    );
  write(
    "a.csv",
    pairs.map(([before]) => before),
  );
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 9 });
  sent();
  write(
    "b.csv",
    pairs.map(([, after]) => after),
  );
  expect((await desk.run("b.csv")).counts).toEqual({ held: 8, accepted: 1 });
  expect(sent().map(({ account }) => account)).toEqual(["B-8"]);
  write("c.csv", [...pairs.map(([before]) => before), "NEW-1"]);
  expect((await desk.run("c.csv")).counts).toEqual({ duplicate: 9, accepted: 1 });
});
