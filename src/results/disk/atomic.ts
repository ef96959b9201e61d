import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCodeOf } from "../../errors.ts";
import { faultPoint } from "../../fault-point.ts";
import { syncFolder } from "../../disk/sync-folder.ts";
import { onDisk } from "./on-disk.ts";

/** The first eight digits are the tag of the file that it is to become. */
export const TEMPORARY = /^\.paydrop-([0-9a-f]{8})[0-9a-f]{16}\.tmp$/;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const BUFFERED_LENGTH = 256 * 1024;

/**
 * A file that is either wholly there or not at all: written under a random hidden name in the same folder, synced,
 * renamed. A link planted at the target is replaced, never followed. Every failure of the disk is a PaydropError
 * `results_unwritable`; after any failure call `discard()`.
 */
export class AtomicFile {
  readonly path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash("sha256");
  #waiting: (string | Uint8Array)[] = [];
  #waitingLength = 0;
  #sizeBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #stage: "open" | "closed" | "gone" = "open";

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.path = path;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  /**
   * `mode`: permission bits of the file in the end, whatever the umask; undefined: as the umask has it. `of`: the name
   * by which `Leftovers` knows it.
   */
  static async create(path: string, mode: number | undefined, of = basename(path)): Promise<AtomicFile> {
    const temporary = join(dirname(path), `.paydrop-${tagOf(of)}${randomBytes(8).toString("hex")}.tmp`);
    return onDisk(path, async () => {
      const handle = await open(temporary, CREATE, mode === undefined ? 0o666 : 0o600);
      const file = new AtomicFile(path, temporary, handle);
      try {
        if (mode !== undefined) await handle.chmod(mode & 0o777);
      } catch (thrown) {
        await file.discard();
        throw thrown;
      }
      return file;
    });
  }

  /** Gathers text or bytes in large pieces, each written while the next one gathers: only one waits for the disk. */
  async write(piece: string | Uint8Array): Promise<void> {
    this.#waiting.push(piece);
    this.#waitingLength += piece.length;
    if (this.#waitingLength >= BUFFERED_LENGTH) await onDisk(this.path, () => this.#flush());
  }

  /** All bytes are on stable storage under the hidden name. Gives their SHA-256 in hex. */
  async finish(): Promise<string> {
    await onDisk(this.path, async () => {
      await this.#flush();
      await this.#writing;
      await this.#handle.sync();
      const { size } = await this.#handle.stat();
      if (size !== this.#sizeBytes) throw new Error(`${size} bytes arrived of ${this.#sizeBytes}`);
      await this.#handle.close();
      this.#stage = "closed";
    });
    faultPoint("results.written");
    return this.#hash.digest("hex");
  }

  /** After `finish`: gives the file its name, over what has that name now. */
  async publish(): Promise<void> {
    await onDisk(this.path, async () => {
      faultPoint("results.before_rename");
      await rename(this.#temporary, this.path);
      this.#stage = "gone";
      faultPoint("results.after_rename");
      await syncFolder(dirname(this.path));
    });
  }

  /** After `finish`: gives the file its name only if nothing has it; false when something has. */
  async publishNew(): Promise<boolean> {
    return onDisk(this.path, async () => {
      try {
        await link(this.#temporary, this.path);
      } catch (thrown) {
        if (systemCodeOf(thrown) === "EEXIST") return false;
        // a disk without hard links: the name was free a moment ago
        await this.publish();
        return true;
      }
      await syncFolder(dirname(this.path));
      return true;
    });
  }

  /** Removes the temporary file; harmless after `publish` and when called twice. */
  async discard(): Promise<void> {
    if (this.#stage === "gone") return;
    if (this.#stage === "open") await this.#handle.close().catch(() => undefined);
    this.#stage = "gone";
    await unlink(this.#temporary).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const isText = this.#waiting.every((piece) => typeof piece === "string");
    const bytes = isText
      ? Buffer.from(this.#waiting.join(""), "utf8")
      : Buffer.concat(this.#waiting.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "utf8") : piece)));
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.length;
    await this.#writing;
    this.#writing = this.#handle.writeFile(bytes);
    // what the disk refuses is thrown where the write is waited for: at the next piece, or at the end
    this.#writing.catch(() => undefined);
  }
}

/** Says of a temporary file what it was to become, and nothing to a stranger. */
export function tagOf(of: string): string {
  return createHash("sha256").update(of).digest("hex").slice(0, 8);
}

/** A file of one piece, whole or not at all. */
export function writeAtomically(path: string, content: string | Uint8Array, mode: number, of?: string): Promise<void> {
  const fill = async (file: AtomicFile): Promise<void> => {
    await file.write(content);
    await file.finish();
    await file.publish();
  };
  return makingFile(path, mode, fill, of);
}

/** Whatever becomes of the work, nothing unfinished is left of the file. */
export async function makingFile<T>(
  path: string,
  mode: number | undefined,
  work: (file: AtomicFile) => Promise<T>,
  of?: string,
): Promise<T> {
  const file = await AtomicFile.create(path, mode, of);
  try {
    return await work(file);
  } finally {
    await file.discard();
  }
}
