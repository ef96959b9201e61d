import { createHash } from "node:crypto";
import { existsSync, mkdirSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer, type FaultServer } from "../support/fault-server.ts";
import { hasResults, openInboxDesk } from "./inbox-desk.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const LARGE_ROWS = 4_000;

function transfers(name: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => `ACC-1,ACC-${name}-${row}-${"0".repeat(50)},${row + 1}.00`);
  return `from_account,to_account,amount\n${lines.join("\n")}\n`;
}

test("a small file goes while a large one is sent, and both share the limit of requests in flight", async () => {
  let [inFlight, inFlightMost] = [0, 0];
  const server = await startService(() => async (socket) => {
    inFlight += 1;
    inFlightMost = Math.max(inFlightMost, inFlight);
    await sleep(2);
    inFlight -= 1;
    await answer(200)(socket);
  });
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "4" });
  const program = desk.watch();
  writeFileSync(desk.path("large.csv"), transfers("L", LARGE_ROWS));
  await until("the large one is sent", () => server.requests.length > 100);
  writeFileSync(desk.path("small.csv"), transfers("S", 10));
  await until("results of the small one", () => hasResults(desk, "small.csv"));
  expect(server.requests.length).toBeLessThan(LARGE_ROWS);
  await until("results of the large one", () => hasResults(desk, "large.csv"), { withinMs: 300_000 });
  expect(new Set(server.requests.map(({ body }) => body)).size).toBe(LARGE_ROWS + 10);
  expect(server.requests).toHaveLength(LARGE_ROWS + 10);
  expect(inFlightMost).toBeGreaterThan(1);
  expect(inFlightMost).toBeLessThanOrEqual(4);
  // what is told of one is not counted as the other's
  await until("the end is told", () => / end accepted=4000 /.test(program.stderr()));
  const told = [...program.stderr().matchAll(/ progress done=(\d+) of=(\d+) /g)].map(([, done, of]) => [
    Number(done),
    Number(of),
  ]);
  expect(told.filter(([done = 0, of]) => of === LARGE_ROWS && done > LARGE_ROWS / 2)).not.toEqual([]);
  expect(told.filter(([done = 0, of = 0]) => done > of)).toEqual([]);
});

test("a row that was held only because the large file was on its way gets its end when that has one", async () => {
  const server = await startService(() => async (socket) => {
    await sleep(2);
    await answer(200)(socket);
  });
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "4" });
  desk.watch();
  const [header, ...rows] = transfers("L", LARGE_ROWS).trim().split("\n");
  writeFileSync(
    desk.path("large.csv"),
    [`${header ?? ""},period`, ...rows.map((row) => `${row},2026-11`), ""].join("\n"),
  );
  await until("the large one is sent", () => server.requests.length > 100);
  const last = `${rows.at(-1) ?? ""},2026-11`;
  writeFileSync(desk.path("again.csv"), `${header ?? ""},period\n${last}\nACC-1,ACC-OTHER,7.00,2026-11\n`);
  const results = (): string => (hasResults(desk, "again.csv") ? desk.read("again.csv.results.csv") : "");
  await until("the row is held", () => /\r\n2,held,/.test(results()));
  await until("the row is a duplicate", () => /\r\n2,duplicate,/.test(results()), { withinMs: 300_000 });
  expect(server.requests).toHaveLength(LARGE_ROWS + 1);
});

/** Both files are complete at the same look. */
const TOGETHER = { PAYDROP_SETTLE: "10ms" };

async function slowService(slowest = "none"): Promise<FaultServer> {
  const server = await startService(({ body }) => async (socket) => {
    await sleep(body.includes(slowest) ? 1000 : 20);
    await answer(200)(socket);
  });
  return server;
}

/** Whatever is written later is taken after it. */
function writeOlder(path: string, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, new Date(), new Date(Date.now() - 60_000));
}

test("what a file holds by now is not taken for what it held when it lay still", async () => {
  const server = await startService();
  const desk = openDesk(server.url);
  const path = desk.write("t.csv", transfersCsv(2));
  const settled = createHash("sha256").update(transfersCsv(2)).digest("hex");
  desk.write("t.csv", transfersCsv(3));
  const taken = desk.inProcess((processor) => processor.processFile(path, settled));
  await expect(taken).rejects.toMatchObject({ code: "stopped" });
  expect(await desk.inProcess(({ journal }) => journal.batches())).toEqual([]);
  desk.write("t.csv", transfersCsv(2));
  await desk.inProcess((processor) => processor.processFile(path, settled));
  expect(server.requests).toHaveLength(2);
});

