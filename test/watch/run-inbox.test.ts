import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openDesk, transferCsv, transfersCsv } from "../support/desk.ts";
import { answer, startFaultServer } from "../support/fault-server.ts";
import { hasResults, openInboxDesk, untilAnotherGoes, untilAnotherWaits } from "./inbox-desk.ts";
import type { ProgramEnded } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { canMount, makeReadOnly, makeWritable, smallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";

test("one sweep takes what is complete, says what is not, and passes over what is done", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("done.csv"), transferCsv("ACC-1"));
  expect(await desk.call("run", "--inbox", desk.inbox)).toMatchObject({ code: 0 });
  writeFileSync(desk.path("new.csv"), transferCsv("ACC-2"));
  writeFileSync(desk.path("growing.csv"), transferCsv("ACC-3"));
  let row = 10;
  const timer = setInterval(() => appendFileSync(desk.path("growing.csv"), `ACC-1,ACC-${++row},5.00\n`), 50);
  const ended = await desk.call("run", desk.inbox, "--once");
  clearInterval(timer);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain("1 file not ready: growing.csv (still being written)");
  expect(server.requests).toHaveLength(2);
  expect(desk.read("growing.csv.waiting.txt")).toContain("still being written");
  expect((await desk.call("run", "--inbox", desk.inbox)).stderr).not.toContain("done.csv");
  // whoever looks at a terminal sees that it looked
  const idle = await desk.call("run", "--inbox", desk.inbox);
  expect(idle).toMatchObject({ code: 0, stdout: "", stderr: `nothing new in ${desk.inbox}\n` });
  const { code, stdout, stderr } = await desk.call("run", "--json", desk.inbox);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({ type: "summary", batches: [], requests: 0, exit_code: 0 });
  expect(existsSync(desk.path("growing.csv.waiting.txt"))).toBe(false);
});

test("one sweep takes files without their last line end too, however long its first look through the folder took", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  for (let file = 1; file <= 60; file += 1)
    writeFileSync(desk.path(`${file}.csv`), transferCsv(`ACC-2${file}`).trimEnd());
  expect(await desk.call("run", "--quiet", "--inbox", desk.inbox)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(server.requests).toHaveLength(60);
});

test("the month of the day pays no file again that was only touched; whoever names the file pays it", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const path = desk.path("payroll.csv");
  const nightly = (month: string): ReturnType<typeof desk.call> =>
    desk.call("run", "--period", month, "--inbox", desk.inbox);
  writeFileSync(path, transferCsv("ACC-2"));
  expect(await nightly("2099-01")).toMatchObject({ code: 0 });
  utimesSync(path, new Date(), new Date(Date.now() - 60_000));
  expect(await nightly("2099-01")).toMatchObject({ code: 0 });
  utimesSync(path, new Date(), new Date(Date.now() - 30_000));
  expect(await nightly("2099-02")).toMatchObject({ code: 6 });
  expect(desk.read("payroll.csv.results.csv")).toContain("this very file was sent before");
  expect(server.requests).toHaveLength(1);
  expect(await desk.call("run", "--period", "2099-03", path)).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(2);
});

test("a refused file that is corrected and run by its name is refused no more, and says what is open", async () => {
  const server = await startService(({ number }) => answer(number === 1 ? 200 : 503));
  const desk = openInboxDesk(server.url);
  for (const name of ["a.csv", "b.csv"]) writeFileSync(desk.path(name), "x,y\n1,2\n");
  expect(await desk.call("run", "--inbox", desk.inbox)).toMatchObject({ code: 5 });
  for (const name of ["a.csv", "b.csv", "c.csv"]) writeFileSync(desk.path(name), transferCsv(`ACC-${name}`));
  const files = ["a.csv", "b.csv", "c.csv"].map((name) => desk.path(name));
  expect(await desk.call("run", ...files)).toMatchObject({ code: 4 });
  const answers = desk.names().filter((name) => name.endsWith(".txt"));
  expect(answers.sort()).toEqual(["b.csv.waiting.txt", "c.csv.waiting.txt"]);
  for (const name of answers) expect(desk.read(name)).toContain("No clear answer for row 2");
});

