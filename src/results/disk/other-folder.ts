import { lstat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { PaydropError } from "../../errors.ts";
import { identityOfFolder } from "../../disk/folder-identity.ts";
import { printable } from "../../text/printable.ts";

/** The folder that the input lay in is not there for now: what is written in its place is not found when it is back. */
export class OtherFolderError extends PaydropError {}

/**
 * Throws `OtherFolderError` where the input is gone and its place is in another folder than `before`: a share was
 * unmounted, and the empty folder below it has come to light.
 */
export async function assertFolderIs(before: string, file: string): Promise<void> {
  const folder = dirname(file);
  const now = await identityOfFolder(folder);
  if (now === undefined || now === before) return;
  const isGone = await lstat(file).then(
    () => false,
    () => true,
  );
  if (!isGone) return;
  throw new OtherFolderError(
    "results_unwritable",
    `${printable(basename(file))} is not in its folder, and that is another folder now (${printable(folder)})`,
    "put the folder back in its place or mount it again, then write the results again with paydrop results",
  );
}
