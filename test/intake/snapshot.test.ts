import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PaydropError } from "../../src/errors.ts";
import { keepText, removeTemporaries, takeSnapshot, verifySnapshot } from "../../src/intake/snapshot.ts";
import { temporaryFolder } from "../support/files.ts";

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

  test("that is gone does not verify", async () => {
    expect(await verifySnapshot(join(temporaryFolder(), "x.csv"), SHA256)).toBe(false);
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
    const { path, directory } = setUp(Buffer.alloc(2_000_000, "x"));
    const timer = setInterval(() => {
      appendFileSync(path, "more\n");
    }, 0);
    const error = await errorOf(takeSnapshot(path, directory)).finally(() => {
      clearInterval(timer);
    });
    expect(error.code).toBe("stopped");
    expect(error.message).toBe("payroll.CSV: the file is still being written");
    expect(readdirSync(directory)).toEqual([]);
  });

  test("is not taken of a file that is overwritten in place with as many bytes", async () => {
    const { path, directory } = setUp(Buffer.alloc(8_000_000, "x"));
    const file = openSync(path, "r+");
    const timer = setInterval(() => {
      writeSync(file, "y".repeat(100), 0);
    }, 0);
    const error = await errorOf(takeSnapshot(path, directory)).finally(() => {
      clearInterval(timer);
      closeSync(file);
    });
    expect(error.code).toBe("stopped");
  });

  test.skipIf(process.platform !== "linux")("is not taken of a file that holds more than it says", async () => {
    const error = await errorOf(takeSnapshot("/proc/version", setUp().directory));
    expect(error.code).toBe("stopped");
  });

  test("is taken at a later try of a file that stops changing", async () => {
    const { path, directory } = setUp(Buffer.alloc(2_000_000, "x"));
    let writes = 0;
    const timer = setInterval(() => {
      writes += 1;
      if (writes <= 2) appendFileSync(path, "more\n");
    }, 0);
    const snapshot = await takeSnapshot(path, directory);
    clearInterval(timer);
    expect(readFileSync(snapshot.path).equals(readFileSync(path))).toBe(true);
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
