import { once } from "node:events";
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import type { RunEvent } from "../../src/events.ts";
import type { BatchRecord, JournalStore } from "../../src/journal/store.ts";
import { Sight } from "../../src/postgres/sight.ts";
import { Counters, metricsText } from "../../src/monitor/metrics.ts";
import { Monitor, monitorSettings } from "../../src/monitor/monitor.ts";
import { answer } from "../support/fault-server.ts";
import { temporaryFolder } from "../support/paydrop.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const BATCHES = [
  {
    label: "payout, option B",
    tallies: { accepted: { rows: 2, amount: "10.10" }, unknown: { rows: 1, amount: "0.20" } },
  },
  { label: "payout", tallies: { accepted: { rows: 1, amount: "5.05" }, held: { rows: 3, amount: "9" } } },
  { label: "mixed", tallies: { ready: { rows: 1, amount: "1.00" } } },
  { label: "no valid row", tallies: { invalid: { rows: 1, amount: "0" } } },
].map((batch, at) => ({ id: `BATCH${at}`, ...batch })) as unknown as BatchRecord[];

const NOTHING = { batches: [], inboxes: [], endings: new Map<string, number>(), counters: new Counters() };

const HOSTS = { me: "pay1:7:a", all: () => Promise.resolve([]) };
const STORE = { batches: () => Promise.resolve(BATCHES), hosts: HOSTS, now: Date.now } as unknown as JournalStore;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("rows and exact sums of all batches by operation and state, without any name", () => {
  const text = metricsText({ ...NOTHING, batches: BATCHES }, 0);
  expect(text).toContain('paydrop_journal_rows{operation="payout",state="accepted"} 3\n');
  expect(text).toContain('paydrop_journal_amount{operation="payout",state="accepted"} 15.15\n');
  expect(text).toContain('paydrop_journal_rows{operation="mixed",state="ready"} 1\n');
  expect(text).toContain('paydrop_journal_rows{operation="none",state="invalid"} 1\n');
  expect(text).toContain("paydrop_unknown_rows 1\n");
  expect(text).toContain("paydrop_held_rows 3\n");
  expect(text).not.toContain("inbox");
});

test("inboxes are counted", () => {
  const text = metricsText({ ...NOTHING, inboxes: [{ files: 2, oldestSince: 940_000 }, { files: 1 }] }, 1_000_000);
  expect(text).toContain("paydrop_inbox_files 3\n");
  expect(text).toContain("paydrop_oldest_inbox_seconds 60\n");
});

test("a journal that several hosts share → what this host holds, with its name", async () => {
  const own = { host: "pay1:7:a", name: "pay1", leases: ["batch K7Q29F3M", "inbox /srv/inbox"] };
  const other = { host: "pay2:8:b", name: "pay2", leases: ["inbox /srv/other"], shares: [{ lanes: 64 }] };
  const all = [other, { ...own, shares: [{ lanes: 3 }, { lanes: 5 }] }];
  const hosts = { me: "pay1:7:a", all: () => Promise.resolve(all) };
  const file = join(temporaryFolder(), "paydrop.prom");
  const monitor = new Monitor({ environment: "test", metrics_file: file }, () => undefined);
  await monitor.follow({ ...STORE, hosts } as unknown as JournalStore);
  await monitor.unfollow();
  await monitor.close(0);
  const text = readFileSync(file, "utf8");
  for (const line of ['shares{host="pay1"} 2', 'lanes{host="pay1"} 8', 'inboxes{host="pay1"} 1'])
    expect(text).toContain(`paydrop_host_${line}\n`);
  expect(text).not.toContain("pay2");
});

test("a later run keeps when one last succeeded", async () => {
  const file = join(temporaryFolder(), "paydrop.prom");
  const name = "paydrop_last_success_timestamp_seconds";
  writeFileSync(file, `# HELP ${name} When.\n${name} 1000\n`);
  const monitor = new Monitor({ environment: "test", metrics_file: file }, () => undefined);
  await monitor.follow(STORE);
  await monitor.close(4);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(`${name} 1000\n`);
  expect(text).toMatch(/^paydrop_last_finished_timestamp_seconds [0-9]{10}$/m);
});

