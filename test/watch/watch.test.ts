import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { transferCsv, transfersCsv } from "../support/desk.ts";
import { answer, type FaultServer } from "../support/fault-server.ts";
import { hasResults, openInboxDesk, untilAnotherGoes, untilAnotherWaits, type InboxDesk } from "./inbox-desk.ts";
import { removeUnder } from "../support/removed-folder.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** The accounts that money was asked for, in the order of arrival. */
function asked(server: FaultServer): string[] {
  return server.requests.map(({ body }) => (JSON.parse(body) as { to_account: string }).to_account);
}

/** A folder in which another state directory sent a row, to another service. */
async function othersInbox(): Promise<InboxDesk> {
  const desk = openInboxDesk((await startService()).url);
  writeFileSync(desk.path("theirs.csv"), transferCsv("ACC-THEIRS"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  return desk;
}

test("a slow writer, with a pause, of a file that lies there at the start: nothing before it closes, then its rows", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url, { PAYDROP_SETTLE: "5s" });
  const path = desk.path("slow.csv");
  writeFileSync(path, "from_account,to_account,amount\n");
  desk.watch();
  for (let row = 1; row <= 10; row += 1) {
    appendFileSync(path, `ACC-1,ACC-${row},10${row}.00\n`);
    await sleep(row === 5 ? 1000 : 150);
    expect(server.requests).toHaveLength(0);
  }
  await until("results", () => hasResults(desk, "slow.csv"));
  expect(asked(server).sort()).toEqual(Array.from({ length: 10 }, (_, index) => `ACC-${index + 1}`).sort());
});

test("files that come by rename from .part and by Excel's save are taken once each", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const program = desk.watch();
  await until("watching", () => program.stderr().includes("watching"));
  writeFileSync(desk.path("a.csv.part"), transferCsv("ACC-A"));
  await untilAnotherGoes(desk, "first");
  expect(asked(server)).toEqual(["ACC-first"]);
  expect(desk.names().filter((name) => name.startsWith("a."))).toEqual(["a.csv.part"]);
  renameSync(desk.path("a.csv.part"), desk.path("a.csv"));
  await until("results of a", () => hasResults(desk, "a.csv"));
  // Excel: a temporary, delete, rename
  writeFileSync(desk.path("D41D8C.tmp"), transferCsv("ACC-B"));
  unlinkSync(desk.path("a.csv"));
  renameSync(desk.path("D41D8C.tmp"), desk.path("a.csv"));
  await until("the second", () => server.requests.length === 2);
  await untilAnotherGoes(desk, "last");
  expect(asked(server)).toEqual(["ACC-first", "ACC-A", "ACC-B", "ACC-last"]);
});

test("a burst of 200 files is worked off, each once, also while the watcher was down", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  for (let file = 0; file < 100; file += 1) writeFileSync(desk.path(`f${file}.csv`), transferCsv(`ACC-${file}`));
  const program = desk.watch("--quiet");
  await until("the first", () => server.requests.length > 0);
  for (let file = 100; file < 200; file += 1) writeFileSync(desk.path(`f${file}.csv`), transferCsv(`ACC-${file}`));
  await until("all results", () => desk.names().filter((name) => name.endsWith(".results.csv")).length === 200);
  program.child.kill("SIGTERM");
  expect((await program.ended).code).toBe(0);
  expect(new Set(asked(server)).size).toBe(200);
  expect(server.requests).toHaveLength(200);
});

test("a FIFO, a link to a system file and a folder c.csv beside a good file: the good one is done, each oddity told once", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  execFileSync("mkfifo", [desk.path("pipe.csv")]);
  symlinkSync("/etc/passwd", desk.path("link.csv"));
  mkdirSync(desk.path("c.csv"));
  writeFileSync(desk.path("good.csv"), transferCsv("ACC-1"));
  const program = desk.watch();
  await until("results", () => hasResults(desk, "good.csv"));
  writeFileSync(desk.path("next.csv"), transferCsv("ACC-2"));
  await until("more results", () => hasResults(desk, "next.csv"));
  for (const told of ["pipe.csv is a named pipe", "link.csv is a link", "c.csv is a folder"]) {
    expect(program.stderr().split(told)).toHaveLength(2);
  }
  expect(desk.names().filter((name) => /^(?:pipe|link|c)\.csv\./.test(name))).toEqual([]);
});

