import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Inbox } from "../../src/intake/inbox.ts";
import type { Sweep } from "../../src/intake/inbox.ts";
import { identityText } from "../../src/intake/source-file.ts";
import { workbookOf } from "../../src/workbook/write.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const SETTLE_MS = 5000;

/** An inbox with a clock that a test moves; `taken` holds what is done. */
function openInbox(folder = temporaryDirectory()): {
  folder: string;
  inbox: Inbox;
  taken: Set<string>;
  written: Set<string>;
  pass: (ms: number) => void;
  write: (name: string, content: string | Uint8Array) => string;
} {
  let nowMs = 1000;
  const taken = new Set<string>();
  const written = new Set<string>();
  const inbox = new Inbox({
    folder,
    settleMs: SETTLE_MS,
    standing: (path, identity) => Promise.resolve(taken.has(`${path} ${identityText(identity)}`) ? "taken" : "new"),
    wrote: (sha256) => Promise.resolve(written.has(sha256)),
    now: () => nowMs,
  });
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return { folder, inbox, taken, written, pass: (ms) => (nowMs += ms), write };
}

function names(files: Sweep["ready"] | Sweep["waiting"]): string[] {
  return files.map(({ path }) => basename(path));
}

test("a file that lies there at the start waits for its second look like any other", async () => {
  const { inbox, write, pass } = openInbox();
  write("a.csv", "x\n1\n");
  expect(names((await inbox.sweep()).waiting)).toEqual(["a.csv"]);
  pass(SETTLE_MS - 1);
  expect((await inbox.sweep()).ready).toEqual([]);
  pass(1);
  expect(names((await inbox.sweep()).ready)).toEqual(["a.csv"]);
});

test("each change starts the wait anew, and the sweep says when it is over", async () => {
  const { inbox, write, pass } = openInbox();
  const path = write("a.csv", "x\n1\n");
  expect((await inbox.sweep()).nextLookMs).toBe(SETTLE_MS);
  pass(SETTLE_MS);
  appendFileSync(path, "2\n");
  expect((await inbox.sweep()).ready).toEqual([]);
  pass(SETTLE_MS - 1);
  expect((await inbox.sweep()).nextLookMs).toBe(1);
  pass(1);
  expect(names((await inbox.sweep()).ready)).toEqual(["a.csv"]);
});

test("a file that is saved again with the same bytes waits anew", async () => {
  const { inbox, write, pass } = openInbox();
  const path = write("a.csv", "x\n1\n");
  await inbox.sweep();
  pass(SETTLE_MS);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  expect((await inbox.sweep()).ready).toEqual([]);
});

test("other bytes of the same size under the same times are a change", async () => {
  const { inbox, write, pass } = openInbox();
  const path = write("a.csv", "x\n1\n");
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const before = (await inbox.sweep()).waiting;
  pass(SETTLE_MS);
  writeFileSync(path, "x\n2\n");
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  expect(names(before)).toEqual(["a.csv"]);
  expect((await inbox.sweep()).ready).toEqual([]);
});

test("without its last line end a table waits three times as long, and so does an empty file", async () => {
  const { inbox, write, pass } = openInbox();
  write("cut.csv", "x\n1");
  write("empty.csv", "");
  write("whole.json", '[{"x":"1"}]');
  write("wide.csv", Buffer.from("\ufeffx\n1\n", "utf16le"));
  await inbox.sweep();
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready).sort()).toEqual(["whole.json", "wide.csv"]);
  pass(SETTLE_MS * 2);
  expect(names((await inbox.sweep()).ready).sort()).toEqual(["cut.csv", "empty.csv", "whole.json", "wide.csv"]);
});