test("run --inbox: a STOP that comes while it works holds the rest, is answered, and only resume goes on", async () => {
  const server = await slowService();
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "2" });
  writeOlder(desk.path("large.csv"), transfers("L", 600));
  writeFileSync(desk.path("later.csv"), transfers("S", 400));
  const running = desk.call("run", "--log-format", "json", "--inbox", desk.inbox);
  await until("rows go", () => server.requests.length > 20);
  writeFileSync(desk.path("STOP"), "");
  const { code, stdout, stderr } = await running;
  expect([code, stderr]).toEqual([7, expect.stringContaining('"reason":"stop_file"') as string]);
  const batch = /batch (\w+)/.exec(stdout)?.[1] ?? "";
  const status = (await desk.call("status", batch)).stdout;
  expect(status).toMatch(/stop a file named STOP was put into the folder; \d+ rows left/);
  // a retry would be told to wait for the same
  expect(status).toMatch(/is held: a file named STOP .* `paydrop resume --inbox \S+ --by NAME`/);
  expect(status).not.toContain("paydrop retry");
  const sent = server.requests.length;
  expect(sent).toBeLessThan(1000);
  expect(desk.names().filter((name) => name.startsWith("STOP - held"))).toHaveLength(1);
  expect(desk.read("large.csv.waiting.txt")).toContain("paydrop resume --inbox");
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  expect(server.requests).toHaveLength(sent);
  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code).toBe(0);
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1000);
  expect(server.requests).toHaveLength(1000);
});

test("run --inbox: a file that may not go ends the one beside it too, once, and the process", async () => {
  const server = await slowService();
  const desk = openInboxDesk(server.url, TOGETHER);
  mkdirSync(desk.path("transfers"));
  const other = ["--state-dir", `${desk.stateDir}-other`];
  writeFileSync(desk.path("transfers/theirs.csv"), transfers("T", 1));
  expect((await desk.call("run", "--inbox", desk.path("transfers"), ...other)).code).toBe(0);
  unlinkSync(desk.path("transfers/theirs.csv"));
  const [header = "", ...rows] = transfers("L", 400).trim().split("\n");
  const long = [`${header},note`, ...rows.map((row) => `${row},${"long ".repeat(400)}`), ""].join("\n");
  writeOlder(desk.path("large.csv"), long);
  writeFileSync(desk.path("transfers/small.csv"), transfers("S", 2));
  const ended = await desk.call("run", "--inbox", desk.inbox);
  expect(ended.code).toBe(74);
  expect(ended.stderr.split(" stopped ").length).toBeLessThanOrEqual(2);
  expect(server.requests.some(({ body }) => body.includes("ACC-S-"))).toBe(false);
});

test("run --inbox: a row that was held only while the other file was on its way changes no exit code", async () => {
  const server = await slowService("ACC-L-299-");
  const desk = openInboxDesk(server.url, TOGETHER);
  const [header = "", ...rows] = transfers("L", 300).trim().split("\n");
  const lines = rows.map((row) => `${row},2026-11`);
  writeOlder(desk.path("large.csv"), [`${header},period`, ...lines, ""].join("\n"));
  writeFileSync(desk.path("again.csv"), [`${header},period`, lines.at(-1), ""].join("\n"));
  const ended = await desk.call("run", "--inbox", desk.inbox);
  expect(ended.stderr).toContain("held=1");
  const results = ["again", "large"].map((name) => desk.read(`${name}.csv.results.csv`)).join("");
  expect(results).toMatch(/\r\n\d+,duplicate,/);
  expect(ended.code).toBe(0);
  expect(server.requests).toHaveLength(300);
});

test("--quiet says nothing of a row that was held only while the other file was on its way", async () => {
  const either = ["again", "large"].map((name) => `${name}.csv.results.csv`);
  let [isOver, wasHeld] = [(): boolean => true, false];
  const server = await startService(({ body }) => async (socket) => {
    if (body.includes("ACC-L-29-")) await until("the end of the other file", isOver, { withinMs: 300_000 });
    await answer(200)(socket);
  });
  const desk = openInboxDesk(server.url, TOGETHER);
  // whichever was taken first, the other one has its end first
  isOver = () => (wasHeld ||= either.some((name) => existsSync(desk.path(name))));
  const [header = "", ...rows] = transfers("L", 30).trim().split("\n");
  const lines = rows.map((row) => `${row},2026-11`);
  writeOlder(desk.path("large.csv"), [`${header},period`, ...lines, ""].join("\n"));
  // its first row goes alone, of whichever file: it must not be the one that is waited for
  const other = "ACC-1,ACC-OTHER,7.00,2026-11";
  writeFileSync(desk.path("again.csv"), [`${header},period`, other, lines.at(-1), ""].join("\n"));
  const ended = await desk.call("run", "--quiet", "--inbox", desk.inbox);
  expect(ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(wasHeld).toBe(true);
  expect(either.map((name) => desk.read(name)).join("")).toMatch(/\r\n\d+,duplicate,/);
  expect(server.requests).toHaveLength(31);
});