test("the folder removed and made again: told once, and work goes on", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const program = desk.watch();
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-A"));
  await until("results", () => hasResults(desk, "a.csv"));
  removeUnder(desk.inbox);
  await until("the warning", () => program.stderr().includes("the folder is not there"));
  mkdirSync(desk.inbox);
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  await until("more results", () => hasResults(desk, "b.csv"));
  expect(program.stderr().split("the folder is not there")).toHaveLength(2);
  expect(asked(server)).toEqual(["ACC-A", "ACC-B"]);
});

test("another folder put in its place, with the mark of another state directory: nothing goes from it", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const other = openInboxDesk(server.url);
  writeFileSync(other.path("theirs.csv"), transferCsv("ACC-THEIRS"));
  expect((await other.call("run", "--inbox", other.inbox)).code).toBe(0);
  const program = desk.watch();
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-A"));
  await until("results", () => existsSync(desk.path("a.csv.summary.json")));
  renameSync(desk.inbox, `${desk.inbox}-old`);
  renameSync(other.inbox, desk.inbox);
  const { code, stderr } = await program.ended;
  expect(code).toBe(74);
  expect(stderr).toContain(".paydrop was written with another state directory");
  expect(asked(server)).toEqual(["ACC-THEIRS", "ACC-A"]);
});

test("a mark that is taken away comes again; another's in its place ends the watch before it sends", async () => {
  const server = await startService();
  const [desk, other] = [openInboxDesk(server.url), await othersInbox()];
  const program = desk.watch();
  await until("it is marked", () => desk.names().includes(".paydrop"));
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-A"));
  await until("a went", () => hasResults(desk, "a.csv"));
  unlinkSync(desk.path(".paydrop"));
  await until("it is marked again", () => desk.names().includes(".paydrop"));
  renameSync(other.path(".paydrop"), desk.path(".paydrop"));
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  expect(await program.ended).toMatchObject({ code: 74 });
  expect(asked(server)).toEqual(["ACC-A"]);
});

test("another's mark that comes while rows are on their way ends the watch: no further row of the file goes", async () => {
  const server = await startService(() => async (socket) => {
    await sleep(60);
    await answer(200)(socket);
  });
  const [desk, other] = [openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" }), await othersInbox()];
  writeFileSync(desk.path("a.csv"), transfersCsv(200));
  const program = desk.watch();
  await until("some rows", () => server.requests.length >= 5);
  renameSync(other.path(".paydrop"), desk.path(".paydrop"));
  // the folder is looked at for this one
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  expect(await program.ended).toMatchObject({ code: 74 });
  expect(server.requests.length).toBeLessThan(200);
});

test("without a single watch left in the system the sweep finds every file", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  // what chokidar gets where fs.inotify.max_user_watches is used up
  const noWatches = desk.path("../no-watches.mjs");
  writeFileSync(
    noWatches,
    `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    fs.watch = () => { throw Object.assign(new Error("ENOSPC: System limit for number of file watchers reached"), { code: "ENOSPC" }); };
    syncBuiltinESMExports();\n`,
  );
  const program = desk.watchWith(["--import", noWatches]);
  await until("watching", () => program.stderr().includes("watching"));
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-A"));
  await until("results of a", () => hasResults(desk, "a.csv"));
  expect(program.stderr().split("no events come from the folder (ENOSPC")).toHaveLength(2);
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  await until("results of b", () => hasResults(desk, "b.csv"));
  expect(asked(server)).toEqual(["ACC-A", "ACC-B"]);
});

test("killed in the middle and started again: no row is lost or doubled, the cut row is unknown", async () => {
  const server = await startService(({ number }) => (number === 4 ? () => undefined : answer(200)));
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  writeFileSync(desk.path("a.csv"), transfersCsv(8));
  const first = desk.watch();
  await until("the fourth row", () => server.requests.length === 4);
  first.child.kill("SIGKILL");
  await first.ended;
  desk.watch();
  await until("results", () => hasResults(desk, "a.csv"));
  expect(server.requests).toHaveLength(8);
  expect(new Set(asked(server)).size).toBe(8);
  await until("the open row", () => existsSync(desk.path("a.csv.waiting.txt")));
  expect(desk.read("a.csv.waiting.txt")).toContain("No clear answer for row 5");
});