test("file and port show the same, the ping tells the exit code, and nothing keeps the process", async () => {
  const service = await startService(() => answer(200));
  const file = join(temporaryFolder(), "paydrop.prom");
  const port = await freePort();
  const said: string[] = [];
  const monitor = new Monitor(
    {
      environment: "test",
      metrics_file: file,
      metrics_port: port,
      ping_url: `${service.url}/abc`,
    },
    (text) => void said.push(text),
  );
  await monitor.follow(STORE);
  const page = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(page.headers.get("content-type")).toContain("version=0.0.4");
  expect(await page.text()).toContain("paydrop_held_rows 3\n");
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  await monitor.unfollow();
  await monitor.close(4);
  expect(readFileSync(file, "utf8")).toContain('paydrop_journal_rows{operation="payout",state="accepted"} 3\n');
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /abc/4"]);
  expect(said).toEqual([]);
});

const ROW: Extract<RunEvent, { type: "row" }> = {
  ...{ type: "row", batch: "K7Q29F3M", row: 2, reason: "accepted", httpStatus: 200, amount: "5.00", attempts: 1 },
  ...{ status: "accepted", durationMs: 300, alone: false },
};

test("rows get their end → counted with how long they took; the next run goes on with the numbers in the file", async () => {
  const file = join(temporaryFolder(), "paydrop.prom");
  const run = async (events: readonly RunEvent[]): Promise<string> => {
    const monitor = new Monitor({ environment: "test", metrics_file: file }, () => undefined);
    await monitor.follow(STORE);
    for (const event of events) monitor.saw(event);
    await monitor.unfollow();
    await monitor.close(0);
    return readFileSync(file, "utf8");
  };
  const unreachable = {
    ...ROW,
    status: "not_sent",
    reason: "unreachable",
    httpStatus: undefined,
    durationMs: 5,
  } as const;
  const late = { ...ROW, status: "unknown", httpStatus: undefined, durationMs: 120_004 } as const;
  const first = await run([
    ROW,
    unreachable,
    { type: "waiting", batch: "K7Q29F3M", reason: "rate_limited", waitMs: 5 },
  ]);
  expect(first).toContain('paydrop_rows_total{state="rejected"} 0\n');
  const text = await run([ROW, late]);
  for (const line of ['total{state="accepted"} 2', 'total{state="not_sent"} 1', 'total{state="unknown"} 1'])
    expect(text).toContain(`paydrop_rows_${line}\n`);
  const buckets = [...text.matchAll(/duration_seconds_bucket\{le="(.*)"\} (\d+)/g)].map(([, le, count]) => [le, count]);
  expect(buckets.slice(2, 4)).toEqual([
    ["0.25", "0"],
    ["0.5", "2"],
  ]);
  expect(buckets.slice(-2)).toEqual([
    ["120", "2"],
    ["+Inf", "3"],
  ]);
  expect(text).toContain("duration_seconds_sum 120.604\npaydrop_request_duration_seconds_count 3\n");
});

test("the journal gives no answer → the page comes all the same, with what was known and that it is away", async () => {
  const [port, sight] = [await freePort(), new Sight()];
  const said: string[] = [];
  const monitor = new Monitor({ environment: "test", metrics_port: port }, (text) => void said.push(text), sight);
  // before the journal is open
  await monitor.serve();
  const page = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(await page()).toContain("paydrop_journal_up 1\n");
  const silent = new Promise<never>(() => undefined);
  let answer: Promise<unknown> = Promise.resolve(BATCHES);
  await monitor.follow({ ...STORE, batches: () => answer } as unknown as JournalStore);
  expect(await page()).toContain("paydrop_held_rows 3\n");
  answer = silent;
  const beganMs = performance.now();
  expect(await page()).toContain("paydrop_held_rows 3\n");
  expect(performance.now() - beganMs).toBeLessThan(5_000);
  await monitor.unfollow();
  await monitor.close(0);
  expect(said).toEqual([]);
});

