import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAULT_LABELS, type FaultLabel } from "../../src/fault-point.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { batchIn, hasMoreToSend, runToTheEnd } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { runLife, startService } from "./lives.ts";
import type { LifeEnd, Service } from "./lives.ts";
import { journalFaults, journalRows, judge, readLedger } from "./oracle.ts";

const ROWS = 4;
const CONCURRENCY = 3;
const FLAGS = ["--concurrency", String(CONCURRENCY), "--quiet"];
/** More passings of one label than a small file has. */
const PASSINGS_MAX = 60;
const folder = mkdtempSync(join(tmpdir(), "paydrop-test-"));

let service: Service;

beforeAll(async () => {
  const rates = { refuse: 0.15, slowDown: 0.15, acceptThen504: 0.05 };
  service = await startService({ ledger: join(folder, "ledger.jsonl"), seed: 3, rates, latencyMs: 0 });
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** They have tests of their own. */
const BELOW: readonly FaultLabel[] = ["recovery.begun", "recovery.done", "commit.after"];

describe.concurrent("killed at the first, second, third … passing of", { tags: ["apart"] }, () => {
  test.each(FAULT_LABELS.filter((label) => !BELOW.includes(label)))("%s", async (label) => {
    const batches: Batch[] = [];
    for (let passing = 1; passing <= PASSINGS_MAX; passing += 1) {
      // a file for each, one journal for all: whoever starts finds what the one before has left
      const batch = batchIn(join(folder, label), `${label} ${passing}`, ROWS, false);
      batches.push(batch);
      const { code } = await run(batch, `crash@${label}:${passing}`);
      if (code !== undefined) break;
    }
    // a label that nothing passes would prove nothing, one that is passed for ever would end nothing
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.length).toBeLessThan(PASSINGS_MAX);
    await toTheEnd(batches);
    for (const batch of batches) expectTrue(batch, 1);
  });
});

function toTheEnd(batches: readonly Batch[]): Promise<LifeEnd> {
  return runToTheEnd(batches, FLAGS, { stateDir: batches[0]?.stateDir ?? "", url: service.url });
}

function run(batch: Batch, fault: string): Promise<LifeEnd> {
  const env = { PAYDROP_FAULT: fault };
  return runLife(["run", ...FLAGS, batch.path], { stateDir: batch.stateDir, url: service.url, env });
}

function expectTrue(batch: Batch, kills: number): void {
  const { double, lost, wrong, unknownOfKills } = judge(
    batch.path,
    batch.stateDir,
    batch.plan,
    readLedger(service.ledger),
  );
  expect({ double, lost, wrong }, batch.path).toEqual({ double: [], lost: [], wrong: [] });
  expect(unknownOfKills, batch.path).toBeLessThanOrEqual(kills * CONCURRENCY);
  expect(journalFaults(batch.stateDir), batch.path).toEqual([]);
  // nothing half-written stays, in the inbox or beside the journal
  const inbox = readdirSync(join(batch.path, ".."));
  expect(inbox.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(readdirSync(join(batch.stateDir, "snapshots")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
}

test("killed in the middle of a recovery, and of the next one: the third gives what one would have given", async () => {
  // one row went alone, and as many as there are lanes are on their way
  const batch = batchIn(temporaryDirectory(), "recovery", 1 + CONCURRENCY + 2, false);
  const faults = ["crash@answer.read:2", "crash@recovery.begun:1", "crash@commit.before:1", "crash@commit.after:1"];
  for (const fault of [...faults, "crash@recovery.done:1"]) expect((await run(batch, fault)).code).toBeUndefined();
  expect(hasMoreToSend(batch)).toBe(true);
  await toTheEnd([batch]);
  // only the first kill found rows in flight
  expectTrue(batch, 1);
});

test("killed at every single commit, each life gets a little further, and nothing goes twice", async () => {
  const batch = batchIn(temporaryDirectory(), "every commit", ROWS, false);
  let kills = 0;
  // each life may make one commit more than the one before: a fixed number could be too few to begin a row at all
  while (kills < PASSINGS_MAX && (await run(batch, `crash@commit.after:${kills + 1}`)).code === undefined) kills += 1;
  expect(kills).toBeGreaterThan(1);
  expect(kills).toBeLessThan(PASSINGS_MAX);
  await toTheEnd([batch]);
  expectTrue(batch, kills);
});

test("a row that was durable and never sent is unknown, and stays unsent over three more runs", async () => {
  const batch = batchIn(temporaryDirectory(), "before the send", ROWS, false);
  expect((await run(batch, "crash@send.before:1")).code).toBeUndefined();
  expect(readLedger(service.ledger).get("before the send row 2")).toBeUndefined();
  // who only asks is told of it as well, before anybody runs anything
  const asked = await runLife(["status", "--check"], { stateDir: batch.stateDir, url: service.url });
  expect([asked.code, [...journalRows(batch.stateDir, batch.fileName).values()][0]?.state]).toEqual([4, "unknown"]);
  for (let again = 0; again < 3; again += 1) {
    await toTheEnd([batch]);
  }
  const { byStatus } = judge(batch.path, batch.stateDir, batch.plan, readLedger(service.ledger));
  expect(byStatus["unknown"]).toBe(1);
  expect(readLedger(service.ledger).get("before the send row 2")).toBeUndefined();
});

test("a file that goes as a whole or not at all is held as a whole, wherever its recording was cut off", async () => {
  const here = join(folder, "whole");
  const env = { PAYDROP_ALL_OR_NOTHING: "true" };
  const batches: Batch[] = [];
  for (const fault of ["rows.recorded:1", "batch.opened:1", "commit.before:3", "commit.after:3", "commit.after:4"]) {
    const batch = batchIn(here, `whole ${fault.replace(":", " ")}`, 300);
    expect(batch.plan.map((row) => row.kind)).toContain("invalid");
    batches.push(batch);
    const options = { stateDir: batch.stateDir, url: service.url, env: { ...env, PAYDROP_FAULT: `crash@${fault}` } };
    await runLife(["run", ...FLAGS, batch.path], options);
  }
  const [first] = batches;
  const paths = batches.map((batch) => batch.path);
  const end = await runLife(["run", ...FLAGS, ...paths], { stateDir: first?.stateDir ?? "", url: service.url, env });
  expect(end.code, end.output).toBe(3);
  expect(service.lines().filter(({ marker }) => marker.startsWith("whole"))).toEqual([]);
  for (const { stateDir, fileName } of batches) {
    const states = new Set([...journalRows(stateDir, fileName).values()].map(({ state }) => state));
    expect([...states].sort()).toEqual(["held", "invalid"]);
  }
});
