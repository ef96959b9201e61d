import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answer } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { openInboxDesk } from "./inbox-desk.ts";

const ROWS = "from_account,to_account,amount\nACC-1,ACC-2,1.00\nACC-1,ACC-3,2.00\n";

test("the retry file of a folder that was away meanwhile, and comes back as it was, is still ours: nothing of it goes", async () => {
  // the first row is refused, the second ends unknown
  const server = await startService(({ number }) => answer([422, 500, 400][number - 1] ?? 200));
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), ROWS);
  expect(await desk.call("run", desk.path("a.csv"))).toMatchObject({ code: 4 });
  const asItWas = desk.read("a.csv.retry.csv");
  const { batch } = JSON.parse(desk.read("a.csv.summary.json")) as { batch: string };

  renameSync(desk.inbox, `${desk.inbox}.away`);
  mkdirSync(desk.inbox);
  const said = ["--as", "not-done", "--by", "asha", "--note", "looked up"];
  expect(await desk.call("settle", batch, "--row", "3", ...said)).toMatchObject({ code: 0 });
  expect(await desk.call("retry", batch, "--by", "asha")).toMatchObject({ code: 3 });
  expect(desk.read("a.csv.retry.csv")).not.toBe(asItWas);
  rmSync(desk.inbox, { recursive: true });
  renameSync(`${desk.inbox}.away`, desk.inbox);

  const before = server.requests.length;
  expect(desk.read("a.csv.retry.csv")).toBe(asItWas);
  await desk.call("run", "--inbox", desk.inbox);
  expect(server.requests).toHaveLength(before);
  expect(existsSync(desk.path("a.csv.retry.csv.results.csv"))).toBe(false);
  // and it makes way for the one that tells of both rows
  expect(await desk.call("results", batch)).toMatchObject({ code: 0 });
  expect(desk.names()).not.toContain(`a.csv.retry.${batch}.csv`);
  expect(desk.read("a.csv.retry.csv").split("\r\n")).toHaveLength(4);
  expect(desk.names().filter((name) => name.includes("edited"))).toEqual([]);
});

test("what was tried with the sandbox in a drop folder leaves nothing there that goes", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), `${ROWS}ACC-1,ACC-4,2.345\n`);
  expect(await desk.call("run", "--sandbox", desk.path("a.csv"))).toMatchObject({ code: 3 });
  expect(await desk.call("check", desk.path("a.csv.retry.csv"))).toMatchObject({ code: 5 });
  expect(await desk.call("run", "--inbox", desk.inbox)).toMatchObject({ code: 3 });
  expect(server.requests).toHaveLength(2);
  expect(desk.names().filter((name) => name.startsWith("a.csv.retry"))).toEqual(["a.csv.retry.csv"]);
  // corrected, it goes
  writeFileSync(desk.path("a.csv.retry.csv"), desk.read("a.csv.retry.csv").replace("2.345", "2.34"));
  expect(await desk.call("run", "--inbox", desk.inbox)).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(3);
});

test("what the sandbox put aside is known as ours when the file's own results are written again", async () => {
  const server = await startService(() => answer(422));
  const desk = openInboxDesk(server.url, { PAYDROP_ENVIRONMENT: "live" });
  writeFileSync(desk.path("a.csv"), "from_account,to_account,amount\nACC-1,ACC-2,1.00\nACC-1,ACC-3,2.345\n");
  expect(await desk.call("run", desk.path("a.csv"))).toMatchObject({ code: 3 });
  const names = desk.names();
  const retry = desk.read("a.csv.retry.csv");
  const { batch } = JSON.parse(desk.read("a.csv.summary.json")) as { batch: string };
  expect(await desk.call("run", "--sandbox", desk.path("a.csv"))).toMatchObject({ code: 3 });
  expect(desk.read("a.csv.retry.csv")).not.toBe(retry);
  expect(await desk.call("results", batch)).toMatchObject({ code: 0 });
  expect(desk.read(`a.csv.retry.${batch}.csv`)).toBe(retry);
  expect(await desk.call("run", desk.path("a.csv"))).toMatchObject({ code: 3 });
  expect(desk.read("a.csv.retry.csv")).toBe(retry);
  expect(desk.names()).toEqual(expect.arrayContaining(names));
});