test("a copy whose size was set before its content came is never ready while it holds NUL bytes", async () => {
  const { inbox, write, pass } = openInbox();
  const path = write("a.csv", Buffer.alloc(4));
  await inbox.sweep();
  for (let times = 0; times < 5; times += 1) {
    pass(SETTLE_MS * 3);
    expect((await inbox.sweep()).waiting).toMatchObject([{ path, why: "zeros" }]);
  }
  writeFileSync(path, "x\n1\n");
  await inbox.sweep();
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["a.csv"]);
});

test("a workbook or a packed file under the name of a table is no copy to wait for: it is taken, to be refused in words", async () => {
  const { inbox, write, pass } = openInbox();
  write("new.csv", workbookOf([{ name: "a", header: ["x"], rows: [["1"]] }]));
  write("old.csv", Buffer.from("d0cf11e0a1b11ae10000000000000000", "hex"));
  write("packed.csv", gzipSync("x\n1\n"));
  await inbox.sweep();
  pass(SETTLE_MS * 3);
  expect(names((await inbox.sweep()).ready).sort()).toEqual(["new.csv", "old.csv", "packed.csv"]);
});

test("a workbook waits while a spreadsheet program has it open, and until its directory is written", async () => {
  const { inbox, folder, write, pass } = openInbox();
  const whole = workbookOf([{ name: "a", header: ["x"], rows: [["1"]] }]);
  const waiting = async (): Promise<string[]> =>
    (await inbox.sweep()).waiting.map(({ path, why }) => `${basename(path)} ${why}`);
  write("payroll.xlsx", whole);
  write("~$payroll.xlsx", "Asha");
  // what Excel writes while it saves
  write("8F2A1B00", whole.subarray(0, 200));
  write("~WRL0001.tmp", "x");
  expect(await waiting()).toEqual(["payroll.xlsx open"]);
  pass(10 * SETTLE_MS);
  expect(await waiting()).toEqual(["payroll.xlsx open"]);
  unlinkSync(join(folder, "~$payroll.xlsx"));
  renameSync(join(folder, "8F2A1B00"), join(folder, "payroll.xlsx"));
  expect(await waiting()).toEqual(["payroll.xlsx being_written"]);
  pass(SETTLE_MS);
  expect((await inbox.sweep()).ready).toEqual([]);
  write("payroll.xlsx", whole);
  write("sized.xlsx", Buffer.alloc(5000));
  expect(await waiting()).toEqual(["payroll.xlsx being_written", "sized.xlsx zeros"]);
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["payroll.xlsx"]);
});

test("a table waits while LibreOffice has it open: what is saved so far may be half of it", async () => {
  const { inbox, folder, write, pass } = openInbox();
  write("a.csv.retry.csv", "x\n1\n");
  write(".~lock.a.csv.retry.csv#", ",asha,desk,22.11.2026 10:00,file:///x;");
  expect((await inbox.sweep()).waiting).toMatchObject([{ why: "open" }]);
  pass(10 * SETTLE_MS);
  expect((await inbox.sweep()).ready).toEqual([]);
  unlinkSync(join(folder, ".~lock.a.csv.retry.csv#"));
  await inbox.sweep();
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["a.csv.retry.csv"]);
});

test("nothing but regular files with the name of an input file is opened, and each oddity is told once", async () => {
  const { inbox, folder, write, pass } = openInbox();
  write("good.csv", "x\n1\n");
  execFileSync("mkfifo", [join(folder, "pipe.csv")]);
  symlinkSync("/etc/passwd", join(folder, "link.csv"));
  mkdirSync(join(folder, "c.csv"));
  write("payroll.ods", "PK");
  write("payroll.zip", "PK");
  for (const name of [".hidden.csv", "~$a.csv", "a.csv.part", "a.csv.results.csv", "a.csv.refused.txt", "x.tmp"]) {
    write(name, "x\n1\n");
  }
  const first = await inbox.sweep();
  expect(first.oddities.map(({ path, why }) => `${basename(path)} ${why}`).sort()).toEqual([
    "c.csv is a folder, not a file",
    "link.csv is a link, not a file",
    "payroll.ods is a workbook of a kind that paydrop does not read",
    "payroll.zip is a packed file, which paydrop does not open",
    "pipe.csv is a named pipe, not a file",
  ]);
  pass(SETTLE_MS);
  const second = await inbox.sweep();
  expect(second.oddities).toEqual([]);
  expect(names(second.ready)).toEqual(["good.csv"]);
});

