import { constants } from "node:fs";
import { copyFile, link } from "node:fs/promises";
import { systemCodeOf } from "../../errors.ts";
import { sha256Of } from "../../disk/file-hash.ts";
import { onDisk } from "./on-disk.ts";
import { nameOfBatch } from "../names.ts";
import type { WrittenMemory } from "./own.ts";

/**
 * Whether results were changed by a person since they were written: finance writes notes into them, which are not ours to
 * replace. Nothing is known of results that an earlier build wrote, nor of those of the sandbox.
 */
export async function isEdited(path: string, memory: Pick<WrittenMemory, "written" | "wrote">): Promise<boolean> {
  if ((await memory.written(path)) === undefined) return false;
  const sha256 = await onDisk(path, () => hashOf(path));
  return sha256 !== undefined && !(await memory.wrote(sha256));
}

async function hashOf(path: string): Promise<string | undefined> {
  try {
    return await sha256Of(path);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Gives what lies at `path` another name as well, `payroll.csv.results.edited.csv` or the next that is free: two processes
 * may write the same results, and neither may put its own over what the other one kept.
 */
export async function keepEdited(path: string): Promise<string> {
  for (let times = 1; ; times += 1) {
    const name = nameOfBatch(path, times === 1 ? "edited" : `edited-${times}`);
    if (await onDisk(name, () => isNamed(path, name))) return name;
  }
}

async function isNamed(path: string, name: string): Promise<boolean> {
  try {
    // some disks have no second names
    await link(path, name).catch((error: unknown) => {
      if (systemCodeOf(error) === "EEXIST") throw error;
      return copyFile(path, name, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (systemCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}
