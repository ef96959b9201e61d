import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { foreseen, PaydropError } from "../../errors.ts";
import { makingFile } from "../disk/atomic.ts";
import { notAsWritten, unpacked, writePacked } from "./archive-file.ts";

/**
 * Compresses the private copy of an input file into the archive and reads it back; one that lies there already and
 * holds the same is kept. Throws PaydropError `journal` when it does not give back the very bytes.
 */
export async function packCopy(from: string, to: string, sha256: string): Promise<void> {
  if (await isPacked(to, sha256)) return;
  await writePacked(to, () => createReadStream(from) as AsyncIterable<Buffer>);
  if (!(await isPacked(to, sha256))) throw notAsWritten(to);
}

/** Puts such a copy back where it was. False, and nothing there, when it is not the one that was packed. */
export async function unpackCopy(from: string, to: string, sha256: string): Promise<boolean> {
  if (!(await isPacked(from, sha256))) return false;
  return makingFile(to, 0o600, async (file) => {
    for await (const piece of unpacked(from)) await file.write(piece);
    if ((await file.finish()) !== sha256) return false;
    await file.publish();
    return true;
  });
}

/** Whether a packed copy gives back these bytes. */
export async function isPacked(path: string, sha256: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const hash = createHash("sha256");
  try {
    for await (const piece of unpacked(path)) hash.update(piece);
  } catch (error) {
    // cut off or damaged: it is made anew. A disk that does not answer has damaged nothing
    if (foreseen(error) instanceof PaydropError) throw error;
    return false;
  }
  return hash.digest("hex") === sha256;
}
