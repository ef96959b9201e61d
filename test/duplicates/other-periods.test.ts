import { expect, test } from "vitest";
import { runProgram } from "../support/program.ts";
import { openOffice } from "./office.ts";

const wages = (...periods: string[]): string =>
  [
    "from_account,to_account,amount,period",
    ...periods.map((period, one) => `A-1,B-${one},10${one},${period}`),
    "",
  ].join("\n");

test.each([
  ["december.csv", ["--period", "2026-12"], "2026-12 is stated for the file"],
  ["wages-2026-12.csv", [], "the file's name says 2026-12"],
])("a column of last month in %s is pointed out by check and run", async (name, flags, said) => {
  const { desk, sent } = await openOffice();
  desk.write("november.csv", wages("2026-11", "2026-11"));
  await desk.run("november.csv");
  sent();
  desk.write(name, wages("2026-11", "2026-11", "2026-11", "2026-12-05"));
  const remark = `rows 2-4 state another period, such as 2026-11, and ${said}`;
  const env = { ...desk.env, COLUMNS: "400" };
  const checked = await runProgram(["check", name, ...flags], { env, cwd: desk.folder });
  expect(checked.stdout.replaceAll(/\s+/g, " ")).toContain(remark);
  const ran = await desk.run(name, ...flags);
  expect(ran.stdout.replaceAll(/\s+/g, " ")).toContain(remark);
  expect(sent().map(({ account }) => account)).toEqual(["B-2", "B-3"]);
});

test("nothing is said where rows state a part of the month, or nothing else states any", async () => {
  const { desk } = await openOffice();
  for (const [name, ...flags] of [["a.csv", "--period", "2026-11"], ["b.csv"]] as const) {
    desk.write(name, wages("2026-11-06", "2026-W47").replaceAll("A-1", name));
    expect((await desk.run(name, ...flags)).stdout).not.toContain("another period");
  }
});
