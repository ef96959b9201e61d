import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, readlink, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AtomicFile, makingFile } from "../../src/results/disk/atomic.ts";
import { Leftovers } from "../../src/results/disk/leftovers.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryDirectory();
});

describe("an atomic file", () => {
  test("does not exist under its name before it is published, and is whole afterwards", async () => {
    const path = join(folder, "payroll.csv.results.csv");
    const file = await AtomicFile.create(path, 0o640);
    const text = "é,1\r\n".repeat(200_000);
    await file.write(text);
    const sha256 = await file.finish();
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.paydrop-[0-9a-f]{24}\.tmp$/)]);
    await file.publish();
    expect(await readdir(folder)).toEqual(["payroll.csv.results.csv"]);
    expect(await readFile(path, "utf8")).toBe(text);
    expect(sha256).toBe(createHash("sha256").update(text).digest("hex"));
  });

  test("has exactly the mode that was asked for, whatever the umask", async () => {
    for (const umask of [0o000, 0o077]) {
      const before = process.umask(umask);
      try {
        const path = join(folder, `mode-${umask}`);
        const file = await AtomicFile.create(path, 0o640);
        await file.finish();
        await file.publish();
        expect((await stat(path)).mode & 0o777).toBe(0o640);
      } finally {
        process.umask(before);
      }
    }
  });

  test("holds its pieces in their order, however fast they come", async () => {
    const path = join(folder, "a");
    const pieces = Array.from({ length: 100 }, (_, index) => `${index} `.repeat(100_000));
    await makingFile(path, 0o600, async (file) => {
      for (const piece of pieces) await file.write(piece);
      await file.finish();
      await file.publish();
    });
    expect((await readFile(path, "utf8")) === pieces.join("")).toBe(true);
  });

  test("leaves nothing behind when the work on it fails", async () => {
    const work = () => Promise.reject(new Error("no such row"));
    await expect(makingFile(join(folder, "a"), 0o600, work)).rejects.toThrow("no such row");
    expect(await readdir(folder)).toEqual([]);
  });

  test("of which bytes are missing never gets its name", async () => {
    const file = await AtomicFile.create(join(folder, "a"), 0o600);
    // as much as is written at once
    await file.write("x".repeat(300_000));
    const [name = ""] = await readdir(folder);
    const unfinished = join(folder, name);
    await expect.poll(async () => (await stat(unfinished)).size).toBe(300_000);
    await truncate(unfinished, 1);
    await expect(file.finish()).rejects.toMatchObject({ code: "results_unwritable" });
    await file.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  test("leaves nothing behind when it is discarded, twice too", async () => {
    const file = await AtomicFile.create(join(folder, "a"), 0o600);
    await file.write("half");
    await file.discard();
    await file.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  test("replaces a planted link instead of following it", async () => {
    const precious = join(folder, "precious");
    await writeFile(precious, "untouched");
    const path = join(folder, "target");
    await symlink(precious, path);
    const file = await AtomicFile.create(path, 0o600);
    await file.write("ours");
    await file.finish();
    await file.publish();
    expect(await readFile(precious, "utf8")).toBe("untouched");
    await expect(readlink(path)).rejects.toThrow();
  });

  test("says in plain words why it cannot be written", async () => {
    await writeFile(join(folder, "file"), "");
    const inAFile = AtomicFile.create(join(folder, "file", "a.csv"), 0o600);
    await expect(inAFile).rejects.toMatchObject({
      code: "results_unwritable",
      message: "a.csv cannot be written: its folder is not a folder",
    });
    const nowhere = AtomicFile.create(join(folder, "gone", "a.csv"), 0o600);
    await expect(nowhere).rejects.toMatchObject({ code: "results_unwritable" });
  });

  test("a folder that took its name meanwhile is not replaced, and no temporary file stays", async () => {
    const path = join(folder, "a");
    const file = await AtomicFile.create(path, 0o600);
    await file.finish();
    await mkdir(path);
    await expect(file.publish()).rejects.toMatchObject({ code: "results_unwritable" });
    await file.discard();
    expect(await readdir(folder)).toEqual(["a"]);
  });
});

test("leftovers of a crash are removed, and nothing else: no link, and not what another file is to become", async () => {
  await AtomicFile.create(join(folder, "a"), 0o600);
  const [left = ""] = await readdir(folder);
  const other = await AtomicFile.create(join(folder, "b"), 0o600);
  await writeFile(join(folder, ".paydrop"), "mark");
  await writeFile(join(folder, ".paydrop-mine.tmp"), "a person's");
  const link = `${left.slice(0, -8)}0000.tmp`;
  await symlink("/etc/hostname", join(folder, link));
  await new Leftovers().remove(folder, ["a", "c"]);
  expect(await readdir(folder)).not.toContain(left);
  expect(await readdir(folder)).toContain(link);
  await other.finish();
  await other.publish();
  expect((await readdir(folder)).sort()).toEqual([".paydrop", link, ".paydrop-mine.tmp", "b"].sort());
});

test("a folder is listed once: leftovers of every file go when it is written, and nothing that came since", async () => {
  const names = async (): Promise<string[]> => (await readdir(folder)).sort();
  for (const of of ["a", "b"]) await AtomicFile.create(join(folder, of), 0o600);
  const left = await names();
  const leftovers = new Leftovers();
  await leftovers.remove(folder, ["a"]);
  expect(await names()).toHaveLength(1);
  // somebody writes the results of b again, without the lock
  const theirs = await AtomicFile.create(join(folder, "b"), 0o600);
  await leftovers.remove(folder, ["b", "c"]);
  expect(await names()).toHaveLength(1);
  expect(left).not.toContain((await names())[0]);
  await leftovers.remove(folder, ["a", "b"]);
  await theirs.finish();
  await theirs.publish();
  expect(await names()).toEqual(["b"]);
});

test("a folder that is not there at first is listed when it is", async () => {
  const leftovers = new Leftovers();
  const later = join(folder, "later");
  await leftovers.remove(later, ["a"]);
  await mkdir(later);
  await AtomicFile.create(join(later, "a"), 0o600);
  await leftovers.remove(later, ["a"]);
  expect(await readdir(later)).toEqual([]);
});
