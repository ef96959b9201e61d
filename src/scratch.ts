import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, PaydropError } from "./errors.ts";

/** A private folder for what is thrown away again by whoever asked for it. Throws PaydropError `journal`: no disk for it. */
export async function newScratchFolder(purpose: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), `paydrop-${purpose}-`));
  } catch (error) {
    throw new PaydropError(
      "journal",
      `no temporary file can be made in ${tmpdir()}: ${messageOf(error)}`,
      "name a folder that you may write to with TMPDIR, or mend this one; nothing was sent",
      { cause: error },
    );
  }
}
