import { existsSync, rmSync } from "node:fs";
import { mkdtemp, readdir, rm, rmdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";

/** The scratch folders that are there now. */
const folders = new Set<string>();

/**
 * Runs work with a private folder that is thrown away afterwards. Throws PaydropError `journal` where it cannot be
 * made, or not be removed. `kept`: see `removeScratchFolder`.
 */
export async function inScratchFolder<T>(
  purpose: string,
  work: (folder: string) => Promise<T>,
  kept?: string,
): Promise<T> {
  const folder = await newScratchFolder(purpose);
  let done: T;
  try {
    done = await work(folder);
  } catch (error) {
    // the error of the work is what counts; one disk may be the reason for both errors
    await removeScratchFolder(folder, kept).catch(() => undefined);
    throw error;
  }
  await removeScratchFolder(folder, kept);
  return done;
}

async function newScratchFolder(purpose: string): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), `paydrop-${purpose}-`));
    folders.add(folder);
    return folder;
  } catch (error) {
    throw new PaydropError(
      "journal",
      `no temporary file can be made in ${tmpdir()}: ${messageOf(error)}`,
      "name a folder that you may write to with TMPDIR, or mend this one; nothing was sent",
      { cause: error },
    );
  }
}

/**
 * The error of work in a scratch folder, in words of its own where the disk is full: nothing was being sent from there.
 */
export async function scratchFailure(error: unknown, folder: string): Promise<unknown> {
  const isOfDisk = error instanceof PaydropError && error.code === "journal";
  if (!saysFull(error) && !(isOfDisk && (await isFull(folder)))) return error;
  // SQLite sorts in another folder where it is told to
  const { SQLITE_TMPDIR: sorting, TMPDIR: own } = process.env;
  const folders = sorting === undefined || sorting === own ? tmpdir() : `${tmpdir()}, or SQLITE_TMPDIR ${sorting}`;
  const hint = "make room there, or name another folder with TMPDIR; nothing was sent";
  return new PaydropError("journal", `the disk of temporary files (${folders}) is full`, hint, { cause: error });
}

/** Whether the error says that the disk was full: what was too much for it may be gone again by now. */
function saysFull(error: unknown): boolean {
  const code = systemCodeOf((error as { cause?: unknown } | undefined)?.cause);
  return code === "ENOSPC" || code === "EDQUOT" || SQLITE_FULL.test(messageOf(error));
}

const SQLITE_FULL = /^(?:the journal failed: )?database or disk is full$/;

async function isFull(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  return found !== undefined && found.bavail * found.bsize <= FULL_BYTES;
}

/** With less than this left a disk is called full: SQLite gives up pages before the last byte. */
const FULL_BYTES = 256 * 1024;

/**
 * Removes a scratch folder. `kept`: a name in it that a person was told of: that stays. Throws PaydropError `journal`
 * where anything else cannot be removed: these are copies of people's files, which nobody would look for there.
 */
async function removeScratchFolder(folder: string, kept?: string): Promise<void> {
  const removed = await Promise.allSettled(
    (await namesIn(folder))
      .filter((name) => name !== kept)
      .map((name) => rm(join(folder, name), { recursive: true, force: true })),
  );
  const left = removed.find((one) => one.status === "rejected");
  if (left) throw notRemoved(folder, left.reason);
  await rmdir(folder).catch(() => undefined);
  folders.delete(folder);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw notRemoved(folder, error);
  }
}

function notRemoved(folder: string, error: unknown): PaydropError {
  return new PaydropError(
    "journal",
    `private copies of files could not be removed from ${folder}: ${messageOf(error)}`,
    "look at the disk of temporary files, and remove that folder",
    { cause: error },
  );
}

/**
 * Removes them at once, for a process that is about to end by a signal: they hold copies of people's files. Again where
 * one is still there: Node stops without a word at a file that goes meanwhile, such as those of a thread that ends.
 */
export function removeScratchFolders(): void {
  for (const folder of folders) {
    for (let tries = 0; tries < TRIES_MAX && existsSync(folder); tries += 1) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

const TRIES_MAX = 100;
