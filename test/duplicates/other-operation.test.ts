import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openDesk, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

const FILE = "borrower_id,tenure,vpa,amount\nBRW-1,12,r1@bank,500\nBRW-4,12,r4@bank,700\n";

/** A collection was refused, and its retry file mended. */
async function openDay(): Promise<{ desk: Desk; batch: string; mended: string; sent: () => string[] }> {
  const server = await startService(({ body }) => wire.answer(body.includes('"amount":700') ? 422 : 200));
  const newRequests = wire.newRequestsOf(server);
  const sent = (): string[] => newRequests().map(({ path, body }) => `${path} ${body}`);
  const desk = openDesk(server.url);
  for (const folder of ["collections", "loans"]) mkdirSync(join(desk.folder, folder));
  desk.write("collections/emi.csv", FILE);
  const ended = await desk.run("collections/emi.csv");
  expect(ended.counts).toEqual({ accepted: 1, rejected: 1 });
  sent();
  const retry = readFileSync(join(desk.folder, "collections/emi.csv.retry.csv"), "utf8");
  const batch = ended.results[0]?.["result_batch"] ?? "";
  return { desk, batch, mended: retry.replace("700", "710"), sent };
}

test("a refused collection is not corrected by a loan application: the row is invalid until it is a collection", async () => {
  const { desk, batch, mended, sent } = await openDay();
  desk.write("loans/emi-corrected.csv", mended);
  const checked = await runProgram(["check", "loans/emi-corrected.csv"], { env: desk.env, cwd: desk.folder });
  const ended = await desk.run("loans/emi-corrected.csv");
  expect(ended.counts).toEqual({ invalid: 1 });
  expect(sent()).toEqual([]);
  for (const told of [checked.stdout, ended.results[0]?.result_message]) {
    expect(told).toContain(
      `"${batch}:3", the row that this one corrects, is a collection, and this file sends it as a loan`,
    );
    expect(told).toContain("operation collection → loan");
  }
  expect(checked.stdout).toContain("Move the file to the folder collections");

  // its own retry file, mended once more, where it belongs: that names the row which was refused for its operation
  const again = readFileSync(join(desk.folder, "loans/emi-corrected.csv.retry.csv"), "utf8").replace("710", "711");
  desk.write("collections/again.csv", again);
  expect((await desk.run("collections/again.csv")).counts).toEqual({ accepted: 1 });
  expect(sent()).toEqual(['/v1/upi/collect {"amount":711,"currency":"INR","vpa":"r4@bank"}']);
  for (const name of ["collections/emi.csv", "loans/emi-corrected.csv"]) {
    await desk.run(name);
    expect(desk.results(name).at(-1)?.result_message).toContain("Corrected by row 2 of batch");
  }
});

test("the file is sent as what it is from the folder where it belongs", async () => {
  const { desk, mended, sent } = await openDay();
  desk.write("loans/emi-corrected.csv", mended);
  await desk.run("loans/emi-corrected.csv");
  renameSync(join(desk.folder, "loans/emi-corrected.csv"), join(desk.folder, "collections/emi-corrected.csv"));
  expect((await desk.run("collections/emi-corrected.csv")).counts).toEqual({ accepted: 1 });
  expect(sent()).toEqual(['/v1/upi/collect {"amount":710,"currency":"INR","vpa":"r4@bank"}']);
});

test("a file that says its operation row by row is asked for each row", async () => {
  const { desk, batch, mended, sent } = await openDay();
  const [header = "", row = ""] = mended.trimEnd().split("\r\n");
  desk.write("mixed.csv", `${header},operation\r\n${row},loan\r\n${row},collection\r\n`);
  const ended = await desk.run("mixed.csv");
  expect(ended.counts).toEqual({ accepted: 1, invalid: 1 });
  expect(sent()).toEqual(['/v1/upi/collect {"amount":710,"currency":"INR","vpa":"r4@bank"}']);

  desk.write(
    "collections/third.csv",
    `${header}\r\n${row.replace(`${batch}:3`, `${ended.results[0]?.["result_batch"] ?? ""}:3`)}\r\n`,
  );
  expect((await desk.run("collections/third.csv")).counts).not.toHaveProperty("invalid");
  desk.write(
    "loans/fourth.csv",
    `${header}\r\n${row.replace(`${batch}:3`, `${ended.results[0]?.["result_batch"] ?? ""}:3`)}\r\n`,
  );
  expect((await desk.run("loans/fourth.csv")).counts).toEqual({ invalid: 1 });
  expect(sent()).toEqual([]);
});

test("what an earlier build accepted as a loan corrects no collection", async () => {
  const { desk, batch, mended } = await openDay();
  desk.write("collections/again.csv", mended);
  const ended = await desk.run("collections/again.csv");
  expect(ended.counts).toEqual({ accepted: 1 });
  const database = new DatabaseSync(join(desk.stateDir, "journal.db"));
  const ofBatch = database.prepare(
    "UPDATE row SET operation = 'loan' WHERE batch = (SELECT seq FROM batch WHERE id = ?)",
  );
  ofBatch.run(ended.results[0]?.["result_batch"] ?? "");
  database.close();
  const told = await runProgram(["results", batch], { env: desk.env, cwd: desk.folder });
  expect(told.stdout).not.toContain("corrected");
  expect(desk.results("collections/emi.csv").at(-1)?.["result_action"]).toContain("Correct");
});
