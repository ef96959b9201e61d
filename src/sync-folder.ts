import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { systemCodeOf } from "./errors.ts";

/**
 * What was renamed in this folder outlives a power cut. Some disks cannot sync a folder, or do not let us: there the bytes
 * are safe and the name may be lost with the power. That pays nothing twice: a file is known by its hash, a batch whose
 * private copy is gone sends nothing till the very same file comes again, and what was sent the journal knows by itself.
 * What else fails is thrown: a disk that reports an error has not kept it.
 */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (!["EINVAL", "EPERM", "EISDIR", "ENOTSUP", "EACCES"].includes(systemCodeOf(thrown) ?? "")) throw thrown;
  }
}