test("--inbox for each of several folders sweeps them all", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const folders = ["first", "second"].map((name) => desk.path(name));
  for (const [index, folder] of folders.entries()) {
    mkdirSync(folder);
    writeFileSync(join(folder, "a.csv"), transferCsv(`ACC-${index + 10}`));
  }
  const ended = await desk.call("run", ...folders.flatMap((folder) => ["--inbox", folder]));
  expect(ended.code).toBe(0);
  expect(folders.map((folder) => existsSync(join(folder, "a.csv.results.csv")))).toEqual([true, true]);
});

test("--quiet prints nothing when nobody is needed, and a refusal only once", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  mkdirSync(desk.path("c.csv"));
  expect(await desk.call("run", "--quiet", "--inbox", desk.inbox)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  writeFileSync(desk.path("broken.csv"), 'from_account,to_account,amount\nACC-1,"ACC-2,1.00\n');
  writeFileSync(desk.path("fine.csv"), transferCsv("ACC-5"));
  const refusing = await desk.call("run", "--quiet", "--inbox", desk.inbox);
  expect(refusing.code).toBe(5);
  expect(refusing.stderr).toContain("broken.csv: row 2");
  expect(hasResults(desk, "fine.csv")).toBe(true);
  expect(await desk.call("run", "--quiet", "--inbox", desk.inbox)).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

test.each([".control", ".control.txt"])(
  "a refused file is looked at again when its control totals beside it change: %s",
  async (ending) => {
    const server = await startService();
    const desk = openInboxDesk(server.url);
    writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
    writeFileSync(desk.path(`a.csv${ending}`), "rows=2\n");
    const refused = await desk.call("run", "--inbox", desk.inbox);
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`a.csv${ending} says 2 rows`) as unknown,
    });
    expect(desk.read("a.csv.refused.txt")).toContain(`\r\na.csv${ending} says 2 rows`);
    writeFileSync(desk.path(`a.csv${ending}`), "rows=1\n");
    expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect(desk.names().filter((name) => name.endsWith(".refused.txt"))).toEqual([]);
  },
);

test("overlapping runs: the second exits 75 and touches nothing", async () => {
  let isOpen = false;
  const server = await startService(() => async (socket) => {
    await until("its answer", () => isOpen, { withinMs: 300_000 });
    await answer(200)(socket);
  });
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  const first = desk.call("run", "--inbox", desk.inbox);
  await until("the first request", () => server.requests.length === 1);
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-2"));
  const before = desk.names();
  const second = await desk.call("run", "--inbox", desk.inbox);
  expect([second.code, second.stderr]).toEqual([75, expect.stringContaining("another paydrop is working")]);
  // nobody is needed: cron sends no mail
  const quiet = await desk.call("run", "--quiet", "--inbox", desk.inbox);
  expect(quiet).toMatchObject({ code: 75, stdout: "", stderr: "" });
  expect(desk.names()).toEqual(before);
  isOpen = true;
  expect((await first).code).toBe(0);
});

test("a folder that is not there exits 2", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  rmSync(desk.inbox, { recursive: true });
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(2);
});

test("rows that were not sent go with the next run; a key that is refused stops the other files too", async () => {
  let isRight = false;
  const server = await startService(() => answer(isRight ? 200 : 401));
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transfersCsv(4));
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  // also where two files are worked on at once
  expect(server.requests).toHaveLength(1);
  expect(desk.names().filter((name) => name.endsWith(".waiting.txt"))).toHaveLength(2);
  isRight = true;
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(server.requests).toHaveLength(6);
  expect(desk.names().filter((name) => name.endsWith(".waiting.txt"))).toEqual([]);
});

test("a loan refused for the key is open, with its note beside it, also when its results are written again", async () => {
  let isRight = false;
  const server = await startService(() => answer(isRight ? 200 : 401));
  const desk = openInboxDesk(server.url);
  mkdirSync(desk.path("loans"));
  writeFileSync(desk.path("loans/a.jsonl"), '{"borrower_id":"BRW-1","amount":5,"tenure":6,"reference":null}\n');
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  const written = (): Record<string, string> =>
    JSON.parse(desk.read("loans/a.jsonl.results.jsonl")) as Record<string, string>;
  const batch = written()["result_batch"] ?? "";
  const ended = await desk.call("results", batch);
  expect(ended.stdout).toContain(`paydrop retry ${batch}\n`);
  expect(desk.read("loans/a.jsonl.waiting.txt")).toContain("Refused, though not for what is in it.");
  isRight = true;
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(existsSync(desk.path("loans/a.jsonl.waiting.txt"))).toBe(false);
  expect(written()).toMatchObject({ result_status: "accepted", reference: null, result_reference: "" });
  expect(server.requests.map(({ body }) => body)).toEqual(
    Array(2).fill('{"borrower_id":"BRW-1","amount":5,"tenure":6}'),
  );
});

