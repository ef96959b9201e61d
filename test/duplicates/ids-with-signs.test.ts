import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

const HEADER = "borrower_id,amount,tenure,period";

test("12-345 and 123-45 are two borrowers: the loan of the second one goes", async () => {
  const server = await startService(() => wire.answer(200));
  const desk = openDesk(server.url);
  for (const id of ["12-345", "123-45"]) {
    desk.write(`${id}.csv`, `${HEADER}\n${id},50000,12,2026-11\n`);
    expect((await desk.run(`${id}.csv`)).counts).toEqual({ accepted: 1 });
  }
  expect(server.requests).toHaveLength(2);
});

test("a correction from 1-23 to 12-3 is one to another borrower: it waits for a release", async () => {
  const server = await startService(({ body }) => wire.answer(body.includes("1-23") ? 422 : 200));
  const desk = openDesk(server.url);
  desk.write("l.csv", `${HEADER}\n1-23,500,12,\n`);
  await desk.run("l.csv");
  const retry = readFileSync(join(desk.folder, "l.csv.retry.csv"), "utf8");
  desk.write("l.csv.retry.csv", retry.replace("1-23,", "12-3,"));
  expect((await desk.run("l.csv.retry.csv")).counts).toEqual({ held: 1 });
  expect(server.requests).toHaveLength(1);
});
