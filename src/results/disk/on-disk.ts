/** Work on the disk that must last, and what the disk refuses, in words for a person. */
import { rename, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { messageOf, PaydropError, systemCodeOf } from "../../errors.ts";
import { printable } from "../../text/printable.ts";
import { syncFolder } from "../../disk/sync-folder.ts";

/** Runs a piece of work on the disk; what the disk refuses becomes a sentence. */
export async function onDisk<T>(path: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PaydropError) throw thrown;
    throw new PaydropError(
      "results_unwritable",
      `${printable(basename(path))} cannot be written: ${WHY[systemCodeOf(thrown) ?? ""] ?? printable(messageOf(thrown))}`,
      "make room on the disk and let paydrop write there, then write the results again with paydrop results",
      { cause: thrown },
    );
  }
}

/** What a disk refused, with another hint: only the caller knows by which command the file is written again. */
export function withHint(thrown: unknown, hint: string): unknown {
  if (!isUnwritable(thrown) || thrown.cause === undefined) return thrown;
  return new PaydropError(thrown.code, thrown.message, hint, { cause: thrown.cause });
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: "paydrop has no right to write in this folder",
  EPERM: "paydrop has no right to write in this folder",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EBUSY: "another program has the file open",
  ETXTBSY: "another program has the file open",
  EISDIR: "a folder has that name",
  ENOTDIR: "its folder is not a folder",
  ENOENT: "its folder is not there any more",
  ENAMETOOLONG: "the name would be too long for this disk",
};

/** Whether what `onDisk` threw may pass by itself, without anything being moved away or renamed. */
export function mayPass({ cause }: PaydropError): boolean {
  return ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EBUSY", "ETXTBSY", "EIO", "ESTALE"].includes(
    systemCodeOf(cause) ?? "",
  );
}

/** Whether a file cannot be written where it should lie; another place may take it. */
export function isUnwritable(thrown: unknown): thrown is PaydropError {
  return thrown instanceof PaydropError && thrown.code === "results_unwritable";
}

/**
 * Whether `onDisk` threw because a file that was there just now is gone, though its folder is there. Another process
 * writes the same file, put it aside first, or took ours for something that a crash had left.
 */
export async function wasTakenAway(folder: string, { cause }: PaydropError): Promise<boolean> {
  if (systemCodeOf(cause) !== "ENOENT") return false;
  return stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Renames so that the new name outlives a crash. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await onDisk(to, async () => {
    await rename(from, to);
    await syncFolder(dirname(to));
  });
}
