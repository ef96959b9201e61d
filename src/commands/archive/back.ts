import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { counted } from "../../text/counted.ts";
import { foreseen, PaydropError } from "../../errors.ts";
import { assertRoomForFile } from "../../journal/sqlite/database/room.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { RowRecord, RowTexts } from "../../journal/row-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { archiveLines } from "../../results/archive/archive-file.ts";
import { unpackCopy } from "../../results/archive/packed-copy.ts";
import { archiveFolder, copyOf, packedCopyOf } from "./out.ts";
import type { Call } from "../command.ts";
import { knownBatch } from "../known-batch.ts";
import { tell } from "../screen/tell.ts";
import type { Doer } from "../who.ts";

const ROWS_AT_ONCE = 1000;

/**
 * Brings the details of one batch back; the archive keeps them too. Where a crash cut that off, the next call starts
 * anew.
 */
export async function bringBack(
  call: Call,
  config: Config,
  journal: JournalStore,
  said: string,
  who: Doer,
): Promise<void> {
  const batch = await knownBatch(journal, said);
  const { id, archive } = batch;
  if (archive === undefined) {
    tell(call, config, `Batch ${id} is not archived.`, { type: "restored", batch: id, already: true });
    tellEnd(call, config, id);
    return;
  }
  await assertRoomForFile(config.stateDir, batch.sizeBytes);
  const packed = packedCopyOf(config, batch);
  if (!(await unpackCopy(packed, copyOf(config, batch), batch.sha256))) throw damaged(packed, batch);
  await putRowsBack(journal, join(archiveFolder(config), archive), batch);
  await journal.moveIn(id, who.act("restore", `from archive/${archive}`));
  const text = `Restored batch ${id}, ${batch.fileName}, ${counted(batch.rows)}.\nIts results:  paydrop results ${id}`;
  tell(call, config, text, { type: "restored", batch: id, rows: batch.rows });
  tellEnd(call, config, id);
}

function tellEnd(call: Call, config: Config, batch: string): void {
  tell(call, config, "", { type: "summary", batch, exit_code: 0 });
}

/** Nothing is put back before the whole file was found to be the one that was written of this batch. */
async function putRowsBack(journal: JournalStore, path: string, batch: BatchRecord): Promise<void> {
  try {
    if (!(await isOfBatch(journal, path, batch))) throw damaged(path, batch);
    let page: RowTexts[] = [];
    for await (const row of rowsOf(path, batch)) {
      page.push(row);
      if (page.length < ROWS_AT_ONCE) continue;
      await journal.putBack(batch.id, page);
      page = [];
    }
    await journal.putBack(batch.id, page);
  } catch (error) {
    // a disk that does not answer has damaged nothing
    const known = foreseen(error);
    throw known instanceof PaydropError ? known : damaged(path, batch, error);
  }
}

/**
 * An archive of another journal, or an earlier one of the same batch, may hold rows under this id too; but not rows that
 * were sent at the very moments that this journal knows, with the same outcomes.
 */
async function isOfBatch(journal: JournalStore, path: string, batch: BatchRecord): Promise<boolean> {
  const archived = rowsOf(path, batch);
  try {
    for await (const page of journal.rows(batch.id)) {
      for (const known of page) {
        const row = await archived.next();
        if (row.done === true || STAYS.some((name) => row.value[name] !== known[name])) return false;
      }
    }
    return (await archived.next()).done === true;
  } finally {
    await archived.return(undefined);
  }
}

/** Columns that stay in the journal, and do not change while the batch is archived. */
const STAYS = ["number", "state", "amount", "code", "attempts", "sentAt", "settledBy"] as const;

async function* rowsOf(path: string, { id }: BatchRecord): AsyncGenerator<RowRecord, undefined> {
  for await (const line of archiveLines(path)) if (line.type === "row" && line.batch === id) yield line;
}

function damaged(path: string, { id }: BatchRecord, cause?: unknown): PaydropError {
  return new PaydropError(
    "journal",
    `${path} is missing, damaged or not the one that was written: batch ${id} stays archived`,
    "restore the file from a backup, then run this again",
    { cause },
  );
}
