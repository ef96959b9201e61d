import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { accountOf, accountOfRow, openOffice } from "../support/people.ts";

test("a copy that sends what was left says so beside the first file too: there it read as not sent", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("payroll.csv", transfersCsv(3));
  expect((await office.run("payroll.csv")).code).toBe(7);
  expect(office.statuses("payroll.csv")).toEqual({ 2: "rejected", 3: "not_sent", 4: "not_sent" });

  office.server.use(() => wire.answer(200));
  office.write("payroll-again.csv", transfersCsv(3));
  expect((await office.run("payroll-again.csv")).counts).toEqual({ accepted: 3 });
  expect(office.statuses("payroll.csv")).toEqual({ 2: "accepted", 3: "accepted", 4: "accepted" });
  const summary = readFileSync(join(office.folder, "payroll.csv.summary.json"), "utf8");
  expect(JSON.parse(summary)).toMatchObject({ rows: { total: 3, accepted: 3 } });
  expect(office.server.requests).toHaveLength(4);
});

test("what a person settles stands beside every copy; where no results lie, none are written", async () => {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) ? wire.reset() : wire.answer(200),
  );
  for (const name of ["first.csv", "second.csv", "third.csv"]) {
    office.write(name, transfersCsv(3));
    expect((await office.run(name)).code).toBe(4);
  }
  rmSync(join(office.folder, "third.csv.results.csv"));
  const by = ["--as", "done", "--by", "asha", "--note", "dashboard: entry 18:08"];
  expect((await office.paydrop("settle", office.batchOf("first.csv"), "--row", "3", ...by)).code).toBe(0);
  for (const name of ["first.csv", "second.csv"]) {
    expect(office.statuses(name)).toEqual({ 2: "accepted", 3: "settled_done", 4: "accepted" });
  }
  expect(existsSync(join(office.folder, "third.csv.results.csv"))).toBe(false);
});
