import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournal, type JournalOptions } from "../../src/sqlite/open.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { follow, type Program } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { until } from "../support/until.ts";
import { act, ASHA, newRow, opened, rowOf } from "./stores.ts";

const PROCESS = join(import.meta.dirname, "process.ts");

interface Running {
  readonly pid: number;
  /** What it said so far. */
  lines(): Record<string, unknown>[];
  kill(signal: NodeJS.Signals): void;
  readonly ended: Program["ended"];
}

function start(
  args: readonly string[],
  under: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Running {
  const [command = process.execPath, ...before] = under.length > 0 ? [...under, process.execPath] : [];
  const child = spawn(command, [...before, PROCESS, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const followed = follow(`a process of the journal: ${args.join(" ")}`, child);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await followed.ended;
  });
  const lines = (): Record<string, unknown>[] =>
    followed
      .stdout()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...followed, lines, kill: (signal) => void child.kill(signal) };
}

async function open(stateDir: string, options: JournalOptions = {}): Promise<JournalStore> {
  const store = await openJournal(stateDir, options);
  onTestFinished(() => store.close());
  return store;
}

function rowsIn(lines: readonly Record<string, unknown>[]): number[] {
  return lines.flatMap(({ leaving }) => (leaving as number[] | undefined) ?? []);
}

const payments = (many: number): string[] => Array.from({ length: many }, (_, at) => String(at));

test.each(["here", "thread"])(
  "a sender is killed again and again, journal %s → what it let go is known, none twice",
  async (where) => {
    const stateDir = temporaryDirectory();
    const store = await open(stateDir);
    await opened(store, "AAAAAAA1", payments(400));
    const left: number[] = [];
    for (let lives = 1, isOver = false; !isOver; lives += 1) {
      const sender = start([stateDir, "send", "AAAAAAA1", "4", where]);
      await until(
        "more rows leave, or it ends",
        () => sender.lines().length > 7 * lives || sender.lines().some(({ end }) => end),
        { by: sender.ended },
      );
      isOver = sender.lines().some(({ end }) => end);
      sender.kill("SIGKILL");
      await sender.ended;
      const now = rowsIn(sender.lines());
      left.push(...now);
      const rows = await store.rows({ batch: "AAAAAAA1" });
      const known = rows.filter(({ state, onItsWay }) => onItsWay || state === "accepted" || state === "unknown");
      expect(known.map(({ row }) => row)).toEqual(expect.arrayContaining(now));
      expect(rows.filter(({ onItsWay }) => onItsWay).length).toBeLessThanOrEqual(4);
      await store.recover(ASHA);
    }
    expect(new Set(left).size).toBe(left.length);
    expect((await store.batches({}))[0]?.tallies).not.toHaveProperty("ready");
  },
);

test("people act from another process while rows go → nobody waits for ever, and no row goes against a word", async () => {
  const stateDir = temporaryDirectory();
  const store = await open(stateDir);
  const held = [500, 501, 502].map((row) => newRow(row, `held ${row}`, { state: "held" }));
  await opened(store, "AAAAAAA1", [...payments(300).map((one, at) => newRow(at + 2, one)), ...held]);
  const sender = start([stateDir, "send", "AAAAAAA1", "3", "here", "2"]);
  await until("rows leave", () => rowsIn(sender.lines()).length > 5, { by: sender.ended });
  const cancelled: number[] = [];
  for (let row = 301; row > 100; row -= 20) {
    cancelled.push(...(await store.move("AAAAAAA1", [{ row, to: "cancelled", from: ["ready"] }], act("cancel"))));
    if (row === 201) {
      await store.setBatch("AAAAAAA1", { phase: "paused" }, act("pause"));
      const { letGo } = await store.facts();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await store.facts()).letGo).toBe(letGo);
      await store.setBatch("AAAAAAA1", { phase: "open" }, act("resume"));
    }
  }
  const release = held.map(({ row }) => ({ row, to: "ready" as const, from: ["held" as const] }));
  expect(await store.judging(() => store.move("AAAAAAA1", release, act("release")))).toEqual([500, 501, 502]);
  const [first = 0] = rowsIn(sender.lines());
  await until(
    "the first row has its outcome",
    async () => (await rowOf(store, "AAAAAAA1", first)).state === "accepted",
  );
  expect(
    await store.move("AAAAAAA1", [{ row: first, to: "settled_not_done", from: ["accepted"] }], act("settle")),
  ).toEqual([first]);
  await sender.ended;
  const left = rowsIn(sender.lines());
  expect(sender.lines().at(-1)).toEqual({ end: true });
  expect(new Set(left).size).toBe(left.length);
  expect(left.filter((row) => cancelled.includes(row))).toEqual([]);
  expect(left).toEqual(expect.arrayContaining([500, 501, 502]));
  expect(left.length + cancelled.length).toBe(303);
});

