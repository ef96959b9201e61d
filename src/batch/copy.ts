import { basename, dirname, resolve } from "node:path";
import { PaydropError } from "../errors.ts";
import { faultPoint } from "../fault-point.ts";
import { identityOfFolder } from "../disk/folder-identity.ts";
import { takeSnapshot, type Snapshot } from "../intake/snapshot.ts";
import { modeThere } from "../results/disk/mode-of.ts";
import type { Ground } from "./ground.ts";

/** A file as it is taken in, and what was found beside it. */
interface Copied {
  readonly snapshot: Snapshot;
  readonly modeBefore: number | undefined;
  readonly folderBefore: string | undefined;
  readonly losses: readonly string[];
}

/** `foundSha256`: hash of the bytes that were seen to lie still; other bytes are refused. */
export async function copyOf(ground: Ground, path: string, foundSha256: string | undefined): Promise<Copied> {
  const file = resolve(path);
  const [modeBefore, folderBefore] = await Promise.all([modeThere(file), identityOfFolder(dirname(file))]);
  const snapshot = await takeSnapshot(path, ground.snapshots);
  faultPoint("snapshot.taken");
  if (foundSha256 !== undefined && foundSha256 !== snapshot.sha256) throw notSettled(file);
  return { snapshot, modeBefore, folderBefore, losses: await ground.marks.compare(file) };
}

function notSettled(file: string): PaydropError {
  return new PaydropError(
    "stopped",
    `${basename(file)}: the file was changed just now`,
    "it is taken when it lies still again; nothing was sent",
  );
}
