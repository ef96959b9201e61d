import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { tagOf, TEMPORARY } from "./atomic.ts";

/**
 * What crashes left of unfinished files, in the folders that the holder of the lock writes to. Each folder is listed
 * once, before this process has written anything there: an unfinished file that comes later is being written now.
 */
export class Leftovers {
  readonly #found = new Map<string, Promise<readonly string[]>>();

  /**
   * Removes what was to become files of these names. A folder that cannot be listed cannot be written either: the write
   * says why.
   */
  async remove(folder: string, of: readonly string[]): Promise<void> {
    const found = this.#found.get(folder) ?? temporariesIn(folder);
    this.#found.set(folder, found);
    try {
      await removeThese(folder, await found, of);
    } catch {
      this.#found.delete(folder);
    }
  }
}

async function temporariesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => TEMPORARY.test(name));
}

/** Only regular files that were to become one of `of`: somebody else may be writing there. */
async function removeThese(folder: string, temporaries: readonly string[], of: readonly string[]): Promise<void> {
  const tags = new Set(of.map(tagOf));
  for (const name of temporaries) {
    if (!tags.has(TEMPORARY.exec(name)?.[1] ?? "")) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) await unlink(path);
  }
}
