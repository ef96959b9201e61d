import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { PaydropError } from "../errors.ts";
import { assertRoomForFile } from "../journal/room.ts";
import type { BatchRecord, JournalStore, RowTexts } from "../journal/store.ts";
import { archiveLines } from "../results/archive/archive-file.ts";
import { unpackCopy } from "../results/archive/packed-copy.ts";
import { counted } from "../results/next-steps.ts";
import { archiveFolder, copyOf, packedCopyOf } from "./archive-out.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { tell } from "./tell.ts";

const ROWS_AT_ONCE = 1000;

/** The details of one batch come back; the archive keeps them too. What a crash cuts off is done again from its start. */
export async function bringBack(
  call: Call,
  config: Config,
  journal: JournalStore,
  said: string,
  { by, remark }: { readonly by: string; readonly remark: string },
): Promise<void> {
  const batch = await knownBatch(journal, said);
  const { id, archive } = batch;
  if (archive === undefined) {
    tell(call, config, `Batch ${id} is not archived.`, { type: "restored", batch: id, already: true });
    return;
  }
  await assertRoomForFile(config.stateDir, batch.sizeBytes);
  const packed = packedCopyOf(config, batch);
  if (!(await unpackCopy(packed, copyOf(config, batch), batch.sha256))) throw damaged(packed, batch);
  await putRowsBack(journal, join(archiveFolder(config), archive), batch);
  await journal.moveIn(id, {
    by,
    kind: "restore",
    note: [`from archive/${archive}`, remark].filter(Boolean).join("; "),
  });
  const text = `Restored batch ${id}, ${batch.fileName}, ${counted(batch.rows)}.\nIts results:  paydrop results ${id}`;
  tell(call, config, text, { type: "restored", batch: id, rows: batch.rows });
}

async function putRowsBack(journal: JournalStore, path: string, batch: BatchRecord): Promise<void> {
  let rows = 0;
  let page: RowTexts[] = [];
  try {
    for await (const line of archiveLines(path)) {
      if (line.type !== "row" || line.batch !== batch.id) continue;
      rows += 1;
      page.push(line);
      if (page.length < ROWS_AT_ONCE) continue;
      await journal.putBack(batch.id, page);
      page = [];
    }
    await journal.putBack(batch.id, page);
  } catch (error) {
    if (error instanceof PaydropError) throw error;
    throw damaged(path, batch, error);
  }
  if (rows !== batch.rows) throw damaged(path, batch);
}

function damaged(path: string, { id }: BatchRecord, cause?: unknown): PaydropError {
  return new PaydropError(
    "journal",
    `${path} is missing or damaged: batch ${id} stays archived`,
    "restore the file from a backup, then run this again",
    { cause },
  );
}
