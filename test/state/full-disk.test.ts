import { existsSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { assertRoomForFile, assertRoomForRows } from "../../src/journal/sqlite/database/room.ts";
import { AtomicFile } from "../../src/results/disk/atomic.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { answer, type FaultServer, type Received } from "../support/fault-server.ts";
import { startProgram } from "../support/program.ts";
import { canMount, makeReadOnly, makeWritable, smallDisk } from "../support/small-disk.ts";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const DISK_KILOBYTES = 16 * 1024;
const withDisk = describe.skipIf(!canMount);
if (!canMount) process.stderr.write("full-disk tests are skipped: this user may not mount a small disk\n");

async function deskOnSmallDisk(): Promise<{ server: FaultServer; desk: Desk; disk: string }> {
  const server = await startService();
  const disk = smallDisk(DISK_KILOBYTES);
  const stateDir = join(disk, "state");
  return { server, disk, desk: { ...openDesk(server.url, { PAYDROP_STATE_DIR: stateDir }), stateDir } };
}

/** Leaves this many bytes free; a process that writes there meanwhile takes its part. */
function fill(disk: string, freeBytes: number): void {
  for (;;) {
    const { bavail, bsize } = statfsSync(disk);
    const fillBytes = bavail * bsize - freeBytes;
    if (fillBytes <= 0) return;
    try {
      writeFileSync(join(disk, "filler"), Buffer.alloc(fillBytes), { flag: "a" });
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
  }
}

function empty(disk: string): void {
  rmSync(join(disk, "filler"), { force: true });
}

/** Which payments the service was asked for, and how often each. */
function timesOf(requests: readonly Received[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { body } of requests) times.set(body, (times.get(body) ?? 0) + 1);
  return times;
}

function expectEachOnce(server: FaultServer, rows: number): void {
  const times = timesOf(server.requests);
  expect(times.size).toBe(rows);
  expect([...times.values()].every((count) => count === 1)).toBe(true);
}

test("a file needs room for many times its size, and rows for what is written of each", async () => {
  const folder = temporaryDirectory();
  const { bavail, bsize } = statfsSync(folder);
  const message = expect.stringContaining("nearly full") as unknown;
  await expect(assertRoomForFile(folder, (bavail * bsize) / 4)).rejects.toMatchObject({ code: "journal", message });
  await expect(assertRoomForRows(folder, (bavail * bsize) / 300)).rejects.toMatchObject({ code: "journal", message });
});

withDisk("the disk of the state directory is full", () => {
  test("before a file: nothing is sent, and it says how much room is needed", async () => {
    const { server, desk, disk } = await deskOnSmallDisk();
    desk.write("t.csv", transfersCsv(100));
    fill(disk, 2.5e6);
    const { code, stderr } = await desk.run("t.csv");
    expect([code, server.requests.length]).toEqual([74, 0]);
    expect(stderr).toMatch(/nearly full: \d+\.\d MB free, this needs \d+\.\d MB\n {2}→ make room/);
    empty(disk);
    expect((await desk.run("t.csv")).code).toBe(0);
    expectEachOnce(server, 100);
  });

  test("to the last byte: nothing is sent", async () => {
    const { server, desk, disk } = await deskOnSmallDisk();
    desk.write("t.csv", transfersCsv(5));
    fill(disk, 0);
    const { code, stderr } = await desk.run("t.csv");
    expect([code, server.requests.length]).toEqual([74, 0]);
    expect(stderr).toMatch(/^paydrop: .*(?:full|cannot be used|no space).*\n {2}→ /m);
    empty(disk);
    expect((await desk.run("t.csv")).code).toBe(0);
    expectEachOnce(server, 5);
  });

  test("in the middle of a run: no further row goes, what was in flight is saved, and the rest goes once", async () => {
    const { server, desk, disk } = await deskOnSmallDisk();
    const rows = 3000;
    desk.write("t.csv", transfersCsv(rows));
    server.use(({ number }) => {
      if (number === 500) fill(disk, 0);
      return answer(200);
    });
    const full = await desk.run("t.csv");
    expect(full.code).toBe(74);
    expect(full.stderr).toMatch(/^paydrop: the journal failed: database or disk is full\n {2}→ sending has stopped/m);
    const sent = server.requests.length;
    expect(sent).toBeLessThan(rows);
    expect(existsSync(join(desk.stateDir, "ballast"))).toBe(false);
    empty(disk);
    expect(statesOf(desk)).toEqual({ accepted: sent, ready: rows - sent });

    server.use(() => answer(200));
    expect((await desk.run("t.csv")).code).toBe(0);
    expectEachOnce(server, rows);
    expect(statSync(join(desk.stateDir, "ballast")).size).toBe(1024 * 1024);
  });

  test("full in the middle and the process killed: still no row twice", async () => {
    const { server, desk, disk } = await deskOnSmallDisk();
    const rows = 2000;
    desk.write("t.csv", transfersCsv(rows));
    const program = startProgram(["run", "t.csv"], { env: desk.env, cwd: desk.folder });
    server.use(({ number }) => {
      if (number === 300) fill(disk, 0);
      if (number === 305) program.child.kill("SIGKILL");
      return answer(200);
    });
    await program.ended;
    server.use(() => answer(200));
    empty(disk);
    const { code, counts } = await desk.run("t.csv");
    expect([0, 4]).toContain(code);
    expect(counts["unknown"] ?? 0).toBeLessThanOrEqual(8);
    expect((counts["accepted"] ?? 0) + (counts["unknown"] ?? 0)).toBe(rows);
    expect([...timesOf(server.requests).values()]).toEqual(Array(server.requests.length).fill(1));
  });

  test("full in the middle and the ballast gone too: no further row goes, and each at most once after the repair", async () => {
    const { server, desk, disk } = await deskOnSmallDisk();
    const rows = 3000;
    desk.write("t.csv", transfersCsv(rows));
    server.use(({ number }) => {
      if (number === 500) fillTwice(disk);
      return answer(200);
    });
    const broken = await desk.run("t.csv");
    expect(broken.code).toBe(74);
    const sent = server.requests.length;
    expect(sent).toBeLessThan(rows);
    empty(disk);
    server.use(() => answer(200));
    const { counts } = await desk.run("t.csv");
    expect((counts["accepted"] ?? 0) + (counts["unknown"] ?? 0)).toBe(rows);
    expect([...timesOf(server.requests).values()]).toEqual(Array(server.requests.length).fill(1));
  });
});

withDisk("the disk of the results is full", () => {
  test("rows are sent once, the results lie in the state directory, and come back byte for byte", async () => {
    const { server, desk } = await deskOnSmallDisk();
    const inbox = smallDisk(256);
    writeFileSync(join(inbox, "t.csv"), transfersCsv(1500));
    const stateDir = join(desk.folder, "..", "state2");
    const elsewhere = { ...desk.env, PAYDROP_STATE_DIR: stateDir };
    const run = () => startProgram(["run", "t.csv"], { env: elsewhere, cwd: inbox }).ended;
    const full = await run();
    expect([full.code, server.requests.length]).toEqual([74, 1500]);
    expect(full.stdout).toContain(join(stateDir, "results"));
    expect(full.stdout).toContain("the disk is full");
    const [batch = ""] = readdirSync(join(stateDir, "results"));
    const saved = readFileSync(join(stateDir, "results", batch, "t.csv.results.csv"));
    makeWritable(inbox, 4096);
    expect((await run()).code).toBe(0);
    expect(server.requests).toHaveLength(1500);
    expect(readFileSync(join(inbox, "t.csv.results.csv")).equals(saved)).toBe(true);
  });

  test("what it refuses of a file is told to whoever waits for that, and ends nothing before", async () => {
    const file = await AtomicFile.create(join(smallDisk(64), "a"), 0o600);
    await file.write("x".repeat(300_000));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expect(file.finish()).rejects.toThrow("the disk is full");
    await file.discard();
  });

  test("an input on a read-only disk is sent once; its results lie in the state directory", async () => {
    const { server, desk } = await deskOnSmallDisk();
    const inbox = smallDisk(1024);
    writeFileSync(join(inbox, "t.csv"), transfersCsv(5));
    makeReadOnly(inbox);
    const run = () => startProgram(["run", join(inbox, "t.csv")], { env: desk.env }).ended;
    for (let times = 0; times < 2; times += 1) {
      const { code, stdout } = await run();
      expect([code, server.requests.length]).toEqual([74, 5]);
      expect(stdout).toContain("the disk is read-only");
    }
    makeWritable(inbox);
    expect((await run()).code).toBe(0);
    expect(existsSync(join(inbox, "t.csv.results.csv"))).toBe(true);
    expect(server.requests).toHaveLength(5);
  });
});

withDisk("a state directory that lies in memory", () => {
  test("is used, and said when the money is real", async () => {
    const { server, desk } = await deskOnSmallDisk();
    desk.write("t.csv", transfersCsv(2));
    const { code, stderr } = await startProgram(["run", "t.csv"], {
      env: { ...desk.env, PAYDROP_ENVIRONMENT: "live" },
      cwd: desk.folder,
    }).ended;
    expect([code, server.requests.length]).toEqual([0, 2]);
    expect(stderr).toMatch(/^state folder .* lies in memory \(tmpfs\): rows that were sent would be forgotten/m);
    desk.write("u.csv", transfersCsv(1));
    expect((await desk.run("u.csv")).stderr).not.toContain("state folder");
  });
});

/** Takes the room of the ballast as well, so that nothing can be saved. */
function fillTwice(disk: string): void {
  fill(disk, 0);
  rmSync(join(disk, "state", "ballast"));
  fill(disk, 0);
}

function statesOf(desk: Desk): Record<string, number> {
  const database = new DatabaseSync(join(desk.stateDir, "journal.db"), { readOnly: true });
  const rows = database.prepare("SELECT state, count(*) AS times FROM row GROUP BY state").all();
  database.close();
  return Object.fromEntries(rows.map((row) => [String(row["state"]), Number(row["times"])]));
}
