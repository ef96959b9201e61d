import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDesk, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

const FILE = "borrower_id,tenure,vpa,amount\nBRW-1,12,r1@bank,500\nBRW-4,12,r4@bank,700\n";
const WAGES =
  "vpa,amount,bank_acc_num,ifsc_code\nr1@bank,500,60200000004471,SBIN0001234\nr4@bank,700,60200000004472,SBIN0001234\n";

/** A file of collections by a person's word, whose row of 700 was refused, and its retry file, mended. */
async function openDay(file: string): Promise<{ desk: Desk; mended: string; sent: () => string[] }> {
  const server = await startService(({ body }) => wire.answer(body.includes('"amount":700') ? 422 : 200));
  const newRequests = wire.newRequestsOf(server);
  const sent = (): string[] => newRequests().map(({ path, body }) => `${path} ${body}`);
  const desk = openDesk(server.url);
  desk.write("emi.csv", file);
  expect((await desk.run("emi.csv", "--operation", "collection")).counts).toEqual({ accepted: 1, rejected: 1 });
  sent();
  return { desk, mended: readFileSync(join(desk.folder, "emi.csv.retry.csv"), "utf8").replace("700", "710"), sent };
}

const SENT = ['/v1/upi/collect {"amount":710,"currency":"INR","vpa":"r4@bank"}'];

test("a retry file is what its rows were sent as: it does not ask what the person said who began", async () => {
  const { desk, mended, sent } = await openDay(FILE);
  desk.write("emi.csv.retry.csv", mended);
  const checked = await runProgram(["check", "emi.csv.retry.csv"], { env: desk.env, cwd: desk.folder });
  expect({ code: checked.code, stderr: checked.stderr }).toEqual({ code: 0, stderr: "" });
  expect((await desk.run("emi.csv.retry.csv")).counts).toEqual({ accepted: 1 });
  expect(sent()).toEqual(SENT);
});

test("where another operation is said that one counts: the row corrects none of it", async () => {
  const { desk, mended, sent } = await openDay(FILE);
  desk.write("emi.csv.retry.csv", mended);
  expect((await desk.run("emi.csv.retry.csv", "--operation", "loan")).counts).toEqual({ invalid: 1 });
  expect(sent()).toEqual([]);
});

test.each([
  ["a row that corrects none", (mended: string) => `${mended}BRW-9,12,r9@bank,900,,\r\n`],
  ["a row that is not known here", (mended: string) => mended.replace(/[0-9A-Z]{8}:3/, "ZZZZZZZZ:3")],
])("a retry file with %s is asked about like any other", async (_, changed) => {
  const { desk, mended, sent } = await openDay(FILE);
  desk.write("emi.csv.retry.csv", changed(mended));
  const ended = await desk.run("emi.csv.retry.csv");
  expect(ended.code).toBe(5);
  expect(ended.stderr).toContain("these columns could be loans or collections");
  expect(sent()).toEqual([]);
});

test("whom money was collected from by a person's word is not asked about again in the folder of collections", async () => {
  const { desk, mended, sent } = await openDay(WAGES);
  mkdirSync(join(desk.folder, "collections"));
  desk.write("collections/emi.csv", mended);
  expect((await desk.run("collections/emi.csv")).counts).toEqual({ accepted: 1 });
  expect(sent()).toEqual(SENT);
  desk.write("collections/new.csv", WAGES.replace("700", "720"));
  const asked = await desk.run("collections/new.csv");
  expect(asked.code).toBe(5);
  expect(asked.stderr).toContain("look like payouts");
});
