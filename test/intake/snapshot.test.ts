import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { takeSnapshot } from "../../src/intake/snapshot.ts";
import { snapshotPath } from "../../src/state-dir.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

function place(text = "a,b\n1,2\n"): { path: string; state: string; folder: string } {
  const folder = temporaryDirectory();
  const path = join(folder, "a.csv");
  writeFileSync(path, text, { mode: 0o640 });
  return { path, folder, state: join(folder, "state") };
}

describe("a snapshot", () => {
  test("is a private copy named by its hash; the input is as it was", async () => {
    const { path, folder, state } = place();
    const before = statSync(path, { bigint: true });
    const snapshot = await takeSnapshot(path, state);
    expect(snapshot).toEqual({
      ...{ path, folder, fileName: "a.csv", sizeBytes: 8, mode: 0o640, sha256: sha256("a,b\n1,2\n") },
      ...{ copy: snapshotPath(state, sha256("a,b\n1,2\n")), identity: `8 ${before.mtimeNs}` },
    });
    expect(readFileSync(snapshot.copy, "utf8")).toBe("a,b\n1,2\n");
    expect([statSync(snapshot.copy).mode & 0o777, statSync(state).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(statSync(path, { bigint: true }).ctimeNs).toBe(before.ctimeNs);
  });

  test("editing the input changes nothing; a damaged copy is replaced", async () => {
    const { path, state } = place();
    const { copy } = await takeSnapshot(path, state);
    writeFileSync(copy, "damaged");
    await takeSnapshot(path, state);
    writeFileSync(path, "other");
    expect(readFileSync(copy, "utf8")).toBe("a,b\n1,2\n");
    expect(readdirSync(join(state, "snapshots"))).toHaveLength(1);
  });

  test("of a file that keeps changing, or is not what was seen, is not taken", async () => {
    const { path, state } = place();
    await expect(takeSnapshot(path, state, sha256("seen"))).rejects.toMatchObject({ code: "stopped" });
    writeFileSync(path, Buffer.alloc(8_000_000, "x"));
    const writing = setInterval(() => writeFileSync(path, "y", { flag: "r+" }), 1);
    onTestFinished(() => clearInterval(writing));
    await expect(takeSnapshot(path, state)).rejects.toMatchObject({ reason: "file_being_written" });
    expect(readdirSync(join(state, "snapshots")).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("of a file that is swapped in a loop is one of the two, never mixed", async () => {
    const { path, folder, state } = place("x".repeat(300_000));
    const other = join(folder, "other");
    const hashes = ["x", "y"].map((letter) => sha256(letter.repeat(300_000)));
    let isX = false;
    const swapping = setInterval(() => {
      writeFileSync(other, (isX ? "x" : "y").repeat(300_000));
      renameSync(other, path);
      isX = !isX;
    }, 1);
    onTestFinished(() => clearInterval(swapping));
    for (let times = 0; times < 20; times += 1) {
      const taken = await takeSnapshot(path, state).catch(
        (error: unknown) => error as { code: string; sha256?: string },
      );
      if (taken.sha256 === undefined) expect(taken).toMatchObject({ code: "stopped" });
      else expect(hashes).toContain(sha256(readFileSync(snapshotPath(state, taken.sha256))));
    }
  });

  test("that cannot be written is an error of the disk, not of the file", async () => {
    const { path, folder } = place();
    writeFileSync(join(folder, "no-folder"), "");
    await expect(takeSnapshot(path, join(folder, "no-folder"))).rejects.toMatchObject({ code: "journal" });
  });
});

describe("what is no readable file is refused at once, as usage", () => {
  test.each<[string, (path: string) => void]>([
    ["a folder", (path) => mkdirSync(path)],
    ["a link", (path) => symlinkSync("/etc/hostname", path)],
    ["a pipe, socket or device", (path) => execFileSync("mkfifo", [path])],
  ])("%s", async (kind, make) => {
    const { folder, state } = place();
    const path = join(folder, "b.csv");
    make(path);
    await expect(takeSnapshot(path, state)).rejects.toMatchObject({ code: "usage", facts: { kind } });
  });

  test("a missing file", async () => {
    const { folder, state } = place();
    await expect(takeSnapshot(join(folder, "b.csv"), state)).rejects.toMatchObject({
      code: "usage",
      reason: "file_missing",
    });
  });

  test("one that may not be read", { tags: ["no-root"] }, async () => {
    const { path, state } = place();
    chmodSync(path, 0);
    await expect(takeSnapshot(path, state)).rejects.toMatchObject({ code: "usage", todo: /the right to read/ });
  });
});
