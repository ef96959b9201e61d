import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  accessLike,
  createFile,
  ExchangedFolder,
  inFolderOf,
  makePrivateFolder,
  writeAtomically,
} from "../src/disk.ts";
import { temporaryDirectory } from "./support/state-dir.ts";

test("a file is whole or not there, has the mode that was asked for, and leaves nothing else", async () => {
  const folder = temporaryDirectory();
  const path = join(folder, "a.csv");
  const file = await createFile(path, { mode: 0o604 });
  await file.write("a");
  await file.write(new Uint8Array([98]));
  expect([existsSync(path), await file.finish(), existsSync(path)]).toEqual([
    false,
    "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603",
    false,
  ]);
  expect(await file.publish({ replace: true })).toBe(true);
  await file.discard();
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual([
    "ab",
    0o604,
    ["a.csv"],
  ]);
});

test("what fails on the way leaves the old file and nothing else", async () => {
  const path = join(temporaryDirectory(), "a");
  writeFileSync(path, "old");
  const pieces = (function* () {
    yield "new";
    throw new Error("on the way");
  })();
  await expect(writeAtomically(path, pieces, { replace: true })).rejects.toThrow("on the way");
  expect([readFileSync(path, "utf8"), readdirSync(join(path, ".."))]).toEqual(["old", ["a"]]);
});

test("replace false: what is there stays; of ten at once one is written", async () => {
  const folder = temporaryDirectory();
  const path = join(folder, "a");
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, n) => writeAtomically(path, [`${n}`], { replace: false })),
  );
  expect(all.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(path, "utf8")).toBe(String(all.indexOf(true)));
  expect(readdirSync(folder)).toEqual(["a"]);
});

test("a planted link is replaced, never followed", async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "target"), "kept");
  symlinkSync("target", join(folder, "a"));
  await writeAtomically(join(folder, "a"), ["new"], { replace: true });
  expect([readFileSync(join(folder, "target"), "utf8"), readFileSync(join(folder, "a"), "utf8")]).toEqual([
    "kept",
    "new",
  ]);
});

test("what a killed process left goes with the first write; what another one writes stays", async () => {
  const folder = temporaryDirectory();
  const dead = Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
  const [left, others, strangers] = [
    `.paydrop-${dead}-${"0".repeat(16)}.tmp`,
    `.paydrop-${process.ppid}-${"0".repeat(16)}.tmp`,
    ".x.tmp",
  ];
  for (const name of [left, others, strangers]) writeFileSync(join(folder, name), "");
  await writeAtomically(join(folder, "a"), ["x"], { replace: true });
  expect(readdirSync(folder).sort()).toEqual([others, strangers, "a"].sort());
});

test("owner and mode are those of the input; without it private", { tags: ["root"] }, async () => {
  const folder = temporaryDirectory();
  const path = join(folder, "in");
  writeFileSync(path, "");
  chmodSync(path, 0o640);
  execFileSync("chown", ["1234:4321", path]);
  await writeAtomically(join(folder, "out"), ["x"], { ...(await accessLike(path)), replace: true });
  const { mode, uid, gid } = statSync(join(folder, "out"));
  expect([mode & 0o777, uid, gid]).toEqual([0o640, 1234, 4321]);
  expect(await accessLike(join(folder, "none"))).toEqual({ mode: 0o600 });
  symlinkSync("/dev/null", join(folder, "link"));
  expect(await accessLike(join(folder, "link")), "not that of where it leads").toEqual({ mode: 0o600 });
});

test("a link to a folder → followed where it is ours", { tags: ["root"] }, async () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, "real"));
  writeFileSync(join(folder, "real", "a.csv"), "");
  const link = join(folder, "link");
  symlinkSync(join(folder, "real"), link);
  const isExchanged = (path: string): Promise<boolean> =>
    inFolderOf(path, () => Promise.resolve(false)).catch((error: unknown) => error instanceof ExchangedFolder);
  expect(await isExchanged(join(folder, "real", "none.csv"))).toBe(false);
  expect(await isExchanged(join(link, "a.csv"))).toBe(false);
  expect(await isExchanged(join(link, "none.csv"))).toBe(true);
  lchownSync(link, 61_002, 61_002);
  expect(await isExchanged(join(link, "a.csv")), "another user's").toBe(true);
});

test("a folder is exchanged while something is written there → it goes into the folder of before", async () => {
  const folder = temporaryDirectory();
  const [inbox, others] = [join(folder, "inbox"), join(folder, "others")];
  mkdirSync(inbox);
  mkdirSync(others);
  await inFolderOf(join(inbox, "a.csv"), async (path) => {
    renameSync(inbox, join(folder, "away"));
    symlinkSync(others, inbox);
    await writeAtomically(`${path}.results.csv`, "told", { replace: true });
  });
  expect([readdirSync(others), readdirSync(join(folder, "away"))]).toEqual([[], ["a.csv.results.csv"]]);
});

test("a private folder is made with those above it; where it cannot be, that is thrown", () => {
  const folder = temporaryDirectory();
  makePrivateFolder(join(folder, "a", "b"));
  makePrivateFolder(join(folder, "a", "b"));
  expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
  mkdirSync(join(folder, "c"));
  writeFileSync(join(folder, "file"), "");
  expect(() => makePrivateFolder(join(folder, "file", "x"))).toThrow("ENOTDIR");
  expect(() => makePrivateFolder("/proc/nowhere/x")).toThrow(/ENOENT|EACCES/);
});
