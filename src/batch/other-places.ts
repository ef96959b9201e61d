/**
 * I12: the file of a batch may have been taken from several places, and rows may have gone from each. What lies at the
 * others than its own must be known to the journal as well.
 */
import { basename, join } from "node:path";
import { OneBatchError, UnreadPlaceError } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { isResumable } from "../reason.ts";
import { UNLESS } from "../results/marks/found-mark.ts";
import { rowsIn } from "../results/words/status.ts";
import { printable } from "../text/printable.ts";
import type { Ground } from "./ground.ts";

/** What a person accepts that the journal may not know. */
export interface OtherLosses {
  readonly known: readonly string[];
  /** Of places that cannot be read: said for this process alone. */
  readonly unread: readonly string[];
}

export const NOTHING_LOST: OtherLosses = { known: [], unread: [] };

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
  const { losses, unread } = await marksOfOthers(ground, batch, file);
  const [first] = unread;
  if (!first || !(await goes())) return { ...NOTHING_LOST, known: losses };
  if (!isAccepted(ground)) throw staysUnsent(batch, first, `; ${UNLESS}`);
  return { known: losses, unread: unread.map(({ message }) => message) };
}

/**
 * The same for an earlier batch that a new one may repeat, since it is of the same bytes or corrected by it: what went of
 * it since would count as never sent. Gives what a person accepts.
 */
export async function compareEarlier(ground: Ground, batch: BatchRecord, file: string): Promise<readonly string[]> {
  const { losses, unread } = await marksOfOthers(ground, batch, file);
  const [first] = unread;
  if (!first || (await isAllPaid(ground, batch))) return losses;
  if (isAccepted(ground)) return [...losses, ...unread.map(({ message }) => message)];
  throw new OneBatchError(
    `${printable(basename(file))} may repeat rows of batch ${batch.id}: ${first.message}`,
    `${first.hint}; ${UNLESS}`,
    { cause: first },
  );
}

async function marksOfOthers({ journal, marks }: Ground, { id, folder, fileName }: BatchRecord, file: string) {
  return marks.compareOther([join(folder, fileName), ...(await journal.sourcesOf(id))], file);
}

function isAccepted({ config: { acceptLostJournal, by } }: Ground): boolean {
  return acceptLostJournal && by !== undefined;
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

/** Whether no row of the batch can have gone since, whatever the journal lacks. */
async function isAllPaid({ journal }: Ground, { id, rows }: BatchRecord): Promise<boolean> {
  return rowsIn(await journal.tallies(id), "accepted", "settled_done", "invalid") === rows;
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