test("killed after rows that had waited went, before their results were written: the next life writes them", async () => {
  let status = 401;
  let isCut = false;
  const server = await startService(({ number }) => (isCut && number > 3 ? () => undefined : answer(status)));
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  writeFileSync(desk.path("a.csv"), transfersCsv(3));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  expect(desk.read("a.csv.results.csv")).toContain(",not_sent,");
  [status, isCut] = [200, true];
  const program = desk.watch();
  await until("its last row", () => server.requests.length === 4);
  program.child.kill("SIGKILL");
  await program.ended;
  // the clerk has tidied up meanwhile
  unlinkSync(desk.path("a.csv"));
  desk.watch();
  await until("what is true", () => !desk.read("a.csv.results.csv").includes(",not_sent,"));
  expect(desk.read("a.csv.results.csv").split("\r\n").map((line) => line.split(",")[1]).slice(1, 4)).toEqual(["accepted", "accepted", "unknown"]); // prettier-ignore
  expect(server.requests).toHaveLength(4);
});

test("a broken file is refused in plain words, once; corrected in place it goes and the words are gone", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const program = desk.watch();
  writeFileSync(desk.path("a.csv"), 'from_account,to_account,amount\nACC-1,"ACC-2,100.00\n');
  await until("the answer", () => existsSync(desk.path("a.csv.refused.txt")));
  expect(desk.read("a.csv.refused.txt")).toMatch(
    /^paydrop: a\.csv was not taken\. Nothing of it was sent\.\r\n\r\nRow 2.*\r\n {2}What to do: /,
  );
  writeFileSync(desk.path("other.csv"), transferCsv("ACC-9"));
  await until("the other", () => hasResults(desk, "other.csv"));
  expect(program.stderr().split("a.csv: row 2")).toHaveLength(2);
  unlinkSync(desk.path("a.csv.refused.txt"));
  writeFileSync(desk.path("a.csv"), 'from_account,to_account,amount\nACC-1,"ACC-2,100.00\n');
  await until("the same answer to the same fault", () => existsSync(desk.path("a.csv.refused.txt")));
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-2"));
  await until("results", () => hasResults(desk, "a.csv"));
  await until("no refusal any more", () => !existsSync(desk.path("a.csv.refused.txt")));
  expect(asked(server)).toEqual(["ACC-9", "ACC-2"]);
});

test("the answer of an earlier process goes with the file that it is about", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), "nothing of ours\n1\n");
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(5);
  const program = desk.watch();
  writeFileSync(desk.path("other.csv"), transferCsv("ACC-9"));
  await until("it watches", () => hasResults(desk, "other.csv"));
  expect(desk.names()).toContain("a.csv.refused.txt");
  unlinkSync(desk.path("a.csv"));
  await until("no answer any more", () => !desk.names().includes("a.csv.refused.txt"));
  expect(program.stderr()).not.toContain("a.csv:");
});

test("a retry file is left alone until it is corrected, and then only its rows go", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  desk.watch();
  writeFileSync(desk.path("a.csv"), `${transferCsv("ACC-1")}ACC-1,ACC-2,1.234\n`);
  await until("the retry file", () => existsSync(desk.path("a.csv.retry.csv")));
  await untilAnotherGoes(desk, "other");
  expect(asked(server)).toEqual(["ACC-1", "ACC-other"]);
  expect(desk.names().filter((name) => name.startsWith("a.csv.retry"))).toEqual(["a.csv.retry.csv"]);
  writeFileSync(desk.path("a.csv.retry.csv"), desk.read("a.csv.retry.csv").replace("1.234", "1.23"));
  await until("the corrected row", () => server.requests.length === 3);
  expect(asked(server)).toEqual(["ACC-1", "ACC-other", "ACC-2"]);
  await until("its results", () => hasResults(desk, "a.csv.retry.csv"));
  expect(desk.read("a.csv.retry.csv.results.csv")).toMatch(/Corrects row 3 of batch \w{8}: amount 1\.234 → 1\.23/);
});

