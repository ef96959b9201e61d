import {
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openInboxDesk, untilAnotherWaits } from "./inbox-desk.ts";
import { answer } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { transferCsv, transfersCsv } from "../support/desk.ts";

const BY = ["--by", "asha", "--reason", "both are meant"] as const;

/** The second row repeats the first one and waits for a person. */
function repeated(account: string): string {
  return `from_account,to_account,amount\nACC-1,${account},100.00\nACC-1,${account},100.00\n`;
}

const batchIn = (text: string): string => /batch (\w{8})/.exec(text)?.[1] ?? "";

test("nothing goes from a held folder, whoever asks for it: only resume lets go what was released meanwhile", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  mkdirSync(desk.path("transfers"));
  writeFileSync(desk.path("transfers/a.csv"), repeated("ACC-A"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(6);
  const batch = batchIn(desk.read("transfers/a.csv.waiting.txt"));
  writeFileSync(desk.path("STOP"), "");
  const elsewhere = desk.path("../elsewhere.csv");
  writeFileSync(elsewhere, transferCsv("ACC-E"));
  expect((await desk.call("run", desk.inbox, elsewhere)).code).toBe(0);
  expect(server.requests).toHaveLength(2);
  expect(
    (await desk.call("run", desk.path("transfers/a.csv"))).code,
    "a row waits for a person, none for the folder",
  ).toBe(6);
  // begun elsewhere, where it may go on
  const late = desk.path("../late.csv");
  writeFileSync(late, transferCsv("ACC-L"));
  server.use(() => answer(401));
  expect((await desk.call("run", late)).code).toBe(7);
  server.use(() => answer(200));
  copyFileSync(late, desk.path("transfers/late.csv"));
  copyFileSync(desk.path("transfers/a.csv"), desk.path("../a.csv"));

  const released = await desk.call("release", batch, "--all", ...BY);
  expect(released.code).toBe(7);
  expect(released.stdout).toContain(`Not yet: ${desk.inbox} is held: a file named STOP was put into the folder\n`);
  expect(released.stdout).toContain(`paydrop resume --inbox ${desk.inbox} --by NAME`);
  for (const asked of [
    ["run", desk.path("transfers/a.csv")],
    ["run", desk.path("../a.csv")],
    ["run", desk.path("transfers/late.csv")],
    ["run", "--inbox", desk.inbox],
    ["run", "--quiet", "--inbox", desk.inbox],
    ["run", "--inbox", desk.path("transfers")],
    ["retry", batch, "--by", "asha"],
  ]) {
    expect([asked, (await desk.call(...asked)).code]).toEqual([asked, 7]);
  }
  expect(server.requests).toHaveLength(3);
  expect((await desk.call("run", late)).code).toBe(0);
  expect(server.requests).toHaveLength(4);
  expect(desk.read("transfers/a.csv.waiting.txt")).toContain("paydrop resume --inbox");

  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code).toBe(0);
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(server.requests).toHaveLength(5);
  expect(existsSync(desk.path("transfers/a.csv.waiting.txt"))).toBe(false);
});

test("rows that were left to the process of a held folder wait too; those of a file elsewhere go", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const elsewhere = desk.path("../elsewhere.csv");
  writeFileSync(desk.path("a.csv"), repeated("ACC-A"));
  writeFileSync(elsewhere, repeated("ACC-E"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(6);
  const ours = batchIn(desk.read("a.csv.waiting.txt"));
  const other = batchIn((await desk.call("run", elsewhere)).stdout);
  expect(server.requests).toHaveLength(2);

  const watcher = desk.watch();
  await until("watching", () => watcher.stderr().includes("watching"));
  writeFileSync(desk.path("STOP"), "");
  await until("the hold", () => watcher.stderr().includes("everything is held"));
  const left = await desk.call("release", ours, "--all", ...BY);
  expect([left.code, left.stdout]).toEqual([7, expect.stringContaining("is held: a file named STOP")]);
  expect((await desk.call("release", other, "--all", ...BY)).stdout).toContain("Another paydrop is working");
  for (const name of ["b", "c"]) {
    await untilAnotherWaits(desk, name);
    rmSync(desk.path(`${name}.csv`));
  }
  watcher.child.kill("SIGTERM");
  await watcher.ended;
  expect(server.requests).toHaveLength(2);

  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  expect(server.requests.map(({ body }) => body.includes("ACC-E"))).toEqual([false, true, true]);
  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code).toBe(0);
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(server.requests).toHaveLength(4);
});

test("a STOP that nobody has seen yet lets nothing go either, whoever asks for it, and holds the folder from then on", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), repeated("ACC-A"));
  writeFileSync(desk.path("STOP"), "");
  const first = await desk.call("run", desk.path("a.csv"));
  expect(first.code, "it never was a drop folder: STOP is any file").toBe(6);
  const batch = batchIn(first.stdout);
  rmSync(desk.path("STOP"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);

  mkdirSync(desk.path("transfers"));
  writeFileSync(desk.path("transfers/STOP"), "");
  writeFileSync(desk.path("b.csv"), transferCsv("ACC-B"));
  for (const asked of [
    ["release", batch, "--all", ...BY],
    ["run", desk.path("b.csv")],
  ]) {
    expect([asked, (await desk.call(...asked)).code]).toEqual([asked, 7]);
  }
  rmSync(desk.path("transfers/STOP"));
  expect((await desk.call("retry", batch, "--by", "asha")).code, "only resume goes on").toBe(7);
  expect(server.requests).toHaveLength(1);

  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code).toBe(0);
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(server.requests).toHaveLength(3);
});

