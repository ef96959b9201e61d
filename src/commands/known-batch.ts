import { PaydropError } from "../errors.ts";
import { archivedError } from "../journal/sqlite/archives.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { JournalStore } from "../journal/store.ts";

/** The batch that a person named by its id, or by the beginning of it. Throws `usage` when there is none. */
export async function knownBatch(journal: JournalStore, said: string | undefined): Promise<BatchRecord> {
  const batch = said === undefined || said === "" ? undefined : await journal.batch(said);
  if (batch) return batch;
  const message = said === undefined || said === "" ? "no batch is named" : `there is no batch "${said}"`;
  const hint = "`paydrop status` lists them; those of another state folder only with its --state-dir";
  throw new PaydropError("usage", message, hint);
}

/** `knownBatch`, for what sends or copies its rows. Throws `usage` also where they were moved to an archive. */
export async function wholeBatch(journal: JournalStore, said: string | undefined): Promise<BatchRecord> {
  const batch = await knownBatch(journal, said);
  if (batch.archive !== undefined) throw archivedError(batch);
  return batch;
}
