import { lstat } from "node:fs/promises";
import { systemCodeOf } from "../errors.ts";
import { onDisk } from "./atomic.ts";
import { nameOfBatch } from "./names.ts";
import { sha256Of } from "./own.ts";
import type { WrittenMemory } from "./place.ts";

/** Results as they lie there before they are written anew. */
export interface EarlierResults {
  /** Their SHA-256 in hex: they are as they were written. */
  readonly sha256?: string;
  /** A person has changed them since: the name under which they are kept. */
  readonly keptAs?: string;
}

/**
 * Finance writes its notes into the results; what a person has put into a file of ours is not ours to replace. Nothing is
 * known of results that an earlier build wrote, and of those of the sandbox.
 */
export async function lookAtEarlier(path: string, memory: Pick<WrittenMemory, "written">): Promise<EarlierResults> {
  const noted = await memory.written(path);
  if (noted === undefined) return {};
  return onDisk(path, async () => {
    if (await isFree(path)) return {};
    const sha256 = await sha256Of(path);
    return noted.split(" ").includes(sha256) ? { sha256 } : { keptAs: await freeName(path) };
  });
}

/** To be noted before results get their name: whichever of the two a crash leaves there is as it was written. */
export function noteOf(before: string | undefined, after: string): string {
  return before === undefined ? after : `${before} ${after}`;
}

/** `payroll.csv.results.edited.csv`, `….edited-2.csv`: what was kept before is kept on. */
async function freeName(path: string): Promise<string> {
  for (let times = 1; ; times += 1) {
    const name = nameOfBatch(path, times === 1 ? "edited" : `edited-${times}`);
    if (await isFree(name)) return name;
  }
}

async function isFree(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: unknown) => {
      if (systemCodeOf(error) === "ENOENT") return true;
      throw error;
    },
  );
}
