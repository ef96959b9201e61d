import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, PaydropError } from "./errors.ts";

/** Those that are there now. */
const folders = new Set<string>();

/** A private folder for what is thrown away again by whoever asked for it. Throws PaydropError `journal`: no disk for it. */
export async function newScratchFolder(purpose: string): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), `paydrop-${purpose}-`));
    folders.add(folder);
    return folder;
  } catch (error) {
    throw new PaydropError(
      "journal",
      `no temporary file can be made in ${tmpdir()}: ${messageOf(error)}`,
      "name a folder that you may write to with TMPDIR, or mend this one; nothing was sent",
      { cause: error },
    );
  }
}

export async function removeScratchFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** At once, for a process that is about to end by a signal: they hold copies of people's files. */
export function removeScratchFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
