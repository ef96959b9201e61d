import { removeThese, temporariesIn } from "./atomic.ts";

/**
 * What crashes left of unfinished files, in the folders that the holder of the lock writes to. Each folder is listed
 * once, before anything of that process can be found there: what comes later is of somebody who is writing now.
 */
export class Leftovers {
  readonly #found = new Map<string, Promise<readonly string[]>>();

  /** Of the files of these names. A folder that refuses this refuses what follows as well, and then says why. */
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