test("STOP holds all after the rows in flight, says how far it got, outlives a restart; only resume goes on", async () => {
  const server = await startService(() => async (socket) => {
    await sleep(60);
    await answer(200)(socket);
  });
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "2" });
  writeFileSync(desk.path("a.csv"), transfersCsv(60));
  const first = desk.watch();
  await until("some rows", () => server.requests.length >= 5);
  writeFileSync(desk.path("Stop.txt"), "");
  const stopAnswer = (): string | undefined => desk.names().find((name) => name.startsWith("STOP - held"));
  await until("the answer", () => stopAnswer() !== undefined);
  const sent = server.requests.length;
  expect(sent).toBeLessThan(60);
  expect(stopAnswer()).toMatch(new RegExp(`^STOP - held \\d\\d\\.\\d\\d, ${sent} of 60 sent\\.txt$`));
  unlinkSync(desk.path("Stop.txt"));
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  await until("b is told", () => existsSync(desk.path("b.csv.waiting.txt")));
  expect(desk.read("b.csv.waiting.txt")).toContain("paydrop resume --inbox");
  first.child.kill("SIGTERM");
  expect((await first.ended).code).toBe(7);
  const second = desk.watch();
  await until("still held", () => second.stderr().includes("is held"));
  await untilAnotherWaits(desk, "c");
  await untilAnotherWaits(desk, "d");
  expect(server.requests).toHaveLength(sent);
  expect(await desk.call("resume", "--inbox", desk.inbox)).toMatchObject({ code: 2 });
  expect(await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).toMatchObject({ code: 0 });
  await until("the rest", () => server.requests.length === 63);
  expect(new Set(asked(server)).size).toBe(63);
  await until("no notes any more", () => !desk.names().some((name) => /^STOP|\.waiting\.txt$/.test(name)));
});

test("a STOP on a share that tells of nothing is seen while rows are on their way, not at the next look", async () => {
  const server = await startService(() => async (socket) => {
    await sleep(60);
    await answer(200)(socket);
  });
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  writeFileSync(desk.path("a.csv"), transfersCsv(100));
  const program = desk.watch("--poll");
  await until("some rows", () => server.requests.length >= 5);
  writeFileSync(desk.path("STOP"), "");
  await until("it is held", () => program.stderr().includes("everything is held"));
  await until("the answer", () => desk.names().some((name) => name.startsWith("STOP - held")));
  expect(server.requests.length).toBeLessThan(100);
});

test("a wrong key: everything waits, said once, and one row at a time finds out that it was mended", async () => {
  let isRight = false;
  const server = await startService(() => answer(isRight ? 200 : 401));
  const desk = openInboxDesk(server.url);
  const program = desk.watch();
  writeFileSync(desk.path("a.csv"), transfersCsv(5));
  await until("the first refusal", () =>
    program.stderr().includes("everything waits: the service did not accept our key"),
  );
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  await until("both are told", () => ["a.csv", "b.csv"].every((name) => existsSync(desk.path(`${name}.waiting.txt`))));
  for (const name of ["a.csv", "b.csv"]) expect(desk.read(`${name}.waiting.txt`)).toContain("PAYDROP_API_KEY");
  await until("two more tries", () => server.requests.length >= 3);
  expect(server.requests.length).toBeLessThan(7);
  for (const said of ["everything waits", "stopped reason=key_refused", " first row=2 rejected"]) {
    expect(program.stderr().split(said)).toHaveLength(2);
  }
  isRight = true;
  await until("all went", () => hasResults(desk, "b.csv"));
  expect(server.requests.length).toBeLessThan(16);
  expect(program.stderr()).toContain(" first row=2 accepted");
  expect(new Set(asked(server)).size).toBe(6);
  program.child.kill("SIGTERM");
  expect((await program.ended).code).toBe(0);
});

test("a row that waited for an unknown one goes by itself when a person settled that one as not done", async () => {
  let requests = 0;
  const server = await startService(() => answer((requests += 1) === 1 ? 504 : 200));
  const desk = openInboxDesk(server.url);
  const program = desk.watch();
  await until("watching", () => program.stderr().includes("watching"));
  writeFileSync(desk.path("first.csv"), transferCsv("ACC-A"));
  await until("the first", () => hasResults(desk, "first.csv"));
  writeFileSync(desk.path("second.csv"), `${transferCsv("ACC-A")}ACC-1,ACC-B,5.00\n`);
  await until("the second", () => hasResults(desk, "second.csv"));
  expect(desk.read("second.csv.results.csv")).toMatch(/held[^]*accepted/);
  const { batch } = JSON.parse(desk.read("first.csv.summary.json")) as { batch: string };
  const said = ["--row", "2", "--as", "not-done", "--by", "asha", "--note", "dashboard"];
  expect((await desk.call("settle", batch, ...said)).code).toBe(0);
  await until("the row that waited", () => server.requests.length === 3);
  await until("its results", () => !/held|not_sent/.test(desk.read("second.csv.results.csv")));
  expect(asked(server)).toEqual(["ACC-A", "ACC-B", "ACC-A"]);
});
