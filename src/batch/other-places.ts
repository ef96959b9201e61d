/**
 * I12: the file of a batch may have been taken from several places, and rows may have gone from each. What lies at the
 * others than its own must be known to the journal as well.
 */
import { join } from "node:path";
import { OneBatchError, UnreadPlaceError } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { isResumable } from "../reason.ts";
import { UNLESS } from "../results/marks/found-mark.ts";
import { rowsIn } from "../results/words/status.ts";
import type { Ground } from "./ground.ts";

/** What a person accepts that the journal may not know. */
export interface OtherLosses {
  readonly known: readonly string[];
  /** Of places that cannot be read: said for this process alone. */
  readonly unread: readonly string[];
}

/**
 * Throws where another place tells of more than the journal knows: it is older, and nothing goes. `goes`: whether rows of
 * the batch may go now. Then one that cannot be read keeps this batch, and no other one.
 */
export async function compareOther(
  ground: Ground,
  batch: BatchRecord,
  file: string,
  goes: () => Promise<boolean> | boolean,
): Promise<OtherLosses> {
  const places = [join(batch.folder, batch.fileName), ...(await ground.journal.sourcesOf(batch.id))];
  const { losses, unread } = await ground.marks.compareOther(places, file);
  const [first] = unread;
  if (!first || !(await goes())) return { known: losses, unread: [] };
  const { acceptLostJournal, by } = ground.config;
  if (acceptLostJournal && by !== undefined) return { known: losses, unread: unread.map(({ message }) => message) };
  throw staysUnsent(batch, first, `; ${UNLESS}`);
}

/**
 * What the folder remembers of its own file, `marks.compare`. Throws as well where it cannot be read; outside of the
 * inboxes that this process works through, that keeps this batch, and no other one.
 */
export async function compareOwn({ marks }: Ground, batch: BatchRecord, file: string): Promise<readonly string[]> {
  try {
    return await marks.compare(file);
  } catch (thrown) {
    if (!(thrown instanceof UnreadPlaceError) || marks.keepsThatOf(file)) throw thrown;
    throw staysUnsent(batch, thrown);
  }
}

function staysUnsent({ id }: BatchRecord, { message, hint, cause }: UnreadPlaceError, unless = ""): OneBatchError {
  const again = `${hint}, or paydrop retry ${id} where one watches${unless}`;
  return new OneBatchError(`batch ${id} stays as it is: ${message}`, again, { cause });
}

/** Whether a run of the batch may send anything of it. */
export async function isAnyLeft({ journal }: Ground, { id, phase }: BatchRecord): Promise<boolean> {
  if (phase === "cancelled") return false;
  if (rowsIn(await journal.tallies(id), "ready", "sending", "not_sent") > 0) return true;
  // what other rows held may be free by now
  if ((await journal.waitingBatches({ batches: [id] })).length > 0) return true;
  for await (const rows of journal.rowsIn(id, ["rejected"])) if (rows.some(isResumable)) return true;
  return false;
}
