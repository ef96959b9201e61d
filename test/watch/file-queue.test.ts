import { describe, expect, test } from "vitest";
import { FileQueue } from "../../src/drop-folder/file-queue.ts";
import type { ReadyFile, WaitingFile } from "../../src/intake/two-looks.ts";

describe("what waits in a drop folder", () => {
  test("is as old as the oldest file that has not been taken yet", () => {
    const queue = new FileQueue();
    expect(queue.count).toEqual({ files: 0 });
    queue.replace([written(1_000), written(5_000)], []);
    expect(queue.count).toEqual({ files: 2, oldestSince: 1_000 });
    queue.next("any");
    expect(queue.count).toEqual({ files: 1, oldestSince: 5_000 });
    queue.next("any");
    expect(queue.count).toEqual({ files: 0 });
  });

  test("a file that is still being written waits since it was seen, not since it was looked at last", async () => {
    const queue = new FileQueue();
    const seenAt = Date.now() - 60_000;
    queue.replace([], [beingWritten(60_000), beingWritten(10_000)]);
    const { oldestSince } = queue.count;
    expect(Math.abs((oldestSince ?? 0) - seenAt)).toBeLessThan(30_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(queue.count).toEqual({ files: 2, oldestSince });
  });

  test("a large file does not keep small ones waiting, and is not forgotten for them", () => {
    const queue = new FileQueue();
    queue.replace([written(1_000, 600_000), written(2_000)], []);
    expect(queue.next("small")?.identity.mtimeNs).toBe("2000000000");
    expect(queue.next("small")).toBeUndefined();
    expect(queue.count).toEqual({ files: 1, oldestSince: 1_000 });
    expect(queue.next("any")?.identity.mtimeNs).toBe("1000000000");
  });
});

function written(atMs: number, sizeBytes = 100): ReadyFile {
  const mtimeNs = (BigInt(atMs) * 1_000_000n).toString();
  const identity = { dev: "1", ino: String(atMs), sizeBytes: String(sizeBytes), mtimeNs, ctimeNs: mtimeNs };
  return { path: `/inbox/${atMs}.csv`, identity, sha256: "" };
}

function beingWritten(forMs: number): WaitingFile {
  return { path: `/inbox/${forMs}.csv`, why: "being_written", forMs };
}
