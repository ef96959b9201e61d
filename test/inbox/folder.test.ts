import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { pause as pauseBatch } from "../../src/commands/pause-cancel.ts";
import { release, resume } from "../../src/commands/release-retry-resume.ts";
import { called, type Called } from "../support/call.ts";
import { answer, inOrder, pause, type FaultServer, type Reply } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { transfers, Watched, type Working } from "./watched.ts";

const INVALID = "ACC-OPS-01,200300409999,abc\n";
const LOANS = "borrower_id,amount,tenure\nBRW-0001,100.00,12\n";

/** Another process than the one that watches, so far as the journal knows. */
function act(watched: Watched, command: typeof resume, operands: string[], more: object): Promise<Called> {
  const { PAYDROP_STATE_DIR: state_dir } = watched.env();
  return called({ run: command }, operands, { state_dir, by: "Asha", ...more });
}

/** An act of a command that sends where nobody else does; here a watch does, and no keys are needed. */
function sendingAct(watched: Watched, command: typeof resume, batch: string, more: object = {}): Promise<number> {
  const flags = { state_dir: watched.env()["PAYDROP_STATE_DIR"], by: "Asha", json: true, ...more };
  return command({ operands: [batch], flags, env: {}, stdout: SILENT, stderr: SILENT });
}

/** The batch that something is open of, as the answer beside its file says. */
async function batchOf(watched: Watched, name: string, watching: Pick<Working, "ended">): Promise<string> {
  await watched.says(`${name}.waiting.txt`, "as batch", watching);
  return /as batch (\w{8})/.exec(watched.read(`${name}.waiting.txt`))?.[1] ?? "";
}

async function serving(reply: (path: string) => Reply): Promise<{ watched: Watched; service: FaultServer }> {
  const service = await startService(({ path }) => reply(path));
  return { service, watched: new Watched(service.url) };
}