test("processes judge at once, one is killed meanwhile → one after the other, and the rest goes on", async () => {
  const stateDir = temporaryDirectory();
  const log = join(stateDir, "judged.log");
  await open(stateDir);
  const judges = ["A", "B", "C"].map((name) => start([stateDir, "judge", name === "C" ? "10000" : "25", log, name]));
  await until(
    "all judge",
    () => /C ends[^]*C begins/.test(read(log)) && read(log).includes("A ") && read(log).includes("B "),
  );
  judges[2]?.kill("SIGKILL");
  await Promise.all(judges.map(({ ended }) => ended));
  const lines = read(log).trimEnd().split("\n");
  expect(lines.filter((line) => line === "A ends" || line === "B ends")).toHaveLength(50);
  // between a beginning and its end nobody else says anything; only the killed one has no end
  const broken = lines.filter(
    (line, at) => line.endsWith("begins") && lines[at + 1] !== line.replace("begins", "ends"),
  );
  expect(broken.length).toBeLessThanOrEqual(1);
  expect(broken.every((line) => line.startsWith("C"))).toBe(true);
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

test("one sends per state directory → a second one is refused at once; a stopped one keeps it, a killed one frees it", async () => {
  const stateDir = temporaryDirectory();
  await open(stateDir);
  const holder = start([stateDir, "lock"]);
  await until("it has the lock", () => holder.lines().length > 0, { by: holder.ended });
  for (const signal of ["SIGCONT", "SIGSTOP"] as const) {
    holder.kill(signal);
    const second = start([stateDir, "lock"]);
    await until("it says whether it has the lock", () => second.lines().length > 0, { by: second.ended });
    expect(second.lines()).toEqual([{ failed: "locked", code: "locked" }]);
  }
  holder.kill("SIGKILL");
  await holder.ended;
  const third = start([stateDir, "lock"]);
  await until("it has the lock", () => third.lines().length > 0, { by: third.ended });
  expect(third.lines()).toEqual([{ locked: true }]);
});

test("a commit fails once (the disk) → nothing more is written, and nothing more leaves", async () => {
  const stateDir = temporaryDirectory();
  const store = await open(stateDir);
  await opened(store, "AAAAAAA1", payments(50));
  const sender = start([stateDir, "send", "AAAAAAA1", "2", "here"], [], {
    PAYDROP_TEST: "1",
    PAYDROP_FAULT: "fail@commit.before:4",
  });
  await sender.ended;
  expect(sender.lines().slice(3)).toEqual([{ failed: "journal_failed", code: "journal" }]);
  expect((await store.recover(ASHA)).unknown.map(({ row }) => row)).toEqual(rowsIn(sender.lines()).slice(-2));
});

test.each(["here", "thread"])(
  "a row leaves, journal %s → every byte that was written of its turn is on the disk (I2)",
  { tags: ["strace"] },
  async (where) => {
    const stateDir = temporaryDirectory();
    await opened(await open(stateDir), "AAAAAAA1", payments(60));
    const trace = join(stateDir, "trace");
    const calls = "trace=write,pwrite64,fsync,fdatasync";
    const sender = start(
      [stateDir, "send", "AAAAAAA1", "4", where],
      ["strace", "-f", "-y", "-e", calls, "-e", "signal=none", "-o", trace],
    );
    await sender.ended;
    const seen = { left: 0, synced: 0, early: 0 };
    let isDirty = false;
    for (const line of read(trace).split("\n")) {
      if (/pwrite64\(\d+<[^>]*journal\.db-wal>/.test(line)) isDirty = true;
      // a call that another thread cut in two counts when it has its end
      else if (/sync\(\d+<[^>]*journal\.db-wal>\) *=|<\.\.\. f(?:data)?sync resumed>/.test(line)) {
        isDirty = false;
        seen.synced += 1;
      } else if (/write\(1<.*leaving/.test(line)) {
        seen.left += 1;
        if (isDirty) seen.early += 1;
      }
    }
    expect(seen).toMatchObject({ left: 15, early: 0 });
    expect(seen.synced).toBeGreaterThanOrEqual(15);
  },
);
