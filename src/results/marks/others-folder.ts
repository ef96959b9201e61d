import { basename, dirname, join } from "node:path";
import type { Environment } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { printable } from "../../text/printable.ts";
import { INBOX_MARK, inboxesOf, markAt, summariesIn, type FoundMark } from "./found-mark.ts";

/**
 * The newest summary beside a file that this journal has not met, where all of them are of other state directories and
 * nothing was ever sent from there with this one: the journal was lost or another one is used by mistake, and the same
 * payments may have gone under another name.
 */
export async function othersSummary(
  file: string,
  journal: Pick<JournalStore, "stateId" | "batches">,
  environment: Environment,
): Promise<FoundMark | undefined> {
  const folder = dirname(file);
  let newest: FoundMark | undefined;
  for await (const found of summariesIn(folder)) {
    if (found.mark?.stateId === journal.stateId) return undefined;
    if (found.mark && (found.environment ?? environment) === environment) newest ??= found;
  }
  if (newest === undefined) return undefined;
  const marks = await Promise.all(inboxesOf(file).map((inbox) => markAt(join(inbox, INBOX_MARK))));
  if (marks.some((mark) => typeof mark === "object" && mark.mark?.stateId === journal.stateId)) return undefined;
  // what this journal wrote may have been moved away
  const batches = await journal.batches();
  return batches.some((batch) => batch.folder === folder && batch.environment === environment) ? undefined : newest;
}

/** In a test environment, where no real money goes, it is only worth a remark. */
export function othersRemark({ path }: FoundMark): string {
  return (
    `${printable(basename(path))} was written with another state directory, and nothing in this folder with this one: ` +
    "what that one sent is not known here"
  );
}
