import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { openOffice } from "../support/people.ts";

const ACCEPTING = () => answer(200);
const UNKNOWN_COLUMNS = "first,second\n1,2\n";

test("a file that is refused when it is run by its name says why beside it, until it is taken (§9)", async () => {
  const office = await openOffice(ACCEPTING);
  office.write("pay.csv", UNKNOWN_COLUMNS);
  const refused = await office.run("pay.csv");
  expect(refused.code).toBe(5);
  const text = readFileSync(join(office.folder, "pay.csv.refused.txt"), "utf8");
  expect(text).toMatch(/^paydrop: pay\.csv was not taken\. Nothing of it was sent\.\r\n/);
  expect(text).toContain("Correct the file, save it under the same name, and run it again.");
  office.write("pay.csv", transfersCsv(2));
  expect((await office.run("pay.csv")).code).toBe(0);
  expect(readdirSync(office.folder)).not.toContain("pay.csv.refused.txt");
  expect(office.server.requests).toHaveLength(2);
});

test("what is open of a file that was run by its name stands beside it, until it has an end (§9)", async () => {
  const office = await openOffice(() => answer(401));
  office.write("pay.csv", transfersCsv(3));
  expect((await office.run("pay.csv")).code).toBe(7);
  const text = readFileSync(join(office.folder, "pay.csv.waiting.txt"), "utf8");
  expect(text).toContain("Ask IT to check PAYDROP_API_KEY.\r\nThe rest goes when this file is run again");
  expect(text).not.toContain("by itself");
  office.server.use(ACCEPTING);
  expect((await office.run("pay.csv")).code).toBe(0);
  expect(readdirSync(office.folder)).not.toContain("pay.csv.waiting.txt");
});

test("neither check nor a file of our own that a pattern named puts an answer there", async () => {
  const office = await openOffice(ACCEPTING);
  office.write("bad.csv", UNKNOWN_COLUMNS);
  expect((await office.paydrop("check", "bad.csv")).code).toBe(5);
  rmSync(join(office.folder, "bad.csv"));
  office.write("pay.csv", transfersCsv(1));
  expect((await office.run("pay.csv")).code).toBe(0);
  expect((await office.run("pay.csv", "pay.csv.results.csv")).code).toBe(5);
  expect(readdirSync(office.folder).filter((name) => name.endsWith(".refused.txt"))).toEqual([]);
});
