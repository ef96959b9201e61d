import { dirname } from "node:path";
import { PaydropError, systemCodeOf } from "../errors.ts";
import { printable } from "../text/printable.ts";
import { isUnwritable, withHint } from "../results/disk/on-disk.ts";

/** Writes the file that a person named with `--out`. Throws `usage` for a missing folder, else `results_unwritable`. */
export async function writingOut<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUnwritable(error) && NO_FOLDER.includes(systemCodeOf(error.cause) ?? "")) {
      const message = `there is no folder ${printable(dirname(path))}`;
      throw new PaydropError("usage", message, "make it, or name another file with --out", { cause: error });
    }
    throw withHint(error, "make room on the disk and let paydrop write there, or name another file with --out");
  }
}

const NO_FOLDER: readonly string[] = ["ENOENT", "ENOTDIR"];
