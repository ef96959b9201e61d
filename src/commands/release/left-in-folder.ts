import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { PaydropError } from "../../errors.ts";
import { inboxFolders } from "../../intake/inbox-folders.ts";
import { lookAt } from "../../intake/look.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { cancelCommand } from "../../results/words/next-steps.ts";
import { counted } from "../../text/counted.ts";
import { printable } from "../../text/printable.ts";
import { safeRows } from "../retry.ts";

/** A batch of a held folder of which rows go when the folder goes on. */
interface Left {
  readonly batch: BatchRecord;
  /** `11 rows, 1254.00, of p.csv (batch K7Q29F3M)` */
  readonly text: string;
}

/** What goes of files that were taken from these folders, and their operation folders, when they go on. */
export async function leftIn(journal: JournalStore, folders: readonly string[], config: Config): Promise<Left[]> {
  const all = (await Promise.all(folders.map(inboxFolders))).flat();
  const left: Left[] = [];
  for (const id of await journal.unfinished([...new Set(all)])) {
    const batch = await journal.batch(id);
    if (batch?.phase !== "open") continue;
    const { going } = await safeRows(journal, batch, ["ready", "not_sent", "rejected"], config);
    const { length } = going.numbers;
    if (length === 0) continue;
    const text = `${counted(length)}, ${going.sum}, of ${printable(batch.fileName)} (batch ${batch.id})`;
    left.push({ batch, text });
  }
  return left;
}

/** Whether another file lies in its place. One that was taken away says nothing: what was taken of it goes. */
async function isChanged({ folder, fileName, format, sha256 }: BatchRecord): Promise<boolean> {
  const look = await lookAt(join(folder, fileName), format);
  return typeof look !== "string" && look.sha256 !== sha256;
}

/**
 * I7: what goes is what was taken. Whoever corrected the file since, while the folder was held, mostly means that not to
 * go, and the correction would go as well.
 */
export async function assertUnchanged(left: readonly Left[]): Promise<void> {
  const changed: Left[] = [];
  for (const one of left) if (await isChanged(one.batch)) changed.push(one);
  const [first] = changed;
  if (!first) return;
  throw new PaydropError(
    "usage",
    `changed since it was taken, but what would go is what was in it then: ${changed.map(({ text }) => text).join("; ")}`,
    `nothing was sent, and the folder is still held; to drop the old rows first: ${cancelCommand(first.batch.id)}; ` +
      "to send them as they were: say this again with --as-taken",
  );
}