describe("a watch", () => {
  test("a dropped file goes, once; a restart sends nothing again; a changed retry file goes", async () => {
    const watched = await Watched.with();
    let watching = watched.watch();
    watched.put("a.csv", transfers(3) + INVALID);
    await watched.says("a.csv.summary.json", '"accepted"', watching);
    const part = watched.put("b.csv.part", transfers(1, 50));
    await sleep(300);
    expect(watched.carriedOut).toBe(3);
    renameSync(part, join(watched.inbox, "b.csv"));
    await watched.says("b.csv.summary.json", '"accepted"', watching);
    expect((await watching.stop()).code).toBe(0);
    const results = ["results.csv", "retry.csv", "summary.json"].map((name) => `a.csv.${name}`);
    expect(watched.names().sort()).toEqual([
      ".paydrop",
      "a.csv",
      ...results,
      "b.csv",
      "b.csv.results.csv",
      "b.csv.summary.json",
    ]);
    watching = watched.watch();
    watched.put("a.csv.retry.csv", watched.read("a.csv.retry.csv").replace("abc", "77.00"));
    await watched.says("a.csv.retry.csv.summary.json", '"accepted"', watching);
    expect([watched.carriedOut, watched.sentTwice]).toEqual([5, 0]);
  });

  test("a refused row goes no second time by a retry file that nobody touched, under whatever name it is kept", async () => {
    const { watched, service } = await serving(() => answer(422));
    const watching = watched.watch();
    watched.put("a.csv", transfers(1));
    await watched.says("a.csv.retry.csv", "2003004", watching);
    service.use(() => answer(200));
    watched.put("a.csv", transfers(2, 10) + INVALID);
    await watched.says("a.csv.retry.csv", "abc", watching);
    const kept = watched.names().filter((name) => /^a\.csv\.retry\.\w{8}\.csv$/.test(name));
    expect(kept.length).toBe(1);
    watched.put("b.csv", transfers(1, 20));
    await watched.says("b.csv.summary.json", '"accepted"', watching);
    expect(watched.names().filter((name) => kept.some((one) => name.startsWith(`${one}.`)))).toEqual([]);
    expect(new Set(service.requests.map(({ body }) => body)).size, "each row once").toBe(service.requests.length);
  });

  test("refused: an answer in plain words; corrected in place it goes, taken away so is the answer", async () => {
    const watched = await Watched.with();
    const watching = watched.watch();
    watched.put("a.csv", 'from_account,to_account,amount\n"ACC,1\n');
    watched.put("b.xls", "x");
    await watched.says("a.csv.refused.txt", "Correct the file and save it here again", watching);
    await watched.says("b.xls.refused.txt", "Excel Workbook (.xlsx)", watching);
    rmSync(join(watched.inbox, "b.xls"));
    watched.put("a.csv", transfers(2));
    await watched.says("a.csv.summary.json", '"accepted"', watching);
    const isLeft = (): boolean => watched.names().some((name) => name.endsWith(".refused.txt"));
    await until("the answers go", () => !isLeft(), { by: watching.ended });
  });

  test("a corrected file sends its mended row only; held rows that a person releases go", async () => {
    const watched = await Watched.with();
    const watching = watched.watch();
    watched.put("a.csv", `${transfers(5)}${INVALID}`);
    await watched.says("a.csv.retry.csv", "abc", watching);
    watched.put("a.csv", `${transfers(5)}ACC-OPS-01,200300409999,77.00\n`);
    await watched.says("a.csv.waiting.txt", /5 rows held.*paydrop cancel \w{8} --held/s, watching);
    expect([watched.carriedOut, watched.sentTwice]).toEqual([6, 0]);
    watched.put("b.csv", `${transfers(1, 70)}ACC-OPS-01,2003004009999,5.00\nACC-OPS-01,2003004009999,5.00\n`);
    await watched.says("b.csv.waiting.txt", "1 row held", watching);
    const batch = await batchOf(watched, "b.csv", watching);
    const released = await sendingAct(watched, release, batch, { row: "4", reason: "meant" });
    expect(released).toBe(0);
    await until("it went", () => watched.carriedOut === 9, { by: watching.ended });
    await until("no answer", () => !watched.has("b.csv.waiting.txt"), { by: watching.ended });
  });

  test("key refused: one row of one file tries; when the key is taken all goes by itself", async () => {
    const { watched, service } = await serving(() => answer(401));
    const watching = watched.watch();
    watched.put("a.csv", transfers(8));
    await watched.says("a.csv.waiting.txt", "tried again by itself", watching);
    watched.put("b.csv", transfers(2, 20));
    await watched.says("b.csv.waiting.txt", "did not accept our key", watching);
    const tries = service.requests.length;
    expect(tries, "one row for each try").toBeLessThan(9);
    service.use(() => answer(200));
    await until("all went", () => watched.has("b.csv.summary.json") && !watched.has("a.csv.waiting.txt"), {
      by: watching.ended,
    });
    const { stderr } = await watching.stop();
    expect([stderr.match(/everything waits/g)?.length, stderr.match(/everything goes on/g)?.length]).toEqual([1, 1]);
    expect(new Set(service.requests.slice(tries).map(({ body }) => body)).size).toBe(10);
  });

  test("the address of one operation is wrong: its files wait and go later, others go", async () => {
    let isWrong = true;
    const { watched } = await serving((path) => answer(isWrong && path.includes("lending") ? 404 : 200));
    watched.put("loans/l.csv", LOANS, 1);
    const watching = watched.watch();
    await watched.says("loans/l.csv.waiting.txt", "tried again by itself", watching);
    watched.put("a.csv", transfers(2));
    await watched.says("a.csv.summary.json", '"accepted"', watching);
    isWrong = false;
    await watched.says("loans/l.csv.results.csv", "accepted", watching);
    expect(watching.said.join()).not.toContain("everything waits");
  });

  test("more than may go in a day waits by itself, told once; other operations go", async () => {
    const watched = await Watched.with();
    const config = join(watched.root, "paydrop.toml");
    writeFileSync(config, '[rules.transfers]\nmax_per_day = "5"\n', { mode: 0o600 });
    const watching = watched.watch({ config });
    watched.put("a.csv", transfers(3));
    await watched.says("a.csv.waiting.txt", /max_per_day.*tried again by itself/s, watching);
    watched.put("loans/l.csv", LOANS);
    await watched.says("loans/l.csv.results.csv", "accepted", watching);
    await sleep(1000);
    expect([watched.carriedOut, watching.reports.length]).toEqual([1, 2]);
  });

  test("an unclear service holds the folder until a person resumes it", async () => {
    const { watched, service } = await serving(() => answer(500));
    const watching = watched.watch();
    watched.put("a.csv", transfers(9));
    await watched.says("a.csv.waiting.txt", "3 rows unknown and 6 rows not sent", watching);
    watched.put("b.csv", transfers(2, 20));
    await watched.says("b.csv.waiting.txt", "until a person says so by name", watching);
    expect(service.requests).toHaveLength(3);
    service.use(() => answer(200));
    expect(await act(watched, resume, [], { inbox: watched.inbox })).toMatchObject({ code: 0 });
    await until("the rest went", () => service.requests.length === 11, { by: watching.ended });
  });

  test("refused ten times alike, then paused: when a person resumes the batch, the watch goes on with it", async () => {
    const { watched, service } = await serving(() => answer(400));
    const watching = watched.watch();
    watched.put("a.csv", transfers(200));
    const batch = await batchOf(watched, "a.csv", watching);
    expect(service.requests.length).toBeLessThan(30);
    service.use(() => inOrder(pause(20), answer(200)));
    expect(await sendingAct(watched, resume, batch)).toBe(0);
    await until("rows go", () => service.requests.length > 50, { by: watching.ended });
    expect(await act(watched, pauseBatch, [batch], {})).toMatchObject({ code: 0 });
    await until("it stands", () => watching.reports.length === 2, { by: watching.ended });
    expect(service.requests.length).toBeLessThan(200);
    expect(await sendingAct(watched, resume, batch)).toBe(0);
    await until("the rest went", () => service.requests.length === 200, { by: watching.ended });
  });

  test("STOP while rows go, then resume: told, each row once", async () => {
    const watched = await Watched.with({ latencyMs: { min: 20, max: 30 } });
    const watching = watched.watch();
    watched.put("a.csv", transfers(300));
    await watched.says("a.csv.waiting.txt", /is being sent.*[1-9]\d* of 300 rows went/s, watching);
    watched.put("payouts/Stop.txt", "");
    await watched.says("STOP - held.txt", /paydrop resume --inbox .* --by NAME.*cannot be called back/s, watching);
    await watched.says("a.csv.waiting.txt", `paydrop resume --inbox ${watched.inbox} `, watching);
    const sent = watched.carriedOut;
    expect(sent).toBeLessThan(300);
    watched.put("b.csv", transfers(2, 700));
    await watched.says("b.csv.waiting.txt", "until a person says so by name", watching);
    await expect(act(watched, resume, [], { inbox: watched.inbox, by: undefined })).rejects.toThrow("the person");
    expect(watched.carriedOut).toBe(sent);
    const resumed = await act(watched, resume, [], { inbox: watched.inbox });
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("goes on, by Asha") as string });
    await watched.says("b.csv.summary.json", '"accepted"', watching);
    await until("all of a", () => watched.carriedOut === 302, { by: watching.ended });
    await watching.stop();
    expect([watched.has("STOP - held.txt"), watched.sentTwice]).toEqual([false, 0]);
  });

  test("small files do not wait behind a large one; a second large one does", async () => {
    let isSlow = true;
    const { watched, service } = await serving(() => (isSlow ? inOrder(pause(20), answer(200)) : answer(200)));
    watched.put("l1.csv", transfers(20_000, 0), 4);
    watched.put("l2.csv", transfers(18_000, 30_000), 3);
    for (let index = 0; index < 8; index += 1) watched.put(`s${index}.csv`, transfers(1, 60_000 + index));
    const watching = watched.watch();
    const isSent = (name: string): boolean => watched.has(`${name}.csv.results.csv`);
    await until("all small ones", () => [0, 1, 2, 3, 4, 5, 6, 7].every((n) => isSent(`s${n}`)), { by: watching.ended });
    expect([isSent("l1"), isSent("l2")]).toEqual([false, false]);
    isSlow = false;
    expect((await watching.stop()).code).toBe(7);
    expect(service.requests.length).toBeLessThan(20_000);
    expect(watched.has("l2.csv.summary.json"), "two large ones go one after the other").toBe(false);
  });

  test("results that something stands in the way of: told, and there by themselves when it is gone", async () => {
    const watched = await Watched.with();
    mkdirSync(join(watched.inbox, "a.csv.results.csv"));
    const watching = watched.watch();
    watched.put("a.csv", transfers(2));
    await watched.says("a.csv.waiting.txt", "could not be written here", watching);
    watched.put("b.csv", transfers(2, 20));
    await watched.says("b.csv.summary.json", '"accepted"', watching);
    rmSync(join(watched.inbox, "a.csv.results.csv"), { recursive: true });
    await watched.says("a.csv.results.csv", "accepted", watching);
    await until("no answer", () => !watched.has("a.csv.waiting.txt"), { by: watching.ended });
    expect(watched.carriedOut).toBe(4);
  });

  test("the folder goes and comes back: said, and its files go", async () => {
    const watched = await Watched.with();
    const watching = watched.watch();
    rmSync(watched.inbox, { recursive: true });
    await until("away", () => watching.said.some((text) => text.includes("cannot be read")), { by: watching.ended });
    watched.put("c.csv", transfers(1));
    await watched.says("c.csv.summary.json", '"accepted"', watching);
    expect(watching.said.join()).toContain("is back");
  });

  test("asked to end: what is at work ends, nothing new begins; what a journal throws ends it", async () => {
    const watched = await Watched.with({ latencyMs: { min: 20, max: 30 } });
    const watching = watched.watch({ concurrency: "1" });
    watched.put("a.csv", transfers(400), 1);
    await until("some rows went", () => watched.carriedOut > 5, { by: watching.ended });
    watched.put("b.csv", transfers(1, 500));
    expect([(await watching.stop()).code, watched.has("a.csv.results.csv")]).toEqual([7, true]);
    writeFileSync(join(watched.inbox, ".paydrop"), "damaged");
    expect(await watched.watch().ended).toMatchObject({
      code: 74,
      stderr: expect.stringContaining(".paydrop") as string,
    });
  });
});

