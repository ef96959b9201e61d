import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "../../src/events.ts";
import { RowCounts } from "../../src/commands/status/row-counts.ts";
import { startMetricsServer } from "../../src/commands/monitoring/metrics-server.ts";
import { Metrics, summed } from "../../src/commands/monitoring/metrics.ts";
import { SANDBOX_API_KEY, startSandbox } from "../../src/sandbox/server.ts";
import { transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { openOffice } from "../support/people.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { startService } from "../support/service.ts";

const TRANSFERS = "from_account,to_account,amount\nACC-1,ACC-2,100.10\nACC-1,ACC-3,200.20\nACC-1,ACC-4,0\n";

interface Desk {
  readonly folder: string;
  readonly file: string;
  readonly metrics: string;
  readonly env: (url: string) => Record<string, string>;
}

function desk(text = TRANSFERS): Desk {
  const folder = temporaryDirectory();
  const inbox = join(folder, "inbox");
  mkdirSync(inbox);
  const file = join(inbox, "transfers.csv");
  writeFileSync(file, text);
  const metrics = join(folder, "paydrop.prom");
  const env = (url: string): Record<string, string> => ({
    PAYDROP_BASE_URL: url,
    PAYDROP_API_KEY: SANDBOX_API_KEY,
    PAYDROP_STATE_DIR: join(folder, "state"),
    PAYDROP_METRICS_FILE: metrics,
  });
  return { folder, file, metrics, env };
}

async function sandboxUrl(): Promise<string> {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  return sandbox.url;
}

function sample(text: string, name: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

/** A monitor that notes what it is asked, and answers as told. */
async function monitor(status: number): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      asked.push(`${request.method} ${request.url} ${body}`.trim());
      response.writeHead(status, { location: "http://127.0.0.1:1/elsewhere" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/b1c2`, asked };
}

test("a batch that came to its end is counted anew when somebody settles a row of it, in whatever process", async () => {
  const office = await openOffice(() => answer(200));
  office.write("pay.csv", transfersCsv(2));
  const counts = new RowCounts("test");
  const accepted = (): unknown => counts.all.find(({ state }) => state === "accepted");
  await office.inProcess(async (processor) => {
    await processor.processFile(join(office.folder, "pay.csv"));
    await counts.read(processor.journal);
    expect(accepted()).toMatchObject({ operation: "transfer", rows: 2, amount: "203.00" });
    const note = ["--note", "the bank gave it back"];
    await office.paydrop(
      "settle",
      office.batchOf("pay.csv"),
      "--row",
      "3",
      "--as",
      "not-done",
      "--by",
      "asha",
      ...note,
    );
    await counts.read(processor.journal);
    expect(accepted()).toMatchObject({ operation: "transfer", rows: 1, amount: "101.00" });
  });
});

describe("--metrics-file", () => {
  test("has rows, sums and requests after a run, and says nothing of batch, file or account", async () => {
    const { metrics, file, env, folder } = desk();
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    const { code } = await runProgram(["run", file], { env: env(await sandboxUrl()) });
    expect(code).toBe(3);
    const text = readFileSync(metrics, "utf8");
    expect(sample(text, 'paydrop_rows_total{operation="transfer",state="accepted"}')).toBe(2);
    expect(text).toContain('paydrop_amount_total{operation="transfer",state="accepted"} 300.30\n');
    expect(sample(text, 'paydrop_rows_total{operation="transfer",state="invalid"}')).toBe(1);
    expect(sample(text, 'paydrop_requests_total{outcome="accepted"}')).toBe(2);
    expect(sample(text, "paydrop_request_duration_seconds_count")).toBe(2);
    expect(sample(text, "paydrop_unknown_rows")).toBe(0);
    expect(sample(text, "paydrop_last_finished_timestamp_seconds")).toBeGreaterThan(1_700_000_000);
    expect(sample(text, "paydrop_last_success_timestamp_seconds")).toBeUndefined();
    expect(text).not.toMatch(/transfers\.csv|ACC-|batch=/);
    expect(statSync(metrics).mode & 0o444).toBe(0o444);
    expect(readdirSync(folder).filter((name) => name.includes("tmp"))).toEqual([]);
  });

  test("a request that is refused for rate and goes again is counted for itself", async () => {
    const { metrics, file, env } = desk("from_account,to_account,amount\nACC-1,ACC-2,1.00\n");
    const service = await startService(({ number }) =>
      number < 3 ? answer(429, {}, { "retry-after": "0" }) : answer(200),
    );
    expect((await runProgram(["run", file], { env: env(service.url) })).code).toBe(0);
    const text = readFileSync(metrics, "utf8");
    expect(sample(text, 'paydrop_requests_total{outcome="rate_limited"}')).toBe(2);
    expect(sample(text, 'paydrop_requests_total{outcome="accepted"}')).toBe(1);
  });

  test("goes on counting in the next process, and keeps the last success through a failure", async () => {
    const { metrics, file, env } = desk("from_account,to_account,amount\nACC-1,ACC-2,1.00\n");
    const url = await sandboxUrl();
    expect((await runProgram(["run", file], { env: env(url) })).code).toBe(0);
    const success = sample(readFileSync(metrics, "utf8"), "paydrop_last_success_timestamp_seconds");
    writeFileSync(file, "from_account,to_account,amount\nACC-1,ACC-9,2.00\n");
    const dead = await startService(() => answer(500));
    const ended = await runProgram(["run", "--accept-destination", file], { env: env(dead.url) });
    expect(ended.code).toBe(4);
    const text = readFileSync(metrics, "utf8");
    expect(sample(text, 'paydrop_requests_total{outcome="accepted"}')).toBe(1);
    expect(sample(text, 'paydrop_requests_total{outcome="unknown"}')).toBe(1);
    expect(sample(text, "paydrop_request_duration_seconds_count")).toBe(2);
    expect(sample(text, "paydrop_unknown_rows")).toBe(1);
    expect(sample(text, "paydrop_last_success_timestamp_seconds")).toBe(success);
  });

  test("that cannot be written costs a line on stderr, not the run", async () => {
    const { file, env, folder } = desk();
    const there = { ...env(await sandboxUrl()), PAYDROP_METRICS_FILE: join(folder, "none", "paydrop.prom") };
    const { code, stderr } = await runProgram(["run", "--quiet", file], { env: there });
    expect(code).toBe(3);
    expect(stderr.match(/the metrics cannot be written: .*; payments go on/g)).toHaveLength(1);
  });

  test("is left alone by the sandbox, and by a process that did not get the lock", async () => {
    const { metrics, file, env } = desk();
    const environment = env("http://127.0.0.1:1");
    expect((await runProgram(["run", "--sandbox", file], { env: environment })).code).toBe(3);
    expect(existsSync(metrics)).toBe(false);

    const silent = await startService(() => () => undefined);
    const first = startProgram(["run", file], { env: env(silent.url) });
    await expect.poll(() => silent.requests.length).toBe(1);
    const second = await runProgram(["run", file], { env: env(silent.url) });
    expect(second.code).toBe(75);
    expect(existsSync(metrics)).toBe(false);
    first.child.kill("SIGKILL");
    await first.ended;
  });

  test("is written again and again while a folder is watched, with what waits in it", async () => {
    const { folder, metrics, file, env } = desk("from_account,to_account,amount\nACC-1,ACC-2,1.00\n");
    const inbox = dirname(file);
    const settings = { ...env(await sandboxUrl()), PAYDROP_SETTLE: "200ms" };
    const program = startProgram(["watch", inbox], { env: settings });
    onTestFinished(() => void program.child.kill("SIGKILL"));
    const text = (): string => (existsSync(metrics) ? readFileSync(metrics, "utf8") : "");
    const accepted = 'paydrop_requests_total{outcome="accepted"}';
    await expect.poll(() => sample(text(), accepted)).toBe(1);
    expect(sample(text(), "paydrop_inbox_files")).toBe(0);
    // no line end, and never still for long enough
    writeFileSync(join(folder, "growing.csv"), "from_account,to_account,amount\nACC-1,ACC-3,2.00");
    renameSync(join(folder, "growing.csv"), join(inbox, "growing.csv"));
    const growing = setInterval(() => appendFileSync(join(inbox, "growing.csv"), "0"), 100);
    onTestFinished(() => clearInterval(growing));
    await expect.poll(() => sample(text(), "paydrop_inbox_files")).toBe(1);
    expect(sample(text(), "paydrop_oldest_inbox_seconds")).toBeGreaterThan(0);
    program.child.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
  });

  test("and the ping tell of run --inbox and of retry; a retry that leaves its rows to another says nothing", async () => {
    const { file, metrics, env } = desk("from_account,to_account,amount\nACC-1,ACC-2,1.00\nACC-1,ACC-3,1.00\n");
    const { url, asked } = await monitor(200);
    let status = 401;
    const server = await startService(() => answer(status));
    const settings = { env: { ...env(server.url), PAYDROP_SETTLE: "100ms", PAYDROP_PING_URL: url } };
    expect((await runProgram(["run", "--inbox", dirname(file)], settings)).code).toBe(7);
    expect(sample(readFileSync(metrics, "utf8"), "paydrop_inbox_files")).toBe(0);
    status = 200;
    const { batch } = JSON.parse(readFileSync(`${file}.summary.json`, "utf8")) as { batch: string };
    expect((await runProgram(["retry", "NOSUCH11"], settings)).code).toBe(2);
    expect((await runProgram(["retry", batch], settings)).code).toBe(0);
    const text = readFileSync(metrics, "utf8");
    expect(sample(text, 'paydrop_requests_total{outcome="rejected"}')).toBe(1);
    expect(sample(text, 'paydrop_requests_total{outcome="accepted"}')).toBe(2);
    expect(asked.map((line) => line.split("/").at(-1))).toEqual(["7", "0"]);
  });
});

describe("--metrics-port", () => {
  test("answers on this machine while a run works, with the row that is under way", async () => {
    const { file, env } = desk();
    const silent = await startService(() => () => undefined);
    const free = await startMetricsServer(0, () => Promise.resolve(""));
    const { port } = free;
    await free.close();
    const run = startProgram(["run", "--metrics-port", String(port), file], { env: env(silent.url) });
    await expect.poll(() => silent.requests.length).toBe(1);
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get("content-type")).toContain("version=0.0.4");
    const text = await response.text();
    expect(sample(text, 'paydrop_rows_total{operation="transfer",state="sending"}')).toBe(1);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    run.child.kill("SIGKILL");
    await run.ended;
  });

  test("that is taken is refused before anything is sent", async () => {
    const { file, env } = desk();
    const service = await startService();
    const taken = new URL(service.url).port;
    const { code, stderr } = await runProgram(["run", "--metrics-port", taken, file], { env: env(service.url) });
    expect(code).toBe(2);
    expect(stderr).toContain(`--metrics-port ${taken}`);
    expect(service.requests).toHaveLength(0);
  });
});

describe("--ping-url", () => {
  test("is told the exit code and nothing else, also of a run that was refused", async () => {
    const { file, env, folder } = desk();
    const { url, asked } = await monitor(200);
    const environment = { ...env(await sandboxUrl()), PAYDROP_PING_URL: url };
    expect((await runProgram(["run", file], { env: environment })).code).toBe(3);
    expect((await runProgram(["run", join(folder, "missing.csv")], { env: environment })).code).toBe(2);
    expect(asked).toEqual(["GET /b1c2/3", "GET /b1c2/2"]);
  });

  test.each([500, 302])("that answers %i changes no exit code", async (status) => {
    const { file, env } = desk("from_account,to_account,amount\nACC-1,ACC-2,1.00\n");
    const { url, asked } = await monitor(status);
    const { code, stderr } = await runProgram(["run", "--ping-url", url, file], { env: env(await sandboxUrl()) });
    expect(code).toBe(0);
    expect(asked).toEqual(["GET /b1c2/0"]);
    expect(stderr).toContain(`the monitor could not be told the exit code: the answer was ${status}`);
  });

  test("must be https unless it is on this machine, and is not repeated", async () => {
    const { file, env } = desk();
    const { code, stderr } = await runProgram(["run", "--ping-url", "http://hc.example/b1c2", file], {
      env: env("http://127.0.0.1:1"),
    });
    expect(code).toBe(2);
    expect(stderr).toContain("--ping-url: the address is not an https address");
    expect(stderr).not.toContain("b1c2");
  });
});

describe("the numbers", () => {
  const row = (status: "accepted" | "unknown", durationMs: number): RunEvent => ({
    ...{ type: "row", batch: "K7Q29F3M", row: 2, reason: "", amount: "1.00", attempts: 1, alone: false },
    status,
    durationMs,
  });

  test("a histogram bucket holds everything up to its limit", () => {
    const metrics = new Metrics();
    for (const ms of [50, 51, 200_000]) metrics.onEvent(row("accepted", ms));
    const text = metrics.text([], 0);
    const counts = ["0.05", "0.1", "120", "+Inf"].map((le) =>
      sample(text, `paydrop_request_duration_seconds_bucket{le="${le}"}`),
    );
    expect(counts).toEqual([1, 2, 2, 3]);
    expect(sample(text, "paydrop_request_duration_seconds_sum")).toBe(200.101);
  });

  test("what was written can be gone on with, to the last number", () => {
    const before = new Metrics();
    for (const ms of [20, 700, 9_000]) before.onEvent(row("unknown", ms));
    before.finished(0, 1_700_000_000_000);
    const text = before.text([], 0);
    const after = new Metrics();
    after.goOn(text);
    expect(after.text([], 0)).toBe(text);
    const torn = new Metrics();
    torn.goOn("paydrop_requests_total{outcome=\n\u0000 nonsense 12\npaydrop_last_success_timestamp_seconds NaN\n");
    expect(torn.text([], 0)).toBe(new Metrics().text([], 0));
  });

  test("sums are exact, and the oldest file has an age", () => {
    const count = { operation: "payout", state: "accepted", rows: 1 };
    expect(
      summed([
        { ...count, amount: "0.10" },
        { ...count, amount: "9007199254740993.20" },
      ]),
    ).toEqual([{ ...count, rows: 2, amount: "9007199254740993.30" }]);
    const metrics = new Metrics();
    metrics.inbox = { files: 2, oldestSince: 1_000 };
    expect(sample(metrics.text([], 61_000), "paydrop_oldest_inbox_seconds")).toBe(60);
    metrics.inbox = { files: 0 };
    expect(sample(metrics.text([], 61_000), "paydrop_oldest_inbox_seconds")).toBe(0);
  });
});