test("sub-folders named after operations are swept, others and links to folders are not", async () => {
  const { inbox, folder, pass } = openInbox();
  const elsewhere = temporaryDirectory();
  writeFileSync(join(elsewhere, "secret.csv"), "x\n1\n");
  for (const name of ["payouts", "archive", "Loans"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, `${name}.csv`), "x\n1\n");
  }
  mkdirSync(join(folder, "payouts", "loans"));
  writeFileSync(join(folder, "payouts", "loans", "deep.csv"), "x\n1\n");
  symlinkSync(elsewhere, join(folder, "transfers"));
  const { oddities } = await inbox.sweep();
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready).sort()).toEqual(["Loans.csv", "payouts.csv"]);
  expect(oddities).toMatchObject([{ why: "is a link, not a folder" }]);
});

test("an untouched retry file is ours, a corrected one is input", async () => {
  const { inbox, written, write, pass } = openInbox();
  const path = write("a.csv.retry.csv", "x\n1\n");
  await inbox.sweep();
  pass(SETTLE_MS);
  const [ready] = (await inbox.sweep()).ready;
  written.add(ready?.sha256 ?? "");
  inbox.forget(path);
  // known at once: a run that ends now must not tell that it is still being written
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [] });
  pass(SETTLE_MS);
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [] });
  writeFileSync(path, "x\n2\n");
  await inbox.sweep();
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["a.csv.retry.csv"]);
});

test("what was taken is passed over until it is another file", async () => {
  const { inbox, folder, taken, write, pass } = openInbox();
  const path = write("a.csv", "x\n1\n");
  await inbox.sweep();
  pass(SETTLE_MS);
  const [ready] = (await inbox.sweep()).ready;
  if (!ready) throw new Error("not ready");
  taken.add(`${path} ${identityText(ready.identity)}`);
  inbox.forget(path);
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [] });
  // as Excel saves: temporary, delete, rename
  write("A1B2C3.tmp", "x\n9\n");
  unlinkSync(path);
  renameSync(join(folder, "A1B2C3.tmp"), path);
  expect(names((await inbox.sweep()).waiting)).toEqual(["a.csv"]);
});

test("files come in the order of their age", async () => {
  const { inbox, write, pass } = openInbox();
  for (const [index, name] of ["c.csv", "a.csv", "b.csv"].entries()) {
    utimesSync(write(name, `x\n${index}\n`), 1_700_000_000 + index, 1_700_000_000 + index);
  }
  await inbox.sweep();
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["c.csv", "a.csv", "b.csv"]);
});

test("a folder that is gone says so, and what comes back with it waits again", async () => {
  const { inbox, folder, write, pass } = openInbox();
  write("a.csv", "x\n1\n");
  await inbox.sweep();
  renameSync(folder, `${folder}-away`);
  expect((await inbox.sweep()).away).toBe("the folder is not there");
  renameSync(`${folder}-away`, folder);
  pass(SETTLE_MS);
  expect((await inbox.sweep()).ready).toEqual([]);
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["a.csv"]);
  rmSync(folder, { recursive: true });
});

test.each(["STOP", "stop", "Stop.txt"])("%s asks to stop and is never input", async (name) => {
  const { inbox, write, pass } = openInbox();
  write(name, "x\n1\n");
  write("STOP - held 14.02, 3 of 10 sent.txt", "x\n1\n");
  expect((await inbox.sweep()).stops.map((path) => basename(path))).toEqual([name]);
  pass(SETTLE_MS * 3);
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [] });
});
