import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { PaydropError } from "../../src/errors.ts";
import { keepText, removeTemporaries, takeSnapshot, verifySnapshot } from "../../src/intake/snapshot.ts";
import { temporaryFolder } from "../support/files.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";

const CONTENT = "name,amount\nRavi,100.00\n";
const SHA256 = createHash("sha256").update(CONTENT).digest("hex");

function setUp(content: string | Uint8Array = CONTENT): { folder: string; path: string; directory: string } {
  const folder = temporaryFolder();
  const path = join(folder, "payroll.CSV");
  writeFileSync(path, content);
  return { folder, path, directory: join(folder, "state") };
}

async function errorOf(promise: Promise<unknown>): Promise<PaydropError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PaydropError)) throw new Error("no PaydropError", { cause: error });
  return error;
}

/** What every open file of this process has. */
async function fileHandles(path: string): Promise<FileHandle> {
  await using file = await open(path);
  return Object.getPrototypeOf(file) as FileHandle;
}

/** What is done whenever a copy has all its bytes, and nothing more is read of the file; `time` counts from 1. */
async function atEachSync(path: string, act: (time: number) => void): Promise<void> {
  let time = 0;
  vi.spyOn(await fileHandles(path), "sync").mockImplementation(function (this: FileHandle) {
    act((time += 1));
    return this.datasync();
  });
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a snapshot", () => {
  test("is a private copy named by its hash, and the input is as it was", async () => {
    const { path, directory } = setUp();
    const before = statSync(path, { bigint: true });
    const snapshot = await takeSnapshot(path, directory);
    expect(snapshot).toMatchObject({
      path: join(directory, `${SHA256}.csv`),
      sha256: SHA256,
      sizeBytes: CONTENT.length,
    });
    expect(readFileSync(snapshot.path, "utf8")).toBe(CONTENT);
    expect(statSync(snapshot.path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual([`${SHA256}.csv`]);
    const after = statSync(path, { bigint: true });
    expect([after.mtimeNs, after.ctimeNs, after.size]).toEqual([before.mtimeNs, before.ctimeNs, before.size]);
    expect(snapshot.identity).toEqual({
      dev: before.dev.toString(),
      ino: before.ino.toString(),
      sizeBytes: before.size.toString(),
      mtimeNs: before.mtimeNs.toString(),
      ctimeNs: before.ctimeNs.toString(),
    });
  });

  test("of the same bytes under another name is the same snapshot", async () => {
    const { folder, path, directory } = setUp();
    const first = await takeSnapshot(path, directory);
    const inode = statSync(first.path).ino;
    writeFileSync(join(folder, "again.csv"), CONTENT);
    const second = await takeSnapshot(join(folder, "again.csv"), directory);
    expect(second.path).toBe(first.path);
    expect(statSync(second.path).ino).toBe(inode);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  test("that was damaged is replaced by a good one", async () => {
    const { path, directory } = setUp();
    const { path: copy } = await takeSnapshot(path, directory);
    writeFileSync(copy, CONTENT.replace("100", "900"));
    expect(await verifySnapshot(copy, SHA256)).toBe(false);
    await takeSnapshot(path, directory);
    expect(await verifySnapshot(copy, SHA256)).toBe(true);
  });

  test("that is gone does not verify, nor does what lies in its place", async () => {
    const { folder, path } = setUp();
    symlinkSync(path, join(folder, "link.csv"));
    mkdirSync(join(folder, "folder.csv"));
    for (const name of ["gone.csv", "link.csv", "folder.csv"]) {
      expect(await verifySnapshot(join(folder, name), SHA256)).toBe(false);
    }
  });

  test("that cannot be read says nothing of what was sent: rows may be at their end by then", async () => {
    const { folder } = setUp();
    symlinkSync("loop", join(folder, "loop"));
    const error = await errorOf(verifySnapshot(join(folder, "loop", "copy"), SHA256));
    expect(error).toMatchObject({ code: "journal", message: expect.stringContaining("ELOOP") as unknown });
    expect(error.hint).toBe("Look at the disk and the rights of the state directory; nothing more is sent till then.");
  });

  test("of a text of ours is as private, and a damaged one is replaced", async () => {
    const directory = temporaryFolder();
    const kept = await keepText("[mapping]\n", ".toml", directory);
    const path = join(directory, kept.name);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, "[mapped]\n");
    expect(await keepText("[mapping]\n", ".toml", directory)).toEqual(kept);
    expect([readFileSync(path, "utf8"), readdirSync(directory)]).toEqual(["[mapping]\n", [kept.name]]);
  });

  test("of a large file has every byte", async () => {
    const bytes = Buffer.alloc(3_000_001, "0123456789\n");
    const { path, directory } = setUp(bytes);
    const snapshot = await takeSnapshot(path, directory);
    expect(readFileSync(snapshot.path).equals(bytes)).toBe(true);
    expect(snapshot.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  test("is not taken of a file that keeps changing, and leaves nothing behind", async () => {
    const { path, directory } = setUp();
    await atEachSync(path, () => appendFileSync(path, "more\n"));
    const error = await errorOf(takeSnapshot(path, directory));
    expect(error.code).toBe("stopped");
    expect(error.message).toBe("payroll.CSV: the file is still being written");
    expect(readdirSync(directory)).toEqual([]);
  });

  test("is not taken of a file that is overwritten in place with as many bytes", async () => {
    const { path, directory } = setUp();
    const seconds = statSync(path).mtimeMs / 1000;
    // a clock that ticks only now and then would show the same time
    await atEachSync(path, (time) => {
      writeFileSync(path, CONTENT.replace("100", `10${time}`), { flag: "r+" });
      utimesSync(path, seconds, seconds + time);
    });
    expect(await errorOf(takeSnapshot(path, directory))).toMatchObject({ code: "stopped" });
  });

  test.skipIf(process.platform !== "linux")("is not taken of a file that holds more than it says", async () => {
    const error = await errorOf(takeSnapshot("/proc/version", setUp().directory));
    expect(error.code).toBe("stopped");
  });

  test("is taken at the third try of a file that stops changing", async () => {
    const { path, directory } = setUp();
    await atEachSync(path, (time) => {
      if (time <= 2) appendFileSync(path, "more\n");
    });
    const snapshot = await takeSnapshot(path, directory);
    expect(readFileSync(snapshot.path, "utf8")).toBe(`${CONTENT}more\nmore\n`);
  });

  test("is on stable storage before it has its name, and so is its name before anybody knows of it", async () => {
    const { path, directory } = setUp();
    const there: string[][] = [];
    const look = (): string[] => readdirSync(directory).map((name) => (name.endsWith(".tmp") ? "temporary" : name));
    await atEachSync(path, () => there.push(look()));
    await takeSnapshot(path, directory);
    expect(there.splice(0)).toEqual([["temporary"], [`${SHA256}.csv`]]);
    const { name } = await keepText("[mapping]\n", ".toml", directory);
    expect(there.splice(0).map((names) => names.filter((one) => one !== `${SHA256}.csv`))).toEqual([
      ["temporary"],
      [name],
    ]);
  });

  test("is taken on a disk that cannot sync a folder, and not on one that fails to", async () => {
    const { path, directory } = setUp();
    let code = "EINVAL";
    // the copy, then its folder
    await atEachSync(path, (time) => {
      if (time % 2 === 0) throw Object.assign(new Error(`${code}: fsync`), { code });
    });
    for (code of ["EINVAL", "EPERM", "ENOTSUP"]) {
      expect(await takeSnapshot(path, directory)).toMatchObject({ sha256: SHA256 });
      const { name, sha256 } = await keepText(`[${code}]\n`, ".toml", directory);
      expect(await verifySnapshot(join(directory, name), sha256)).toBe(true);
    }
    code = "EIO";
    expect(await errorOf(takeSnapshot(path, directory))).toMatchObject({ code: "journal" });
    expect(await errorOf(keepText("[EIO]\n", ".toml", directory))).toMatchObject({ code: "journal" });
  });

  test("of a file that is swapped in a loop is one of the files, never mixed bytes", async () => {
    const { folder, path, directory } = setUp();
    const contents = ["a", "b"].map((letter) => Buffer.alloc(300_000, letter));
    const hashes = contents.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
    let turn = 0;
    const swap = (): void => {
      writeFileSync(join(folder, "next"), contents[turn % 2] ?? "");
      renameSync(join(folder, "next"), path);
      turn += 1;
    };
    swap();
    const timer = setInterval(swap, 0);
    for (let count = 0; count < 20; count += 1) {
      const result = await takeSnapshot(path, directory).catch((error: unknown) => error);
      if (result instanceof PaydropError) expect(result.message).toMatch(/exchanged|still being written|no such file/);
      else expect(hashes).toContain((result as { sha256: string }).sha256);
    }
    clearInterval(timer);
  });

  test("only our own left-over temporary files are removed", async () => {
    const { directory } = setUp();
    mkdirSync(directory);
    const left = `.snapshot-${"0".repeat(32)}.tmp`;
    for (const name of [left, ".snapshot-mine.tmp", "notes.tmp"]) writeFileSync(join(directory, name), "x");
    await removeTemporaries(directory);
    expect(readdirSync(directory).sort()).toEqual([".snapshot-mine.tmp", "notes.tmp"]);
  });

  test("that cannot be written is an error of the disk, not of the file", async () => {
    const { folder, path } = setUp();
    writeFileSync(join(folder, "file"), "");
    const error = await errorOf(takeSnapshot(path, join(folder, "file", "state")));
    expect(error.code).toBe("journal");
    expect(error.message).toContain("payroll.CSV: the private copy of the file could not be written");
  });
});

describe.skipIf(process.platform !== "linux")("no file stays open", () => {
  /** Under this folder, in this process. */
  function openIn(folder: string): string[] {
    const links = readdirSync("/proc/self/fd").map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        // by which it was listed
        return "";
      }
    });
    return links.filter((link) => link.startsWith(folder));
  }

  test("when snapshots are taken, and when the copy cannot be begun", async () => {
    const { folder, path, directory } = setUp(Buffer.alloc(100_000, "x"));
    for (let times = 0; times < 2; times += 1) await takeSnapshot(path, directory);
    await keepText("[mapping]\n", ".toml", directory);
    await errorOf(takeSnapshot(path, join(path, "state")));
    expect(openIn(folder)).toEqual([]);
  });

  test("when the file was exchanged between two looks at it", async () => {
    const { folder, path, directory } = setUp();
    writeFileSync(join(folder, "other"), CONTENT);
    const other = statSync(join(folder, "other"), { bigint: true });
    vi.spyOn(await fileHandles(path), "stat").mockResolvedValueOnce(other);
    expect((await errorOf(takeSnapshot(path, directory))).message).toContain("exchanged");
    expect(openIn(folder)).toEqual([]);
  });

  test.skipIf(!canMount)("when the disk is full in the middle of a copy, of which nothing is left", async () => {
    const { folder, path } = setUp(Buffer.alloc(1_000_000, "x"));
    const disk = smallDisk(64);
    const errors = [
      await errorOf(takeSnapshot(path, disk)),
      await errorOf(keepText("x".repeat(100_000), ".toml", disk)),
    ];
    for (const error of errors)
      expect([error.code, error.message]).toEqual(["journal", expect.stringContaining("ENOSPC")]);
    expect([openIn(folder), openIn(disk), readdirSync(disk)]).toEqual([[], [], []]);
  });
});

test.skipIf(process.platform !== "linux")(
  "a disk that fails while a file is read is the trouble of that file",
  async () => {
    const { directory } = setUp();
    // a regular file that cannot be read from its beginning
    const error = await errorOf(takeSnapshot("/proc/self/mem", directory));
    expect(error).toMatchObject({
      code: "usage",
      message: expect.stringContaining("mem: the file cannot be read (EIO") as unknown,
    });
    expect(error.hint).toMatch(/disk or network share/);
    expect(readdirSync(directory)).toEqual([]);
  },
);

describe("what is not a regular file is refused at once", () => {
  test("a folder, a link, a named pipe, a socket", async () => {
    const { folder, path, directory } = setUp();
    mkdirSync(join(folder, "inbox"));
    symlinkSync(path, join(folder, "link.csv"));
    execFileSync("mkfifo", [join(folder, "pipe.csv")]);
    const server = createServer().listen(join(folder, "socket.csv"));
    await new Promise((resolve) => server.once("listening", resolve));
    const messages = [];
    for (const name of ["inbox", "link.csv", "pipe.csv", "socket.csv"]) {
      const error = await errorOf(takeSnapshot(join(folder, name), directory));
      expect(error.code).toBe("usage");
      messages.push(error.message);
    }
    server.close();
    expect(messages).toEqual([
      "inbox: this is a folder, not a file",
      "link.csv: this is a link, not a file",
      "pipe.csv: this is a named pipe, not a file",
      "socket.csv: this is a socket, not a file",
    ]);
    expect(existsSync(directory)).toBe(false);
  });

  test.each([
    ["payrol.csv", "payroll.CSV"],
    ["payorll.csv", "payroll.CSV"],
    ["pay roll.json", "payroll.CSV"],
  ])("a missing file is named, with what it may have been meant to be: %s", async (name, meant) => {
    const { folder, directory } = setUp();
    writeFileSync(join(folder, "payroll.pdf"), CONTENT);
    const error = await errorOf(takeSnapshot(join(folder, name), directory));
    expect(error.code).toBe("usage");
    expect(error.message).toBe(`${name}: there is no such file`);
    expect(error.hint).toBe(`Did you mean ${meant}?`);
  });

  test("a missing file that may have been one of many is told three of them", async () => {
    const { folder, directory } = setUp();
    for (const number of [1, 2, 3, 4]) writeFileSync(join(folder, `week${number}.csv`), CONTENT);
    const { hint } = await errorOf(takeSnapshot(join(folder, "week5.csv"), directory));
    expect(hint).toMatch(/^Did you mean week\d\.csv(?: or week\d\.csv){2}\?$/);
  });

  test.each(["March", "salaries", "final.csv"])(
    "the words of a name with blanks are its name without quotes: %s",
    async (word) => {
      const { folder, directory } = setUp();
      writeFileSync(join(folder, "March salaries final.csv"), CONTENT);
      const { hint } = await errorOf(takeSnapshot(join(folder, word), directory));
      expect(hint).toBe("Did you mean 'March salaries final.csv'? A name with blanks stands in quotes.");
    },
  );

  test("a missing file that is like no other, or in a missing folder, has a hint too", async () => {
    const { folder, directory } = setUp();
    for (const name of ["transfers.csv", "no/such/payroll.csv"]) {
      const error = await errorOf(takeSnapshot(join(folder, name), directory));
      expect(error.hint).toBe("Check the name and the folder, then try again.");
    }
  });
});
