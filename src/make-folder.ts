import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCodeOf } from "./errors.ts";

/**
 * A private folder, with those above it, where there is none. Not `recursive`: of a disk that is read-only or does not
 * answer Node then says that the folder is not there, and in /proc it tries for ever. Throws what the system says.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdirUnlessThere(folder);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdirUnlessThere(folder);
  }
}

async function mkdirUnlessThere(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  }
}
