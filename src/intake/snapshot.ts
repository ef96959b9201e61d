import { constants, type BigIntStats } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { createFile, makePrivateFolder, userName } from "../disk.ts";
import { FileRefusedError, messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { binaryOfBytes, formatOfName } from "../file-format.ts";
import { printable } from "../printable.ts";
import { snapshotPath } from "../state-dir.ts";

/**
 * An immutable private copy of an input file: what is parsed, hashed, checked and sent (I7). `path`, `fileName`, `folder`
 * and `mode` (permission bits) are those of the input; `identity`: by it the journal knows this version of the file again;
 * `owner`: the name of its owner, where that is somebody else than the user of this process.
 */
export type Snapshot = Readonly<NonNullable<Awaited<ReturnType<typeof copyOnce>>>>;

/**
 * Copies the file at `path` into the state directory while hashing it, and names the copy by its hash. The input is only
 * read. `seen`: the SHA-256 that two looks found; nothing else is taken in its name. Throws PaydropError: `usage` for
 * what is not a readable regular file, `stopped` for a file that changes meanwhile, `journal` where the copy cannot be
 * written.
 */
export async function takeSnapshot(path: string, stateDir: string, seen?: string): Promise<Snapshot> {
  await using source = await openRegular(path);
  await saying("copy_unwritable", path, () => makePrivateFolder(dirname(snapshotPath(stateDir, "-"))));
  const snapshot = await copyOnce(source, resolve(path), stateDir, seen);
  if (snapshot) return snapshot;
  throw new PaydropError("file_being_written", { name: shown(path) });
}

/** undefined: the file changed while it was copied, or since it was seen. */
async function copyOnce(source: FileHandle, path: string, stateDir: string, seen?: string) {
  const writing = <T>(write: () => Promise<T>): Promise<T> => saying("copy_unwritable", path, write);
  const copy = await writing(() => createFile(snapshotPath(stateDir, "-"), { mode: 0o600 }));
  try {
    const before = await statsOf(source, path);
    let sizeBytes = 0;
    await eachPiece(source, path, before.size, async (piece, position) => {
      if (position === 0 && isTooLarge(path, piece, before.size))
        throw new FileRefusedError(shown(path), [{ code: "workbook_too_large" }]);
      sizeBytes += piece.length;
      await writing(() => copy.write(piece));
    });
    const sha256 = await writing(() => copy.finish());
    const after = await statsOf(source, path);
    const isWhole = isUnchanged(before, after) && after.size === BigInt(sizeBytes);
    if (!isWhole || (seen ?? sha256) !== sha256) return undefined;
    const kept = snapshotPath(stateDir, sha256);
    // over a copy of the same bytes, which may have been damaged since
    await writing(() => copy.publish({ replace: true, as: kept }));
    const parts = { path, fileName: basename(path), folder: dirname(path), sha256, sizeBytes, copy: kept };
    const uid = Number(after.uid);
    const owner = uid === process.geteuid?.() ? undefined : (userName(uid) ?? `uid ${uid}`);
    return { ...parts, identity: identityOf(after), mode: Number(after.mode & 0o777n), owner };
  } finally {
    await copy.discard();
  }
}

/** Not by its place on the disk, which a share that is mounted anew numbers anew, nor by ctime, which rights move too. */
export function identityOf({ size, mtimeNs }: Pick<BigIntStats, "size" | "mtimeNs">): string {
  return `${size} ${mtimeNs}`;
}

/** Whether nobody has written to the file, or changed its rights, in between. */
export function isUnchanged(one: BigIntStats, other: BigIntStats): boolean {
  return one.size === other.size && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;
}

const PIECE_BYTES = 256 * 1024;
/** Packed; no spreadsheet program writes a tenth of that. */
const WORKBOOK_BYTES_MAX = 1024n ** 3n;

/**
 * A workbook, or what is none by its first bytes either, and so large that nobody reads it. Holes take no room on the disk of
 * whoever makes it, but on ours.
 */
export function isTooLarge(path: string, beginning: Buffer, sizeBytes: bigint): boolean {
  const isText = formatOfName(path) !== "xlsx" && binaryOfBytes(beginning) === undefined;
  return !isText && sizeBytes > WORKBOOK_BYTES_MAX;
}

/**
 * Reads a file piece by piece, until `take` gives false. Stops behind the size that it had: one that grows and grows is not
 * read for ever.
 */
export async function eachPiece(
  file: FileHandle,
  path: string,
  sizeBytes: bigint,
  take: (piece: Buffer, position: number) => unknown,
): Promise<void> {
  const bytesMax = Number(sizeBytes);
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytesMax + 1));
  for (let position = 0; position <= bytesMax;) {
    const read = (): ReturnType<typeof file.read> => file.read(buffer, 0, buffer.length, position);
    const { bytesRead } = await saying("file_unreadable", path, read);
    if (bytesRead === 0) return;
    if ((await take(buffer.subarray(0, bytesRead), position)) === false) return;
    position += bytesRead;
  }
}

export function statsOf(file: FileHandle, path: string): Promise<BigIntStats> {
  return saying("file_unreadable", path, () => file.stat({ bigint: true }));
}

/**
 * Opens a regular file for reading. Follows no link and waits for no writer of a named pipe, even when the file is
 * exchanged in between. Throws PaydropError `usage` for anything else, `stopped` where it was exchanged just now.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const name = shown(path);
  try {
    const seen = await lstat(path, { bigint: true });
    if (!seen.isFile()) throw new PaydropError("not_a_file", { name, kind: kindOf(seen) });
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const opened = await statsOf(file, path);
    if (opened.isFile() && opened.dev === seen.dev && opened.ino === seen.ino) return file;
    await file.close();
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") throw new PaydropError("file_missing", { name });
    if (code !== "ELOOP") await saying("file_unreadable", path, () => Promise.reject(thrown as Error));
  }
  throw new PaydropError("file_exchanged", { name });
}

export function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return "a folder";
  return stats.isSymbolicLink() ? "a link" : "a pipe, socket or device";
}

async function saying<T>(reason: "copy_unwritable" | "file_unreadable", path: string, work: () => Promise<T> | T) {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PaydropError) throw thrown;
    throw new PaydropError(reason, { name: shown(path), found: messageOf(thrown) }, { cause: thrown });
  }
}

function shown(path: string): string {
  return printable(basename(path), 200);
}