test("a STOP in a sub-folder of whatever case goes with one resume; what it stopped there goes on after a restart", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  mkdirSync(desk.path("Transfers"));
  writeFileSync(desk.path("Transfers/a.csv"), repeated("ACC-A"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(6);
  const batch = batchIn(desk.read("Transfers/a.csv.waiting.txt"));
  writeFileSync(desk.path("Transfers/STOP"), "");
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect((await desk.call("release", batch, "--all", ...BY)).code).toBe(7);
  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code).toBe(0);
  expect(existsSync(desk.path("Transfers/STOP"))).toBe(false);
  // not as a row that was released, but as one of a batch of this folder
  const watcher = desk.watch();
  await until("the row", () => server.requests.length === 2);
  await until("its results", () => !existsSync(desk.path("Transfers/a.csv.waiting.txt")));
  watcher.child.kill("SIGTERM");
  expect((await watcher.ended).code).toBe(0);
});

test("a resume that is said to another state folder lets nothing go, and says so: the STOP stays", async () => {
  const desk = openInboxDesk((await startService()).url);
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  writeFileSync(desk.path("STOP"), "");
  await desk.call("run", "--inbox", desk.inbox);
  const words = ["resume", "--inbox", desk.inbox, "--by", "asha"];
  const elsewhere = await desk.call(...words, "--state-dir", desk.path("../other state"));
  expect(elsewhere).toMatchObject({ code: 74, stdout: "" });
  expect(elsewhere.stderr).toContain(".paydrop was written with another state directory");
  expect(existsSync(desk.path("STOP"))).toBe(true);
  expect((await desk.call(...words)).stdout).toContain(`${desk.inbox} goes on, by asha.`);
});

test("an inbox named by a link is held and goes on, also where what it leads to was away when its process began", async () => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  const mounted = `${desk.inbox}-mounted`;
  rmdirSync(desk.inbox);
  symlinkSync(mounted, desk.inbox);
  const watcher = desk.watch();
  await until("the missing disk", () => watcher.stderr().includes("it is waited for"));
  mkdirSync(mounted);
  writeFileSync(desk.path("STOP"), "");
  await until("the hold", () => watcher.stderr().includes("everything is held"));
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-A"));
  const byItsPath = await desk.call("run", "--quiet", "--inbox", mounted);
  expect(byItsPath.code, "the watcher has the lock").toBe(75);
  expect((await desk.call("status")).stdout.match(/ is held: /g)).toHaveLength(1);
  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code).toBe(0);
  await until("the payment", () => server.requests.length === 1);
  expect((await desk.call("resume", "--inbox", desk.inbox, "--by", "asha")).code, "nothing holds it").toBe(2);
  watcher.child.kill("SIGTERM");
  expect((await watcher.ended).code).toBe(0);
});

test.each(["link", "path"])(
  "what held an inbox is lifted by its %s, also while it is away, and by nothing else",
  async (way) => {
    const server = await startService();
    const desk = openInboxDesk(server.url);
    const mounted = `${desk.inbox}-mounted`;
    const name = way === "link" ? desk.inbox : mounted;
    renameSync(desk.inbox, mounted);
    symlinkSync(mounted, desk.inbox);
    writeFileSync(desk.path("STOP"), "");
    expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
    writeFileSync(desk.path("a.csv"), transferCsv("ACC-A"));
    rmSync(desk.path("STOP"));
    for (const asked of [desk.inbox, mounted, desk.path("a.csv"), join(mounted, "a.csv")])
      expect([asked, (await desk.call("run", asked)).code]).toEqual([asked, 7]);
    renameSync(mounted, `${mounted}-away`);
    expect((await desk.call("resume", "--inbox", name, "--by", "asha")).code).toBe(0);
    renameSync(`${mounted}-away`, mounted);
    expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
    expect(server.requests).toHaveLength(1);
  },
);

test("rows of a held folder that a person settled are told to wait for a resume, not for a run of their file", async () => {
  const server = await startService(() => answer(500));
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  writeFileSync(desk.path("a.csv"), transfersCsv(5));
  const watch = desk.watch();
  await until("the folder is held", () => watch.stderr().includes("everything is held"), { by: watch.ended });
  await until("that is told", () => existsSync(desk.path("a.csv.waiting.txt")));
  watch.child.kill("SIGTERM");
  await watch.ended;
  const batch = batchIn(desk.read("a.csv.waiting.txt"));
  const rows = ["2", "3", "4"].flatMap((row) => ["--row", row]);
  const settled = await desk.call("settle", batch, ...rows, "--as", "done", "--by", "asha", "--note", "seen there");
  expect(settled.code).toBe(0);
  const said = desk.read("a.csv.waiting.txt");
  expect(said).toContain("2 rows not sent yet.");
  expect(said).toContain(`paydrop resume --inbox ${desk.inbox} --by NAME`);
  expect(said).not.toContain("paydrop run, with this file");
});

test("what an earlier process said of a file is not left standing where its batch may not go to the new address", async () => {
  const away = await startService(() => answer(401));
  const there = await startService();
  const desk = openInboxDesk(away.url);
  writeFileSync(desk.path("a.csv"), transferCsv("ACC-A"));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  expect(desk.read("a.csv.waiting.txt")).toContain("did not accept our key");
  expect((await desk.call("run", "--inbox", desk.inbox, "--base-url", there.url)).code).toBe(78);
  const said = desk.read("a.csv.waiting.txt");
  expect(said).toContain(`began with ${away.url}, now it would go to ${there.url}`);
  expect(said).toContain("--accept-destination");
  expect(said).not.toContain("key");
  expect(there.requests).toHaveLength(0);
});
