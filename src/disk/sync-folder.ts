import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { systemCodeOf } from "../errors.ts";

/**
 * Makes what was renamed in this folder outlive a power cut. Some disks cannot sync a folder, or do not let us: there
 * the bytes are safe, but the name may be lost with the power. No row is paid twice for that: a file is known by its
 * hash, a batch whose private copy is gone sends nothing until the very same file comes again, and the journal itself
 * knows what was sent. Any other failure is thrown: a disk that reports an error has not kept the name.
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