test("a service that is away: the watcher tries again by itself; unknown rows never go again", async () => {
  const gone = await startFaultServer(() => answer(200));
  await gone.close();
  const desk = openInboxDesk(gone.url);
  writeFileSync(desk.path("a.csv"), transfersCsv(3));
  desk.watch();
  await until("the answer", () => existsSync(desk.path("a.csv.waiting.txt")));
  expect(desk.read("a.csv.waiting.txt")).toContain("The service cannot be reached.");
  const server = await startService(({ number }) => (number === 2 ? (socket) => void socket.destroy() : answer(200)), {
    port: gone.port,
  });
  await until("all three", () => server.requests.length === 3);
  await until("the unknown row", () => desk.read("a.csv.waiting.txt").includes("No clear answer"));
  for (const name of ["first", "second"]) await untilAnotherGoes(desk, name);
  expect(server.requests).toHaveLength(5);
});

test("three rows without a clear answer hold the folder until a person says resume", async () => {
  let isBroken = true;
  const server = await startService(() => (isBroken ? answer(500) : answer(200)));
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  writeFileSync(desk.path("a.csv"), transfersCsv(6));
  const program = desk.watch();
  await until("the hold", () => program.stderr().includes("everything is held"));
  for (const name of ["b", "c"]) await untilAnotherWaits(desk, name);
  expect(server.requests).toHaveLength(3);
  isBroken = false;
  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code).toBe(0);
  await until("the rest", () => server.requests.length === 8);
  await untilAnotherGoes(desk, "d");
  expect(server.requests).toHaveLength(9);
});

test("files of one row each: after three without a clear answer no other one goes", async () => {
  const server = await startService(() => answer(500));
  const desk = openInboxDesk(server.url);
  for (let file = 1; file <= 8; file += 1) writeFileSync(desk.path(`f${file}.csv`), transferCsv(`ACC-${file}`));
  const ended = await desk.call("run", "--inbox", desk.inbox);
  expect(ended.code).toBe(4);
  expect(ended.stdout).toContain("3 rows in a row had no clear answer");
  expect(server.requests).toHaveLength(3);
});

test("rows that a person releases while the watcher has the lock are sent by it", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), `${transferCsv("ACC-1")}ACC-1,ACC-1,100.00\n`);
  desk.watch();
  await until("the held row", () => existsSync(desk.path("a.csv.waiting.txt")));
  const batch = /release (\w{8}) /.exec(desk.read("a.csv.waiting.txt"))?.[1] ?? "";
  const released = await desk.call("release", batch, "--all", "--by", "asha", "--reason", "both are meant");
  expect(released.code).toBe(0);
  await until("the released row", () => server.requests.length === 2);
  await until("no note any more", () => !existsSync(desk.path("a.csv.waiting.txt")));
});

test("two state directories on one inbox: the second sends nothing and exits 74", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-2"));
  const second = await desk.call("run", "--inbox", desk.inbox, "--state-dir", `${desk.stateDir}-other`);
  expect(second.code).toBe(74);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["the folder above", "", "transfers"],
  ["a folder of an operation below", "transfers", ""],
])("nor does another's mark in %s let a file go", async (_, first, second) => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  mkdirSync(desk.path("transfers"));
  writeFileSync(desk.path(join(first, "a.csv")), transferCsv("ACC-1"));
  expect((await desk.call("run", "--inbox", desk.path(first))).code).toBe(0);
  // its mark alone remembers it
  unlinkSync(desk.path(join(first, "a.csv.summary.json")));
  writeFileSync(desk.path("transfers/b.csv"), transferCsv("ACC-2"));
  const other = await desk.call("run", "--inbox", desk.path(second), "--state-dir", `${desk.stateDir}-other`);
  expect(other.code).toBe(74);
  expect(other.stderr).toContain(".paydrop was written with another state directory");
  expect(server.requests).toHaveLength(1);
});

