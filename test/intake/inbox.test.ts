import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PaydropError } from "../../src/errors.ts";
import { Inbox } from "../../src/intake/inbox.ts";
import type { Sweep } from "../../src/intake/inbox.ts";
import { inboxFolders } from "../../src/intake/inbox-folders.ts";
import { lookAt } from "../../src/intake/look.ts";
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
    isAsWritten: (_path, sha256) => Promise.resolve(written.has(sha256)),
    now: () => nowMs,
  });
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return { folder, inbox, taken, written, pass: (ms) => (nowMs += ms), write };
}

const WIDE = Buffer.from("\ufeffx\n1\n", "utf16le");

function names(files: Sweep["ready"] | Sweep["waiting"]): string[] {
  return files.map(({ path }) => basename(path));
}

test("a journal that fails is no folder that is away: a watch would wait for it for ever", async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "pay.csv"), "x\n1\n");
  mkdirSync(join(folder, "payouts"));
  const failed = new PaydropError("journal", "the journal failed: disk I/O error");
  const standing = (): Promise<never> => Promise.reject(failed);
  const inbox = new Inbox({ folder, settleMs: SETTLE_MS, standing, isAsWritten: () => Promise.resolve(false) });
  await expect(inbox.sweep()).rejects.toBe(failed);
  renameSync(join(folder, "pay.csv"), join(folder, "payouts", "pay.csv"));
  await expect(inbox.sweep()).rejects.toBe(failed);
});

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
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [{ forMs: SETTLE_MS }] });
  pass(SETTLE_MS - 1);
  expect((await inbox.sweep()).nextLookMs).toBe(1);
  pass(1);
  const { ready, nextLookMs } = await inbox.sweep();
  expect(names(ready)).toEqual(["a.csv"]);
  expect(nextLookMs, "it is not looked into while it waits for its turn").toBeUndefined();
  appendFileSync(path, "3\n");
  expect((await inbox.sweep()).ready).toEqual([]);
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
  const empty = ["empty.csv", "empty.json", "empty.xlsx"];
  for (const name of empty) write(name, "");
  write("mac.csv", "x\r1\r");
  write("whole.json", '[{"x":"1"}]');
  write("wide.csv", WIDE);
  write("wide-big.csv", Buffer.from(WIDE).swap16());
  const whole = ["mac.csv", "whole.json", "wide-big.csv", "wide.csv"];
  expect((await inbox.sweep()).nextLookMs).toBe(SETTLE_MS);
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready).sort()).toEqual(whole);
  pass(SETTLE_MS * 2);
  expect(names((await inbox.sweep()).ready).sort()).toEqual(["cut.csv", ...empty, ...whole]);
});

test.each([
  ["nothing else", Buffer.alloc(4)],
  ["NUL bytes before its end", Buffer.concat([Buffer.alloc(300_000), Buffer.from("x\n1\n".repeat(100_000))])],
  ["NUL characters between wide ones", Buffer.concat([WIDE, Buffer.alloc(10), WIDE])],
])("a copy whose size was set before its content came is never ready while it holds %s", async (_, content) => {
  const { inbox, write, pass } = openInbox();
  const path = write("a.csv", content);
  await inbox.sweep();
  for (let times = 0; times < 5; times += 1) {
    pass(SETTLE_MS * 3);
    expect(await inbox.sweep()).toMatchObject({ waiting: [{ path, why: "zeros" }], nextLookMs: SETTLE_MS * 3 });
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
  write("packed.csv", gzipSync(randomBytes(300_000)));
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
  // its directory lies across two of the pieces that it is read in
  write(
    "whole.xlsx",
    Buffer.concat([Buffer.alloc(256 * 1024 - 20, 1), Buffer.from("PK\u0005\u0006"), Buffer.alloc(18)]),
  );
  expect(await waiting()).toEqual(["payroll.xlsx being_written", "sized.xlsx zeros", "whole.xlsx being_written"]);
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["payroll.xlsx", "whole.xlsx"]);
});

