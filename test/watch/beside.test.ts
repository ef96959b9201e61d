import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { answer, startFaultServer } from "../support/fault-server.ts";
import { hasResults, openInboxDesk, until } from "./inbox-desk.ts";

const LARGE_ROWS = 4_000;

function transfers(name: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => `ACC-1,ACC-${name}-${row}-${"0".repeat(50)},${row + 1}.00`);
  return `from_account,to_account,amount\n${lines.join("\n")}\n`;
}

test("a small file goes while a large one is sent, and both share the limit of requests in flight", async () => {
  let [inFlight, inFlightMost] = [0, 0];
  const server = await startFaultServer(() => async (socket) => {
    inFlight += 1;
    inFlightMost = Math.max(inFlightMost, inFlight);
    await sleep(2);
    inFlight -= 1;
    await answer(200)(socket);
  });
  onTestFinished(() => server.close());
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "4" });
  desk.watch();
  writeFileSync(desk.path("large.csv"), transfers("L", LARGE_ROWS));
  await until("the large one is sent", () => server.requests.length > 100, 60_000);
  writeFileSync(desk.path("small.csv"), transfers("S", 10));
  await until("results of the small one", () => hasResults(desk, "small.csv"), 60_000);
  expect(server.requests.length).toBeLessThan(LARGE_ROWS);
  await until("results of the large one", () => hasResults(desk, "large.csv"), 120_000);
  expect(new Set(server.requests.map(({ body }) => body)).size).toBe(LARGE_ROWS + 10);
  expect(server.requests).toHaveLength(LARGE_ROWS + 10);
  expect(inFlightMost).toBeGreaterThan(1);
  expect(inFlightMost).toBeLessThanOrEqual(4);
}, 200_000);

test("a row that was held only because the large file was on its way gets its end when that has one", async () => {
  const server = await startFaultServer(() => async (socket) => {
    await sleep(2);
    await answer(200)(socket);
  });
  onTestFinished(() => server.close());
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "4" });
  desk.watch();
  const [header, ...rows] = transfers("L", LARGE_ROWS).trim().split("\n");
  writeFileSync(
    desk.path("large.csv"),
    [`${header ?? ""},period`, ...rows.map((row) => `${row},2026-11`), ""].join("\n"),
  );
  await until("the large one is sent", () => server.requests.length > 100, 60_000);
  const last = `${rows.at(-1) ?? ""},2026-11`;
  writeFileSync(desk.path("again.csv"), `${header ?? ""},period\n${last}\nACC-1,ACC-OTHER,7.00,2026-11\n`);
  const results = (): string => (hasResults(desk, "again.csv") ? desk.read("again.csv.results.csv") : "");
  await until("the row is held", () => /\r\n2,held,/.test(results()), 60_000);
  await until("the row is a duplicate", () => /\r\n2,duplicate,/.test(results()), 120_000);
  expect(server.requests).toHaveLength(LARGE_ROWS + 1);
}, 200_000);