test("a note of a file that was taken away while nothing ran is taken away by the next run", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  mkdirSync(desk.path("transfers"));
  writeFileSync(desk.path("transfers/a.csv"), `${transferCsv("ACC-1")}ACC-1,ACC-1,100.00\n`);
  writeFileSync(desk.path("b.csv"), "from_account,to_account\nACC-1,ACC-2\n");
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(5);
  const notes = ["b.csv.refused.txt", "transfers/a.csv.waiting.txt"];
  for (const note of notes) expect(existsSync(desk.path(note))).toBe(true);
  writeFileSync(desk.path("theirs.csv.waiting.txt"), "a text of somebody else\n");
  rmSync(desk.path("transfers/a.csv"));
  rmSync(desk.path("b.csv"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  for (const note of notes) expect(existsSync(desk.path(note))).toBe(false);
  expect(desk.read("theirs.csv.waiting.txt")).toBe("a text of somebody else\n");
});

test("killed while it writes a note, it leaves nothing hidden for good, though the file is gone since", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("b.csv"), "from_account,to_account\nACC-1,ACC-2\n");
  // the mark of the folder is the first to be written, the note the second
  await desk.callUntil("results.written:2", "run", "--inbox", desk.inbox);
  const unfinished = (): string[] => desk.names().filter((name) => name.endsWith(".tmp"));
  expect(unfinished()).toHaveLength(1);
  expect(desk.read(unfinished()[0] ?? "")).toContain("b.csv was not taken");
  rmSync(desk.path("b.csv"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(unfinished()).toEqual([]);
});

test("killed before it wrote the first results, it writes them next time, though the file is gone since", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  // a new mark is linked, not renamed; the one of the first attempt is the first that is
  await desk.callUntil("results.before_rename:2", "run", "--inbox", desk.inbox);
  expect(server.requests).toHaveLength(1);
  expect(hasResults(desk, "a.csv")).toBe(false);
  rmSync(desk.path("a.csv"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(desk.read("a.csv.results.csv")).toContain(",accepted,");
  expect(server.requests).toHaveLength(1);
  expect((await desk.call("run", "--inbox", desk.inbox)).stdout).not.toContain("batch");
  expect(desk.names().filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a note of what is open goes, or changes, with the person's act that ends it", async () => {
  let count = 0;
  const server = await startService(() => answer((count += 1) === 2 ? 500 : 200));
  const desk = openInboxDesk(server.url);
  const [header, first, ...rows] = transfersCsv(3).trim().split("\n");
  writeFileSync(desk.path("a.csv"), [header, first, ...rows, first, ""].join("\n"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(4);
  const note = (): string => desk.read("a.csv.waiting.txt");
  const [, batch = "", row = ""] = /batch (\w{8})[^]*for row (\d)/.exec(note()) ?? [];
  expect(note()).toContain("A person must decide on row 5");
  expect(note(), "a clerk runs no command").toContain("typed by whoever runs it here: send them this text.\r\n");
  const settled = await desk.call("settle", batch, "--row", row, "--as", "done", "--by", "asha", "--note", "dashboard");
  expect(settled.code).toBe(0);
  expect(note()).toContain("A person must decide on row 5");
  expect(note()).not.toContain("paydrop settle");
  expect(note()).toContain(`paydrop cancel ${batch} --by NAME`);
  expect((await desk.call("cancel", batch, "--by", "asha", "--reason", "sent by hand")).code).toBe(0);
  expect(desk.names()).not.toContain("a.csv.waiting.txt");
});

test("a note after a release does not say that the service is away, of a row that was refused for the key before", async () => {
  let count = 0;
  const server = await startService(() => answer((count += 1) === 1 ? 401 : 200));
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  const [header, first, ...rows] = transfersCsv(3).trim().split("\n");
  writeFileSync(desk.path("a.csv"), [header, first, ...rows, rows[0], ""].join("\n"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  const note = (): string => desk.read("a.csv.waiting.txt");
  expect(note()).toContain("did not accept our key");
  const batch = /batch (\w{8})/.exec(note())?.[1] ?? "";
  await desk.call("release", batch, "--row", "5", "--by", "asha", "--reason", "both are meant");
  expect(server.requests).toHaveLength(4);
  expect(note()).toContain("goes when paydrop takes it up again");
  expect(note()).not.toContain("cannot be reached");
});

test("a note beside the file says where results are that something stands in the way of", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-2"));
  writeFileSync(desk.path("a.csv.results.csv"), "mine\n1\n");
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(74);
  const note = desk.read("a.csv.waiting.txt");
  expect(note).toContain("a.csv.results.csv is there already and is not a file that paydrop wrote");
  expect(note).toContain(join(desk.stateDir, "results"));
  rmSync(desk.path("a.csv.results.csv"));
  expect((await desk.call("results", /paydrop results (\w{8})/.exec(note)?.[1] ?? "")).code).toBe(0);
  expect(hasResults(desk, "a.csv")).toBe(true);
  expect(desk.names()).not.toContain("a.csv.waiting.txt");
});

test("results of a file that is taken away while it is sent, or later, can be read by whoever could read it", async () => {
  const server = await startService(() => {
    rmSync(desk.path("a.csv"));
    return answer(500);
  });
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-2"));
  chmodSync(desk.path("a.csv"), 0o664);
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(4);
  const mode = (): number => statSync(desk.path("a.csv.results.csv")).mode & 0o777;
  expect(mode()).toBe(0o664);
  const [, batch = ""] = /batch (\w{8})/.exec(desk.read("a.csv.waiting.txt")) ?? [];
  await desk.call("settle", batch, "--row", "2", "--as", "done", "--by", "asha", "--note", "dashboard");
  expect(desk.read("a.csv.results.csv")).toContain("settled_done");
  expect(mode()).toBe(0o664);
});

test("a file that its name keeps from being opened is answered beside it, until it has another one", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const names = ["march.results.csv", "march.summary.json", `${"é".repeat(105)}.csv`];
  for (const name of names) writeFileSync(desk.path(name), transferCsv("ACC-2"));
  mkdirSync(desk.path("april.results.csv"));
  writeFileSync(desk.path("line\nend.csv"), transferCsv("ACC-3"));
  const first = await desk.call("run", "--json", "--inbox", desk.inbox);
  expect([first.code, first.stderr]).toEqual([5, expect.stringMatching(/"code":"name_unfit"/) as string]);
  expect(first.stdout).toMatch(/"exit_code":5\}\n$/);
  expect(await desk.call("run", "--quiet", "--inbox", desk.inbox), "told once").toMatchObject({ code: 0, stderr: "" });
  const answers = desk.names().filter((name) => name.endsWith(".refused.txt"));
  expect(answers.sort()).toEqual(names.map((name) => `${name}.refused.txt`).sort());
  expect(desk.read("march.results.csv.refused.txt")).toMatch(
    /Its name is that of a results file[^]*a short name of its own/,
  );
  renameSync(desk.path("march.results.csv"), desk.path("march.csv"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(hasResults(desk, "march.csv")).toBe(true);
  expect(desk.names()).not.toContain("march.results.csv.refused.txt");
});

test("a name that is too long is taken by its name as little as in a sweep, and nothing of the file goes", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const file = desk.path(`${"é".repeat(105)}.csv`);
  writeFileSync(file, transferCsv("ACC-2"));
  for (const command of ["check", "run"]) {
    const { code, stderr } = await desk.call(command, file);
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(/: its name is .*\n {2}→ Give it a short name/) as string,
    ]);
  }
  expect(server.requests).toEqual([]);
  const text = readFileSync(`${file}.refused.txt`, "utf8");
  expect(text).toMatch(/Nothing of it was sent\.\r\n\r\nIts name is .*\.\r\n {2}What to do: Give it a short name/);
  expect(text).not.toContain("under the same name");
});

test("the copy of a retry file goes by its name, and no sweep says afterwards that nothing of it was sent", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const file = desk.path("march.retry.csv");
  writeFileSync(file, transferCsv("ACC-2"));
  expect((await desk.call("run", file)).code).toBe(0);
  expect(await desk.call("run", "--quiet", "--inbox", desk.inbox)).toMatchObject({ code: 0, stderr: "" });
  expect([existsSync(`${file}.refused.txt`), server.requests.length]).toEqual([false, 1]);
});

test("of rows that went nobody is told that nothing was sent, whatever name their file has by now", async () => {
  const server = await startService(() => answer(500));
  const desk = openInboxDesk(server.url);
  const file = desk.path("march.csv");
  writeFileSync(file, transferCsv("ACC-2"));
  const { stdout } = await desk.call("run", file);
  const batch = /batch (\w+)/.exec(stdout)?.[1] ?? "";
  const long = desk.path(`${"é".repeat(105)}.csv`);
  renameSync(file, long);
  const sweep = (): Promise<ProgramEnded> => desk.call("run", "--quiet", "--inbox", desk.inbox);
  expect((await sweep()).code).toBe(5);
  expect(readFileSync(`${long}.refused.txt`, "utf8")).toContain(`Nothing more was sent of its batch ${batch}.`);
  // what goes on by its name is told what is open, and keeps that
  expect((await desk.call("run", long)).code).toBe(4);
  const told = readFileSync(`${long}.waiting.txt`, "utf8");
  expect(told).toContain("Look up row 2");
  utimesSync(long, new Date(), new Date());
  expect(await sweep()).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(readFileSync(`${long}.waiting.txt`, "utf8")).toBe(told);
  expect([existsSync(`${long}.refused.txt`), server.requests.length]).toEqual([false, 1]);
});

test("a packed file and a document are answered beside them, once; our own report is none", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  for (const name of ["march.csv.gz", "march.ZIP"]) writeFileSync(desk.path(name), gzipSync(transferCsv("ACC-2")));
  const first = await desk.call("run", "--quiet", "--inbox", desk.inbox);
  expect([first.code, first.stderr]).toEqual([5, expect.stringContaining("march.ZIP is a packed file") as string]);
  expect((await desk.call("run", "--inbox", desk.inbox)).code, "not every night").toBe(0);
  writeFileSync(desk.path("march.xls"), "another one");
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(5);
  unlinkSync(desk.path("march.xls"));
  expect(desk.read("march.csv.gz.refused.txt")).toMatch(/a packed file[^]*Unpack it/);
  expect(desk.read("march.ZIP.refused.txt")).toMatch(/a packed file[^]*Unpack it/);
  for (const name of ["march.PDF", "march.xml", "march.docx"]) {
    writeFileSync(desk.path(name), "x");
    writeFileSync(desk.path("march.csv.report.html"), "x");
    expect((await desk.call("run", "--inbox", desk.inbox)).stderr).toContain(`${name} is a document`);
    expect(desk.read(`${name}.refused.txt`)).toMatch(/This is a document[^]*\r\n {2}What to do: Save the table itself/);
    unlinkSync(desk.path(name));
  }
  expect(await desk.call("run", "--quiet", "--inbox", desk.inbox)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(desk.names().filter((name) => /pdf|xml|docx|html\.refused/i.test(name))).toEqual([]);
});

test("what is kept of an earlier file of the same name is ours, not input", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  for (const account of ["ACC-2", "ACC-3"]) {
    writeFileSync(desk.path("a.csv"), transferCsv(account));
    expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  }
  expect(desk.names().filter((name) => /^a\.csv\.summary\.\w{8}\.json$/.test(name))).toHaveLength(1);
  expect(await desk.call("run", "--inbox", desk.inbox)).toMatchObject({
    code: 0,
    stderr: `nothing new in ${desk.inbox}\n`,
  });
  expect(desk.names().filter((name) => name.endsWith(".refused.txt"))).toEqual([]);
});

test("an untouched retry file of an inbox that was moved, or a copy of it, sends nothing again", async () => {
  const server = await startService(() => answer(422));
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), "from_account,to_account,amount\nACC-1,ACC-2,100.00\n");
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(3);
  copyFileSync(desk.path("a.csv.retry.csv"), desk.path("a.csv.retry - Copy.csv"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(5);
  expect(desk.read("a.csv.retry - Copy.csv.refused.txt")).toContain("nothing in it was corrected");
  const moved = `${desk.inbox}-moved`;
  renameSync(desk.inbox, moved);
  await desk.call("run", "--inbox", moved);
  expect(server.requests).toHaveLength(1);
  expect(existsSync(join(moved, "a.csv.retry.csv.results.csv"))).toBe(false);
});

test("a folder that is held is known by a link to it too", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const link = `${desk.inbox}-link`;
  symlinkSync(desk.inbox, link);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  writeFileSync(desk.path("STOP"), "");
  const held = await desk.call("run", "--quiet", "--inbox", link);
  expect(held.code).toBe(7);
  expect(held.stderr).toContain("a file named STOP was put into the folder");
  expect(desk.read("a.csv.waiting.txt")).toContain("paydrop resume --inbox");
  rmSync(desk.path("a.csv"));
  // nothing waits for a person any more
  expect(await desk.call("run", "--quiet", "--inbox", link)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  expect(await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).toMatchObject({ code: 0 });
  expect((await desk.call("run", "--inbox", link)).code).toBe(0);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["without a word", 200, undefined],
  ["with what is open of it", 500, "No clear answer for row 2"],
])("a file that went, %s, waits for no STOP that is met by another name of its folder", async (_, status, open) => {
  const server = await startService(() => answer(status));
  const desk = openInboxDesk(server.url);
  const link = `${desk.inbox}-link`;
  symlinkSync(desk.inbox, link);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  const sweep = async (by: string): Promise<number | undefined> => (await desk.call("run", "--inbox", by)).code;
  const told = (): string | undefined =>
    existsSync(desk.path("a.csv.waiting.txt")) ? desk.read("a.csv.waiting.txt") : undefined;
  const asItIs = open === undefined ? undefined : (expect.stringContaining(open) as string);
  await sweep(desk.inbox);
  writeFileSync(desk.path("STOP"), "");
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-2"));
  expect([await sweep(link), told()]).toEqual([7, asItIs]);
  expect(desk.read("b.csv.waiting.txt")).toContain("paydrop resume --inbox");
  rmSync(desk.path("STOP"));
  await desk.call("resume", "--inbox", desk.inbox, "--by", "a");
  await sweep(desk.inbox);
  expect([told(), server.requests.length]).toEqual([asItIs, 2]);
});

test("a monitor hears of a folder that is held, though no file of it is a batch yet", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  writeFileSync(desk.path("STOP"), "");
  expect((await desk.call("run", "--quiet", "--inbox", desk.inbox)).code).toBe(7);
  const { code, stdout } = await desk.call("status", "--check");
  expect(code).toBe(7);
  expect(stdout).toContain(
    `${desk.inbox} is held: a file named STOP was put into the folder\n  → a person lets it go on`,
  );
  const lines = (await desk.call("status", "--json")).stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { type: "inbox", folder: desk.inbox, held: "stop_file" },
    { type: "summary", batches: 0, exit_code: 0 },
  ]);
  await desk.call("resume", "--inbox", desk.inbox, "--by", "asha");
  expect(await desk.call("status", "--check")).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining("held") as string,
  });
});

