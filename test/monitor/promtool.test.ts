import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BatchRecord, HostRecord } from "../../src/journal/store.ts";
import { Counters, metricsText } from "../../src/monitor/metrics.ts";
import { temporaryFolder } from "../support/paydrop.ts";

const ALERTS = join(import.meta.dirname, "../../samples/deploy/alerts.yml");

const promtool = (args: readonly string[], input = "") => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  return { status, said: stdout + stderr };
};

const MINUTE = 60;
const [HOUR, DAY] = [60 * MINUTE, 24 * 60 * MINUTE];

/** Promtool looks so often: five days of minutes would take it half a minute. */
const STEP = 10 * MINUTE;

/** Series by name, their values as promtool writes them: `0+600x288` is a clock. `fires`: how many of each alert. */
type Situation = readonly [name: string, series: Readonly<Record<string, string>>, seconds: number, fires: object];

const steps = (seconds: number): number => seconds / STEP;
const still = (value: number, seconds: number): string => `${value}x${steps(seconds)}`;
const clock = (seconds: number): string => `0+${STEP}x${steps(seconds)}`;
const held = (instance: string): string => `paydrop_held_rows{instance="${instance}",job="paydrop"}`;
const of = (metric: string, instance = "a"): string => `paydrop_${metric}{instance="${instance}",job="paydrop"}`;
const LOOK = "watch_last_look_timestamp_seconds";
const [FINISHED, SUCCESS] = ["last_finished_timestamp_seconds", "last_success_timestamp_seconds"];

const IDLE = { [held("a")]: still(0, 5 * DAY), [of(FINISHED)]: still(0, 5 * DAY), [of(SUCCESS)]: still(0, 5 * DAY) };

const SITUATIONS: readonly Situation[] = [
  ["a watch without a file for five days", { ...IDLE, [of(LOOK)]: clock(5 * DAY) }, 5 * DAY, {}],
  ["a watch that never had a file", { [held("a")]: still(0, DAY), [of(LOOK)]: clock(DAY) }, DAY, {}],
  ["a watch that looks no more", { ...IDLE, [of(LOOK)]: still(0, DAY) }, 10 * MINUTE, { PaydropNotRunning: 1 }],
  ["a cron that ran yesterday", IDLE, DAY, {}],
  ["a cron that runs no more", IDLE, 2 * DAY + HOUR, { PaydropNotRunning: 1 }],
  ["a cron without success", { ...IDLE, [of(FINISHED)]: clock(5 * DAY) }, 4 * DAY + HOUR, { PaydropNoSuccess: 1 }],
  ["nothing is told", { up: still(1, DAY) }, 2 * HOUR, { PaydropGone: 1 }],
  [
    "three hosts tell of the same rows",
    Object.fromEntries(
      ["a", "b", "c"].flatMap((host) => [
        [held(host), still(2, DAY)],
        [of("unknown_rows", host), still(3, DAY)],
      ]),
    ),
    2 * HOUR,
    { PaydropUnknownRows: 1, PaydropHeldRows: 1 },
  ],
  [
    "one host of three cannot reach the journal",
    Object.fromEntries(
      ["a", "b", "c"].flatMap((host) => [
        [held(host), still(0, DAY)],
        [of("journal_up", host), still(host === "b" ? 0 : 1, DAY)],
      ]),
    ),
    10 * MINUTE,
    { PaydropJournalAway: 1 },
  ],
  [
    "two hosts had six refusals each",
    Object.fromEntries(
      ["a", "b"].flatMap((host) => [
        [held(host), still(0, DAY)],
        [`paydrop_rows_total{instance="${host}",job="paydrop",state="rejected"}`, `0x6 6x${steps(DAY)}`],
      ]),
    ),
    90 * MINUTE,
    { PaydropRefused: 1 },
  ],
];

describe("what Prometheus makes of it", { tags: ["promtool"] }, () => {
  test("every metric → named and typed by its rules", () => {
    const batches = [
      { label: "payout", tallies: { accepted: { rows: 1, amount: "1.05" } } },
    ] as unknown as BatchRecord[];
    const host = { name: "pay1", shares: [], leases: [] } as unknown as HostRecord;
    const endings = new Map([FINISHED, SUCCESS].map((name) => [name, 1]));
    const more = {
      endings,
      counters: new Counters(),
      host,
      lookedAt: 1,
      server: { answeredAt: 1, awaySince: undefined },
    };
    const text = metricsText({ batches, inboxes: [{ files: 1 }], ...more }, 1);
    expect(text.match(/^# TYPE/gm)).toHaveLength(16);
    expect(promtool(["check", "metrics"], text)).toEqual({ status: 0, said: "" });
  });

  test.each(SITUATIONS)("%s → the alerts of that, each once", (_, series, seconds, fires) => {
    const names = Array.from(readFileSync(ALERTS, "utf8").matchAll(/alert: (\w+)/g), ([, name = ""]) => name);
    const alerts = [...new Set([...names, ...Object.keys(fires)])].map((alertname) => {
      const count = (fires as Readonly<Record<string, number>>)[alertname] ?? 0;
      return {
        expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"}) or vector(0)`,
        eval_time: `${seconds}s`,
        exp_samples: [{ labels: "{}", value: count }],
      };
    });
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const tests = [{ interval: "10m", input_series, promql_expr_test: alerts }];
    const file = join(temporaryFolder(), "alerts.test.json");
    writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: "10m", tests }));
    expect(promtool(["test", "rules", file])).toMatchObject({ status: 0 });
  });
});
