import { constants, type BigIntStats } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { displayName, FileGoneError, missingFile } from "./missing.ts";

/** What shows whether a file is still the same. Numbers are decimal text. */
export interface FileIdentity {
  readonly dev: string;
  readonly ino: string;
  readonly sizeBytes: string;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

/**
 * Opens a regular file for reading; throws PaydropError `usage` for anything else. Follows no link and waits for no
 * writer of a FIFO, even when the file is swapped in between.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const name = displayName(path);
  try {
    const seen = await lstat(path, { bigint: true });
    if (!seen.isFile())
      throw new PaydropError("usage", `${name}: this is ${kindOf(seen)}, not a file`, "Name the file itself.");
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const opened = await file.stat({ bigint: true });
    if (opened.isFile() && opened.dev === seen.dev && opened.ino === seen.ino) return file;
    await file.close();
  } catch (error) {
    if (error instanceof PaydropError) throw error;
    const code = systemCodeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw await missingFile(path);
    if (code === "EACCES" || code === "EPERM") {
      throw new PaydropError(
        "usage",
        `${name}: the file may not be read`,
        "Give the user who runs paydrop the right to read it.",
      );
    }
    if (code !== "ELOOP") throw unreadable(path, error);
  }
  throw new FileGoneError(`${name}: the file was exchanged just now`, "Try again.");
}

/** Runs `read`. Throws PaydropError `usage` where the file's disk or share fails: only this file is in trouble. */
export async function reading<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof PaydropError ? error : unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): PaydropError {
  const message = `${displayName(path)}: the file cannot be read (${messageOf(error)})`;
  const hint = "Look at its disk or network share, then try again; nothing was sent.";
  return new PaydropError("usage", message, hint, { cause: error });
}

export function identityOf(stats: BigIntStats): FileIdentity {
  return {
    dev: stats.dev.toString(),
    ino: stats.ino.toString(),
    sizeBytes: stats.size.toString(),
    mtimeNs: stats.mtimeNs.toString(),
    ctimeNs: stats.ctimeNs.toString(),
  };
}

const PIECE_BYTES = 256 * 1024;

/** Reads a file piece by piece. Stops behind the size that it had: a file that grows and grows is not read for ever. */
export async function eachPiece(
  file: FileHandle,
  { sizeBytes }: FileIdentity,
  take: (piece: Buffer, position: number) => void | Promise<void>,
): Promise<void> {
  const bytesMax = Number(sizeBytes);
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytesMax + 1));
  for (let position = 0; position <= bytesMax;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    await take(buffer.subarray(0, bytesRead), position);
    position += bytesRead;
  }
}

/** The text by which a file that was taken is known again. Not by its ctime, which a change of rights moves too. */
export function identityText(identity: FileIdentity): string {
  return [identity.dev, identity.ino, identity.sizeBytes, identity.mtimeNs].join(" ");
}

/**
 * For a share that was mounted anew and numbers its files anew: the part of `identityText` that stays, and when the
 * file was last put there or changed, in milliseconds since 1970.
 */
export function renumberedAs({ sizeBytes, mtimeNs, ctimeNs }: FileIdentity): readonly [string, number] {
  return [`${sizeBytes} ${mtimeNs}`, Number(BigInt(ctimeNs) / 1_000_000n)];
}

/** Whether nobody has written to the file, or changed its rights, in between. */
export function isUnchanged(one: FileIdentity, other: FileIdentity): boolean {
  return one.sizeBytes === other.sizeBytes && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;
}

/** What something is that is not a regular file: `a folder`, `a link` …. */
export function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isSymbolicLink()) return "a link";
  if (stats.isFIFO()) return "a named pipe";
  return stats.isSocket() ? "a socket" : "a device";
}
