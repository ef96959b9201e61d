import { createHash, randomBytes } from "node:crypto";
import { constants, existsSync, lchownSync, lstatSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { link, lstat, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCodeOf } from "./errors.ts";
import { faultPoint } from "./fault-point.ts";

/** The name of a user of this machine; undefined for one that it does not know. */
export function userName(uid: number): string | undefined {
  try {
    return new RegExp(`^([\\w.-]+):[^:]*:${uid}:`, "m").exec(readFileSync("/etc/passwd", "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

export interface Access {
  /** Permission bits, whatever the umask; as the umask has it unless said. */
  readonly mode?: number | undefined;
  /** Set where this process may; that of the folder unless said. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Writes a file that is either wholly there or not at all, also after a power cut. `replace`: what has the name now goes; a
 * link is never followed. Else it gives false, and writes nothing, where something has it. Throws what the system says.
 */
export async function writeAtomically(
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  { replace, ...access }: Access & { readonly replace: boolean },
): Promise<boolean> {
  const file = await createFile(path, access);
  try {
    // a string is one piece, not its letters
    for await (const piece of typeof pieces === "string" ? [pieces] : pieces) await file.write(piece);
    await file.finish();
    return await file.publish({ replace });
  } finally {
    await file.discard();
  }
}

/** What is no regular file, or is larger than it may be. */
export const NO_FILE = "";

/**
 * Reads a small file in a folder that others may write to: follows no link, waits for nobody who writes into a pipe, reads no
 * device, and no further than `bytesMax`, even when it is exchanged in between. undefined: nothing is there. Throws what the
 * system says of a file that may not be read.
 */
export async function readFound(path: string, bytesMax: number): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isFile()) return NO_FILE;
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > bytesMax) return NO_FILE;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(stats.size), 0, stats.size, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch (thrown) {
    const code = systemCodeOf(thrown) ?? "";
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(code)) return undefined;
    if (["ELOOP", "EISDIR", "ENXIO"].includes(code)) return NO_FILE;
    throw thrown;
  }
}

/** A folder that was exchanged for a link since its file was taken: nothing of ours goes where that leads. */
export class ExchangedFolder extends Error {}

/**
 * Works in the folder of a file as it is now: on Linux the path that `work` gets leads into this very folder, whatever it is
 * exchanged for meanwhile. `mayBeNew`: the file need not be there. Throws ExchangedFolder, and what the system says.
 */
export async function inFolderOf<T>(
  path: string,
  work: (path: string) => Promise<T>,
  { mayBeNew = false }: { readonly mayBeNew?: boolean } = {},
): Promise<T> {
  const isByLink = await isNamedByLink(path, mayBeNew);
  if (process.platform !== "linux") return await work(path);
  await using folder = await open(dirname(path), PATH_ONLY | (isByLink ? 0 : constants.O_NOFOLLOW)).catch(exchanged);
  const held = `/proc/self/fd/${folder.fd}`;
  if (!existsSync(held)) return await work(path);
  try {
    return await work(join(held, basename(path)));
  } catch (thrown) {
    // people are told of the folder by its name
    if (thrown instanceof Error) thrown.message = thrown.message.replaceAll(held, dirname(path));
    throw thrown;
  }
}

/**
 * A link of our own, or of the system's, that the file was named by leads to it; what another user put there leads anywhere.
 * Throws ExchangedFolder.
 */
async function isNamedByLink(path: string, mayBeNew: boolean): Promise<boolean> {
  const folder = await lstat(dirname(path)).catch(() => undefined);
  if (folder?.isSymbolicLink() !== true) return false;
  const isOurs = folder.uid === 0 || folder.uid === process.getuid?.();
  if (isOurs && (mayBeNew || (await lstat(path).catch(() => undefined))?.isFile() === true)) return true;
  throw new ExchangedFolder();
}

function exchanged(thrown: unknown): never {
  throw systemCodeOf(thrown) === "ELOOP" || systemCodeOf(thrown) === "ENOTDIR" ? new ExchangedFolder() : thrown;
}

/** `O_PATH`, which Node has no name for: whoever may go through a folder need not be able to list it. */
const PATH_ONLY = 0o10000000 | constants.O_DIRECTORY;

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const TEMPORARY = /^\.paydrop-(\d+)-[0-9a-f]{16}\.tmp$/;

export type AtomicFile = Awaited<ReturnType<typeof createFile>>;

/**
 * The same in steps, for files that are filled side by side: `write` …, `finish`, `publish`, and in any case `discard`.
 * Written under a random hidden name in the same folder, synced, renamed. Throws what the system says.
 */
export async function createFile(path: string, { mode, owner }: Access) {
  const folder = dirname(path);
  await cleared(folder);
  // says who writes it, so that what a crash left can be told from what is being written
  const temporary = join(folder, `.paydrop-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
  const handle = await open(temporary, CREATE, mode === undefined ? 0o666 : 0o600);
  const hash = createHash("sha256");
  /** Removes what is unfinished; harmless after `publish` and when called twice. */
  const discard = async (): Promise<void> => {
    await handle.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
  };
  try {
    // only root may give a file away; a group of ours can be set by anybody
    if (!owner) giveToOwner(temporary);
    else
      await handle
        .chown(owner.uid, owner.gid)
        .catch(() => handle.chown(-1, owner.gid))
        .catch(() => undefined);
    if (mode !== undefined) await handle.chmod(mode & 0o777);
  } catch (thrown) {
    await discard();
    throw thrown;
  }
  return {
    path,
    discard,
    async write(piece: string | Uint8Array): Promise<void> {
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      hash.update(bytes);
      await handle.writeFile(bytes);
    },

    /** All bytes are on stable storage under the hidden name. Gives their SHA-256 in lower-case hex. */
    async finish(): Promise<string> {
      await handle.sync();
      await handle.close();
      faultPoint("file.written");
      return hash.digest("hex");
    },

    /** After `finish`: gives the file its name, or another one there. false: something has it, and is not replaced. */
    async publish({ replace, as = path }: { replace: boolean; as?: string }): Promise<boolean> {
      if (!replace && (await isTaken(temporary, as))) return false;
      await rename(temporary, as);
      // of two names of one file a rename takes none away
      if (!replace) await unlink(temporary).catch(() => undefined);
      faultPoint("file.renamed");
      await syncFolder(folder);
      return true;
    },
  };
}

/** Takes the name by a link, which replaces nothing; on a disk without them at least what is seen there is left. */
async function isTaken(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return false;
  } catch (thrown) {
    return systemCodeOf(thrown) === "EEXIST" || (await stat(path).catch(() => undefined)) !== undefined;
  }
}

/** Once per folder, before this process writes there: removes unfinished files of processes that are gone. */
async function cleared(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  const name = found ? [found.dev, found.ino, found.birthtimeMs].join() : folder;
  const clearing = CLEARED.get(name) ?? removeLeftovers(folder);
  CLEARED.set(name, clearing);
  await clearing;
}

const CLEARED = new Map<string, Promise<void>>();

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const pid = Number(TEMPORARY.exec(name)?.[1]);
    if (pid > 0 && !isAnother(pid)) await unlink(join(folder, name)).catch(() => undefined);
  }
}

/** Whether another process of this number runs. */
export function isAnother(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (thrown) {
    return systemCodeOf(thrown) === "EPERM";
  }
}

/**
 * Permission bits and owner of a file, for what is written beside it; private where no file is there. A link that it was
 * exchanged for opens nothing.
 */
export async function accessLike(path: string): Promise<Access> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ? { mode: stats.mode & 0o666, owner: { uid: stats.uid, gid: stats.gid } } : { mode: 0o600 };
}

/** What root makes in the folder of somebody else becomes theirs: the service whose folder it is must go on with it. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  // one that is theirs already keeps its group
  if (uid !== 0 && lstatSync(path).uid !== uid) lchownSync(path, uid, gid);
}

/**
 * Makes what was renamed in this folder outlive a power cut. Some disks cannot sync a folder, or do not let us: there
 * the bytes are safe, but the name may be lost with the power. Any other failure is thrown: a disk that reports an error
 * has not kept the name.
 */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, constants.O_RDONLY);
    await handle.sync();
  } catch (thrown) {
    if (!["EINVAL", "EPERM", "EISDIR", "ENOTSUP", "EACCES"].includes(systemCodeOf(thrown) ?? "")) throw thrown;
  }
}

/**
 * Makes a private folder (0700), with those above it, where there is none. Not by `recursive`: with it Node says that
 * the folder is not there where the disk is read-only, and in /proc it tries for ever. Throws what the system says.
 */
export function makePrivateFolder(folder: string, { mayMakeAbove = true } = {}): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    giveToOwner(folder);
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || !mayMakeAbove || dirname(folder) === folder) throw thrown;
    makePrivateFolder(dirname(folder));
    makePrivateFolder(folder, { mayMakeAbove: false });
  }
}