test("a watch that is well → the ping hears of it every minute; one that looks no more is silent", async () => {
  const service = await startService(() => answer(200));
  const monitor = new Monitor({ environment: "test", ping_url: `${service.url}/abc` }, () => undefined);
  vi.useFakeTimers({ toFake: ["setInterval", "Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const beats = async (count: number): Promise<void> =>
    until("the ping hears", () => service.requests.length === count);
  const pass = (seconds: number, isLooking: boolean): void => {
    for (let at = 0; at < seconds; at += 5) {
      if (isLooking) monitor.sawInbox("/srv/inbox", { files: 0 });
      vi.advanceTimersByTime(5_000);
    }
  };
  // of a run that ends
  pass(120, true);
  monitor.lasts();
  // nothing was looked at yet
  vi.advanceTimersByTime(120_000);
  pass(5, true);
  await beats(1);
  pass(60, true);
  await beats(2);
  // what cannot be read is no look
  monitor.sawInbox("/srv/inbox", { files: 0 }, false);
  pass(300, false);
  await beats(3);
  expect(service.requests.map(({ path }) => path)).toEqual(["/abc", "/abc", "/abc"]);
  vi.useRealTimers();
  await monitor.close(0);
  expect(service.requests.at(-1)?.path).toBe("/abc/0");
});

test("a process without the lock leaves the file of the one that has it", async () => {
  const file = join(temporaryFolder(), "paydrop.prom");
  writeFileSync(file, "of somebody else");
  await new Monitor({ environment: "test", metrics_file: file }, () => undefined).close(75);
  expect(readFileSync(file, "utf8")).toBe("of somebody else");
});

test("a taken port, a monitor that is away, or a file that cannot be read or written is only said", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const said: string[] = [];
  const say = (text: string): unknown => said.push(text);
  const loop = join(temporaryFolder(), "loop.prom");
  symlinkSync(loop, loop);
  for (const one of [{ metrics_port: port }, { metrics_file: loop }]) {
    const monitor = new Monitor({ environment: "test", ...one }, say);
    await monitor.follow(STORE);
    await monitor.close(0);
    expect(said.splice(0)).toEqual([expect.stringContaining("payments go on")]);
  }
  expect(lstatSync(loop).isSymbolicLink()).toBe(true);
  const away = new Monitor(
    {
      environment: "test",
      metrics_file: "/proc/nowhere/x.prom",
      ping_url: "http://127.0.0.1:9",
    },
    (text) => void said.push(text),
  );
  await away.follow(STORE);
  await away.close(0);
  expect(said).toEqual([expect.stringContaining("payments go on"), expect.stringContaining("could not be told")]);
});

test("a file of payments is never replaced", async () => {
  const file = join(temporaryFolder(), "payroll.csv");
  writeFileSync(file, "amount,vpa\n");
  const monitor = new Monitor({ environment: "test", metrics_file: file }, () => undefined);
  await expect(monitor.follow(STORE)).rejects.toMatchObject({ reason: "not_own_file" });
  expect(readFileSync(file, "utf8")).toBe("amount,vpa\n");
});

test("in the sandbox only flags name a monitor", () => {
  const env = { HOME: "/nonexistent", PAYDROP_PING_URL: "https://hc.example", PAYDROP_METRICS_FILE: "/m.prom" };
  const loaded = loadSettings({ flags: { metrics_file: "/trial.prom" }, env });
  expect(monitorSettings(loaded, true)).toEqual({
    environment: "live",
    metrics_file: "/trial.prom",
  });
  expect(monitorSettings(loaded, false)).toMatchObject({ ping_url: "https://hc.example", metrics_file: "/trial.prom" });
});
