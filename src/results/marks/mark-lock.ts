import { lstat, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCodeOf } from "../../errors.ts";
import { tagOf } from "../disk/atomic.ts";
import { onDisk } from "../disk/on-disk.ts";

/** A lock unchanged for longer was left by a process that is gone: whoever holds one needs milliseconds. */
const STALE_MS = 2000;
const LOOK_EVERY_MS = 5;

/**
 * Lets one process at a time replace the mark at `path`, whichever state directory it works with: a look at what stands
 * there and the rename over it are two steps, and between them another may have put its own there and have sent by it
 * (I9). `isInTime`: false once another may have taken the lock for one that was left; then nothing may be replaced.
 */
export async function aloneAt<T>(path: string, work: (isInTime: () => boolean) => Promise<T>): Promise<T> {
  const lock = join(dirname(path), `.paydrop-${tagOf(basename(path))}.lock`);
  await onDisk(path, () => take(lock));
  const sinceMs = performance.now();
  const isInTime = (): boolean => performance.now() - sinceMs < STALE_MS / 2;
  try {
    return await work(isInTime);
  } finally {
    // after that time it may be another's
    if (isInTime()) await rm(lock, { force: true }).catch(() => undefined);
  }
}

async function take(lock: string): Promise<void> {
  let seen: string | undefined;
  let sinceMs = performance.now();
  while (!(await isMade(lock))) {
    const found = await identityAt(lock);
    const isStale = found !== undefined && found === seen && performance.now() - sinceMs >= STALE_MS;
    if (isStale) await rm(lock, { force: true });
    if (found !== seen) sinceMs = performance.now();
    seen = found;
    await sleep(LOOK_EVERY_MS);
  }
}

/** A file, not a folder: whoever may write the mark has the right to make it. */
async function isMade(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (thrown) {
    if (systemCodeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

/** undefined: it is gone. */
async function identityAt(lock: string): Promise<string | undefined> {
  const stats = await lstat(lock, { bigint: true }).catch(() => undefined);
  return stats && `${stats.ino} ${stats.ctimeNs}`;
}
