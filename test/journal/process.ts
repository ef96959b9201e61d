/**
 * A process of its own that works with a journal: `node process.ts STATE_DIR send BATCH LANES here|thread [MS]`, `… judge
 * TIMES LOG NAME`, `… lock`. What it prints is said only when it is durable.
 */
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { takeInstanceLock } from "../../src/sqlite/lock.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import type { Outcome } from "../../src/journal/store.ts";
import { commitTo } from "../support/commit.ts";

const [stateDir = "", what, ...rest] = process.argv.slice(2);
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);

async function send(batch: string, lanes: number, inThread: boolean, pauseMs: number): Promise<void> {
  takeInstanceLock(stateDir);
  const store = await openJournal(stateDir, { isSender: true, inThread });
  let outcomes: Outcome[] = [];
  for (let isOver = false; !isOver;) {
    const commit = (): ReturnType<typeof commitTo> => commitTo(store, batch, outcomes, lanes);
    // one that failed must fail for good: its fsync may "succeed" the second time, and its pages be gone
    const { leaving, phase } = await commit().catch(commit);
    if (leaving.length > 0) say({ leaving: leaving.map(({ row }) => row) });
    outcomes = leaving.map(({ row }) => ({ row, state: "accepted", code: "http_200", tries: 1, sentAt: Date.now() }));
    isOver = leaving.length === 0 && phase === "open";
    if (pauseMs > 0) await sleep(pauseMs);
  }
  say({ end: true });
  await store.close();
}

async function judge(times: number, log: string, name: string): Promise<void> {
  const store = await openJournal(stateDir);
  for (let time = 0; time < times; time += 1) {
    await store.judging(async () => {
      appendFileSync(log, `${name} begins\n`);
      await store.batches({});
      await sleep(3);
      appendFileSync(log, `${name} ends\n`);
    });
  }
  await store.close();
}

async function lock(): Promise<void> {
  takeInstanceLock(stateDir);
  say({ locked: true });
  await sleep(600_000);
}

try {
  const [first = "", second = "", third = "", fourth = "0"] = rest;
  if (what === "send") await send(first, Number(second), third === "thread", Number(fourth));
  else if (what === "judge") await judge(Number(first), second, third);
  else await lock();
} catch (thrown) {
  const { reason, code, message } = thrown as { reason?: string; code?: string; message: string };
  say({ failed: reason ?? message, code });
  process.exitCode = 1;
}