test("a file that is not what was seen at both looks is not taken", async () => {
  const server = await startService();
  const desk = openDesk(server.url);
  const path = desk.write("a.csv", transferCsv("ACC-1"));
  const taking = desk.inProcess((processor) => processor.processFile(path, "0".repeat(64)));
  await expect(taking).rejects.toMatchObject({ code: "stopped" });
  expect(server.requests).toHaveLength(0);
});

test("files of a share that is mounted anew, which numbers them anew, lie there still; a copy of one is dropped once more", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url, { PAYDROP_DUPLICATE_DAYS: "0" });
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  // as programs that export and unpack do
  const putBack = (): void => utimesSync(desk.path("a.csv"), 1_700_000_000, 1_700_000_000);
  putBack();
  const sweep = () => desk.call("run", "--inbox", desk.inbox);
  const inJournal = (sql: string): unknown => {
    const database = new DatabaseSync(join(desk.stateDir, "journal.db"));
    const found = database.prepare(sql).all();
    database.close();
    return found;
  };
  expect((await sweep()).code).toBe(0);
  const numbers = "SELECT identity FROM source";
  const before = inJournal(numbers);
  const renumber =
    "UPDATE source SET identity = '7 7' || substr(identity, instr(substr(identity, instr(identity, ' ') + 1), ' ') + instr(identity, ' '))";
  inJournal(renumber);
  expect(inJournal(numbers)).not.toEqual(before);
  const { code, stderr } = await sweep();
  expect([code, stderr]).toEqual([0, expect.stringContaining("nothing new in") as string]);
  expect(inJournal(numbers), "it is looked at once").toEqual(before);
  inJournal(renumber);
  expect((await desk.call("check", desk.path("a.csv"))).stdout).toContain("taken");
  expect((await desk.call("run", desk.path("a.csv"))).code).toBe(0);
  expect(inJournal("SELECT id FROM batch")).toHaveLength(1);

  renameSync(desk.path("a.csv"), desk.path("../a.csv"));
  copyFileSync(desk.path("../a.csv"), desk.path("a.csv"));
  putBack();
  expect((await sweep()).code, "a person says whether it is another month").toBe(6);
  expect(server.requests).toHaveLength(1);
});

