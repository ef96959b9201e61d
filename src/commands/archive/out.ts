import { existsSync } from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { counted } from "../../text/counted.ts";
import { verifySnapshot } from "../../intake/snapshot.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { assertRoomForFile } from "../../journal/sqlite/database/room.ts";
import { makeFolder } from "../../disk/make-folder.ts";
import { writeArchive } from "../../results/archive/archive-file.ts";
import { isPacked, packCopy } from "../../results/archive/packed-copy.ts";
import { readingOf, snapshotsIn } from "../../reading.ts";
import type { Call } from "../command.ts";
import { tell } from "../screen/tell.ts";
import type { Doer } from "../who.ts";

/** Where the details of archived batches lie: in a state directory beside its journal. */
export function archiveFolder({ stateDir }: Config): string {
  return join(stateDir, "archive");
}

/**
 * Everything is written, synced and read back before anything is taken away: after a crash at any moment the details
 * of a batch are in the journal, in the archive, or in both. Gives the batches that were moved.
 */
export async function moveOut(
  call: Call,
  config: Config,
  journal: JournalStore,
  batches: readonly BatchRecord[],
  who: Doer,
): Promise<readonly string[]> {
  if (batches.length === 0) {
    tell(call, config, "Nothing to archive.", { type: "nothing" });
    return [];
  }
  const folder = archiveFolder(config);
  makeFolder(folder);
  // only the holder of the lock writes here: what is unfinished was left by a crash
  for (const name of await readdir(folder)) if (name.startsWith(".")) await unlink(join(folder, name));
  const whole: BatchRecord[] = [];
  for (const batch of batches) {
    if (await verifySnapshot(copyOf(config, batch), batch.sha256)) whole.push(batch);
    else tell(call, config, ...withoutCopy(batch));
  }
  await assertRoomForFile(config.stateDir, whole.reduce((sum, batch) => sum + batch.sizeBytes, 0) / 4);
  for (const batch of whole) await packCopy(copyOf(config, batch), packedCopyOf(config, batch), batch.sha256);
  const name = newName(folder, whole[0]?.id ?? "none");
  const kept = whole.length === 0 ? [] : await writeArchive(join(folder, name), whole, journal);
  const moved: string[] = [];
  for (const { batch, acts } of kept) {
    const { id, fileName, rows } = batch;
    await journal.keepTallies(id);
    const act = who.act("archive", `details moved to archive/${name}`);
    if (await journal.moveOut(id, name, acts, act)) {
      moved.push(id);
      tell(call, config, `Archived batch ${id}, ${fileName}, ${counted(rows)}.`, { type: "archived", batch: id, rows });
    } else {
      const text = `Batch ${id} stays: it was changed just now. Run this again.`;
      tell(call, config, text, { type: "stays", batch: id, why: "changed" });
    }
  }
  if (moved.length > 0) tell(call, config, `Their details lie in ${join(folder, name)}`, { type: "file", file: name });
  return moved;
}

/** Never the name of an existing file: it may hold the only details of other batches. */
function newName(folder: string, id: string): string {
  const begin = `${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}-${id}`;
  for (let time = 1; ; time += 1) {
    const name = `${begin}${time === 1 ? "" : `-${time}`}.jsonl.gz`;
    if (!existsSync(join(folder, name))) return name;
  }
}

/** Removes private copies that no batch needs any more, also those that a crash left behind. */
export async function removeLeftCopies(config: Config, journal: JournalStore): Promise<void> {
  const all = await journal.batches();
  const needed = new Set(all.filter(({ archive }) => archive === undefined).map((batch) => copyOf(config, batch)));
  for (const batch of all) {
    const copy = copyOf(config, batch);
    if (batch.archive === undefined || needed.has(copy) || !existsSync(copy)) continue;
    if (await isPacked(packedCopyOf(config, batch), batch.sha256)) await unlink(copy);
  }
}

export function copyOf(config: Config, batch: BatchRecord): string {
  return join(snapshotsIn(config), readingOf(batch).snapshot);
}

export function packedCopyOf(config: Config, batch: BatchRecord): string {
  return join(archiveFolder(config), `${readingOf(batch).snapshot}.gz`);
}

function withoutCopy({ id, fileName }: BatchRecord): [string, Record<string, unknown>] {
  return [
    `Batch ${id} stays: the private copy of ${fileName} is missing or damaged.`,
    { type: "stays", batch: id, why: "the private copy of its file is missing or damaged" },
  ];
}
