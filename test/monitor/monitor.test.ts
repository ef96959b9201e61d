import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import type { BatchRecord, JournalStore } from "../../src/journal/store.ts";
import { metricsText, createMonitor, monitorSettings } from "../../src/monitor/monitor.ts";
import { answer } from "../support/fault-server.ts";
import { temporaryFolder } from "../support/paydrop.ts";
import { startService } from "../support/service.ts";

const BATCHES = [
  {
    label: "payout, option B",
    tallies: { accepted: { rows: 2, amount: "10.10" }, unknown: { rows: 1, amount: "0.20" } },
  },
  { label: "payout", tallies: { accepted: { rows: 1, amount: "5.05" }, held: { rows: 3, amount: "9" } } },
  { label: "mixed", tallies: { ready: { rows: 1, amount: "1.00" } } },
  { label: "no valid row", tallies: { invalid: { rows: 1, amount: "0" } } },
].map((batch, at) => ({ id: `BATCH${at}`, ...batch })) as unknown as BatchRecord[];

const STORE = { batches: () => Promise.resolve(BATCHES) } as unknown as JournalStore;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("rows and exact sums of all batches by operation and state, without any name", () => {
  const text = metricsText(BATCHES, [], new Map(), 0);
  expect(text).toContain('paydrop_rows_total{operation="payout",state="accepted"} 3\n');
  expect(text).toContain('paydrop_amount_total{operation="payout",state="accepted"} 15.15\n');
  expect(text).toContain('paydrop_rows_total{operation="mixed",state="ready"} 1\n');
  expect(text).toContain('paydrop_rows_total{operation="none",state="invalid"} 1\n');
  expect(text).toContain("paydrop_unknown_rows 1\n");
  expect(text).toContain("paydrop_held_rows 3\n");
  expect(text).not.toContain("inbox");
});

test("inboxes are counted", () => {
  const text = metricsText([], [{ files: 2, oldestSince: 940_000 }, { files: 1 }], new Map(), 1_000_000);
  expect(text).toContain("paydrop_inbox_files 3\n");
  expect(text).toContain("paydrop_oldest_inbox_seconds 60\n");
});

test("a journal that several hosts share → what this host holds, with its name", async () => {
  const own = { host: "pay1:7:a", name: "pay1", leases: ["batch K7Q29F3M", "inbox /srv/inbox"] };
  const other = { host: "pay2:8:b", name: "pay2", leases: ["inbox /srv/other"], shares: [{ lanes: 64 }] };
  const all = [other, { ...own, shares: [{ lanes: 3 }, { lanes: 5 }] }];
  const hosts = { me: "pay1:7:a", all: () => Promise.resolve(all) };
  const file = join(temporaryFolder(), "paydrop.prom");
  const monitor = createMonitor({ environment: "test", metrics_file: file }, () => undefined);
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
  const monitor = createMonitor({ environment: "test", metrics_file: file }, () => undefined);
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
  const monitor = createMonitor(
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
  expect(readFileSync(file, "utf8")).toContain('paydrop_rows_total{operation="payout",state="accepted"} 3\n');
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /abc/4"]);
  expect(said).toEqual([]);
});

test("a process without the lock leaves the file of the one that has it", async () => {
  const file = join(temporaryFolder(), "paydrop.prom");
  writeFileSync(file, "of somebody else");
  await createMonitor({ environment: "test", metrics_file: file }, () => undefined).close(75);
  expect(readFileSync(file, "utf8")).toBe("of somebody else");
});

test("a taken port, a monitor that is away, or a file that cannot be read or written is only said", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const said: string[] = [];
  const say = (text: string): unknown => said.push(text);
  const loop = join(temporaryFolder(), "loop.prom");
  symlinkSync(loop, loop);
  for (const one of [{ metrics_port: port }, { metrics_file: loop }]) {
    const monitor = createMonitor({ environment: "test", ...one }, say);
    await monitor.follow(STORE);
    await monitor.close(0);
    expect(said.splice(0)).toEqual([expect.stringContaining("payments go on")]);
  }
  expect(lstatSync(loop).isSymbolicLink()).toBe(true);
  const away = createMonitor(
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
  const monitor = createMonitor({ environment: "test", metrics_file: file }, () => undefined);
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