test("a table waits while LibreOffice has it open: what is saved so far may be half of it", async () => {
  const { inbox, folder, write, pass } = openInbox();
  write("a.csv.retry.csv", "x\n1\n");
  await inbox.sweep();
  const lock = (): string => write(".~lock.a.csv.retry.csv#", ",asha,desk,22.11.2026 10:00,file:///x;");
  lock();
  const sweep = await inbox.sweep();
  expect(sweep.waiting).toMatchObject([{ why: "open", forMs: 0 }]);
  expect(sweep.nextLookMs, "nothing is looked into before it is closed").toBeUndefined();
  pass(10 * SETTLE_MS);
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [{ why: "open", forMs: 10 * SETTLE_MS }] });
  unlinkSync(join(folder, ".~lock.a.csv.retry.csv#"));
  await inbox.sweep();
  lock();
  expect((await inbox.sweep()).waiting).toMatchObject([{ why: "open", forMs: 0 }]);
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
  rmdirSync(join(folder, "c.csv"));
  await inbox.sweep();
  mkdirSync(join(folder, "c.csv"));
  expect((await inbox.sweep()).oddities, "what is gone may come back as something else").toHaveLength(1);
});

test("a file and a folder that may not be read keep no other file waiting; readable again, they are taken", async () => {
  const { inbox, folder, write, pass } = openInbox();
  const closed = [write("closed.csv", "x\n1\n"), join(folder, "payouts")];
  mkdirSync(join(folder, "payouts"));
  write("payouts/p.csv", "x\n1\n");
  write("good.csv", "x\n1\n");
  chmodSync(folder, 0o755);
  await asAnybody(() => inbox.sweep());
  for (const path of closed) chmodSync(path, 0);
  pass(SETTLE_MS);
  const { oddities, ready, waiting, nextLookMs } = await asAnybody(() => inbox.sweep());
  expect(names(ready)).toEqual(["good.csv"]);
  expect(waiting).toMatchObject([{ path: closed[0], why: "unreadable", forMs: 0 }]);
  expect(nextLookMs, "it is not looked at all the time").toBeUndefined();
  expect(oddities.map(({ path, why }) => `${basename(path)} ${why}`).sort()).toEqual([
    "closed.csv may not be read",
    "payouts the folder may not be read",
  ]);
  expect((await asAnybody(() => inbox.sweep())).oddities).toEqual([]);
  for (const path of closed) chmodSync(path, 0o755);
  await asAnybody(() => inbox.sweep());
  pass(SETTLE_MS);
  expect(names((await asAnybody(() => inbox.sweep())).ready).sort()).toEqual(["closed.csv", "good.csv", "p.csv"]);
  chmodSync(join(folder, "closed.csv"), 0);
  expect((await asAnybody(() => inbox.sweep())).waiting, "it waits anew").toMatchObject([{ forMs: 0 }]);
});

/** As somebody whom rights bind: root may read everything. */
async function asAnybody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test.skipIf(process.platform !== "linux")("a file that the disk cannot read is one that may not be read", async () => {
  expect(await lookAt("/proc/self/mem", "csv")).toBe("unreadable");
});

test("what a file is called does not say that it is gone", async () => {
  const { folder } = openInbox();
  for (const name of ["no such file.csv", "exchanged just now.csv"]) {
    mkdirSync(join(folder, name));
    expect(await lookAt(join(folder, name), "csv")).toBe("unreadable");
  }
  expect(await lookAt(join(folder, "nothing.csv"), "csv")).toBe("gone");
});

test("a file that is taken away while it is looked at was never there", async () => {
  const folder = temporaryDirectory();
  const standing = (path: string): Promise<"new"> => {
    unlinkSync(path);
    return Promise.resolve("new");
  };
  const inbox = new Inbox({ folder, settleMs: SETTLE_MS, standing, isAsWritten: () => Promise.resolve(false) });
  writeFileSync(join(folder, "a.csv"), "x\n1\n");
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [], oddities: [] });
});

test("the folders of an inbox are those of the operations, there or not yet, each as it is written", async () => {
  const folder = temporaryDirectory();
  for (const name of ["Payouts", "archive"]) mkdirSync(join(folder, name));
  const names = ["Payouts", "transfers", "loans", "collections"].map((name) => join(folder, name));
  const [inbox, ...found] = await inboxFolders(folder);
  expect([inbox, found.sort()]).toEqual([folder, names.sort()]);
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
  const second = await inbox.sweep();
  expect(names(second.ready).sort()).toEqual(["Loans.csv", "payouts.csv"]);
  expect(oddities).toMatchObject([{ why: "is a link, not a folder" }]);
  expect(second.oddities).toEqual([]);
});

test("an untouched retry file is ours, a corrected one is input", async () => {
  const { inbox, written, write, pass } = openInbox();
  const path = write("a.csv.retry.csv", "x\n1\n");
  // it is there before it is noted
  await inbox.sweep();
  written.add(createHash("sha256").update("x\n1\n").digest("hex"));
  pass(SETTLE_MS);
  const second = await inbox.sweep();
  expect(second).toMatchObject({ ready: [], waiting: [] });
  expect(second.nextLookMs, "nothing is waited for").toBeUndefined();
  write("b.csv.retry.csv", "x\n1\n");
  expect((await inbox.sweep()).waiting, "a run that ends now must not tell that it is being written").toEqual([]);
  writeFileSync(path, "x\n2\n");
  await inbox.sweep();
  pass(SETTLE_MS);
  expect(names((await inbox.sweep()).ready)).toEqual(["a.csv.retry.csv"]);
});

