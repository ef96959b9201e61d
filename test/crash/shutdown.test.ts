import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../support/state-dir.ts";
import { batchIn, runToTheEnd } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { startLife, startService } from "./lives.ts";
import type { LifeOptions, Service } from "./lives.ts";
import type { ServerOptions } from "../support/ledger-server.ts";
import { judge, readLedger } from "./oracle.ts";
import type { Verdict } from "./oracle.ts";
import { until } from "../support/until.ts";

const CONCURRENCY = 4;
const ROWS = 15;
const FLAGS = ["--concurrency", String(CONCURRENCY)];

interface Scene {
  readonly service: Service;
  readonly batch: Batch;
  readonly options: LifeOptions;
}

async function scene(name: string, rows: number, server: Partial<ServerOptions>): Promise<Scene> {
  const folder = temporaryDirectory();
  const ledger = join(folder, "ledger.jsonl");
  const service = await startService({ ledger, seed: 9, rates: {}, latencyMs: 0, ...server });
  onTestFinished(() => service.close());
  const batch = batchIn(folder, name, rows, false);
  return { service, batch, options: { stateDir: batch.stateDir, url: service.url } };
}

function verdictOn({ batch, service }: Scene, whole: boolean): Verdict {
  const verdict = judge(batch.path, batch.stateDir, batch.plan, readLedger(service.ledger), whole);
  const { double, lost, wrong } = verdict;
  expect({ double, lost, wrong }).toEqual({ double: [], lost: [], wrong: [] });
  return verdict;
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s: no request starts later than 100 ms after it, slow answers keep their true status, exit 7",
  async (signal) => {
    const here = await scene(`soft ${signal}`, ROWS, { latencyMs: 900, latencyMinMs: 500, rates: { refuse: 0.4 } });
    const { service, batch, options } = here;
    const life = startLife(["run", ...FLAGS, batch.path], options);
    await until("all lanes at work", () => service.lines().length > CONCURRENCY, { by: life.ended });
    const signalledAt = Date.now();
    life.child.kill(signal);
    const { code, output } = await life.ended;

    expect(code).toBe(7);
    const late = service.lines().filter((line) => line.at > signalledAt + 100);
    expect(late).toEqual([]);
    const { byStatus, unknown } = verdictOn(here, false);
    // whatever was asked was answered, and is recorded as it was answered
    expect(unknown).toBe(0);
    expect((byStatus["accepted"] ?? 0) + (byStatus["rejected"] ?? 0)).toBe(service.lines().length);
    expect(byStatus["not_sent"]).toBe(ROWS - service.lines().length);
    expect(output).toContain("it was asked to stop");

    await runToTheEnd([batch], ["--concurrency", String(ROWS)], options);
    verdictOn(here, true);
  },
);

test("a second signal ends at once: rows in flight are unknown, exit 4", async () => {
  const here = await scene("hard", 12, { silent: true });
  const { service, batch, options } = here;
  // the first row goes alone, and is never answered
  const life = startLife(["run", ...FLAGS, batch.path], options);
  await until("a row in flight", () => service.lines().length > 0, { by: life.ended });
  life.child.kill("SIGTERM");
  let announced = "";
  life.child.stderr?.on("data", (text: string) => (announced += text));
  await until("what the next signal would do", () => announced.includes("again"), { by: life.ended });
  const signalledAt = performance.now();
  life.child.kill("SIGTERM");
  expect((await life.ended).code).toBe(4);
  // far below the 120 s that an answer may take
  expect(performance.now() - signalledAt).toBeLessThan(60_000);
  const { byStatus } = verdictOn(here, false);
  expect(byStatus).toEqual({ unknown: 1, not_sent: 11 });
  expect(service.lines()).toHaveLength(1);
});

test("all lanes in flight at the second signal: as many unknown rows as lanes, none sent again later", async () => {
  const here = await scene("hard on all lanes", 40, { latencyMs: 3000, latencyMinMs: 2500, firstLatencyMs: 0 });
  const { service, batch, options } = here;
  const life = startLife(["run", ...FLAGS, batch.path], options);
  await until("all lanes at work", () => service.lines().length === CONCURRENCY + 1, { by: life.ended });
  life.child.kill("SIGINT");
  life.child.kill("SIGTERM");
  // two different signals are two signals, whichever came first
  expect((await life.ended).code).toBe(4);
  expect(verdictOn(here, false).byStatus).toEqual({ accepted: 1, unknown: CONCURRENCY, not_sent: 35 });
});

test("answers that never come do not keep it: bounded by --timeout", async () => {
  const here = await scene("bounded", 6, { silent: true });
  const { service, batch, options } = here;
  const life = startLife(["run", ...FLAGS, "--timeout", "2s", batch.path], options);
  await until("a row in flight", () => service.lines().length > 0, { by: life.ended });
  const signalledAt = performance.now();
  life.child.kill("SIGTERM");
  const { code } = await life.ended;
  expect(code).toBe(4);
  expect(performance.now() - signalledAt).toBeLessThan(60_000);
  expect(verdictOn(here, false).byStatus).toEqual({ unknown: 1, not_sent: 5 });
});
