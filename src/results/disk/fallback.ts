import { join } from "node:path";
import { makeFolder } from "../../disk/make-folder.ts";
import { onDisk } from "./on-disk.ts";

/** In the state directory, for what cannot lie beside its input. */
export const FALLBACK_FOLDER = "results";

/** Where what cannot lie beside the input goes: a private folder for each batch. */
export async function fallbackPlace(
  fallbackFolder: string,
  batchId: string,
  fileName: string,
): Promise<{ readonly folder: string; readonly fileName: string }> {
  const folder = join(fallbackFolder, batchId);
  await onDisk(folder, () => makeFolder(folder));
  // the name that was too long beside the input would be too long here too
  return { folder, fileName: Buffer.byteLength(fileName) > 200 ? batchId : fileName };
}
