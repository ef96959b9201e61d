import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAndRecord, judge } from "../batch.ts";
import { checkFile } from "../checks/check-file.ts";
import { openFile } from "../checks/open-file.ts";
import type { Config } from "../config/schema.ts";
import { dayOf } from "../day.ts";
import type { CheckedFile } from "../events.ts";
import { takeSnapshot } from "../intake/snapshot.ts";
import { findKnown, newBatchOf } from "../journal/record.ts";
import type { JournalStore } from "../journal/store.ts";
import { toldOf } from "../results/told.ts";
import { openJournalOf } from "../open-journal.ts";
import { openJournal } from "../sqlite/open.ts";
import { journalPath } from "../state-dir.ts";

/** As `run` does it, on a copy of the journal that is thrown away together with the copy of the file. */
export async function checkOne(path: string, config: Config, isAll = false): Promise<CheckedFile> {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-check-"));
  try {
    const { base_url: destination = "" } = config;
    const snapshot = await takeSnapshot(path, folder);
    const opened = await openFile(snapshot, { ...config, state_dir: folder });
    const store = await openCopy(config, folder);
    try {
      const work = { config: { ...config, state_dir: folder }, store, destination, now: () => store.now() };
      const toldMax = isAll ? Number.POSITIVE_INFINITY : undefined;
      const known = await findKnown(work, opened);
      // a file that was taken before stands as it does in its batch: its rows are no second payment
      if (known) {
        const checking = checkFile(opened, work.config, { now: work.now(), toldMax });
        for await (const page of checking.pages()) if (page.length === 0) break;
        const told = await toldOf(work, checking.end(), known.id, toldMax);
        const before = { code: "taken_before", facts: { batch: known.id, day: dayOf(known.createdAt) } };
        return { ...told, remarks: [before, ...told.remarks] };
      }
      const batch = await newBatchOf(work, opened);
      await store.addBatch(batch);
      const found = await checkAndRecord(work, opened, batch, toldMax);
      return await store.judging(() => judge(work, found, batch.id, toldMax));
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openCopy(config: Config, folder: string): Promise<JournalStore> {
  if (config.shared) return openJournalOf(config, { isTrial: true });
  const journal = await openJournal(config.state_dir, { makesNone: true });
  await journal.backup(journalPath(folder)).finally(() => journal.close());
  return openJournal(folder, { isThrownAway: true });
}