const SILENT = { write: () => undefined, isTerminal: false, columns: 80 };

describe("a single run", () => {
  test("what is complete goes, the oldest first; what is not is named; the next run has nothing to do", async () => {
    const { watched, service } = await serving(() => answer(200));
    for (const [name, from, age] of [
      ["b.csv", 1, 3],
      ["Transfers/a.csv", 2, 2],
      ["c.csv", 3, 1],
    ] as const) {
      watched.put(name, transfers(1, from), age);
    }
    watched.put("zeros.csv", "\0".repeat(99));
    watched.put("b.001", "x");
    const first = await watched.once();
    expect(first.code).toBe(5);
    expect(first.said.join("\n")).toMatch(/1 file not ready.*: zeros.csv/);
    expect(watched.read("zeros.csv.waiting.txt")).toContain("empty (zero) bytes");
    expect(watched.read("b.001.refused.txt")).toContain("was not taken");
    expect(service.requests).toHaveLength(3);
    rmSync(join(watched.inbox, "zeros.csv"));
    const second = await watched.once();
    expect([second.code, second.said, second.reports]).toEqual([0, [expect.stringContaining("nothing new")], []]);
    expect(watched.has("zeros.csv.waiting.txt")).toBe(false);
  });

  test("a file that grows meanwhile is left to the next run", async () => {
    const watched = await Watched.with();
    const path = watched.put("a.csv", transfers(2));
    const growing = setInterval(() => writeFileSync(path, "x,y,1\n", { flag: "a" }), 10);
    const end = await watched.once();
    clearInterval(growing);
    expect([end.said.join("\n"), watched.carriedOut]).toEqual([expect.stringContaining("not ready"), 0]);
  });

  test("the service away: what earlier runs left goes first, and nothing else tries", async () => {
    const { watched, service } = await serving(() => answer(401));
    watched.put("a.csv", transfers(3), 1);
    expect((await watched.once()).code).toBe(7);
    watched.put("b.csv", transfers(1, 9));
    expect((await watched.once()).code).toBe(7);
    expect(new Set(service.requests.map(({ body }) => body)).size).toBe(2);
    expect(service.requests).toHaveLength(2);
    service.use(() => answer(200));
    expect([(await watched.once()).code, service.requests.length]).toEqual([0, 6]);
  });

  test("a held folder exits 7 as long as a file waits, 0 when none does", async () => {
    const watched = await Watched.with();
    watched.put("STOP", "");
    expect((await watched.once()).code).toBe(0);
    watched.put("a.csv", transfers(2));
    const held = await watched.once();
    expect([held.code, held.said.join("\n")]).toEqual([7, expect.stringContaining("paydrop resume --inbox")]);
    rmSync(join(watched.inbox, "STOP"));
    expect((await watched.once()).code, "taking STOP away starts nothing").toBe(7);
    expect(watched.carriedOut).toBe(0);
    expect(await act(watched, resume, [], { inbox: watched.inbox })).toMatchObject({ code: 0 });
    expect([(await watched.once()).code, watched.carriedOut]).toEqual([0, 2]);
    await expect(act(watched, resume, [], { inbox: watched.inbox })).rejects.toThrow("is not held");
  });

  test("a copy is told where to look; other rights, or put back with its old time: not taken again", async () => {
    const watched = await Watched.with();
    const path = watched.put("a.csv", transfers(2), 1);
    expect((await watched.once()).code).toBe(0);
    watched.put("b.csv", transfers(2));
    expect((await watched.once()).code).toBe(0);
    expect(watched.read("b.csv.refused.txt")).toContain("it is a copy, byte for byte");
    chmodSync(path, 0o600);
    expect((await watched.once()).reports).toEqual([]);
    rmSync(path);
    utimesSync(watched.put("a.csv", transfers(2)), 1, 1);
    rmSync(join(watched.inbox, "b.csv"));
    expect((await watched.once()).code).toBe(0);
    expect([watched.carriedOut, watched.has("b.csv.refused.txt")]).toEqual([2, false]);
  });

  test("refused for its control totals, then these come beside it: it goes", async () => {
    const watched = await Watched.with();
    watched.put("a.csv", transfers(2));
    const strict = { require_control: true };
    const first = await watched.once(strict);
    expect([first.code, (await watched.once(strict)).said]).toEqual([5, [expect.stringContaining("nothing new")]]);
    watched.put("a.csv.control", "rows=2\ntotal=4.00\n");
    expect((await watched.once(strict)).code).toBe(0);
    expect([watched.carriedOut, watched.has("a.csv.refused.txt")]).toEqual([2, false]);
  });

  test("a batch whose private copy is gone is told, and keeps no other file waiting", async () => {
    const { watched } = await serving(() => answer(401));
    watched.put("a.csv", transfers(3), 1);
    await watched.once();
    const copies = join(watched.root, "state", "snapshots");
    for (const name of readdirSync(copies)) if (!name.includes(".")) rmSync(join(copies, name));
    const next = await serving(() => answer(200));
    watched.put("b.csv", transfers(2, 9));
    const end = await watched.once({ base_url: next.service.url, accept_destination: true });
    expect(end.said.join("\n")).toContain("private copy");
    expect(watched.read("a.csv.waiting.txt")).toContain("private copy");
    expect(watched.read("b.csv.results.csv")).toContain("accepted");
  });
});