test("settings that lie in the inbox are refused, also by a link: whoever drops files must not reach them", async () => {
  const server = await startService(() => answer(200));
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transfersCsv(2));
  writeFileSync(desk.path("paydrop.toml"), "concurrency = 1\n");
  symlinkSync(desk.inbox, `${desk.inbox}-link`);
  for (const inbox of [desk.inbox, `${desk.inbox}-link`]) {
    const run = await desk.call("run", "--config", desk.path("paydrop.toml"), "--inbox", inbox);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("lies in the drop folder")]);
  }
  expect(server.requests).toEqual([]);
});

test.skipIf(!canMount)(
  "results that cannot be written are open for a monitor until they lie beside their file",
  async () => {
    const server = await startService();
    const desk = openInboxDesk(server.url);
    const inbox = smallDisk(200);
    writeFileSync(join(inbox, "a.csv"), transferCsv("ACC-1"));
    const check = async (): Promise<number | undefined> => (await desk.call("status", "--check", "--quiet")).code;
    makeReadOnly(inbox);
    expect((await desk.call("run", "--inbox", inbox)).code).toBe(74);
    expect(await check()).toBe(7);
    makeWritable(inbox);
    expect((await desk.call("run", "--inbox", inbox)).code).toBe(0);
    expect([await check(), existsSync(join(inbox, "a.csv.results.csv")), server.requests.length]).toEqual([0, true, 1]);
  },
);

