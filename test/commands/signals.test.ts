import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { BARE_ENV, LAUNCHER, temporaryFolder } from "../support/paydrop.ts";
import { startProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** A service that takes the request and never answers. */
async function silentService(): Promise<{ url: string; asked: Promise<void>; close: () => void }> {
  let noteAsked: () => void;
  const asked = new Promise<void>((resolve) => (noteAsked = resolve));
  const server = createServer((request) => {
    request.resume();
    request.on("end", () => noteAsked());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, asked, close };
}

test("the first signal says what the next would do, the second ends with unknown rows and exit 4", async () => {
  const service = await silentService();
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "transfers.csv"),
    "from_account,to_account,amount\nACC-1,ACC-2,100.00\nACC-1,ACC-3,200.00\n",
  );
  const env = {
    ...BARE_ENV,
    HOME: folder,
    PAYDROP_BASE_URL: service.url,
    PAYDROP_API_KEY: "key-0123456789",
  };
  const child = spawn(process.execPath, [LAUNCHER, "run", "transfers.csv"], { env, cwd: folder });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let stderr = "";
  const announced = new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes("Press Ctrl-C again")) resolve();
    });
  });
  await service.asked;
  child.kill("SIGINT");
  await announced;
  expect(child.exitCode).toBeNull();
  child.kill("SIGINT");
  expect(await ended).toBe(4);
  expect(stderr).toContain("stopping now: rows in flight become unknown");
  service.close();
});

test.each([
  { rows: 2, code: 7, statuses: ["accepted", "not_sent"] },
  { rows: 1, code: 0, statuses: ["accepted"] },
])("a terminal that is closed stops softly: of $rows the row in flight is waited for, no other goes: $code", async ({ rows, code, statuses }) => {
  let goOn: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (goOn = resolve));
  const server = await startService(() => async (socket) => {
    await closed;
    await answer(200)(socket);
  });
  const desk = openDesk(server.url);
  desk.write("t.csv", transfersCsv(rows));
  const program = startProgram(["run", "t.csv"], { env: desk.env, cwd: desk.folder });
  await expect.poll(() => server.requests.length).toBe(1);
  program.child.kill("SIGHUP");
  await expect.poll(() => program.stderr()).toContain("finishing the rows in flight");
  goOn();
  expect(await program.ended).toMatchObject({ code, signal: undefined });
  expect(desk.results("t.csv").map((row) => row.result_status)).toEqual(statuses);
}); // prettier-ignore

/** A file that takes its time, a folder for copies of it, and what lies there. */
function manyTransfers(): { file: string; scratch: string; copies: () => string[] } {
  const folder = temporaryFolder();
  const scratch = join(folder, "tmp");
  mkdirSync(scratch);
  const file = join(folder, "transfers.csv");
  const rows = Array.from({ length: 100_000 }, (_, index) => `ACC-1,ACC-${index},1.00\n`).join("");
  writeFileSync(file, `from_account,to_account,amount\n${rows}`);
  return { file, scratch, copies: () => readdirSync(scratch, { recursive: true, encoding: "utf8" }) };
}

test("a check that is interrupted leaves no copy of the file behind, and ends by the signal", async () => {
  const { file, scratch, copies } = manyTransfers();
  const { child, ended } = startProgram(["check", file], { env: { TMPDIR: scratch } });
  await until("the copy", () => copies().some((name) => name.endsWith(".csv")));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ signal: "SIGINT" });
  expect(copies().filter((name) => name.startsWith("paydrop-check-"))).toEqual([]);
});

test("SIGUSR1 opens no debugger, through which any user of the machine could read the keys; no row is said to be in flight", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "inbox"));
  const env = { PAYDROP_BASE_URL: "http://127.0.0.1:1", PAYDROP_API_KEY: "key-0123456789", HOME: folder };
  const program = startProgram(["watch", "inbox"], { env, cwd: folder });
  onTestFinished(() => void program.child.kill("SIGKILL"));
  await expect.poll(() => program.stdout() + program.stderr()).toContain("watching");
  program.child.kill("SIGUSR1");
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  program.child.kill("SIGTERM");
  expect(await program.ended).toMatchObject({
    code: 0,
    stderr: expect.not.stringMatching(/Debugger|rows in flight/) as unknown,
  });
});

const canIsolate = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;
if (!canIsolate)
  process.stderr.write("SKIPPED: no process namespaces here, so the first process of one is not tested\n");

test.skipIf(!canIsolate)("the first process of a container ends by a signal that nobody listens to", async () => {
  const { file, scratch, copies } = manyTransfers();
  const env = { ...BARE_ENV, HOME: scratch, TMPDIR: scratch };
  const isolated = ["--pid", "--fork", "--kill-child", process.execPath, LAUNCHER, "check", file];
  const child = spawn("unshare", isolated, { env, cwd: scratch, timeout: 60_000, killSignal: "SIGKILL" });
  const ended = new Promise((resolve) => child.on("close", resolve));
  await until("the copy", () => copies().some((name) => name.endsWith(".csv")));
  process.kill(Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")), "SIGTERM");
  expect(await ended).toBe(143);
});
