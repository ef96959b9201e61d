import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../support/state-dir.ts";
import { batchIn, runToTheEnd } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { REGULAR_EXITS, runLife, startLife, startService } from "./lives.ts";
import type { LifeOptions, Service } from "./lives.ts";
import { judge, readLedger } from "./oracle.ts";
import { until } from "../support/until.ts";

/** `PAIRS=50` for a long one. */
const PAIRS = Number(process.env["PAIRS"] ?? 8);
const LOCKED = 75;
/** One second, and more only where the machine has other things to do. */
const SOON_MS = 5_000;

async function serve(folder: string, latencyMs: number): Promise<Service> {
  const ledger = join(folder, "ledger.jsonl");
  const service = await startService({ ledger, seed: 5, rates: {}, latencyMs, latencyMinMs: latencyMs });
  onTestFinished(() => service.close());
  return service;
}

function expectOnce(batch: Batch, service: Service): void {
  const { double, lost, wrong } = judge(batch.path, batch.stateDir, batch.plan, readLedger(service.ledger));
  expect({ double, lost, wrong }).toEqual({ double: [], lost: [], wrong: [] });
}

test("of two runs started together one works and the other exits 75, over and over, also when one is killed", async () => {
  const folder = temporaryDirectory();
  const service = await serve(folder, 3);
  const batch = batchIn(folder, "together", 120);
  const options: LifeOptions = { stateDir: batch.stateDir, url: service.url };
  const codes: (number | undefined)[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const lives = [startLife(["run", batch.path], options), startLife(["run", batch.path], options)];
    if (pair < PAIRS / 2) {
      await Promise.race([...lives.map((life) => life.ended), service.nextRequest()]);
      await Promise.race([...lives.map((life) => life.ended), sleep(10 * pair)]);
      lives[pair % 2]?.child.kill("SIGKILL");
    }
    codes.push(...(await Promise.all(lives.map((life) => life.ended))).map((end) => end.code));
  }
  // killed, at work, or sent away: nothing else ever happens
  expect(codes.filter((code) => code !== undefined && code !== LOCKED && !REGULAR_EXITS.includes(code))).toEqual([]);
  expect(codes).toContain(LOCKED);
  await runToTheEnd([batch], [], options);
  expectOnce(batch, service);
});

test("who comes second is told at once, while reading and looking go on beside the first", async () => {
  const folder = temporaryDirectory();
  const service = await serve(folder, 500);
  const batch = batchIn(folder, "second", 240, false);
  const options: LifeOptions = { stateDir: batch.stateDir, url: service.url };
  const first = startLife(["run", "--concurrency", "2", batch.path], options);
  await until("the first request", () => service.lines().length > 0);

  const second = await runLife(["run", batch.path], options);
  expect(second.code).toBe(LOCKED);
  expect(second.output).toContain("another paydrop");
  const looking = await runLife(["status"], options);
  expect(looking.output).toContain("second.csv");
  expect(looking.code).toBe(0);
  const id = /\b[0-9A-HJ-NP-TV-Z]{8}\b/.exec(looking.output)?.[0] ?? "";
  const writing = await runLife(["results", id], options);
  expect(writing.output).toContain("results");
  expect(writing.code).not.toBe(LOCKED);
  // all of that while the first one was at work, and at once but for Node's own start
  expect(first.child.exitCode).toBeNull();
  const bare = await runLife(["--version"], options);
  expect(second.durationMs - bare.durationMs).toBeLessThan(SOON_MS);

  first.child.kill("SIGTERM");
  expect((await first.ended).code).toBe(7);
  await runToTheEnd([batch], ["--concurrency", "40"], options);
  expectOnce(batch, service);
});

test("a stopped holder keeps the lock; a killed one loses it at once", async () => {
  const folder = temporaryDirectory();
  const service = await serve(folder, 200);
  const batch = batchIn(folder, "holder", 20, false);
  const options: LifeOptions = { stateDir: batch.stateDir, url: service.url };
  const holder = startLife(["run", "--concurrency", "2", batch.path], options);
  await until("the first request", () => service.lines().length > 0);
  holder.child.kill("SIGSTOP");
  for (let again = 0; again < 3; again += 1) expect((await runLife(["run", batch.path], options)).code).toBe(LOCKED);
  holder.child.kill("SIGKILL");
  expect((await holder.ended).code).toBeUndefined();
  // the very next one has it
  expect(REGULAR_EXITS).toContain((await runLife(["run", "--concurrency", "2", batch.path], options)).code);
  await runToTheEnd([batch], [], options);
  expectOnce(batch, service);
});

test("a holder that was stopped goes on where it was, and nothing goes twice", async () => {
  const folder = temporaryDirectory();
  const service = await serve(folder, 100);
  const batch = batchIn(folder, "stopped", 12, false);
  const options: LifeOptions = { stateDir: batch.stateDir, url: service.url };
  const holder = startLife(["run", "--concurrency", "2", batch.path], options);
  await until("the first request", () => service.lines().length > 0);
  holder.child.kill("SIGSTOP");
  expect((await runLife(["run", batch.path], options)).code).toBe(LOCKED);
  holder.child.kill("SIGCONT");
  expect((await holder.ended).code).toBe(0);
  expectOnce(batch, service);
});