test.skipIf(!canMount).each([
  ["after the folder's", true],
  ["alone", false],
])("results that a run by name could not write (%s) stay owed, and come with the next sweep", async (_when, swept) => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const inbox = smallDisk(200);
  const file = join(inbox, "b.csv");
  writeFileSync(file, transferCsv("ACC-1"));
  const check = async (): Promise<number | undefined> => (await desk.call("status", "--check", "--quiet")).code;
  makeReadOnly(inbox);
  if (swept) expect((await desk.call("run", "--inbox", inbox)).code).toBe(74);
  expect((await desk.call("run", "--quiet", file)).code).toBe(74);
  expect(await check()).toBe(7);
  makeWritable(inbox);
  expect((await desk.call("run", "--quiet", "--inbox", inbox)).code).toBe(0);
  expect([await check(), existsSync(`${file}.results.csv`), server.requests.length]).toEqual([0, true, 1]);
});

test.each([
  ["a person's file", "the folder", (path: string) => writeFileSync(path, "mine\n")],
  ["a folder", "the file", (path: string) => mkdirSync(path)],
])("results whose name %s has stay owed after a run of %s, and come when it is free", async (_what, run, put) => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-1"));
  const name = "a.csv.results.csv";
  put(desk.path(name));
  const check = async (): Promise<number | undefined> => (await desk.call("status", "--check", "--quiet")).code;
  const operands = run === "the file" ? [desk.path("a.csv")] : ["--inbox", desk.inbox];
  expect((await desk.call("run", ...operands)).code).toBe(74);
  expect([await check(), desk.read("a.csv.waiting.txt")]).toEqual([7, expect.stringContaining(name)]);
  const watch = desk.watch();
  await until("its next tries", () => watch.stdout().includes("instead"));
  await untilAnotherGoes(desk, "other");
  renameSync(desk.path(name), desk.path("mine.txt"));
  await until("its results", () => hasResults(desk, "a.csv"));
  await until("the end of the answer", () => !existsSync(desk.path("a.csv.waiting.txt")));
  expect(watch.stdout().split("instead")).toHaveLength(2);
  expect([await check(), server.requests.length]).toEqual([0, 2]);
});