describe("the folder's mark", () => {
  test("a second state directory, a lost and an older journal send nothing until a person says so", async () => {
    const watched = await Watched.with();
    watched.put("a.csv", transfers(3));
    expect((await watched.once()).code).toBe(0);
    const [state, old] = [join(watched.root, "state"), join(watched.root, "old.db")];
    copyFileSync(join(state, "journal.db"), old);
    watched.put("b.csv", transfers(3, 10));
    expect((await watched.once()).code).toBe(0);

    watched.put("c.csv", transfers(1, 20));
    for (const ended of [watched.once({}, "other"), watched.watch({}, "another").ended]) {
      expect((await ended).code).toBe(74);
    }
    expect(watched.read("a.csv.waiting.txt")).toContain("--accept-lost-journal");
    for (const name of readdirSync(state)) if (name.startsWith("journal.db")) rmSync(join(state, name));
    copyFileSync(old, join(state, "journal.db"));
    const older = await watched.once();
    expect([older.code, older.said.join()]).toEqual([74, expect.stringContaining("the journal is older")]);
    expect(watched.read("c.csv.waiting.txt")).toContain("journal is older");
    expect(watched.carriedOut).toBe(6);
    expect((await watched.once({ accept_lost_journal: true })).code).toBe(2);
    const accepted = await watched.once({ accept_lost_journal: true, by: "Asha" });
    expect(watched.carriedOut).toBeGreaterThan(6);
    expect([accepted.code, (await watched.once()).code]).toEqual([expect.any(Number), 0]);
    expect(watched.has("a.csv.waiting.txt")).toBe(false);
  });

  test("a batch that goes on beside the mark of another journal: nothing, until a person says so", async () => {
    const watched = await Watched.with({ latencyMs: { min: 20, max: 30 } });
    const watching = watched.watch({ concurrency: "1" });
    watched.put("a.csv", transfers(60));
    await until("some rows went", () => watched.carriedOut > 2, { by: watching.ended });
    expect((await watching.stop()).code).toBe(7);
    const went = watched.carriedOut;
    writeFileSync(join(watched.inbox, ".paydrop"), JSON.stringify({ state_id: "another", let_go: 5 }));
    expect([(await watched.once()).code, watched.carriedOut]).toEqual([74, went]);
    const accepted = await watched.once({ accept_lost_journal: true, by: "Asha" });
    expect([accepted.code, watched.carriedOut]).toEqual([0, 60]);
    expect((await watched.once()).code).toBe(0);
  });

  test("a copy of the state directory that goes on beside: the one that is behind stops", async () => {
    const watched = await Watched.with({ latencyMs: { min: 30, max: 40 } });
    const watching = watched.watch();
    watched.put("a.csv", transfers(1000));
    await until("some rows went", () => watched.carriedOut > 20, { by: watching.ended });
    const mark = JSON.parse(watched.read(".paydrop")) as { let_go: number };
    writeFileSync(join(watched.inbox, ".paydrop"), JSON.stringify({ ...mark, let_go: 1_000_000 }));
    const { code, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([74, expect.stringContaining("the journal is older")]);
    expect(watched.carriedOut).toBeLessThan(900);
  });
});