test("the journal is asked once of a file that is done, and at each look of one that was refused", async () => {
  const folder = temporaryDirectory();
  const standings = { "a.csv": "taken", "b.csv": "refused", "b.csv.retry.csv": "new" } as const;
  const asked: string[] = [];
  let nowMs = 0;
  const inbox = new Inbox({
    ...{ folder, settleMs: SETTLE_MS, now: () => nowMs },
    standing: (path) => {
      asked.push(basename(path));
      return Promise.resolve(standings[basename(path) as keyof typeof standings]);
    },
    isAsWritten: () => {
      asked.push("who wrote it");
      return Promise.resolve(true);
    },
  });
  for (const name of Object.keys(standings)) writeFileSync(join(folder, name), "x\n1\n");
  for (; nowMs < 4 * SETTLE_MS; nowMs += SETTLE_MS) await inbox.sweep();
  expect(asked.sort()).toEqual(["a.csv", "b.csv", "b.csv", "b.csv", "b.csv", "b.csv.retry.csv", "who wrote it"]);
});

const MOVED = 1_700_000_000;

test.each<[string, (path: string) => void]>([
  ["as Excel saves: temporary, delete, rename", (path) => renameSync(written(`${path}.tmp`, "x\n9\n"), path)],
  ["written over by as many bytes", (path) => void written(path, "x\n9\n")],
  ["another one with its size and time", (path) => renameSync(written(`${path}.tmp`, "x\n9\n", MOVED), path)],
  ["a longer one under its time", (path) => void written(path, "x\n1\n2\n", MOVED)],
])("what was taken is passed over until it is another file: %s", async (_, change) => {
  const { inbox, taken, write, pass } = openInbox();
  const path = written(write("a.csv", ""), "x\n1\n", MOVED);
  await inbox.sweep();
  pass(SETTLE_MS);
  const [ready] = (await inbox.sweep()).ready;
  if (!ready) throw new Error("not ready");
  taken.add(`${path} ${identityText(ready.identity)}`);
  inbox.forget(path);
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [] });
  // rights are no content
  chmodSync(path, 0o600);
  expect(await inbox.sweep()).toMatchObject({ ready: [], waiting: [] });
  change(path);
  expect(names((await inbox.sweep()).waiting)).toEqual(["a.csv"]);
});

function written(path: string, content: string, seconds = Date.now() / 1000): string {
  writeFileSync(path, content);
  utimesSync(path, seconds, seconds);
  return path;
}

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

test("a sub-folder that is nearly one of an operation, or a month, is pointed out once it holds a file", async () => {
  const { inbox, folder, write } = openInbox();
  for (const name of ["transfer", "November", "2026-11", "done", "archive", "Payuots"]) mkdirSync(join(folder, name));
  write("loan", "no folder");
  write("done/old.csv", "x\n1\n");
  expect((await inbox.sweep()).oddities).toEqual([]);
  for (const name of ["transfer", "November", "2026-11", "Payuots"]) write(`${name}/a.csv`, "x\n1\n");
  const { oddities } = await inbox.sweep();
  expect(oddities.map(({ path }) => basename(path)).sort()).toEqual(["2026-11", "November", "Payuots", "transfer"]);
  expect(oddities[0]).toEqual({
    path: oddities[0]?.path,
    why: expect.stringContaining("payouts, transfers, loans, collections") as string,
  });
  expect((await inbox.sweep()).oddities).toEqual([]);
});

test("a folder that may be listed and not entered is told as one that may not be read", async () => {
  const { inbox, folder, write } = openInbox();
  mkdirSync(join(folder, "payouts"));
  write("payouts/p.csv", "x\n1\n");
  write("a.csv", "x\n1\n");
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "payouts"), 0o644);
  const { oddities, waiting } = await asAnybody(() => inbox.sweep());
  expect(oddities.map(({ path, why }) => `${basename(path)} ${why}`)).toEqual(["payouts the folder may not be read"]);
  expect(waiting).toHaveLength(1);
  chmodSync(folder, 0o644);
  expect(await asAnybody(() => inbox.sweep())).toMatchObject({ away: "the folder may not be read", waiting: [] });
});
