import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { Secret } from "../../src/config/secret.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { BatchReport, RunEvent } from "../../src/events.ts";
import { logsToStderr, withLog } from "../../src/monitor/log.ts";
import type { Teller } from "../../src/screen/teller.ts";
import { temporaryFolder } from "../support/paydrop.ts";

const KEY = "s3cret-k3y-0123456789";

const ROW: RunEvent = {
  type: "row",
  batch: "K7Q29F3M",
  row: 2,
  status: "accepted",
  reason: "accepted",
  httpStatus: 200,
  amount: "5.00",
  attempts: 1,
  durationMs: 12,
  alone: true,
};
const UNKNOWN: RunEvent = { ...ROW, row: 3, status: "unknown", reason: `timeout ${KEY}` };
const STOPPED: RunEvent = {
  type: "stopped",
  batch: "K7Q29F3M",
  stop: { code: "key_refused", text: "the key was refused", todo: "", commands: [] },
  remaining: 4,
};
const WAITING: RunEvent = { type: "waiting", batch: "K7Q29F3M", reason: "rate_limited", waitMs: 500 };
const REPORT = {
  batch: "K7Q29F3M",
  byStatus: { accepted: { rows: 1, amount: "5.00" } },
  requests: 2,
  exitCode: 4,
  durationMs: 12.4,
} as unknown as BatchReport;

interface Heard {
  readonly stderr: string[];
  readonly said: string[];
  readonly teller: Teller;
}

async function logging(flags: Record<string, unknown>, env: NodeJS.ProcessEnv = {}): Promise<Heard> {
  const stderr: string[] = [];
  const said: string[] = [];
  const plain: Teller = {
    tell: ({ type }) => void said.push(type),
    ended: () => void said.push("ended"),
    say: (text) => void said.push(text),
    close: () => void said.push("closed"),
  };
  const { config } = loadSettings({ flags, env: { HOME: "/nonexistent", ...env } });
  new Secret(KEY);
  const teller = await withLog(plain, config, { write: (line) => void stderr.push(line) });
  onTestFinished(() => teller.close());
  return { stderr, said, teller };
}

function tellAll({ teller }: Heard): void {
  for (const event of [ROW, UNKNOWN, WAITING, STOPPED]) teller.tell(event);
  teller.ended(REPORT);
}

test("a journal that several hosts share → every line names the host", async () => {
  const key = { PAYDROP_JOURNAL_KEY: "5e".repeat(32) };
  const heard = await logging(
    { log_format: "json", journal_url: "postgres://db.example/paydrop?sslmode=verify-full" },
    key,
  );
  tellAll(heard);
  for (const line of heard.stderr) expect(JSON.parse(line)).toMatchObject({ host: hostname() });
  const alone = await logging({ log_format: "json" });
  tellAll(alone);
  expect(alone.stderr.join("")).not.toContain('"host"');
});

test("no log asked for → the teller itself", async () => {
  const { teller, said } = await logging({});
  teller.tell(ROW);
  expect(said).toEqual(["row"]);
  expect(logsToStderr({ log_format: "json", quiet: true })).toBe(false);
});

test("JSON on stderr: one object per line, levels, no key, and every event is still told", async () => {
  const heard = await logging({ log_format: "json" });
  tellAll(heard);
  heard.teller.say("a remark");
  const lines = heard.stderr.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    { level: "warn", batch: "K7Q29F3M", row: 3, http_status: 200, duration_ms: 12, msg: "unknown" },
    { level: "warn", reason: "rate_limited", wait_ms: 500 },
    { level: "error", code: "key_refused", remaining: 4, msg: "the key was refused" },
    { level: "info", accepted: 1, requests: 2, duration_ms: 12, exit_code: 4, msg: "end" },
    { level: "warn", msg: "a remark" },
  ]);
  expect(heard.stderr.join("")).not.toContain(KEY);
  expect(heard.said).toEqual(["row", "row", "waiting", "stopped", "ended"]);
});

describe("a log file", () => {
  test("is private, is gone on with, has one line per event, and accepted rows at debug only", async () => {
    const path = join(temporaryFolder(), "new", "paydrop.log");
    const heard = await logging({ log_file: path, log_level: "debug" });
    tellAll(heard);
    const lines = readFileSync(path, "utf8").trim().split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\dT\S+Z debug accepted batch=K7Q29F3M row=2 status=accepted reason=accepted http_status=200/,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(heard.stderr).toEqual([]);
  });

  test("is opened again on SIGHUP, so that logrotate can rename it", async () => {
    const path = join(temporaryFolder(), "paydrop.log");
    const { teller } = await logging({ log_file: path });
    teller.say("before");
    renameSync(path, `${path}.1`);
    process.kill(process.pid, "SIGHUP");
    for (let tries = 0; !existsSync(path) && tries < 500; tries += 1) await sleep(10);
    teller.say("after");
    expect(readFileSync(`${path}.1`, "utf8")).toContain("before");
    expect(readFileSync(path, "utf8")).toContain("after");
  });

  test("that holds payments is never written into", async () => {
    const path = join(temporaryFolder(), "payroll.csv");
    writeFileSync(path, "amount,vpa\n");
    await expect(logging({ log_file: path })).rejects.toMatchObject({ reason: "not_own_file" });
    expect(readFileSync(path, "utf8")).toBe("amount,vpa\n");
  });

  test("that cannot be opened is told, and keeps no payment up", async () => {
    const heard = await logging({ log_file: "/proc/nowhere/paydrop.log" });
    heard.teller.say("a line");
    expect(heard.stderr.filter((line) => line.includes("payments go on"))).toHaveLength(1);
    expect(heard.said).toEqual(["a line"]);
  });

  test("whose disk is full costs lines of it, told once", { tags: ["full-disk"] }, async () => {
    const heard = await logging({ log_file: "/dev/full" });
    for (let at = 0; at < 3; at += 1) heard.teller.say("a line");
    await sleep(200);
    expect(heard.stderr.filter((line) => line.includes("payments go on"))).toHaveLength(1);
    expect(heard.said).toEqual(["a line", "a line", "a line"]);
  });
});
