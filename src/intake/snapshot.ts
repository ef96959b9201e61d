import { createHash, randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { open, readdir, rename, unlink, type FileHandle } from "node:fs/promises";
import { extname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { makeFolder } from "../disk/make-folder.ts";
import { openCopy } from "../disk/private-copy.ts";
import { syncFolder } from "../disk/sync-folder.ts";
import { displayName } from "./missing.ts";
import { eachPiece, identityOf, isUnchanged, openRegular, reading, type FileIdentity } from "./source-file.ts";

/** An immutable copy of an input file: what is parsed, hashed, checked and sent (I7). */
export interface Snapshot {
  readonly path: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** The identity of the input file when it was copied. */
  readonly identity: FileIdentity;
}

/** A file in the private folder of the snapshots. */
export interface KeptFile {
  readonly name: string;
  readonly sha256: string;
}

const TRIES_MAX = 3;
const PAUSE_MS = 100;
const TEMPORARY = /^\.snapshot-[0-9a-f]{32}\.tmp$/;
const COPY_BYTES = 256 * 1024;
const LOOK_AT_DISK = "Look at the disk and the rights of the state directory;";

/**
 * Copies the file at `path` into the private folder `directory` while hashing it, and names the copy by its hash. The
 * input is only read. Throws PaydropError: `usage` for what is not a readable regular file, `stopped` for a file that
 * keeps changing, `journal` when the copy cannot be written.
 */
export async function takeSnapshot(path: string, directory: string): Promise<Snapshot> {
  const source = await openRegular(path);
  try {
    await writing(path, () => makeFolder(directory));
    for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
      const snapshot = await copyOnce(source, path, directory);
      if (snapshot) return snapshot;
      await setTimeout(PAUSE_MS * attempt);
    }
  } finally {
    await source.close();
  }
  throw new PaydropError(
    "stopped",
    `${displayName(path)}: the file is still being written`,
    "Wait until it has been saved or copied completely, then try again; nothing was sent.",
  );
}

/** Keeps a text of ours as a snapshot is kept: named by its own hash, on stable storage. */
export async function keepText(text: string, extension: string, directory: string): Promise<KeptFile> {
  const sha256 = createHash("sha256").update(text).digest("hex");
  const name = `${sha256}${extension}`;
  const target = join(directory, name);
  if (await verifySnapshot(target, sha256)) return { name, sha256 };
  await withTemporary(name, directory, (copy, temporary) =>
    writing(name, async () => {
      await copy.writeFile(text);
      await copy.sync();
      await rename(temporary, target);
      await syncFolder(directory);
    }),
  );
  return { name, sha256 };
}

/**
 * Whether the snapshot still holds the bytes that it is named for; false when it is gone, or a link or a folder lies in
 * its place. Throws PaydropError `journal` when it is there and cannot be read.
 */
export async function verifySnapshot(path: string, sha256: string): Promise<boolean> {
  try {
    const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
    return isFile && (await hashOf(path)) === sha256;
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return false;
    const message = `the private copy of a file cannot be read (${messageOf(error)})`;
    // no "nothing was sent" here: all rows may have gone, and only results are to be written
    throw new PaydropError("journal", message, `${LOOK_AT_DISK} nothing more is sent till then.`, { cause: error });
  }
}

async function hashOf(path: string): Promise<string> {
  const copy = await openCopy(path);
  try {
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, copy.sizeBytes));
    for (let bytesRead; (bytesRead = await copy.read(buffer, 0, buffer.length)) > 0;) {
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest("hex");
  } finally {
    await copy.close();
  }
}

/** Removes what a crash left behind. Only for the process that has the state directory to itself. */
export async function removeTemporaries(directory: string): Promise<void> {
  for (const name of await readdir(directory)) if (TEMPORARY.test(name)) await unlink(join(directory, name));
}

/** undefined when the file changed while it was copied. */
function copyOnce(source: FileHandle, path: string, directory: string): Promise<Snapshot | undefined> {
  return withTemporary(path, directory, async (copy, temporary) => {
    const identify = (): Promise<FileIdentity> =>
      reading(path, async () => identityOf(await source.stat({ bigint: true })));
    const before = await identify();
    const hash = createHash("sha256");
    let sizeBytes = 0;
    const take = async (piece: Buffer): Promise<void> => {
      hash.update(piece);
      sizeBytes += piece.length;
      await writing(path, () => copy.writeFile(piece));
    };
    await reading(path, () => eachPiece(source, before, take));
    await writing(path, () => copy.sync());
    const identity = await identify();
    if (!isUnchanged(before, identity) || identity.sizeBytes !== sizeBytes.toString()) return undefined;

    const sha256 = hash.digest("hex");
    const target = join(directory, `${sha256}${extensionOf(path)}`);
    if (!(await verifySnapshot(target, sha256))) {
      await writing(path, () => rename(temporary, target));
    }
    await writing(path, () => syncFolder(directory));
    return { path: target, sha256, sizeBytes, identity };
  });
}

/** Works on a new file in the folder, which is removed afterwards unless it got another name. `name`: for messages. */
async function withTemporary<T>(
  name: string,
  directory: string,
  work: (copy: FileHandle, temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = join(directory, `.snapshot-${randomBytes(16).toString("hex")}.tmp`);
  const copy = await writing(name, () => open(temporary, "wx", 0o600));
  try {
    return await work(copy, temporary);
  } finally {
    await copy.close();
    await unlink(temporary).catch((error: unknown) => {
      if (systemCodeOf(error) !== "ENOENT") throw error;
    });
  }
}

async function writing<T>(path: string, write: () => Promise<T> | T): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new PaydropError(
      "journal",
      `${displayName(path)}: the private copy of the file could not be written (${messageOf(error)})`,
      `${LOOK_AT_DISK} nothing was sent.`,
      { cause: error },
    );
  }
}

/** The extension of an input file: its copy keeps it, since the reader takes the format from it. */
function extensionOf(path: string): string {
  const extension = extname(path).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : "";
}
